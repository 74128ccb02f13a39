import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../formats/json/json.ts';
import { parseMd } from '../formats/markup/md.ts';
import { parseTxt } from '../formats/txt.ts';
import type { Block, ParsedFile } from '../parsed.ts';
import { CHUNK_TOKENS_MAX, CHUNKS_PER_SOURCE_MAX, chunkFile } from './chunker.ts';
import { estimateTokens } from './token-estimate.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog near the river bank. ';

function fileOf(text: string, blocks: Block[]): ParsedFile {
  return { fileType: 'txt', text, blocks, metadata: {}, warnings: [] };
}

function assertExact(parsed: ParsedFile): void {
  const points = Array.from(parsed.text);
  for (const chunk of chunkFile(parsed)) {
    assert.equal(points.slice(chunk.startOffset, chunk.endOffset).join(''), chunk.content);
    assert.ok(estimateTokens(chunk.content) <= CHUNK_TOKENS_MAX, 'no chunk is over the hard limit');
    assert.ok(chunk.content.isWellFormed(), 'no character is cut in two');
  }
}

test('a short file stays one chunk', () => {
  const text = SENTENCE.repeat(40).trim();
  const chunks = chunkFile(parseTxt(text));
  assert.equal(chunks.length, 1);
  assert.equal(chunks[0]!.content, text);
});

test('a heading opens a section, and its words join the heading path of the chunks below', async () => {
  const body = SENTENCE.repeat(10).trim();
  const parsed = await parseMd(
    `# Guide\n\n${body}\n\n## Setup\n\n${body}\n\n### Linux\n\n${body}\n\n## Use\n\n${body}\n`,
    [],
  );
  assert.deepEqual(
    chunkFile(parsed).map((chunk) => chunk.headingPath),
    [['Guide'], ['Guide', 'Setup'], ['Guide', 'Setup', 'Linux'], ['Guide', 'Use']],
  );
});

test('a heading without text joins the section below it', async () => {
  const chunks = chunkFile(await parseMd(`# Guide\n\n## Setup\n\n${SENTENCE.repeat(10)}\n`, []));
  assert.equal(chunks.length, 1);
  assert.deepEqual(chunks[0]!.headingPath, ['Guide', 'Setup']);
});

test('small sections under one common heading share a chunk, sections without one do not', async () => {
  const small = '## One\n\nA short text.\n\n## Two\n\nAnother short text.\n\n';
  const together = chunkFile(await parseMd(`# Guide\n\nIntroduction.\n\n${small}`, []));
  assert.equal(together.length, 1);
  assert.deepEqual(together[0]!.headingPath, ['Guide']);
  assert.equal(chunkFile(await parseMd(small, [])).length, 2);
});

test('a block with a heading path of its own does not share a chunk with a block under another path', () => {
  const blocks: Block[] = [
    { kind: 'paragraph', start: 0, end: 3, headingPath: ['A'] },
    { kind: 'paragraph', start: 4, end: 7, headingPath: [] },
    { kind: 'paragraph', start: 8, end: 11, headingPath: [] },
  ];
  assert.deepEqual(
    chunkFile(fileOf('one two six', blocks)).map((chunk) => [chunk.content, chunk.headingPath]),
    [
      ['one', ['A']],
      ['two six', []],
    ],
  );
});

test('a long paragraph is cut after sentences and repeats the last one', () => {
  const parsed = parseTxt(SENTENCE.repeat(200).trim());
  const chunks = chunkFile(parsed);
  assert.ok(chunks.length > 3);
  assertExact(parsed);
  for (const [index, chunk] of chunks.entries()) {
    assert.match(chunk.content, /^The .*bank\.$/s);
    if (index > 0) assert.equal(chunk.startOffset, chunks[index - 1]!.endOffset - SENTENCE.trim().length);
  }
});

test('a short line above or below a long paragraph joins the nearest part of the paragraph', () => {
  const parsed = parseTxt(`The title of it\n\n${SENTENCE.repeat(120).trim()}\n\nThe source of it`);
  const chunks = chunkFile(parsed);
  assert.match(chunks[0]!.content, /^The title of it\n\nThe quick/);
  assert.match(chunks.at(-1)!.content, /bank\.\n\nThe source of it$/);
  assertExact(parsed);
});

test('a long Japanese paragraph is cut after its full stops', () => {
  const parsed = parseTxt('東大寺は奈良県奈良市にある華厳宗大本山の寺院である。'.repeat(120));
  for (const chunk of chunkFile(parsed)) assert.match(chunk.content, /^東.*。$/s);
  assertExact(parsed);
});

test('half a million characters without a blank are cut at the size limit', () => {
  const parsed = parseTxt('a'.repeat(500_000));
  const chunks = chunkFile(parsed);
  assert.equal(chunks.map((chunk) => chunk.content).join(''), parsed.text);
  assertExact(parsed);
});

test('a long table is cut between rows, and each further part has the header as context, not in its content', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => `| ${i} | name of number ${i} |`);
  const parsed = await parseMd(`| id | name |\n| --- | --- |\n${rows.join('\n')}\n`, []);
  const [first, ...rest] = chunkFile(parsed);
  assert.equal(first!.context, null);
  assert.match(first!.content, /^\| id \| name \|/);
  assert.ok(rest.length > 2);
  for (const chunk of rest) {
    assert.equal(chunk.context, '| id | name |');
    assert.doesNotMatch(chunk.content, /id \| name \|\n/);
    assert.match(chunk.content, /^\| \d+ \|.*\|$/s);
  }
  assertExact(parsed);
});

test('long code is cut before definitions', async () => {
  const code = Array.from(
    { length: 60 },
    (_, i) => `function f${i}(a, b) {\n  const sum = a + b;\n\n  return sum * ${i};\n}`,
  );
  const parsed = await parseMd(`\`\`\`js\n${code.join('\n\n')}\n\`\`\`\n`, []);
  const chunks = chunkFile(parsed);
  assert.ok(chunks.length > 2);
  for (const chunk of chunks.slice(1)) assert.match(chunk.content, /^function/);
  assertExact(parsed);
});

test('each record is a chunk with its own metadata', () => {
  const text = 'one\ntwo';
  const records: Block[] = [
    { kind: 'record', start: 0, end: 3, tableHeader: '| n |', metadata: { n: { val: '1', type: 'integer' } } },
    { kind: 'record', start: 4, end: 7, tableHeader: '| n |', metadata: { n: { val: '2', type: 'integer' } } },
  ];
  const chunks = chunkFile(fileOf(text, records));
  assert.deepEqual(
    chunks.map((chunk) => [chunk.content, chunk.context, chunk.metadata['n']?.val]),
    [
      ['one', '| n |', '1'],
      ['two', '| n |', '2'],
    ],
  );
});

test('a chunk lists all pages that its text touches', () => {
  const blocks: Block[] = [
    { kind: 'paragraph', start: 0, end: 3, pages: [4, 4] },
    { kind: 'paragraph', start: 5, end: 8, pages: [5, 6] },
  ];
  assert.deepEqual(chunkFile(fileOf('one\n\ntwo', blocks))[0]!.pages, [4, 5, 6]);
});

test('a file that needs more chunks than the limit is refused', () => {
  const count = CHUNKS_PER_SOURCE_MAX + 1;
  const blocks = Array.from({ length: count }, (_, i): Block => ({ kind: 'record', start: i * 2, end: i * 2 + 1 }));
  assert.throws(() => chunkFile(fileOf('x '.repeat(count), blocks)), /limit is 200000/);
});

test('chunk offsets count code points in texts of any script, with emoji and combining marks', () => {
  const words = [
    'naïve',
    '😀',
    '👩‍👩‍👧',
    '日本語。',
    '한국어',
    'ไทย',
    'e\u0301',
    '\n\n',
    '\n',
    '. ',
    '# ',
    '| a | b |',
    '𝒳',
    'ÅÅ',
    '\t',
  ];
  let seed = 42;
  const next = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
  for (let round = 0; round < 60; round += 1) {
    let text = '';
    const length = next(4000);
    while (text.length < length) text += `${words[next(words.length)]}${next(3) === 0 ? ' ' : ''}`;
    assertExact(parseTxt(text));
  }
});

test('the context of a chunk lists the links of its text, after the repeated table header', () => {
  const rows = Array.from({ length: 200 }, (_, i) => `| ${SENTENCE.trim()} | row ${i} |`);
  const text = ['| a | b |', ...rows].join('\n');
  const links = [0, 100, 199].map((i) => ({
    text: `row ${i}`,
    url: `https://a.example/${i}`,
    at: text.indexOf(`row ${i} `),
  }));
  const rowStarts = rows.map((_, i) => text.indexOf(`row ${i} `) - SENTENCE.length - 4);
  const parsed = fileOf(text, [
    { kind: 'table', start: 0, end: text.length, tableHeader: '| a | b |', rowStarts, links },
  ]);
  assertExact(parsed);
  const chunks = chunkFile(parsed);
  for (const [index, { content, context }] of chunks.entries()) {
    const own = links.filter(({ text: shown }) => content.includes(`${shown} `));
    const line = own.map((link) => `Links: ${link.text} <${link.url}>`);
    assert.deepEqual(context?.split('\n') ?? [], [...(index === 0 ? [] : ['| a | b |']), ...line]);
    assert.ok(!content.includes('a.example'));
  }
});

test('a heading shares a chunk with the text that follows it, not with the text before it', async () => {
  const body = SENTENCE.repeat(30).trim();
  const parsed = await parseMd(`# Guide\n\n## One\n\nShort.\n\n## Two\n\n### Part\n\n${body}\n\n## Three\n`, []);
  const chunks = chunkFile(parsed);
  assert.ok(chunks.every(({ content }) => !/## Two$/.test(content)));
  assert.match(chunks.find(({ content }) => content.includes('### Part'))!.content, /^## Two\n/);
  assert.match(chunks.at(-1)!.content, /## Three$/);
});

test('each part of a long record after the first says what the record is about', () => {
  const text = `name:\n  common: Kyrgyzstan\n${'The land has many high mountains and lakes. '.repeat(200)}\ncapital: Bishkek`;
  const chunks = chunkFile(fileOf(text, [{ kind: 'record', start: 0, end: text.length }]));
  assert.ok(chunks.length > 2);
  assert.deepEqual(
    chunks.map(({ context }) => context),
    chunks.map((_, i) => (i === 0 ? null : 'name: common: Kyrgyzstan')),
  );
});

test('a record whose first line with a value is long has no name: a part of a value would escape redaction', () => {
  const text = `note: ${'n'.repeat(136)} card 4111 1111 1111 1111\n${'The land has many high mountains and lakes. '.repeat(200)}`;
  const chunks = chunkFile(fileOf(text, [{ kind: 'record', start: 0, end: text.length }]));
  assert.ok(chunks.length > 2);
  assert.deepEqual([...new Set(chunks.map(({ context }) => context))], [null]);
});

test('records in one block are cut between records, and no part has the name of another record', () => {
  const people = Array.from({ length: 20_020 }, (_, i) => {
    return { name: `Person ${i}`, note: i % 20 === 19 ? '' : `Lives\r\nin house ${i}. ${'It is green. '.repeat(12)}` };
  });
  people[39] = {} as never;
  const chunks = chunkFile(parseJson(JSON.stringify(people), []));
  assert.ok(chunks.every(({ content, context }) => content.startsWith('name: Person ') && context === null));
  assert.deepEqual(
    chunks.flatMap(({ content }) => content.match(/Person \d+/g)),
    people.flatMap(({ name }) => name ?? []),
  );
});

test('a very long heading or key is cut in the heading path of its chunks', async () => {
  const long = 'word '.repeat(10_000).trim();
  const markdown = await parseMd(`# ${long}\n\n## Part\n\n${SENTENCE.repeat(50)}`, []);
  const data = parseJson(JSON.stringify({ [long]: { part: { text: SENTENCE.repeat(50) } } }), []);
  for (const parsed of [markdown, data]) {
    const paths = chunkFile(parsed).map(({ headingPath }) => headingPath);
    assert.ok(paths.at(-1)!.length > 0);
    assert.ok(paths.flat().every((heading) => heading.length <= 300));
  }
});
