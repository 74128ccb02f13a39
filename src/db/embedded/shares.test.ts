import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openShares } from './shares.ts';

test('an owner is busy after much use, while others use some, and only for a while', () => {
  let now = 0;
  const shares = openShares(() => now);
  shares.add('a', 1_000);
  assert.equal(shares.isBusy('a'), false, 'nobody else is there');
  shares.add('b', 10);
  assert.equal(shares.isBusy('a'), true);
  assert.equal(shares.isBusy('b'), false);
  assert.equal(shares.isBusy('c'), false);
  now = 2_000;
  assert.equal(shares.isBusy('a'), false, 'its use is long ago');
  shares.add('a', 1_000);
  assert.equal(shares.isBusy('a'), true);
  now = 2_500;
  shares.add('a', 1_000);
  assert.equal(shares.isBusy('a'), false, 'the others have left');
});
