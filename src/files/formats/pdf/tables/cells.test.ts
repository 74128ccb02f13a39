import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellTexts, isNumber } from './cells.ts';

/** Words of a text with the column each is in. */
const placed = (text: string, columns: readonly number[]) =>
  [...text.matchAll(/\S+/g)].map(({ 0: word, index }, at) => ({
    start: index,
    end: index + word.length - 1,
    row: Math.floor(at / columns.length),
    column: columns[at % columns.length]!,
  }));

test('columns and rows without text are removed, and words of a cell are joined', () => {
  const words = placed('a b c d e f', [0, 2, 2]).map((word) => ({ ...word, row: word.row * 3 }));
  assert.deepEqual(cellTexts('a b\nc d e\nf', words, true).rows, [
    ['a', 'b c'],
    ['d', 'e f'],
  ]);
});

test('columns counted from the left are reversed for scripts that are read from the right', () => {
  const text = 'שם עיר\nדנה חיפה';
  const words = placed(text, [1, 0]);
  const rows = [
    ['שם', 'עיר'],
    ['דנה', 'חיפה'],
  ];
  assert.deepEqual(cellTexts(text, words, true).rows, rows);
  assert.deepEqual(cellTexts(text, placed(text, [0, 1]), false).rows, rows);
});

test('lines of scripts without blanks are joined without a blank', () => {
  assert.deepEqual(cellTexts('笔记\n本 a b', placed('笔记\n本 a b', [0, 0, 1, 1]), true).rows, [['笔记本', 'a b']]);
});

test('values with signs, units and marks count as numbers', () => {
  for (const text of [
    '14',
    '-2.50',
    '1,204.5',
    '$12,500.00',
    '8.6 %',
    '(3.1)',
    '–',
    '0.96*',
    '12 kg',
    '2024-05-01',
    '± 0.3',
  ])
    assert.equal(isNumber(text), true, text);
  for (const text of ['North', 'A 101', '3 of the lists', 'Q1 2024 results']) assert.equal(isNumber(text), false, text);
});
