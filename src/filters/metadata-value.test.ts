import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from './metadata-value.ts';

test('a decimal number is compared as a number, also if it is given as text', () => {
  for (const value of [
    7,
    -0.5,
    1e21,
    '7',
    '+7',
    '007',
    '1.',
    '.5',
    '1e-9',
    1e308,
    '1e308',
    5e-324,
    '9007199254740993',
  ]) {
    assert.equal(classify(value).kind, 'number', String(value));
  }
  for (const value of [
    '',
    '.',
    '+',
    '1e',
    '1e1000',
    'NaN',
    'Infinity',
    '0x1f',
    '1,000',
    ' 1',
    '1\n',
    '٣',
    '9'.repeat(101),
    true,
  ]) {
    assert.equal(classify(value).kind, 'text', String(value));
  }
});

test('an ISO date of an existing day is a time, in UTC if it has no zone', () => {
  for (const [value, text] of [
    ['2025-01-31', '2025-01-31T00:00Z'],
    ['2024-02-29', '2024-02-29T00:00Z'],
    ['2000-02-29', '2000-02-29T00:00Z'],
    ['2025-01-31 12:30', '2025-01-31 12:30Z'],
    ['2025-01-31T12:30:00.5', '2025-01-31T12:30:00.5Z'],
    ['2025-01-31T12:30:00.123456+14:00', '2025-01-31T12:30:00.123456+14:00'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ] as const) {
    assert.deepEqual(classify(value), { kind: 'time', text });
  }
  for (const value of [
    ...['2025-02-29', '1900-02-29', '2025-04-31', '0000-01-01', '2025-13-01', '2025-1-1', '10000-01-01'],
    ...['2025-01-01T24:00', '2025-01-01T12', '2025-01-01T12:30:00.1234567', '2025-01-01T12:30+15:00', '2025-01-01\n'],
  ]) {
    assert.equal(classify(value).kind, 'text', value);
  }
});

test('text is compared in NFC', () => {
  assert.deepEqual(classify('e\u0301'), { kind: 'text', text: 'é' });
});
