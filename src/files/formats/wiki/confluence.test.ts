import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectFileType } from '../../detect/file-types.ts';
import { parseWiki } from './parse-wiki.ts';

const reference = (name: string, id: number) =>
  `<property name="${name}" class="Page" package="x"><id name="id">${id}</id></property>`;
const page = (kind: string, id: number, title: string, body: string, more = '') => `<object class="${kind}" package="x">
<id name="id">${id}</id><property name="title"><![CDATA[${title}]]></property>${more}</object>
<object class="BodyContent" package="x"><id name="id">${id + 500}</id><property name="body"><![CDATA[${body}]]></property>
${reference('content', id)}<property name="bodyType">2</property></object>`;
const exported = (...objects: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<hibernate-generic datetime="2025-10-20"><object class="Space" package="x"><id name="id">9</id><property name="name"><![CDATA[Operations]]></property></object>
<object class="ConfluenceUserImpl" package="x"><id name="key"><![CDATA[8f1]]></id><property name="name"><![CDATA[lschmidt]]></property></object>
<object class="ConfluenceUserImpl" package="x"><property name="name"><![CDATA[nobody]]></property></object>
${objects.join('\n')}</hibernate-generic>`;

test('an XML export of Confluence is its pages in their last version, with their comments', async () => {
  const creator =
    '<property name="creator" class="ConfluenceUserImpl" package="x"><id name="key"><![CDATA[8f1]]></id></property>';
  const creatorName = '<property name="creatorName"><![CDATA[mlind]]></property>';
  const source = exported(
    page(
      'Page',
      1,
      'Backup',
      '<p>At <strong>02:15</strong>&nbsp;&ndash; daily.</p><h1>Where</h1><table><tr><th>Site</th></tr><tr><td>Leipzig</td></tr></table>',
    ),
    page('Page', 2, 'Backup', '<p>Old</p>', reference('originalVersion', 1)),
    page('Page', 3, 'Plan', '<p>Draft</p>', '<property name="contentStatus"><![CDATA[draft]]></property>'),
    page('BlogPost', 4, 'News & more', '<p>Hello</p>', '<property name="contentStatus"><![CDATA[current]]></property>'),
    page('Comment', 5, '', '<p>Since May</p>', reference('containerContent', 1)),
    page('Comment', 6, '', '<p>No</p>', reference('containerContent', 1) + creator),
    page('Comment', 7, '', '<p>Yes</p>', `${reference('containerContent', 1)}${creatorName}`),
  );
  assert.equal(await detectFileType(new TextEncoder().encode(source), 'entities.xml'), 'wiki');
  const parsed = await parseWiki(source, []);
  assert.deepEqual(parsed.text.split('\n\n'), [
    '# Backup',
    'At 02:15 – daily.',
    '## Where',
    'Site: Leipzig',
    'Comment:',
    'Since May',
    'Comment: lschmidt',
    'No',
    'Comment: mlind',
    'Yes',
    '# News & more',
    'Hello',
  ]);
  assert.deepEqual([parsed.fileType, parsed.title], ['xml', 'Operations']);
});

test('macros, links and tasks of Confluence are read without their settings', async () => {
  const body = (end: string) => `<ac:structured-macro ac:name="toc" ac:macro-id="f1a2"/>
<ac:structured-macro ac:name="warning"><ac:parameter ac:name="icon">false</ac:parameter><ac:parameter ac:name="title">Stop</ac:parameter>
<ac:rich-text-body><p>Stop lagerd first.</p></ac:rich-text-body></ac:structured-macro>
<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[restore < dump.sql]${end}</ac:plain-text-body></ac:structured-macro>
<p>See <ac:link><ri:page ri:content-title="Betrieb" /></ac:link>.</p><ac:image><ri:attachment ri:filename="a.png" /></ac:image>
<ac:task-list><ac:task><ac:task-id>3</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Move</ac:task-body></ac:task></ac:task-list>`;
  for (const end of ['] >', ']]]><![CDATA[>']) {
    const { text } = await parseWiki(exported(page('Page', 1, 'Backup', body(end))), []);
    assert.deepEqual(text.split('\n\n'), [
      '# Backup',
      'Stop',
      'Stop lagerd first.',
      '```\nrestore < dump.sql\n```',
      'See Betrieb.',
      '- ☒ Move',
    ]);
  }
});

test('code of Confluence that looks like an export is text of its page', async () => {
  const sample = '</object>\n<object class="Page"><property name="body"><![CDATA[x]] >';
  const code = `<ac:plain-text-body><![CDATA[${sample}</ac:plain-text-body><p>End</p>`;
  const { text } = await parseWiki(exported(page('Page', 1, 'Export', code)), []);
  const shown = sample.replace(']] >', '');
  assert.equal(text, `# Export\n\n\`\`\`\n${shown}\n\`\`\`\n\nEnd`);
});

test('texts without an end in an export of Confluence are read to the end, in linear time', async () => {
  const { text } = await parseWiki(exported(page('Page', 1, 'Long', `<p>${'<![CDATA['.repeat(200_000)}last`)), []);
  assert.match(text, /last$/);
});
