import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParsedFile } from '../../parsed.ts';
import { parseCsv } from './csv.ts';

function rowsOf(parsed: ParsedFile): string[] {
  return parsed.blocks.map((block) => parsed.text.slice(block.start, block.end));
}

for (const [name, delimiter] of [
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['bar', '|'],
] as const) {
  test(`a CSV file with a ${name} as delimiter is read into columns`, () => {
    const source = [
      ['id', 'name, full', 'n'],
      ['1', 'Ann; B.', '3'],
      ['2', 'Carl', '4'],
    ].map((row) => row.map((cell) => (/[,;]/.test(cell) ? `"${cell}"` : cell)).join(delimiter));
    const parsed = parseCsv(source.join('\n'), 'csv', []);
    assert.deepEqual(rowsOf(parsed), ['| 1 | Ann; B. | 3 |', '| 2 | Carl | 4 |']);
    assert.equal(parsed.blocks[0]!.tableHeader, '| id | name, full | n |');
  });
}

test('declared CSV columns become chunk metadata, and a warning counts values that do not convert', () => {
  const parsed = parseCsv('name,price,day\na,1.5,2024-01-02\nb,cheap,\n', 'csv', [
    { key: 'price', type: 'float' },
    { key: 'day', type: 'date' },
    { key: 'missing', type: 'string' },
  ]);
  assert.deepEqual(
    parsed.blocks.map((block) => block.metadata),
    [{ price: { val: '1.5', type: 'float' }, day: { val: '2024-01-02', type: 'date' } }, {}],
  );
  assert.deepEqual(parsed.warnings, ['1 value of "price" could not be read as float.']);
});

test('a quoted CSV cell with line breaks and quotes becomes one line of one cell', () => {
  const parsed = parseCsv('a,b\n"line one\nline two","say ""hi"" | now"\n', 'csv', []);
  assert.deepEqual(rowsOf(parsed), ['| line one line two | say "hi" \\| now |']);
});

test('CSV rows shorter or longer than the header are kept', () => {
  assert.deepEqual(rowsOf(parseCsv('a,b\n1\n1,2,3\n', 'csv', [])), ['| 1 |  |', '| 1 | 2 | 3 |']);
});

test('the rows after an unclosed quote in a CSV file are kept, with a warning', () => {
  const parsed = parseCsv('a,b\n1,2\n"never closed,3\nx,4\n', 'csv', []);
  assert.match(parsed.text, /\| 1 \| 2 \|/);
  assert.match(parsed.text, /\| x \| 4 \|/);
  assert.equal(parsed.warnings.length, 1);
});

test('a CSV file with a header and no rows is still text', () => {
  assert.equal(parseCsv('a,b\n', 'csv', []).text, '| a | b |\n| --- | --- |');
  assert.equal(parseCsv('\n\n', 'csv', []).text, '');
});

test('very many CSV records without metadata share blocks, and none is lost', () => {
  const count = 25_000;
  const source = `n\n${Array.from({ length: count }, (_, i) => i).join('\n')}\n`;
  const parsed = parseCsv(source, 'csv', []);
  assert.ok(parsed.blocks.length < 100);
  assert.equal(parsed.text.match(/^\| \d+ \|$/gm)!.length, count);
  const single = parseCsv(source, 'csv', [{ key: 'n', type: 'integer' }]);
  assert.equal(single.blocks.length, count);
});

test('the lines that Excel writes above a CSV table name the delimiter or the title', () => {
  const named = parseCsv('sep=|\nid|name, full\n1|Ann, B.\n', 'csv', []);
  assert.equal(named.text, '| id | name, full |\n| --- | --- |\n| 1 | Ann, B. |');
  const titled = parseCsv('Sales of 2024;;\n\nid;name;n\n1;Ann;3\n', 'csv', []);
  assert.equal(titled.text, 'Sales of 2024\n\n| id | name | n |\n| --- | --- | --- |\n| 1 | Ann | 3 |');
  const single = Array.from({ length: 9 }, (_, i) => `row ${i}`);
  for (const count of [2, 9]) {
    const { text } = parseCsv(single.slice(0, count).join('\n'), 'csv', []);
    assert.deepEqual(text.match(/row \d/g), single.slice(0, count));
  }
});

test('a backslash before a quote is an escape if the file has no doubled quotes', () => {
  const { text } = parseCsv('song,year\n"7\\", a \\"b\\"",1999\n"x","2000"\n', 'csv', []);
  assert.equal(text, '| song | year |\n| --- | --- |\n| 7", a "b" | 1999 |\n| x | 2000 |');
});
