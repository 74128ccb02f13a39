/** CSV files and sheets with several rows of headers: records, their keys, links and places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from '../../src/files/formats/office/sheets/rows.ts';
import { writeSheet } from '../../src/files/formats/office/sheets/sheets.ts';
import { TextBuilder } from '../../src/files/formats/text-builder.ts';
import { KeyPicker } from '../../src/files/metadata-values.ts';
import { makeXlsx } from '../support/files/make-files.ts';
import { readBytes } from '../support/files/process-bytes.ts';

const FIRST = ['Id', 'Person', 'Person'];
const RECORDS = [
  ['A', 'Ann', '1'],
  ['B', 'Bo', '2'],
  ['C', 'Eve', '3'],
];
const GAPS = [['Id', 'Person', ''], ['', 'Name', 'SSN'], ...RECORDS];
const withNull = (rows: readonly (readonly string[])[]) => rows.map((row) => row.map((cell) => cell || null));
const lines = (rows: readonly (readonly string[])[], separator: string) =>
  rows.map((row) => row.join(separator)).join('\n');

test('a place in a sheet counts the header rows: the range has them, and each record its row', async () => {
  const rows = [['Staff'], FIRST, ['Id', 'Name', 'SSN'], ...RECORDS.slice(0, 2)];
  const bytes = makeXlsx({ sheets: [{ name: 'S', rows, merged: ['A1:C1', 'A2:A3', 'B2:C2'] }] });
  const { tables, text } = await readBytes('a.xlsx', bytes);
  assert.match(text, /## S\n\nStaff\n\n\| Id \| Person \/ Name \| Person \/ SSN \|/);
  assert.deepEqual([tables[0]!.range, tables[0]!.firstSheetRow], ['A2:C5', 3]);
});

test('a declared key of the first row stays a key, and the row below stays a record', async () => {
  const rows = [
    ['region', 'person', ''],
    ['', 'name', 'score'],
    ['north', 'Bo', '3'],
    ['south', 'Eve', '5'],
  ];
  for (const [name, bytes] of [
    ['a.csv', lines(rows, ',')],
    ['a.xlsx', makeXlsx({ sheets: [{ name: 'S', rows: withNull(rows) }] })],
  ] as const) {
    const merged = await readBytes(name, bytes, [{ key: 'region', type: 'string' }]);
    assert.match(merged.text, /\| region \| person \/ name \| person \/ score \|\n/);
    const { text, chunks } = await readBytes(name, bytes, [{ key: 'person', type: 'string' }]);
    assert.match(text, /\| region \| person \| {2}\|\n\| --- \| --- \| --- \|\n\| {2}\| name \| score \|\n/);
    const people = chunks.map(({ metadata }) => metadata.person?.val);
    assert.deepEqual(people, ['name', 'Bo', 'Eve']);
  }
});

test('a first record below a header with a gap is a chunk, and its values are in no context', async () => {
  const source = 'name,email,,points\nann,ann@x.org,a,none yet\nbob,bob@x.org,b,3\neve,eve@x.org,c,5';
  const { chunks } = await readBytes('a.csv', source);
  assert.ok(chunks.some(({ content }) => content.includes('| ann | ann@x.org | a | none yet |')));
  for (const { context } of chunks) assert.doesNotMatch(context ?? '', /ann/);
});

test('merged cells of a table in a sheet tell nothing of the table beside it', async () => {
  const texts = [FIRST, ['', 'Name', 'Town'], ['A', 'Ann', 'Rome'], ['B', 'Bo', 'Oslo']];
  const rows = withNull(texts).map((row, i) => [...row, null, `k${i}`, `l${i}`]);
  const { text } = await readBytes('a.xlsx', makeXlsx({ sheets: [{ name: 'S', rows, merged: ['E1:F1'] }] }));
  assert.ok(text.includes('| Id | Person | Person |\n'), text);
});

test('the links of a sheet stay in their rows below several rows of headers', () => {
  const rows = [GAPS[0]!, GAPS[1]!, ['A', 'Ann', '1'], ['B', 'Bo', '2']].map((cells, row) =>
    rowOf(row, cells, row > 0 ? [{ column: 1, url: `https://a.example/${row}` }] : []),
  );
  const builder = new TextBuilder();
  writeSheet(builder, new KeyPicker([]), { name: 'S', rows, merged: [] });
  const { blocks, text } = builder.file('xlsx', {}, {});
  const links = blocks.flatMap((block) => block.links ?? []);
  assert.deepEqual(
    links.map(({ at, text: words, url }) => [text.slice(at, at + words.length), url]),
    [
      ['Ann', 'https://a.example/2'],
      ['Bo', 'https://a.example/3'],
    ],
  );
});

test('an empty row between two rows of headers of a CSV file does not part them', async () => {
  const rows = [GAPS[0]!, ['', '', ''], ...GAPS.slice(1)];
  assert.ok((await readBytes('a.csv', lines(rows, ','))).text.startsWith(`| Id | Person / Name | Person / SSN |\n`));
});
