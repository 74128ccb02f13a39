import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectFileType } from '../../detect/file-types.ts';
import { parseWiki } from './parse-wiki.ts';

const PAGE = `{{Infobox organization
| name      = Internet Society<br/>ISOC
| founders  = [[Vint Cerf]], [[Bob Kahn]]
| logo_size = 200px
| employees = 47<ref name="f">[https://a.org/990 Form 990]. ''Guidestar''.</ref>
}}
'''Internet Society''' is an [[international organization|organization]] with {{formatnum|65000}} members.<!-- old -->
[[File:Logo.png|thumb|The sign of the [[society]]]]
== Tasks ==
* First
** Second
{| class="wikitable"
! Year !! Members
|-
| style="color:red" | 1992 || 12
|}
[[Category:Internet]]`;

test('wikitext becomes sections, lists, tables and facts without its marks', async () => {
  const { text, blocks } = await parseWiki(PAGE, []);
  assert.match(text, /^- name: Internet Society ISOC$/m);
  assert.match(text, /^- founders: Vint Cerf, Bob Kahn$/m);
  assert.match(text, /^- employees: 47$/m);
  assert.match(text, /^Internet Society is an organization with 65000 members\.$/m);
  assert.match(text, /^The sign of the society$/m);
  assert.match(text, /^# Tasks\n\n- First\n {2}- Second$/m);
  assert.match(text, /^\| Year \| Members \|\n\| --- \| --- \|\n\| 1992 \| 12 \|$/m);
  assert.match(text, /^- Form 990\. Guidestar\.$/m, 'notes stand at the end');
  assert.doesNotMatch(text, /\[\[|\{\{|'''|200px|old|thumb/);
  assert.ok(blocks.some(({ links }) => links?.some(({ url }) => url === 'https://a.org/990')));
});

test('each page of an export is a section, and a page that moved names its new title', async () => {
  const page = (title: string, text: string, redirect = '') =>
    `<page><title>${title}</title>${redirect}<revision><text>first</text></revision><revision><text bytes="9">${text}</text></revision></page>`;
  const dump = `<mediawiki xml:lang="vi"><siteinfo><sitename>Wiki &amp; more</sitename></siteinfo>${page('One', 'The &lt;b&gt;last&lt;/b&gt; text.\n== Part ==\nMore.')}${page('ISOC', '#redirect [[One]]', '<redirect title="One" />')}<page><title>Empty</title><revision><text bytes="0" /></revision></page></mediawiki>`;
  assert.equal(await detectFileType(Buffer.from(dump), 'dump.xml'), 'wiki');
  const { text, title, metadata } = await parseWiki(dump, []);
  assert.equal(text, '# One\n\nThe last text.\n\n## Part\n\nMore.\n\n# ISOC\n\n→ One');
  assert.equal(title, 'Wiki & more');
  assert.equal(metadata['language']?.val, 'vi');
});

test('a file in the markup of another wiki is plain text', async () => {
  assert.equal((await parseWiki('h1. Title\n\nText with *stars*.', [])).text, 'h1. Title\n\nText with *stars*.');
});

test('hostile wikitext is read in linear time', async () => {
  const used = process.cpuUsage();
  for (const part of [
    '{{',
    '{{a|',
    '[[',
    '[[a|',
    '{|\n',
    '{|\n|a\n',
    '<ref>',
    '<ref',
    '<!--',
    "''",
    '= = ',
    '[http://a ',
    '{{a}}',
    '|}\n',
  ])
    await parseWiki(`[[a]]${part.repeat(30_000)}`, []);
  assert.ok(process.cpuUsage(used).user < 20e6);
});
