import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, csvCell, csvLine, headerLine, type ValueKind } from './values.ts';

const CASES: [ValueKind, string | null, string][] = [
  ['text', null, ''],
  ['text', '', '""'],
  ['text', '007', '"007"'],
  ['text', 'say "a, b"\r\n  c\n', '"say ""a, b"" c "'],
  ['number', '-0.30', '-0.30'],
  ['number', '9007199254740993', '9007199254740993'],
  ['number', '1e-300', '1e-300'],
  ['number', 'NaN', ''],
  ['number', null, ''],
  ['boolean', 't', 'true'],
  ['boolean', 'false', 'false'],
  ['datetime', '2024-05-06 07:08:09', '2024-05-06T07:08:09'],
  ['datetime', '2024-05-06 07:08:09.120', '2024-05-06T07:08:09.12'],
  ['datetime', '2024-05-06 07:08:09.1+00', '2024-05-06T07:08:09.1Z'],
  ['datetime', '2024-05-06 07:08:09+05:30', '2024-05-06T07:08:09+05:30'],
  ['datetime', '2024-05-06', '2024-05-06'],
  ['datetime', 'infinity', 'infinity'],
  ['datetime', '0000-00-00 00:00:00', ''],
  ['utc', '2024-05-06 07:08:09', '2024-05-06T07:08:09Z'],
  ['bytes', '00ff', '"00ff"'],
  ['bytes', '776f726473', '"words"'],
  ['bytes', '(5000 bytes)', '"(5000 bytes)"'],
];

for (const [kind, text, expected] of CASES) {
  test(`the ${kind} ${JSON.stringify(text)} becomes ${expected}`, () => assert.equal(csvCell(kind, text), expected));
}

test('a cell of blanks or digits takes little time', () => {
  const blanks = ' '.repeat(250_000);
  assert.equal(csvCell('text', `a${blanks}b`), `"a${blanks}b"`);
  const time = `2024-05-06 07:08:09.${'0'.repeat(250_000)}1`;
  assert.equal(csvCell('datetime', time), time);
});

test('a header and a row become one line each', () => {
  const columns: Column[] = [
    { name: 'id', kind: 'number' },
    { name: 'a "b"', kind: 'text' },
    { name: 'c', kind: 'text' },
  ];
  assert.equal(headerLine(columns), '"id","a ""b""","c"\n');
  assert.equal(csvLine(columns, ['1', 'x\ny', null]), '1,"x y",\n');
});
