/** Every block type of the page API as Markdown, read through the connector from the fake API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseMd } from '../../../src/files/formats/markup/md.ts';
import { block, type FakeBlock, fakeId, paragraph, says, text } from '../../support/fakes/notion-world.ts';
import { openPageHarness, type PageHarness } from './harness.ts';

let harness: PageHarness;
before(async () => {
  harness = await openPageHarness();
});
after(() => harness.close());

/** Returns the Markdown below the title. */
async function markdown(...blocks: FakeBlock[]): Promise<string> {
  const id = harness.fake.world.addPage('T', blocks);
  await harness.run(id);
  const { text: whole = '' } = harness.stored.get(id) ?? {};
  assert.ok(whole.startsWith('# T\n\n') || whole === '# T\n', whole);
  return whole.slice('# T\n\n'.length).trimEnd();
}

const file = (name: string) => harness.fake.world.hostedFile(name, 'bytes');
const external = (url: string, caption: string) => ({ type: 'external', external: { url }, caption: [text(caption)] });
const bare = (id: string) => id.replaceAll('-', '');

test('text blocks of a page become Markdown', async () => {
  assert.equal(await markdown(paragraph('Plain.'), paragraph(''), paragraph('More.')), 'Plain.\n\nMore.');
  for (const [type, expected] of [
    ['heading_1', '## Head'],
    ['heading_2', '### Head'],
    ['heading_3', '#### Head'],
    ['heading_4', '##### Head'],
  ] as const)
    assert.equal(await markdown(says(type, 'Head')), expected, type);
  assert.equal(await markdown(says('heading_2', 'Toggle', [paragraph('inside')])), '### Toggle\n\ninside');
  assert.equal(await markdown(says('quote', 'One\nTwo', [paragraph('Three')])), '> One\n> Two\n>\n> Three');
  assert.equal(
    await markdown(says('callout', 'Mind this', [paragraph('and that')], { icon: { type: 'emoji', emoji: '💡' } })),
    '> 💡 Mind this\n>\n> and that',
  );
  assert.equal(await markdown(says('toggle', 'Question?', [paragraph('Answer.')])), '**Question?**\n\nAnswer.');
  assert.equal(await markdown(says('template', 'Button', [paragraph('Below')])), 'Button\n\nBelow');
  assert.equal(await markdown(paragraph('a'), block('divider'), paragraph('b')), 'a\n\n---\n\nb');
  assert.equal(await markdown(block('breadcrumb'), block('table_of_contents', { color: 'default' })), '');
});

test('nested and mixed lists of a page become Markdown', async () => {
  assert.equal(
    await markdown(
      says('bulleted_list_item', 'one', [
        says('bulleted_list_item', 'inner', [says('to_do', 'deep', [], { checked: true })]),
      ]),
      says('bulleted_list_item', 'two', [paragraph('a paragraph\nof two lines')]),
      says('to_do', 'task', [], { checked: false }),
      says('numbered_list_item', 'first', [says('numbered_list_item', 'sub')]),
      says('numbered_list_item', 'second'),
      paragraph('between'),
      says('numbered_list_item', 'again'),
    ),
    [
      '- one\n  - inner\n    - [x] deep\n- two\n\n  a paragraph\n  of two lines\n- [ ] task',
      '1. first\n   1. sub\n2. second',
      'between',
      '1. again',
    ].join('\n\n'),
  );
  assert.equal(await markdown(says('numbered_list_item', 'x', [], { list_start_index: 7 })), '7. x');
  assert.equal(
    await markdown(
      says('bulleted_list_item', 'code', [block('code', { rich_text: [text('a\n\nb')], language: 'sql' })]),
    ),
    '- code\n\n  ```sql\n  a\n\n  b\n  ```',
  );
});

test('code, equations and tables of a page become Markdown', async () => {
  const code = (language: string, content: string, caption: unknown[] = []) =>
    block('code', { rich_text: [text(content)], language, caption });
  assert.equal(
    await markdown(code('typescript', 'let a = `x`;\n# b', [text('Why')])),
    '```typescript\nlet a = `x`;\n# b\n```\n\nWhy',
  );
  assert.equal(await markdown(code('plain text', '````')), '`````\n````\n`````');
  assert.equal(await markdown(code('c++', 'int')), '```cpp\nint\n```');
  assert.equal(await markdown(block('equation', { expression: 'e =\n mc^2' })), '$$ e = mc^2 $$');
  const row = (...cells: string[]) => block('table_row', { cells: cells.map((cell) => [text(cell)]) });
  const table = (header: boolean, rows: FakeBlock[]) =>
    block('table', { table_width: 2, has_column_header: header, has_row_header: false }, rows);
  assert.equal(
    await markdown(table(true, [row('Name', 'Price'), row('A|B', 'two\nlines'), row('short')])),
    '| Name | Price |\n| --- | --- |\n| A\\|B | two lines |\n| short |  |',
  );
  assert.equal(await markdown(table(false, [row('1', '2')])), '|  |  |\n| --- | --- |\n| 1 | 2 |');
});

test('columns, tabs and synced blocks of a page give their content', async () => {
  const columns = block('column_list', {}, [
    block('column', {}, [paragraph('left')]),
    block('column', { width_ratio: 0.5 }, [paragraph('right')]),
  ]);
  assert.equal(await markdown(columns), 'left\n\nright');
  assert.equal(await markdown(block('tab', {}, [says('paragraph', 'Tab', [paragraph('inside')])])), 'Tab\n\ninside');
  assert.equal(await markdown(block('synced_block', { synced_from: null }, [paragraph('original')])), 'original');
  const copy = block('synced_block', { synced_from: { type: 'block_id', block_id: fakeId() } }, [paragraph('shown')]);
  assert.equal(await markdown(copy), 'shown');
  const notes = [paragraph('We decided.'), paragraph('Ada: hello')];
  const parts = notes.map((note) => block('paragraph', { rich_text: [] }, [note]));
  const meeting = block('transcription', {
    title: [text('Weekly')],
    children: { summary_block_id: parts[0]!.id, transcript_block_id: parts[1]!.id },
  });
  const hidden = block('unsupported', { block_type: 'hidden' }, parts);
  assert.equal(
    await markdown(meeting, hidden),
    '**Weekly**\n\n**Summary**\n\nWe decided.\n\n**Transcript**\n\nAda: hello\n\n[Unsupported block: hidden]',
  );
});

test('files of the workspace link to their block, other files to their address', async () => {
  const pdf = block('pdf', { ...file('Plan.pdf'), caption: [text('The plan')] });
  const page = harness.fake.world.addPage('Files', [pdf]);
  await harness.run(page);
  const address = `https://www.notion.so/${bare(page)}#${bare(pdf.id)}`;
  assert.equal(harness.stored.get(page)?.text, `# Files\n\n[Plan.pdf](${address}) – The plan\n`);
  assert.equal(
    await markdown(block('image', external('https://e.com/a b(1).png', 'A cat'))),
    '![A cat](https://e.com/a%20b%281%29.png)',
  );
  assert.equal(
    await markdown(block('video', external('https://e.com/film.mp4', ''))),
    '[film.mp4](https://e.com/film.mp4)',
  );
  assert.equal(
    await markdown(block('audio', external('https://e.com/s.mp3', 'Sound'))),
    '[s.mp3](https://e.com/s.mp3) – Sound',
  );
  assert.equal(
    await markdown(block('file', { ...external('https://e.com/x', ''), name: 'List.csv' })),
    '[List.csv](https://e.com/x)',
  );
});

test('bookmarks, embeds and links to pages become links', async () => {
  assert.equal(
    await markdown(block('bookmark', { url: 'https://e.com/a', caption: [text('Read')] })),
    '[Read](https://e.com/a)',
  );
  assert.equal(await markdown(block('embed', { url: 'https://e.com/b', caption: [] })), 'https://e.com/b');
  assert.equal(await markdown(block('link_preview', { url: 'https://e.com/c' })), 'https://e.com/c');
  const known = harness.fake.world.addPage('Leave <b>');
  const tasks = harness.fake.world.addDatabase('Tasks');
  const unknown = fakeId();
  const link = (type: string, id: string) => block('link_to_page', { type, [type]: id });
  assert.equal(
    await markdown(
      link('page_id', known),
      link('database_id', tasks),
      link('page_id', unknown),
      link('database_id', unknown),
      link('comment_id', unknown),
    ),
    [
      `[Leave \\<b>](https://www.notion.so/${bare(known)})`,
      `[Tasks](https://www.notion.so/${bare(tasks)})`,
      `[Link to a page](https://www.notion.so/${bare(unknown)})`,
      `[Link to a database](https://www.notion.so/${bare(unknown)})`,
    ].join('\n\n'),
  );
  const parent = harness.fake.world.addPage('Parent');
  const child = harness.fake.world.addPage('Child [1]', [], parent);
  const database = harness.fake.world.addDatabase('Tasks', parent);
  await harness.run(parent);
  assert.equal(
    harness.stored.get(parent)?.text,
    `# Parent\n\n[Child \\[1\\]](https://www.notion.so/${bare(child)})\n\n[Tasks](https://www.notion.so/${bare(database)})\n`,
  );
});

test('blocks that the API does not return are named in the text', async () => {
  assert.equal(await markdown(block('unsupported', { block_type: 'button' })), '[Unsupported block: button]');
  assert.equal(await markdown(block('hologram', { shape: 'cube' })), '[Unsupported block: hologram]');
  assert.equal(await markdown(says('poem', 'roses')), 'roses');
  for (const childrenStatus of [404, 400]) {
    const copy = { ...block('synced_block', { synced_from: { block_id: fakeId() } }), childrenStatus };
    assert.equal(await markdown(copy, paragraph('after')), '[Unreadable block: synced_block]\n\nafter');
  }
});

test('rich text of a page becomes Markdown with formatting, links, mentions and equations', async () => {
  const rich = (...items: unknown[]) => block('paragraph', { rich_text: items, color: 'default' });
  assert.equal(
    await markdown(
      rich(
        text('a '),
        text('bold ', { bold: true }),
        text('both', { bold: true, italic: true }),
        text(' '),
        text('gone', { strikethrough: true }),
        text(' '),
        text('x`y', { code: true }),
      ),
    ),
    'a **bold** ***both*** ~~gone~~ ``x`y``',
  );
  assert.equal(await markdown(rich(text('one', { bold: true }), text(' two', { bold: true }))), '**one two**');
  const id = bare(fakeId());
  assert.equal(
    await markdown(rich(text('see '), text('[this]', {}, `/${id}`), text(' and '), text('web', {}, 'https://e.com/'))),
    `see [\\[this\\]](https://www.notion.so/${id}) and [web](https://e.com/)`,
  );
  const mention = (plain_text: string, mention_: object, href: string | null = null) => ({
    type: 'mention',
    mention: mention_,
    annotations: {},
    plain_text,
    href,
  });
  assert.equal(
    await markdown(
      rich(
        mention('@Ada Example', { type: 'user', user: { id } }),
        text(' '),
        mention('Leave policy', { type: 'page', page: { id } }, `https://www.notion.so/${id}`),
        text(' '),
        mention('', { type: 'date', date: { start: '2026-03-01', end: '2026-03-02' } }),
        text(' '),
        { type: 'equation', equation: { expression: 'x^2' }, annotations: {}, plain_text: 'x^2', href: null },
      ),
    ),
    `@Ada Example [Leave policy](https://www.notion.so/${id}) 2026-03-01 → 2026-03-02 $x^2$`,
  );
});

test('a mentioned link of a page has its title', async () => {
  const href = 'https://git.example.com/api/pull/42';
  const mention = { type: 'link_mention', link_mention: { href, title: 'Fix the login loop' } };
  const item = { type: 'mention', mention, annotations: {}, plain_text: href, href };
  assert.equal(await markdown(block('paragraph', { rich_text: [item] })), `[Fix the login loop](${href})`);
});

test('text of a page that looks like Markdown is escaped', async () => {
  const lines = [
    '# not a heading',
    '> not a quote',
    '- not a list',
    '1. not a list',
    '12) not a list',
    '```',
    '---',
    '===',
    '| not | a | table |',
    '[ref]: https://e.com',
    '<script>alert(1)</script>',
    '<!-- not a comment -->',
    '    not code',
    '* * *',
  ];
  const source = `# T\n\n${await markdown(paragraph(`before\n${lines.join('\n')}`), ...lines.map(paragraph))}`;
  const { blocks, text: parsed } = await parseMd(source, []);
  assert.deepEqual([...new Set(blocks.slice(1).map(({ kind }) => kind))], ['paragraph']);
  assert.equal(blocks.length, 2 + lines.length);
  for (const word of ['script', 'comment', 'not code', 'ref']) assert.ok(parsed.includes(word), word);
  assert.equal(await markdown(paragraph('2 * 3 * 4 = a_b_c [x] #tag 3.5 -1')), '2 * 3 * 4 = a_b_c [x] #tag 3.5 -1');
});
