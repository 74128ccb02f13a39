import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openShares } from './shares.ts';

test('an owner is busy after a long turn, while others use some, and only for a while', () => {
  let now = 0;
  const shares = openShares(() => now);
  shares.add('a', 300);
  assert.equal(shares.isBusy('a'), false, 'nobody else is there');
  shares.add('b', 10);
  assert.equal(shares.isBusy('a'), true);
  assert.equal(shares.isBusy('b'), false);
  assert.equal(shares.isBusy('c'), false);
  now = 2_000;
  assert.equal(shares.isBusy('a'), false, 'its turn is long ago');
  shares.add('a', 300);
  assert.equal(shares.isBusy('a'), false, 'the others have left');
});

test('an owner is not busy beside another that keeps it waiting, although it uses as much', () => {
  const shares = openShares(() => 0);
  shares.add('long', 600);
  for (let i = 0; i < 10; i++) shares.add('many', 80);
  assert.equal(shares.isBusy('long'), true);
  assert.equal(shares.isBusy('many'), false);
  shares.add('also long', 550);
  assert.equal(shares.isBusy('long'), true);
  assert.equal(shares.isBusy('also long'), true);
});

test('many short turns do not make an owner busy', () => {
  const shares = openShares(() => 0);
  for (let i = 0; i < 50; i++) shares.add('many', 20);
  shares.add('other', 10);
  assert.equal(shares.isBusy('many'), false);
});
