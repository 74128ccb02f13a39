import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePointLength } from './code-points.ts';

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
