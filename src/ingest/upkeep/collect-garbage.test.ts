import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLLECT_INTERVAL_MS, partOf } from './collect-garbage.ts';

const at = (collection: number) => new Date(1_800_000_000_000 + collection * COLLECT_INTERVAL_MS + 70);
const names = (count: number) => Array.from({ length: count }, (_, i) => i);

test('a collection looks at all tenants if they are few', () => {
  assert.deepEqual(partOf(names(3), at(0), 3), [0, 1, 2]);
  assert.deepEqual(partOf(names(3), at(1), 3), [0, 1, 2]);
  assert.deepEqual(partOf([], at(1), 3), []);
});

test('of many tenants, collections that follow each other look at each tenant once', () => {
  const parts = [0, 1, 2, 3].map((collection) => partOf(names(10), at(collection), 3));
  assert.deepEqual(parts.map((part) => part.length).sort(), [1, 3, 3, 3]);
  assert.deepEqual(
    parts.flat().sort((a, b) => a - b),
    names(10),
  );
});
