/** Tables of PDFs between horizontal rules: where they end, and what is not a row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePdf } from '../../src/files/formats/pdf/pdf.ts';
import { makePdf } from '../support/files/make-files.ts';

const XS = [72, 170, 260, 400];
const across = (...ys: number[]) => ys.map((y) => `${XS[0]} ${y} m ${XS.at(-1)} ${y} l S`).join('\n');
const word = (x: number, y: number, text: string, size = 10) => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`;
const row = (y: number, ...cells: string[]) => cells.map((text, column) => word(XS[column]! + 4, y, text)).join('\n');

async function read(...drawing: string[]) {
  const { text, blocks } = await parsePdf(makePdf({ pages: [[]], drawing: drawing.join('\n') }), {});
  const tables = blocks.filter(({ kind }) => kind === 'table').map(({ start, end }) => text.slice(start, end));
  return { text, tables };
}

const HEAD = ['Field', 'Type', 'Meaning'];
/** A heading between two rules, two rows below and a rule: 48 points. */
const listAt = (top: number, name: string) => [
  across(top, top - 16, top - 48),
  row(top - 12, ...HEAD),
  row(top - 28, name, 'text', 'what it is called'),
  row(top - 42, 'size', 'number', 'how much it holds'),
];
const listOf = (name: string) =>
  `| Field | Type | Meaning |\n| --- | --- | --- |\n| ${name} | text | what it is called |\n| size | number | how much it holds |`;

test('a heading or a sentence between two tables of equal width belongs to neither', async () => {
  const heading = [word(76, 628, '2.1'), word(120, 628, 'Jars')];
  const { text, tables } = await read(
    ...[...listAt(700, 'box'), ...heading, ...listAt(612, 'jar')],
    ...[word(76, 544, 'Bags have these:'), ...listAt(534, 'bag')],
  );
  assert.deepEqual(tables, ['box', 'jar', 'bag'].map(listOf));
  assert.match(text, /\|\n\n2\.1\s+Jars\n\n\|.*\|\n\nBags have these:\n\n\|/s);
});

test('a row with a single value between rules is a row of the table', async () => {
  const ys = [700, 684, 668, 652, 636];
  const rows = [HEAD, ['Boxes'], ['name', 'text', 'what it is called'], ['size', 'number', 'how much it holds']];
  const { tables } = await read(across(...ys), ...rows.map((cells, at) => row(ys[at]! - 12, ...cells)));
  assert.match(tables[0]!, /^\| Field \| Type \| Meaning \|\n.*\n\| Boxes \| {2}\| {2}\|\n\| name \|/);
});

test('words of lines that continue outside a table belong to no table', async () => {
  const sentence =
    'fields of all of the boxes that were kept in the old house at the harbour of the town are these here';
  const above = await read(word(76, 704, sentence), ...listAt(700, 'box'));
  assert.deepEqual(above.tables, [listOf('box')]);
  assert.ok(above.text.startsWith(`${sentence}\n\n|`), above.text);
  const long = 'what it is called and where it is kept';
  const rows = [row(672, 'box', 'text', long), row(658, 'size', 'number', long)];
  const within = await read(across(700, 684, 652), row(688, ...HEAD), ...rows);
  assert.deepEqual(within.tables, []);
  const below = await read(...listAt(700, 'box'), row(640, 'lid', 'text', long));
  assert.deepEqual(below.tables, [listOf('box')]);
  for (const { text } of [within, below]) assert.ok(text.includes(long), text);
});

test('rows without a last value are rows if all lines have equal distances', async () => {
  const rows = [
    ['backmap', 'array', 'from places to letters'],
    ['enc', 'table'],
    ['lookup', 'text or list', 'where it is looked up'],
    ['offsets', 'list of text'],
  ];
  const { tables } = await read(
    across(700, 684, 624),
    row(688, ...HEAD),
    ...rows.map((cells, at) => row(672 - at * 14, ...cells)),
  );
  assert.match(tables[0]!, /\n\| enc \| table \| {2}\|\n\| lookup \| .*\n\| offsets \| list of text \| {2}\|$/);
});
