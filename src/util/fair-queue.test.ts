import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFairQueue } from './fair-queue.ts';

test('owners take turns, and the items of each owner keep their order', () => {
  const queue = openFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item[0]!, item);
  const order: (string | undefined)[] = [queue.shift(), queue.shift()];
  queue.push('d', 'd1');
  assert.equal(queue.length, 5);
  while (queue.length > 0) order.push(queue.shift());
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'd1', 'a3']);
  assert.equal(queue.shift(), undefined);
});
