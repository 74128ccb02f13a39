import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRunFilters, startOf } from './filters.ts';

test('an address gives the filters that there are, and no others', () => {
  const given = { status: 'failure', group: 'g', period: '7d', other: 1 };
  assert.deepEqual(readRunFilters(given), { status: 'failure', group: 'g', period: '7d' });
  const none = { status: undefined, group: undefined, period: undefined };
  assert.deepEqual(readRunFilters({ status: 'nonsense', group: 7, period: 'year' }), none);
});

test('a period begins at a whole minute', () => {
  assert.equal(startOf('1h', 7_200_000 + 59_999), 3_600);
  assert.equal(startOf(undefined), undefined);
});
