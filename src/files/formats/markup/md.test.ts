import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMd } from './md.ts';

test('blocks of Markdown keep their source', async () => {
  const source =
    '# Title\n\nA *b* [c](d).\n\n- one\n  - two\n\n> quote\n\n```js\nlet x = "<!-- kept -->";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n';
  const { text, blocks } = await parseMd(source, []);
  assert.deepEqual(
    blocks.map((block) => [block.kind, text.slice(block.start, block.end)]),
    [
      ['heading', '# Title'],
      ['paragraph', 'A *b* [c](d).'],
      ['list', '- one\n  - two'],
      ['quote', '> quote'],
      ['code', '```js\nlet x = "<!-- kept -->";\n```'],
      ['table', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |'],
    ],
  );
  const table = blocks.at(-1)!;
  assert.equal(table.tableHeader, '| a | b |');
  assert.deepEqual(
    table.rowStarts!.map((start) => text.slice(start, start + 5)),
    ['| 1 |', '| 3 |'],
  );
});

test('the header of a table has a bar at each end, as rules of redaction read it', async () => {
  for (const header of ['a | b', 'a | b |', '| a | b', '| a | b |']) {
    const { blocks } = await parseMd(`${header}\n--- | ---\n1 | 2\n`, []);
    assert.deepEqual([blocks[0]!.kind, blocks[0]!.tableHeader], ['table', '| a | b |'], header);
  }
});

test('front matter gives metadata and declared keys and is not part of the text', async () => {
  const source =
    '---\ntitle: "The: Title"\nauthor: Ann\ndate: 2024-03-05\ntags: [a, "b c"]\nprice: 12.5\nrank: high\nparent_source_id: x\n---\n\nText.\n';
  const parsed = await parseMd(source, [
    { key: 'price', type: 'float' },
    { key: 'rank', type: 'integer' },
  ]);
  assert.equal(parsed.text, 'Text.');
  assert.equal(parsed.title, 'The: Title');
  assert.deepEqual(parsed.metadata['created'], { val: '2024-03-05T00:00:00Z', type: 'datetime' });
  assert.deepEqual(parsed.metadata['tags'], { val: 'a, b c', type: 'string' });
  assert.deepEqual(
    [parsed.metadata['price'], parsed.metadata['parent_source_id']],
    [{ val: '12.5', type: 'string' }, undefined],
  );
  assert.deepEqual(parsed.chunkMetadata, { price: { val: '12.5', type: 'float' } });
  assert.deepEqual(parsed.warnings, ['1 value of "rank" could not be read as integer.']);
});

test('front matter in TOML, texts over several lines and names in lists are read', async () => {
  const toml =
    '+++\ntitle = "Plan"\ndate = 2024-03-05\n[taxonomies]\ntags = ["a", "b c"]\nlong = """\nx\n"""\n+++\n\nText.\n';
  const plan = await parseMd(toml, []);
  assert.deepEqual([plan.text, plan.title, plan.metadata['tags']!.val], ['Text.', 'Plan', 'a, b c']);
  const { metadata, text } = await parseMd(
    [
      '---',
      'description: >-',
      '  Two: lines',
      '',
      '  of text',
      'summary:',
      '  One line: that',
      '  is wrapped',
      'intro: Wrapped at',
      '  the end',
      'note:',
      '  Begins below',
      '  its key',
      'seo:',
      '  title: Other',
      '    deeper',
      'authors:',
      '  - name: Ann',
      '    url: https://a.example',
      '  - Bo',
      'aliases: ["Road map", Route]',
      '---',
      'Text.',
    ].join('\n'),
    [],
  );
  const shown = Object.fromEntries(Object.entries(metadata).map(([key, { val }]) => [key, val]));
  assert.deepEqual(shown, {
    author: 'Ann, Bo',
    description: 'Two: lines of text',
    intro: 'Wrapped at the end',
    note: 'Begins below its key',
    aliases: 'Road map, Route',
  });
  assert.equal(text, 'Text.');
});

test('the title is the first heading of level 1, also below other blocks if it is the only one', async () => {
  const titleOf = async (source: string) => (await parseMd(source, [])).title;
  assert.equal(
    await titleOf('[![Build](b.svg)][ci]\n\n# [Tool](https://a.example)\n\nText.\n\n## Use\n\nMore.'),
    'Tool',
  );
  assert.equal(await titleOf('# One\n\nText.\n\n# Two\n\nText.'), 'One');
  assert.equal(await titleOf('Text.\n\n# One\n\nText.\n\n# Two\n\nText.'), undefined);
  assert.equal(await titleOf('## Use\n\nText.\n\n# Tool\n\nText.'), undefined);
});

test('sections of front matter in TOML do not change the values of the page', async () => {
  const page = await parseMd(
    '+++\ntitle="A"\ntags = [\n"a",\n"b"]\n[params]\ntitle="B"\nlevel="2"\n[[resources]]\nname="C"\n+++\nText.',
    [],
  );
  const { tags, name, level } = page.metadata;
  assert.deepEqual([page.title, tags, name, level?.val], ['A', undefined, undefined, '2']);
  const picture = await parseMd('+++\nkind = "x"\n[[resources]]\ntitle = "Picture"\n+++\n# Page\n', []);
  assert.equal(picture.title, 'Page');
});

test('front matter with many blanks is read in linear time', async () => {
  const blanks = ' '.repeat(60_000);
  const start = process.cpuUsage();
  for (const line of [`a:\n${blanks}: x`, `b: a${blanks}b`]) await parseMd(`---\nb: x\n${line}\n---\nText.`, []);
  assert.ok(process.cpuUsage(start).user < 2_000_000);
});

test('a horizontal rule at the start of Markdown is not front matter', async () => {
  const parsed = await parseMd('---\n\nText one.\n\n---\n\nText two.\n', []);
  assert.match(parsed.text, /Text one\.\n\nText two\./);
});

test('comments in Markdown are removed, and HTML becomes Markdown', async () => {
  const parsed = await parseMd(
    'One <!-- hidden --> two.\n\n<!-- gone -->\n\n<table><tr><td>a</td><td>b</td></tr></table>\n',
    [],
  );
  assert.equal(parsed.text, 'One  two.\n\na — b');
});

test('a comment within a code span stays, and a lone backtick does not keep one', async () => {
  const text = async (source: string) => (await parseMd(source, [])).text;
  assert.equal(
    await text('Write `<!-- note -->` or ``a ` <!-- b -->`` here.'),
    'Write `<!-- note -->` or ``a ` <!-- b -->`` here.',
  );
  assert.equal(await text('A ` and <!-- gone --> words, `` too.'), 'A ` and  words, `` too.');
  assert.equal(await text('Run `npm start`. <!-- the password is hunter2 -->'), 'Run `npm start`.');
  assert.equal(await text('- `a`\n- b <!-- gone -->c'), '- `a`\n- b c');
  assert.equal(await text('Use it. <!-- see `a` --> Now.'), 'Use it.  Now.');
  assert.equal(await text('A <!-- gone `x --> `y` <!-- gone -->.'), 'A  `y` .');
  // Escaped backticks are letters, but close code. A code span ends with its paragraph, also in lists and quotes.
  assert.equal(await text('text \\` a <!-- hidden --> b \\` c'), 'text \\` a  b \\` c');
  assert.equal(await text('\\\\`a <!-- b --> \\` \\``c` <!-- gone -->'), '\\\\`a <!-- b --> \\` \\``c`');
  assert.equal(await text('- item ` a\n- <!-- hid -->b ` c'), '- item ` a\n- b ` c');
  assert.equal(await text('- a ` b\n\n  c <!-- hid --> d ` e'), '- a ` b\n\n  c  d ` e');
  assert.equal(await text('> a ` b\n>\n> c <!-- hid --> d `<!-- e -->`'), '> a ` b\n>\n> c  d `<!-- e -->`');
  const blocks = '- a\n\n  ```\n  <!-- b -->\n\n  c\n  ```\n\n  ~~~\n  <!-- d -->\n  ~~~';
  assert.equal(await text(`${blocks}\n  <!-- gone -->`), `${blocks}\n  `.trimEnd());
  const started = performance.now();
  for (const mark of ['  ', '> ']) {
    const table = ['| x | y |', '|---|---|', '| `<!-- c -->` | d |'].map((line) => `${mark}${line}`).join('\n');
    assert.match(await text(`- a\n\n${table}`), /`<!-- c -->` \| d/);
  }
  await parseMd(`${'\\\\'.repeat(200_000)}${'- `\n\n'.repeat(2_000)}<!-- x -->`, []);
  await parseMd(`${'`` ` '.repeat(20_000)}<!-- x -->`, []);
  await text(`a ${'<!-- '.repeat(100_000)} --> b`);
  await text(`a ${'<!-- '.repeat(100_000)}`);
  assert.ok(performance.now() - started < 10_000);
});

test('a first heading of level 1 is the title of Markdown', async () => {
  assert.equal((await parseMd('# The *Guide*\n\nText.', [])).title, 'The Guide');
  assert.equal((await parseMd('## Part\n\nText.', [])).title, undefined);
});

test('a long Markdown source loses no text where it is split', async () => {
  const section =
    '## Head\n\nSome words that fill a line of text here.\n\n```\ncode\n\nText in code\n```\n\n- item\n\n  item text\n\n';
  const count = 12_000;
  const { blocks } = await parseMd(section.repeat(count), []);
  for (const kind of ['heading', 'paragraph', 'code', 'list']) {
    assert.equal(blocks.filter((block) => block.kind === kind).length, count, kind);
  }
});

test('links of Markdown are returned with the addresses of their definitions, which are not part of the text', async () => {
  const { text, blocks } = await parseMd(
    'See [the site][s], [s] and [it](https://o.example/x "t"), not [y].\n\n```\n[s]\n```\n\n[s]: https://s.example/path\n',
    [],
  );
  assert.ok(!text.includes('s.example'));
  assert.deepEqual(
    blocks.flatMap((block) => (block.links ?? []).map(({ text: shown, url }) => [shown, url])),
    [
      ['the site', 'https://s.example/path'],
      ['s', 'https://s.example/path'],
      ['it', 'https://o.example/x'],
    ],
  );
});

test('the bytes of pictures in Markdown are not part of the text', async () => {
  const data = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA/+==';
  const source = `A ![pic](${data}) b ![two](<${data.replace('Kg', 'Kg\n  ')}> "t") <img alt="c" src="${data}"> d [x](https://a.example/data:1)

| a |
|---|
| ![p](${data}) |

![ref][r] end

[r]: ${data}
`;
  const { text, blocks } = await parseMd(source, []);
  assert.ok(!/iVBOR|GgoAA/.test(text), text);
  assert.match(text, /A !\[pic\]\(\) b !\[two\]\(<> "t"\) <img alt="c" src=""> d \[x\]\(https:\/\/a.example\/data:1\)/);
  assert.ok(blocks.every((block) => (block.links ?? []).every(({ url }) => !url.startsWith('data:'))));
});

test('the packed data of a drawing are no text', async () => {
  const { text } = await parseMd(
    '## Text\n\nValve\n\n%%\n## Drawing\n```compressed-json\nN4KAkARALgngDgUw\n```\n%%',
    [],
  );
  assert.ok(text.includes('Valve') && !text.includes('N4KA'));
});
