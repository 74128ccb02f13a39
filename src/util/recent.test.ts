import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getRecent, setRecent } from './recent.ts';

test('the entries above the maximum are removed, the oldest first', () => {
  const map = new Map<string, number>();
  for (const [i, key] of ['a', 'b', 'c'].entries()) setRecent(map, key, i, 2);
  assert.deepEqual(
    [...map],
    [
      ['b', 1],
      ['c', 2],
    ],
  );
  setRecent(map, 'b', 3, 2);
  setRecent(map, 'd', 4, 2);
  assert.deepEqual(
    [...map],
    [
      ['b', 3],
      ['d', 4],
    ],
  );
});

test('an entry that was read is the most recent one, and an absent one stays absent', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  assert.equal(getRecent(map, 'a'), 1);
  assert.equal(getRecent(map, 'x'), undefined);
  setRecent(map, 'c', 3, 2);
  assert.deepEqual([...map.keys()], ['a', 'c']);
});
