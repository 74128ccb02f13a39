import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, newId } from './ids.ts';

test('ids sort by the time of their creation, and no two ids have the same random bytes', () => {
  const ids = Array.from({ length: 1_000 }, () => newId());
  assert.ok(ids.every(isId));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.slice(-16))).size, ids.length);
});
