import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blanksInWords, hasSpacedLetters } from './spaced-letters.ts';

/** Returns the text without the blanks found. Each character is 5 wide; `gaps` has the width of each blank, in order. */
function read(text: string, gaps: readonly number[]): string {
  const left: number[] = [];
  let [x, blanks] = [0, 0];
  for (const character of text) {
    left.push(x);
    x += character === ' ' ? gaps[blanks++]! : 5;
  }
  const right = left.map((edge, unit) => (text[unit] === ' ' ? edge : edge + 5));
  const boxes = { left, right, bottom: left.map(() => 0), size: left.map(() => 10) };
  const found = blanksInWords(text, boxes, () => true);
  return [...text].filter((_, unit) => !found.has(unit)).join('');
}

test('narrow blanks between single letters of a line go, and blanks of a usual width stay', () => {
  assert.equal(read('w h i l e ( x )', [1, 1, 1, 1, 6, 1.4, 1.4]), 'while (x)');
  assert.equal(read('a b c d e', [2.5, 2.5, 2.5, 2.5]), 'a b c d e');
});

test('digits and a few letters are left as they are', () => {
  assert.equal(hasSpacedLetters('1 0 0 1 1 0'), false);
  assert.equal(hasSpacedLetters('as a I b we'), false);
  assert.equal(read('one a two', [1, 1]), 'one a two');
});
