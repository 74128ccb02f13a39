import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePointLength, openOffsets, truncated } from './code-points.ts';

test('the length of a text counts an emoji once and a lone surrogate once', () => {
  for (const text of [
    '',
    'a',
    'añ',
    '😀',
    'a😀b',
    '\udc00',
    '\ud83d',
    '😀\udc00',
    '\ud83d\ud83d\ude00',
    '\ude00\ud83d',
  ]) {
    assert.equal(codePointLength(text), [...text].length, JSON.stringify(text));
  }
});

test('offsets count a surrogate pair once, in any order', () => {
  const { pointsAt, unitsAt } = openOffsets('a😀b');
  const pairs = [0, 3, 2, 1, 0, 2].map((point) => [unitsAt(point), pointsAt(unitsAt(point))]);
  assert.deepEqual(
    pairs,
    [0, 3, 2, 1, 0, 2].map((point) => [[0, 1, 3, 4][point], point]),
  );
  assert.equal(unitsAt(9), 4, 'a code point behind the text is at its end');
});

test('a truncated text never ends with half a surrogate pair', () => {
  assert.deepEqual(
    [-2, 0, 1, 2, 3, 4].map((units) => truncated('a😀b', units)),
    ['', '', 'a', 'a', 'a😀', 'a😀b'],
  );
});
