import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextChunk } from '../../llm/models.ts';
import { citeAnswer, citedSpans } from '../grounding/citations.ts';
import { openMarkerParser } from '../grounding/markers.ts';
import { shownRow } from './column-names.ts';
import { openExtractive } from './extractive.ts';

const HEAD = '| Part | Name | Price (EUR) / from 100 | Note |';
const chunkOf = (content: string, context: string | null = null, name = 'parts'): ContextChunk => ({
  number: 1,
  name,
  headingPath: [],
  context,
  content,
  score: 9,
  language: 'en',
});

/** Returns the answer, and its citations with the cited text. */
async function answered(question: string, ...chunks: ContextChunk[]) {
  const parser = openMarkerParser(() => true);
  const request = { messages: [], question, chunks, citation: true };
  let answer = '';
  for await (const event of openExtractive(1000).stream(request, new AbortController().signal)) {
    if (event.type === 'text') answer += parser.push(event.delta);
    if (event.type === 'quote') answer += parser.quote(event.text, event.number, event.labels);
  }
  const { citations, unsupported } = await citeAnswer(answer, parser.markers, chunks);
  return { answer, citations, unsupported };
}

test('a record is quoted with the names of its columns, and its citation has the record as it is', async () => {
  const record = '| 4711-0815/B | Flange | 5.17 |  |';
  const { answer, citations, unsupported } = await answered('What is the price of the flange?', chunkOf(record, HEAD));
  assert.equal(answer, 'Part: 4711-0815/B | Name: Flange | Price (EUR) / from 100: 5.17');
  assert.deepEqual(
    citations.map(({ quote, verified, spans }) => ({ quote, verified, spans })),
    [{ quote: record, verified: true, spans: [{ start: 0, end: answer.length }] }],
  );
  assert.deepEqual(unsupported, []);
});

test('a row of a table in a text is quoted with the names above the table', async () => {
  const table = `Prices:\n\n${HEAD}\n| --- | --- | --- | --- |\n| 1 | Shaft | 8 |  |\n| 2 | Flange | 5 | old \\| new |\n\nNo others.`;
  assert.match(
    (await answered('flange', chunkOf(table))).answer,
    /^Part: 2 \| Name: Flange \| Price .*: 5 \| Note: old \\\| new/,
  );
});

test('names of columns are left out beside two cells, beside the head itself and in another table', async () => {
  const two = '| Key | Value |\n| --- | --- |\n| Weight | 5 kg |';
  assert.equal((await answered('weight', chunkOf(two))).answer, 'Weight | 5 kg');
  const other = `${HEAD}\n| --- | --- | --- | --- |\n| 1 | a | 2 | b |\n\n| Flange | x | y | z |`;
  assert.equal((await answered('flange', chunkOf(other))).answer, 'Flange | x | y | z');
  const below = 'No others.\n\n| Flange | x | y | z |';
  assert.equal((await answered('flange', chunkOf(below, HEAD))).answer, 'Flange | x | y | z');
});

test('a cell has no name that is longer than 60 letters or the cell itself', async () => {
  const head = `| Part | ${'long '.repeat(13)}| Note |`;
  assert.equal((await answered('flange', chunkOf('| Flange | 5 | Note |', head))).answer, 'Part: Flange | 5 | Note');
});

test('a row without bars at its ends has the right names, and one between tabs has none', async () => {
  const rows = 'Bolt | 3 | yes | no\n| Nut | 4 | yes |';
  const table = `Part | Price | Stock | Note\n--- | --- | --- | ---\n${rows}`;
  assert.equal((await answered('bolt', chunkOf(table))).answer, 'Part: Bolt | Price: 3 | Stock: yes | Note: no');
  assert.equal((await answered('nut', chunkOf(table))).answer, 'Part: Nut | Price: 4 | Stock: yes');
  assert.equal((await answered('flange', chunkOf('flange\t5', HEAD))).answer, 'flange\t5');
});

test('each piece of a long row has the names of the columns that begin in it', async () => {
  const long = 'word '.repeat(70).trim();
  const { answer } = await answered('flange bolt', chunkOf(`| 7 | flange | ${long} | bolt |`, HEAD));
  assert.match(answer, /^Part: 7 \| Name: flange \| Price \(EUR\) \/ from 100: word/);
  assert.match(answer, /\| Note: bolt$/);
  assert.equal(answer.match(/Price/g)?.length, 1);
});

test('the names of columns count as words of a record', async () => {
  const drawings = ['Z-1014 | Shaft | C', 'Z-1021 | Cover | A'].map((row, i) => ({
    ...chunkOf(`| ${row} | x |`, '| Drawing | Title | Revision | Note |', 'register'),
    number: i + 1,
    score: 9 - i,
  }));
  const { answer } = await answered('Which revision does the drawing Z-1014 have?', ...drawings);
  assert.equal(answer, 'Drawing: Z-1014 | Title: Shaft | Revision: C | Note: x');
});

test('the cited words of a record have no name of a column, and keep such words in a cell', () => {
  const row = '| Flange, Price: 7 extra | 5 | 12 |';
  const { text, labels } = shownRow(row, { start: 0, end: row.length }, ['Name', 'Price', 'Stock']);
  assert.equal(text, 'Name: Flange, Price: 7 extra | Price: 5 | Stock: 12');
  const parser = openMarkerParser(() => true);
  const spans = citedSpans(parser.quote(text, 1, labels), parser.markers);
  assert.deepEqual(
    spans.map((span) => span.text),
    ['Flange, Price: 7 extra | 5 | 12'],
  );
});

test('a row of many short cells has 600 letters of names at most', async () => {
  const names = Array.from({ length: 70 }, (_, i) => `${'measured '.repeat(5)}${i}`);
  const cells = names.map((_, i) => (i === 0 ? 'flange' : `${i % 10}`));
  const { answer, citations } = await answered(
    'flange',
    chunkOf(`| ${cells.join(' | ')} |`, `| ${names.join(' | ')} |`),
  );
  assert.match(answer, /^measured .{36}0: flange \| measured/);
  assert.ok(answer.length < 1000, `${answer.length} letters`);
  assert.match(answer, / \| 8 \| 9$/);
  assert.equal(citations[0]?.verified, true);
});
