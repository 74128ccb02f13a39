import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkFile } from '../chunk/chunker.ts';
import { parseTxt } from './txt.ts';

/** Returns the names above each block, and the block. */
function entriesOf(text: string): [string, string][] {
  return parseTxt(text).blocks.map(({ start, end, headingPath = [] }) => [
    headingPath.join(' > '),
    text.slice(start, end).replace(/\s+/g, ' ').trim(),
  ]);
}

const OPTIONS = ['depth', 'force', 'jobs', 'limit', 'quiet']
  .map((name) => `  ${name}=\t[CORE]\n\t\tSets the ${name} of a run.\n\n\t\tDefault: none\n`)
  .join('\n');

test('a keyword with deeper lines below it is an entry, also over empty lines', () => {
  const blocks = entriesOf(`Options of a run.\n\n${OPTIONS}`);
  assert.deepEqual(blocks.slice(0, 4), [
    ['', 'Options of a run.'],
    ['depth=', 'depth= [CORE] Sets the depth of a run.'],
    ['depth=', 'Default: none'],
    ['force=', 'force= [CORE] Sets the force of a run.'],
  ]);
});

test('entries within entries have the names of both, and a line at the margin ends an entry', () => {
  const section = (n: number): string =>
    `${n}.  Section ${n}\n\n   Its text.\n\n${OPTIONS.replace(/^/gm, '   ')}\n${n === 3 ? 'End of 3.\n\n' : ''}`;
  const blocks = entriesOf([1, 2, 3, 4, 5, 6].map(section).join(''));
  assert.deepEqual(blocks.slice(0, 3), [
    ['1. Section 1', '1. Section 1'],
    ['1. Section 1', 'Its text.'],
    ['1. Section 1 > depth=', 'depth= [CORE] Sets the depth of a run.'],
  ]);
  assert.ok(blocks.some(([path, text]) => path === '' && text === 'End of 3.'));
});

test('entries between headings have the headings above them, and a heading ends an entry', () => {
  const prose = `${'The keeper opens the gate when all barrels are counted. '.repeat(12)}\n\n`;
  const title = (words: string, sign: string) => `${words}\n${sign.repeat(words.length)}\n`;
  const text = [
    `${title('Usage', '=')}\n${prose}${title('Run', '-')}\n${prose}${title('Options', '-')}  ${OPTIONS.trimStart()}\n`,
    `${title('Notes', '=')}\t\tA deeper line.\n\n${prose}`,
  ].join('');
  const { blocks } = parseTxt(text);
  const titles = blocks.flatMap(({ title, level }) => (title === undefined ? [] : [`${level} ${title}`]));
  assert.deepEqual(titles, ['1 Usage', '2 Run', '2 Options', '1 Notes']);
  const jobs = blocks.filter(({ term }) => term === 'jobs=');
  assert.deepEqual(
    jobs.map(({ headingPath }) => headingPath),
    [
      ['Usage', 'Options', 'jobs='],
      ['Usage', 'Options', 'jobs='],
    ],
  );
  const deeper = blocks.find(({ start }) => text.startsWith('\t\tA deeper', start));
  assert.deepEqual([deeper?.headingPath, deeper?.term], [['Notes'], undefined]);
});

test('lists, prose with examples, page headers and code have no entries', () => {
  const list = '1. Install the program\n   and restart it.\n2. Open it\n   once more.\n'.repeat(5);
  const example = 'Some prose that has more than one line\nand then an example:\n\n    make install\n\n'.repeat(8);
  const header = 'Manual of the pump\n\n   The text of a page that goes on\n   and on.\n\n'.repeat(8);
  const code = Array.from({ length: 8 }, (_, i) => `fn f${i}() {\n    go();\n}\n`).join('\n');
  for (const text of [list, example, header, code, OPTIONS.split('\n\n  jobs')[0]!])
    assert.deepEqual([...new Set(entriesOf(text).map(([path]) => path))], [''], text.slice(0, 40));
});

test('a long entry is a chunk under its name, short entries share one', () => {
  const long = `  timeout=\t[CORE]\n${'\t\tThe number of seconds that a run may take before it is stopped.\n'.repeat(12)}`;
  const chunks = chunkFile(parseTxt(`${OPTIONS}\n${long}`));
  assert.deepEqual(
    chunks.map(({ headingPath }) => headingPath),
    [[], ['timeout=']],
  );
});

test('a text with very many lines has no entries', () => {
  const entry = 'depth\n  Sets the depth.\n\n';
  const names = (count: number) =>
    Array.from({ length: count }, (_, i) => entry.replace('depth', `depth${i}`)).join('');
  assert.equal(parseTxt(names(1_000)).blocks[0]!.term, 'depth0');
  assert.equal(parseTxt(names(100_000)).blocks[0]!.term, undefined);
});

test('a long line takes time in proportion to its length', () => {
  const line = `${'a '.repeat(200_000)}b`;
  assert.equal(parseTxt(`${line}\n    deeper\n\n`.repeat(6)).blocks.length, 6);
});
