import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsOf, sizeProblemOf } from './limits.ts';

test('an upload takes neither an empty file nor one that no request can hold', () => {
  const limits = { filesMax: 1, bytesMax: 10_000 };
  assert.equal(sizeProblemOf({ path: 'a.md', size: 0 }, limits), 'empty');
  assert.equal(sizeProblemOf({ path: 'a.md', size: 1 }, limits), undefined);
  assert.equal(sizeProblemOf({ path: 'a.md', size: 9_999 }, limits), 'tooLarge');
  assert.equal(sizeProblemOf({ path: 'a.md', size: 400_000_000 }, limitsOf(undefined)), undefined);
});
