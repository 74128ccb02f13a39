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

test('categories and other languages at the end of a page are left out, but no pictures and no links in the text', async () => {
  const tail = '[[Category:Tools]]\n\n[[Kategorie:Technik|Sorted]] [[カテゴリ:道具]]\n[[de:Werkzeug]]\n';
  const pageWith = async (before: string) => (await parseWiki(`A hammer.\n${before}\n${tail}`, [])).text;
  assert.equal(await pageWith(''), 'A hammer.');
  assert.equal(await pageWith('[[:Category:Nails]]'), 'A hammer.\nCategory:Nails');
  assert.equal(await pageWith('[[File:A.jpg|thumb|A picture]]'), 'A hammer.\nA picture');
  assert.equal(await pageWith('See [[Help:Hammers]]'), 'A hammer.\nSee Help:Hammers');
  assert.match((await parseWiki(tail, [])).text, /^Category:Tools/, 'a page of nothing else');
});

test('a sentence of a template does not stick to the sentences around it', async () => {
  const { text } = await parseWiki(
    'Come to the standup.{{Note|The room is 12.}}It is at nine. Press {{key|F}}{{key|5}}.',
    [],
  );
  assert.equal(text, 'Come to the standup. The room is 12. It is at nine. Press F5.');
  assert.equal((await parseWiki('H{{sub|2}}O of www.{{x|a}}.org, v1.{{x|2}}', [])).text, 'H2O of www.a.org, v1.2');
});

test('the year, month and day of a template are one date, and links in its values stay', async () => {
  const dates =
    'Born {{birth date|1874|11|30|df=y}}, died {{Sterbedatum|year=1965|month=1|day=24}} ({{age|1965|1|24|1874|11|30}}).';
  assert.equal((await parseWiki(dates, [])).text, 'Born 1874-11-30, died 1965-01-24 (1965-01-24 1874-11-30).');
  assert.equal(
    (await parseWiki('{{x|1874|13|30}} {{x|1874|11}} {{x|874|1|2}}', [])).text,
    '1874 13 30 1874 11 874 1 2',
  );
  assert.equal((await parseWiki('{{x|[[a|b]]|1874|1|2}}', [])).text, 'b 1874-01-02');
});

test('the items of numbered lists are counted, also around and within other lists', async () => {
  const page = `[[a]]
# Open the cover
# Remove both screws
## the upper one
## the lower one
#: Keep them.
# Pull
<!-- a line that
is none --> <!-- nor this -->
# Close
## the cover
*# of a tool
* Any tool
# Anew

# After a gap
: A break
# After a break`;
  const { text } = await parseWiki(page, []);
  assert.deepEqual(
    text.split('\n').filter((line) => /^ *(?:\d|-)/.test(line)),
    [
      '1. Open the cover',
      '2. Remove both screws',
      '  1. the upper one',
      '  2. the lower one',
      '3. Pull',
      '4. Close',
      '  1. the cover',
      '  1. of a tool',
      '- Any tool',
      '1. Anew',
      '1. After a gap',
      '1. After a break',
    ],
  );
});

test('a reference to a character is no mark of a literal text', async () => {
  const { text } = await parseWiki('[[a]] <code>q</code>&#xe0c6;0&#xe0c6;&#57542;7&#57542;&Auml;', []);
  assert.equal(text, 'a `q` 0  7 Ä');
});

test('code, formulas and text without markup keep their signs', async () => {
  const page = `[[a]] <nowiki>{{t|x}}</nowiki> with <code>vector<int> v</code>, <code><nowiki>{{var}}</nowiki></code> and <math>x^{{2}}</math>.<ref>See <code>{{z}}</code></ref>
<syntaxhighlight lang="python" line>
for i in {{a,b}}:
</syntaxhighlight>
* Item
*: <pre>
#include &lt;stdio.h>
# apt install x
== not a heading ==
<!-- kept -->
<ref>
</pre>
<source lang=c>a("\`\`\`");
</source>
<nowiki># no list</nowiki>
{{Box
| code = <code>{{a|b}}</code>
}}
{|
| <code>a|b</code> || <pre>
x
y</pre>
|}
<!-- <pre> --> <nowiki/>after <pre>unclosed`;
  const { text, blocks } = await parseWiki(page, []);
  assert.equal(
    text,
    [
      'a {{t|x}} with `vector<int> v`, `{{var}}` and x^{{2}}.',
      '```python\nfor i in {{a,b}}:\n```',
      '- Item',
      '```\n#include <stdio.h>\n# apt install x\n== not a heading ==\n<!-- kept -->\n<ref>\n```',
      '````c\na("```");\n````',
      '`# no list`',
      '- code: `{{a|b}}`',
      '| `a\\|b` | `x y` |\n| --- | --- |',
      'after unclosed',
      '- See `{{z}}`',
    ].join('\n\n'),
  );
  assert.equal(blocks.filter(({ kind }) => kind === 'code').length, 3);
});

test('a box of facts loses what says how it looks, but no facts', async () => {
  const facts =
    'altitude_m = 8848|alternative_names = Q|alternate_name = R|height = 1.80 m|class = Aves|size = 40 cm|mapping = y|width = 20 m|color = Red';
  const looks =
    'image_size = 250px|logo_size=x200px|width = 100%|width2 = 20em|class = wikitable sortable|map = A b.svg|bgcolor = red|color = #fff|image1 = A.jpg|style = a';
  const { text } = await parseWiki(`{{Box|${looks}|${facts}}}`.replaceAll('|', '\n| '), []);
  assert.equal(text, facts.replaceAll(' = ', ': ').replace(/^|\|/g, '\n- ').trim());
});

test('signs of equality around a line are a heading', async () => {
  const { text } = await parseWiki('= A =\n== B==  \n=== C ==\n====\n==\n== ==\n=D= E\n======= F =======', []);
  assert.equal(text, '# A\n\n# B\n\n# = C\n\n# ==\n\n==\n== ==\n=D= E\n\n##### = F =');
});

test('letters whose small form is longer do not move the end of a note', async () => {
  const { text } = await parseWiki('[[A]]İİİİİİİİ<ref>note</REF> behind<references/>', []);
  assert.equal(text, 'Aİİİİİİİİ behind\n\n- note');
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
    '[[a:b',
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
    '<pre>',
    '<pre></pre',
    '<code>`</code>',
    '<code>',
    '<math>\n</math>',
    '\ue0c60\ue0c6',
    `======${' '.repeat(490)}x\n`,
    `{{a|${' '.repeat(8000)}}}`,
    `{{a|size=${'1.'.repeat(100)}}}`,
  ])
    await parseWiki(`[[a]]${part.repeat(Math.min(30_000, 10_000_000 / part.length))}`, []);
  await parseWiki(`[[a]]${'<ref>x'.repeat(300_000)}`, []);
  assert.ok(process.cpuUsage(used).user < 20e6);
});

test('a page that speaks of the exports of Confluence is wikitext', async () => {
  const { text } = await parseWiki(
    '== Exports ==\nThey begin with <code><hibernate-generic></code>, see [[Help]].\n',
    [],
  );
  assert.match(text, /^# Exports\n\nThey begin with/);
});

test('a TiddlyWiki is read note by note, without its program, from the store of new and of old versions', async () => {
  const notes = [
    { title: '$:/core', type: 'text/vnd.tiddlywiki', text: 'Program.' },
    {
      title: 'Boat',
      text:
        "!! Hull\nThe ''hull'' is [[of oak|Oak]], see [[plans|https://a.example/p]].\n* One {{Other}}<<toc>>{{{ [tag[x]] }}}\n" +
        '`a && b`\n\\define m()\nNo.\n\\end\nif a << b and c >> d',
    },
    { title: "Draft of 'Boat'", 'draft.of': 'Boat', text: 'A secret draft.' },
    {
      title: 'Oak & Ash',
      type: 'text/x-markdown',
      text: '# Wood\n\nA *hard* [wood](https://a.example/w), {{x}}.\n\n```sh\n# a\n```\n',
    },
    { title: 'look.css', type: 'text/css', text: 'a {}' },
    { title: 'no text' },
  ];
  const html = (store: string) =>
    `<html><head><meta name="application-name" content="TiddlyWiki" /></head><body>${store}<p>Script</p></body></html>`;
  const json = JSON.stringify(notes).replaceAll('<', '\\u003C');
  const source = html(`<script class="tiddlywiki-tiddler-store" type="application/json">${json}</script>`);
  const read = await parseWiki(source, []);
  const text =
    '# Boat\n\n### Hull\n\nThe hull is of oak, see plans.\n\n- One\n`a && b`\n\nif a << b and c >> d\n\n' +
    '# Oak & Ash\n\n## Wood\n\nA *hard* [wood](https://a.example/w), {{x}}.\n\n```sh\n# a\n```';
  assert.deepEqual([read.fileType, read.text], ['html', text]);
  assert.deepEqual(
    read.blocks.flatMap(({ links = [] }) => links.map(({ url }) => url)),
    ['https://a.example/p', 'https://a.example/w'],
  );
  assert.equal(await detectFileType(Buffer.from(source), 'wiki.html'), 'wiki');
  const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const old = notes
    .filter((note) => note.text)
    .map(
      ({ title, type = '', text = '', ...others }) =>
        `<div draft.of="${others['draft.of'] ?? ''}" title="${escaped(title)}" type="${type}">\n<pre>${escaped(text)}</pre>\n</div>`,
    );
  assert.equal((await parseWiki(html(`<div id="storeArea">${old.join('\n')}</div>`), [])).text, text);
  const withPre = `<div id="storeArea">${old.join('\n')}</div><div class="x"><pre>y</pre></div>`;
  assert.equal((await parseWiki(html(withPre), [])).text, text);
  assert.equal((await parseWiki(html('<pre id="encryptedStoreArea">x</pre>'), [])).fileType, 'html');
  const damaged = await parseWiki(source.replace('[{', '[{,'), []);
  assert.deepEqual([damaged.fileType, damaged.text], ['html', 'Script']);
});

test('hostile notes of a TiddlyWiki are read in linear time', async () => {
  const used = process.cpuUsage();
  const store = (text: string) =>
    `<script class="tiddlywiki-tiddler-store" type="application/json">${JSON.stringify([{ title: 'A', text }])}</script>`;
  for (const part of ['{', '\\define x\n', '```\n', '\n', '`', '[[', '!'])
    await parseWiki(`<html>${store(part.repeat(150_000 / part.length))}`, []);
  await parseWiki(`<html><div ${' title=""'.repeat(50_000)}<`, []);
  assert.ok(process.cpuUsage(used).user < 20e6);
});
