import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, jsonLine, jsonValue, type ValueKind } from './values.ts';

const CASES: [ValueKind, string, unknown][] = [
  ['text', '007', '007'],
  ['number', '007.50', 7.5],
  ['number', '-0.30', -0.3],
  ['number', '9007199254740993', '9007199254740993'],
  ['number', '12345678901234567890.01', '12345678901234567890.01'],
  ['number', '0.000000000000000123', 1.23e-16],
  ['number', '1e-300', 1e-300],
  ['number', 'NaN', null],
  ['number', 'Infinity', 'Infinity'],
  ['boolean', 't', true],
  ['boolean', 'false', false],
  ['datetime', '2024-05-06 07:08:09', '2024-05-06T07:08:09'],
  ['datetime', '2024-05-06 07:08:09.120', '2024-05-06T07:08:09.12'],
  ['datetime', '2024-05-06 07:08:09.1+00', '2024-05-06T07:08:09.1Z'],
  ['datetime', '2024-05-06 07:08:09+05:30', '2024-05-06T07:08:09+05:30'],
  ['datetime', '2024-05-06', '2024-05-06'],
  ['datetime', 'infinity', 'infinity'],
  ['datetime', '0000-00-00 00:00:00', null],
  ['utc', '2024-05-06 07:08:09', '2024-05-06T07:08:09Z'],
  ['bytes', '00ff', '00ff'],
  ['bytes', '776f726473', 'words'],
  ['bytes', '(5000 bytes)', '(5000 bytes)'],
];

for (const [kind, text, expected] of CASES) {
  test(`the ${kind} "${text}" becomes ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(jsonValue(kind, text), expected));
}

test('a row becomes one line of JSON with all columns', () => {
  const columns: Column[] = [
    { name: 'id', kind: 'number' },
    { name: 'a "b"', kind: 'text' },
    { name: 'c', kind: 'text' },
  ];
  assert.equal(jsonLine(columns, ['1', 'x\ny', null]), '{"id":1,"a \\"b\\"":"x\\ny","c":null}\n');
});
