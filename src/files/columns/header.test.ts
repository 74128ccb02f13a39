/** Headers of tables: titles above them, headers of two rows, tables without one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHeader, hasHeader, withOneHeader } from './header.ts';

const rowsOf = (text: string): string[][] => text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));

test('the first row names the columns if it is unlike the rows below', () => {
  assert.deepEqual(findHeader(rowsOf('id|day\n1|2024-01-02\n2|2024-01-03')), {
    names: ['id', 'day'],
    caption: [],
    rows: 1,
  });
  assert.deepEqual(findHeader(rowsOf('name|town\nAnn|Rome\nBob|Oslo')).names, ['name', 'town']);
});

test('a table whose first row is like the others has no header', () => {
  assert.deepEqual(findHeader(rowsOf('1|2024-01-02\n2|2024-01-03')), { names: ['', ''], caption: [], rows: 0 });
  assert.equal(findHeader(rowsOf('yes|red\nno|blue\nyes|red')).rows, 0);
  assert.equal(findHeader(rowsOf('red|x\nblue|y\nred|z')).rows, 0);
});

test('years in a row are a header', () => {
  assert.deepEqual(findHeader(rowsOf('2010|2011|2012\n5|6|7\n8|9|10')).rows, 1);
});

test('rows with one text above the header are the title', () => {
  const found = findHeader(rowsOf('Sales 2024||\nin euros||\nregion|q1|q2\nnorth|1|2\nsouth|3|4'));
  assert.deepEqual(found, { names: ['region', 'q1', 'q2'], caption: ['Sales 2024', 'in euros'], rows: 3 });
});

test('two rows of headers become one', () => {
  const found = findHeader(rowsOf('|Sales|Sales\nregion|units|amount\nnorth|1|2\nsouth|3|4'));
  assert.deepEqual(found, { names: ['region', 'Sales / units', 'Sales / amount'], caption: [], rows: 2 });
});

test('two rows of headers are found with merged cells in both directions, and with the group in its first cell only', () => {
  const names = ['region', 'Sales / units', 'Sales / amount'];
  assert.deepEqual(findHeader(rowsOf('region|Sales|Sales\nregion|units|amount\nnorth|1|2\nsouth|3|4')).names, names);
  assert.deepEqual(findHeader(rowsOf('region|Sales|\n|units|amount\nnorth|1|2\nsouth|3|4')).names, names);
  const texts = findHeader(rowsOf('no|place|Notes|\n||first|second\n1|north|a|b\n2|south|c|d'));
  assert.deepEqual(texts.names, ['no', 'place', 'Notes / first', 'Notes / second']);
  assert.equal(findHeader(rowsOf('no|place|note|\n|north|a|b\n2|south|c|d')).rows, 1);
});

test('columns that all have the same name have a header, not a title', () => {
  assert.deepEqual(findHeader(rowsOf('Share|Share\nnorth|1\nsouth|2')).names, ['Share', 'Share']);
});

test('a year over numbers that are no years, a header that is repeated, and a column with one value leave the header one', () => {
  assert.equal(hasHeader(rowsOf('country|2020\nFrance|67\nSpain|47')), true);
  assert.equal(hasHeader(rowsOf('film|since\nAlien|1979\nJaws|1975')), true);
  assert.equal(hasHeader(rowsOf('Alien|1979\nJaws|1975\nRocky|1976')), false);
  assert.equal(hasHeader(rowsOf('a|b|c\nx|y|z\na|b|c\nu|v|w')), true);
  assert.equal(hasHeader(rowsOf('race|link\nRome|link\nOslo|link')), true);
});

test('untrimmed and empty rows do not hide a header, and a very wide row is the header', () => {
  assert.equal(
    hasHeader([
      ['id ', ' n'],
      ['', ''],
      ['a', ' 1 '],
      ['b', '2'],
    ]),
    true,
  );
  const wide = Array.from({ length: 501 }, (_, i) => `${i * 7}`);
  assert.equal(hasHeader([wide, wide]), true);
});

test('rows that the file calls header rows become one, unless they are the whole table', () => {
  const rows = rowsOf('a|a|b\nc|d|b\n|e|b\n1|2|3');
  assert.deepEqual(withOneHeader(rows, { rows: 3 }), [
    ['a / c', 'a / d / e', 'b'],
    ['1', '2', '3'],
  ]);
  const names = rowsOf('name|city\nAnn|Rome\nBo|Oslo');
  for (const count of [0, 1, 3]) assert.deepEqual(withOneHeader(names, { rows: count }), names);
});

test('below cells that span columns, a row of names is a header row, also below another one', () => {
  const rows = rowsOf('id|person|person\nid|name|town\nA|Ann|Rome\nB|Bo|Oslo');
  assert.deepEqual(withOneHeader(rows, { spans: [true] })[0], ['id', 'person / name', 'person / town']);
  assert.deepEqual(withOneHeader(rows), rows, 'texts alone do not tell');
  const three = rowsOf('id|2024|2024|2024|2024\nid|spring|spring|autumn|autumn\nid|a|b|a|b\nx|k|l|m|n\ny|o|p|q|r');
  assert.deepEqual(withOneHeader(three, { spans: [true, true] }).slice(0, 2), [
    ['id', '2024 / spring / a', '2024 / spring / b', '2024 / autumn / a', '2024 / autumn / b'],
    ['x', 'k', 'l', 'm', 'n'],
  ]);
});

test('a row of data below cells that span columns is no header row', () => {
  const texts = rowsOf('name|name|town\nAnn|Miller|Rome\nBo|Marsh|Oslo');
  assert.deepEqual(withOneHeader(texts, { spans: [true] }), texts, 'the town has a value');
  const all = rowsOf('name|name|town|town\nAnn|Miller|Rome|Italy\nBo|Marsh|Oslo|Norway');
  assert.deepEqual(withOneHeader(all, { spans: [true] }), all, 'no column has its name in one row only');
  const numbers = rowsOf('id|size|size\nid|1|2\nid|3|4\nid|5|6');
  assert.deepEqual(withOneHeader(numbers, { spans: [true] }), numbers);
});

test('a name above others stands above empty cells only where no cell spans columns', () => {
  const rows = rowsOf('id|size|size|\nid|width|height|note\nx|1|2|b\ny|3|4|c');
  assert.deepEqual(withOneHeader(rows, { spans: [true] })[0], ['id', 'size / width', 'size / height', 'note']);
});

test('a first row of data below a header with a gap is no header row: its cells stand below names of their own', () => {
  for (const text of [
    '|email|points\nann|ann@x.org|none yet\nbob|bob@x.org|3\neve|eve@x.org|5',
    'name|born||points\nann|1982-07-19|x|\nbob||y|3\neve||z|5',
  ]) {
    const rows = rowsOf(text);
    assert.deepEqual(withOneHeader(rows), rows);
    assert.deepEqual(findHeader(rows).names, rows[0]);
  }
});

test('below the only row that the file calls a header row is data', () => {
  const rows = rowsOf('type|example|example\n|red|apple\nb|blue|berry\nc|green|pear');
  assert.equal(withOneHeader(rows, { spans: [true] })[0]![1], 'example / red');
  assert.deepEqual(withOneHeader(rows, { rows: 1, spans: [true] }), rows);
});

test('a table with more header rows than the limit, or very many columns, keeps its first row as the header', () => {
  const six = rowsOf('a|b\nc|d\ne|f\ng|h\ni|j\nk|l\n1|2');
  assert.deepEqual(withOneHeader(six, { rows: 6 }), six);
  const first = Array.from({ length: 501 }, (_, i) => (i % 2 === 0 ? `g${i}` : ''));
  const wide = [
    first,
    first.map((_, i) => (i % 2 === 0 ? '' : `n${i}`)),
    first.map((_, i) => `${i}`),
    first.map((_, i) => `${i + 1}`),
  ];
  assert.equal(withOneHeader(wide)[0], first);
});

test('a title above one header row stays a row', () => {
  const rows = rowsOf('Staff|\nname|count\nAnn|1\nBo|2');
  assert.deepEqual(withOneHeader(rows), rows);
});

test('a third header row is only known by cells that span columns', () => {
  const rows = rowsOf('id|size|size|n\nid|outer|outer|\nid|width|height|\nx|small|large|1\ny|large|small|2');
  assert.deepEqual(withOneHeader(rows)[0], ['id', 'size / outer', 'size / outer', 'n']);
  const names = ['id', 'size / outer / width', 'size / outer / height', 'n'];
  assert.deepEqual(withOneHeader(rows, { spans: [true, true] })[0], names);
});

test('an empty row is no second row of headers', () => {
  assert.equal(findHeader(rowsOf('a|a|n\n||\nx|y|1\nz|w|2')).rows, 1);
});

test('a cell below a name that stands above several columns is no sign that the row names columns', () => {
  const rows = rowsOf('name|name|town|town\nAnn||Rome|Italy\nBo|Marsh|Oslo|Norway\nEve|Miller|Cork|Ireland');
  assert.deepEqual(withOneHeader(rows, { spans: [true] }), rows);
});

test('a cell that spans the last header rows counts once, and a name is above columns with a name only', () => {
  assert.deepEqual(withOneHeader(rowsOf('x|y\na|b\na|c\n1|2'), { rows: 3 })[0], ['x / a', 'y / b / c']);
  assert.deepEqual(findHeader(rowsOf('region|Sales||\n|units|amount|\nnorth|1|2|\nsouth|3|4|')).names, [
    'region',
    'Sales / units',
    'Sales / amount',
    '',
  ]);
  assert.deepEqual(findHeader(rowsOf('no|place|\n||first\n1|north|2\n2|south|4')).names, ['no', 'place', 'first']);
});
