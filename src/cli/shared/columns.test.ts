import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, layOut } from './columns.ts';
import { printable } from './printable.ts';

interface Row {
  id: string;
  name: string;
  size: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, cut: true },
  { title: 'SIZE', value: ({ size }) => String(size), right: true, omit: 1 },
];
const ROWS: Row[] = [
  { id: 'a1', name: 'a name that is rather long', size: 7 },
  { id: 'b2', name: '灯台の案内.txt', size: 12345 },
];

function lines(width: number | undefined, rows = ROWS): string[] {
  const { head, line } = layOut(COLUMNS, rows, width);
  return [head, ...rows.map(line)];
}

test('in a pipe no cell is cut, and columns are aligned by the width of their characters on a terminal', () => {
  assert.deepEqual(lines(undefined), [
    'ID  NAME                         SIZE',
    'a1  a name that is rather long      7',
    'b2  灯台の案内.txt              12345',
  ]);
});

test('a table is at most as wide as the terminal: names are cut first', () => {
  assert.deepEqual(lines(30), [
    'ID  NAME                  SIZE',
    'a1  a name that is rat…      7',
    'b2  灯台の案内.txt       12345',
  ]);
});

test('a path keeps its end, which names the file', () => {
  const columns: readonly Column<Row>[] = [
    { title: 'PATH', value: ({ name }) => name, cut: 'path' },
    { title: 'ID', value: ({ id }) => id },
  ];
  const { line } = layOut(columns, [{ id: 'a1', name: 'packages/core/lib/index.js', size: 1 }], 24);
  assert.equal(line({ id: 'a1', name: 'packages/core/lib/index.js', size: 1 }), '…s/core/lib/index.js  a1');
  assert.equal(line({ id: 'a1', name: 'How to install the core', size: 1 }), 'How to install the …  a1');
  assert.equal(line({ id: 'a1', name: 'Minutes of May.eml › a.htm', size: 1 }), '… of May.eml › a.htm  a1');
});

test('on a narrow terminal the table leaves out other columns before a path has less than 20 cells', () => {
  const columns: readonly Column<Row>[] = [
    { title: 'PATH', value: ({ name }) => name, cut: 'path' },
    { title: 'ID', value: ({ id }) => id },
    { title: 'SIZE', value: ({ size }) => String(size), omit: 1 },
  ];
  const row = { id: 'a1', name: 'packages/core/lib/index.js', size: 1 };
  assert.equal(layOut(columns, [row], 30).line(row), '…s/core/lib/index.js  a1  1');
  assert.equal(layOut(columns, [row], 29).line(row), '…ckages/core/lib/index.js  a1');
  assert.equal(layOut(columns, [row], 18).line(row), '…/lib/index.js  a1');
});

test('on a narrow terminal the table leaves columns out', () => {
  assert.deepEqual(lines(18), ['ID  NAME', 'a1  a name that i…', 'b2  灯台の案内.txt']);
});

test('an empty cell is printed as a dash, and control characters in a cell are replaced', () => {
  const [, line] = lines(undefined, [{ id: '', name: 'a\x1b[2J\nb\u202ec', size: 1 }]);
  assert.equal(line, '-   a\ufffd[2J b\ufffdc     1');
  assert.equal(printable('a\r\nb\tc\r\x07'), 'a\nb\tc\ufffd');
});
