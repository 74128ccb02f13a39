import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParsedFile } from '../../parsed.ts';
import { parseCsv, parseLargeCsv } from './csv.ts';

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

test('line ends within quotes of a header do not hide the delimiter', () => {
  const parsed = parseCsv('"Net\nprice",b,c\nd,e,"f\n;;;;\n;;;;"\n', 'csv', []);
  assert.equal(parsed.blocks[0]!.tableHeader, '| Net price | b | c |');
});

test('a file with tabs in which all cells have quotes has columns', () => {
  const parsed = parseCsv('"a"\t"b"\n"1, 2"\t"x"\n"3, 4"\t"y"\n', 'csv', []);
  assert.equal(parsed.blocks[0]!.tableHeader, '| a | b |');
});

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

const WORDS = 'lorem ipsum '.repeat(15);

/** Rows with quoted line ends, which the ends of pieces may cut. */
function largeRows(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `${i},"first ${i}\nsecond, ""${i}""",${WORDS}\n`);
  return `id,quoted,words\n${rows.join('')}`;
}

test('the text and the rest of a large CSV file are the lines of the whole file, wherever its pieces are cut', () => {
  const source = largeRows(30_000);
  const pieces = (function* () {
    for (let from = 0, size = 1; from < source.length; from += size, size = (size * 7) % 1_000_003)
      yield source.slice(from, from + size);
  })();
  const parsed = parseLargeCsv(pieces, 'csv');
  const found = parsed.blocks.at(-1)!;
  const head = parsed.text.slice(0, found.start).trimEnd();
  const lines = `${head}\n${[...(parsed.rest ?? [])].join('').trimEnd()}`;
  assert.equal(lines, parseCsv(source, 'csv', []).text);
  const count = Number(/first (\d+) rows/.exec(parsed.warnings[0]!)?.[1]);
  assert.ok(count > 15_000 && count < 25_000, `${count}`);
  assert.equal(
    parsed.text.slice(found.start, found.end),
    `Search finds the first ${count} rows of this file. The other rows are in its table only. Columns: id, quoted, words`,
  );
  assert.ok(parsed.text.includes(`| ${count - 1} | first`) && !parsed.text.includes(`| ${count} | first`));
});

test('a large CSV file with few rows has no rest', () => {
  const parsed = parseLargeCsv(['a,b\n', '1,2\n3,"4', '\n5"\n'], 'csv');
  assert.deepEqual([rowsOf(parsed), parsed.rest, parsed.warnings], [['| 1 | 2 |\n| 3 | 4 5 |'], undefined, []]);
});

test('a quote that is open for very long in a large CSV file is an ordinary character', () => {
  // Long rows: what counts is their length.
  const rows = `3,4\n${`5,${'x'.repeat(65_536)}\n`.repeat(16)}`;
  const parsed = parseLargeCsv(['a,b\n"1,2\n', ...Array(34).fill(rows)], 'csv');
  assert.match(parsed.warnings[0]!, /never closed/);
  assert.ok(parsed.text.includes('| "1 | 2 |\n| 3 | 4 |'));
});

test('the first row of a CSV file without header is a row, and no row has a header', () => {
  const parsed = parseCsv('Annabel,Berlin,30\nBobby,Paris,40\nCidney,Rome\n', 'csv', []);
  assert.deepEqual(rowsOf(parsed), ['| Annabel | Berlin | 30 |', '| Bobby | Paris | 40 |', '| Cidney | Rome |']);
  assert.equal(parsed.text, rowsOf(parsed).join('\n'));
  assert.deepEqual([...new Set(parsed.blocks.map(({ tableHeader }) => tableHeader))], ['']);
  const declared = parseCsv('30,Berlin\n40,Paris\n', 'csv', [{ key: '30', type: 'integer' }]);
  assert.deepEqual(rowsOf(declared), ['| 40 | Paris |'], 'a declared name makes a header');
});

test('a large CSV file without header has all rows in its text and its rest', () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${i * 7},${WORDS}`);
  const parsed = parseLargeCsv([rows.join('\n')], 'csv');
  const whole = parsed.text.replace(/\n\nSearch finds.*$/, '\n') + [...(parsed.rest ?? [])].join('');
  assert.equal(whole.match(/^\| \d+ \| \d+ \|/gm)!.length, 60_000);
  assert.doesNotMatch(parsed.warnings[0]!, /Columns/);
});

test('account, period and balance above the header of a bank statement are paragraphs', () => {
  const rows = 'Day;Text;Amount;Currency\n05.03.2024;Rent;-1.050,00;EUR\n07.03.2024;Salary;3.210,00;EUR\n';
  const { text, blocks } = parseCsv(`Account:;DE12\n\nFrom:;01.03.2024\nBalance;3.456,78;EUR\n${rows}`, 'csv', []);
  assert.match(
    text,
    /^Account: DE12\n\nFrom: 01\.03\.2024\n\nBalance 3\.456,78 EUR\n\n\| Day \| Text \| Amount \| Currency \|\n/,
  );
  assert.equal(blocks.at(-1)?.tableHeader, '| Day | Text | Amount | Currency |');
  const sparse = parseCsv(`Account:;DE12\n${rows.replaceAll('EUR', '').replaceAll(/Rent|Salary/g, '')}`, 'csv', []);
  assert.equal(sparse.blocks.at(-1)?.tableHeader, '| Day | Text | Amount | Currency |', 'rows with empty cells');
  const keyed = parseCsv(`Account:;DE12\n${rows}`, 'csv', [{ key: 'Currency', type: 'string' }]);
  assert.deepEqual(keyed.blocks.at(-1)?.metadata?.['Currency']?.val, 'EUR');
});

test('short rows stay rows if the header is not the fullest row, or if no header is below them', () => {
  assert.match(parseCsv('a,b\n1,2\n3,9,5,6,7\n8,9,1,2,3\n', 'csv', []).text, /^\| a \| b \|/);
  assert.match(parseCsv('item,sum,unit\nkind,cost,per,note\ntea,5,kg,x\nrye,7,kg,y\n', 'csv', []).text, /^\| item/);
  assert.match(parseCsv('a,b\nx,1,2,3,4\ny,5,6\n', 'csv', []).text, /a \| b/);
  const commas = parseCsv('Name,Notes\nAnn,good\nBob,likes tea, coffee, and milk\nCid,tall\nDan,short\n', 'csv', []);
  assert.match(commas.text, /^\| Name \| Notes \|/, 'one row with unquoted commas is no header');
  const table = Array.from({ length: 21 }, (_, i) => `part ${i},${i}\n`).join('');
  const second = 'Day,Text,Sum,Currency\n05.03.2024,Rent,7,EUR\n06.03.2024,Tea,8,EUR\n';
  assert.match(parseCsv(table + second, 'csv', []).text, /\| part 0 \| 0 \|/, 'many rows are a table of their own');
  const keyed = parseCsv(`Account,Owner\n${second}`, 'csv', [{ key: 'Owner', type: 'string' }]);
  assert.equal(keyed.blocks[0]?.metadata?.['Owner']?.val, 'Text', 'a declared name makes a header');
});
