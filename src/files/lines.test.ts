import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkFile } from './chunk/chunker.ts';
import { parseFile } from './formats/parse-file.ts';
import { placeLines } from './lines.ts';

/** Returns, for each chunk, its lines in the file and the lines of its text. */
async function linesOf(type: 'code' | 'md' | 'rst', source: string): Promise<[number | null, number | null, string][]> {
  const name = { code: 'a.js', md: 'a.md', rst: 'a.rst' }[type];
  const bytes = Buffer.from(source);
  const parsed = await parseFile(type, bytes, { name, size: bytes.length, chunkMetadataKeys: [] });
  return chunkFile(parsed).map(({ startLine, endLine, content }) => [startLine, endLine, content]);
}

const BODY = '  // one\n'.repeat(40);
const PROSE = 'Words of a paragraph that is long. '.repeat(20).trim();

test('chunks of a program have the lines of the file, also parts of a long function', async () => {
  const source = `\r\n\r\nfunction a() {\r\n${BODY}}\r\n\r\nfunction b() {\n${'  call("😀");\n'.repeat(400)}}\n`;
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const chunks = await linesOf('code', source);
  assert.ok(chunks.length > 2);
  assert.deepEqual(chunks[0]!.slice(0, 2), [3, 44]);
  for (const [start, end, content] of chunks)
    assert.equal(
      lines
        .slice(start! - 1, end!)
        .join('\n')
        .trim(),
      content.trim(),
    );
});

test('chunks of Markdown have the lines of the file below front matter and a comment; changed blocks have none', async () => {
  const md = `---\ntitle: T\n---\n\n# A\n\n${PROSE}\n\n\n\n<!-- ## B -->\n## B\n\n${PROSE}\n\n## C\n\n<p>${PROSE}</p>\n`;
  assert.deepEqual(
    (await linesOf('md', md)).map(([start, end]) => [start, end]),
    [
      [5, 7],
      [12, 14],
      [null, null],
    ],
  );
});

test('a heading that is written in another way has the line of its words', async () => {
  const [first] = await linesOf('rst', `.. comment\n\nAbout\n=====\n\n${PROSE}\n`);
  assert.deepEqual(first!.slice(0, 2), [3, 6]);
});

test('words of HTML that are a line far below do not take the lines of the blocks between', async () => {
  const sections = [1, 2, 3].map((i) => `## Section ${i}\n\n${PROSE}\n\n`).join('');
  const chunks = await linesOf(
    'md',
    `<!-- c -->\n\n# Top\n\n${PROSE}\n\n<p>Note</p>\n\n${sections}Note\n\n## Last\n\n${PROSE}\n`,
  );
  const lines = chunks.map(([start, , content]) => [content.split('\n')[0], start]);
  assert.deepEqual(lines.slice(0, 2), [
    ['# Top', null],
    ['## Section 1', 9],
  ]);
});

test('blocks that the file does not have cost no more than a short search', async () => {
  const source = `<!-- c -->\n\n${'<p>x</p>\n\n'.repeat(20_000)}`;
  const bytes = Buffer.from(source);
  const parsed = await parseFile('md', bytes, { name: 'a.md', size: bytes.length, chunkMetadataKeys: [] });
  const before = process.cpuUsage();
  placeLines(parsed, source);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_000_000, `${user} µs`);
});
