import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFairQueue, openGate } from './pool.ts';

test('owners take turns at a gate, and one that leaves gets no place', async () => {
  const gate = openGate(1);
  const leave = await gate.enter({ owner: 'busy' });
  const order: string[] = [];
  const pass = (owner: string, name: string) => gate(async () => void order.push(name), { owner });
  const gone = new AbortController();
  const left = gate.enter({ owner: 'busy' }, gone.signal);
  const all = [pass('busy', 'busy 1'), pass('busy', 'busy 2'), pass('busy', 'busy 3'), pass('other', 'other 1')];
  gone.abort(new Error('left'));
  await assert.rejects(left, /left/);
  leave();
  leave();
  await Promise.all(all);
  assert.deepEqual(order, ['other 1', 'busy 1', 'busy 2', 'busy 3']);
  await assert.rejects(gate.enter({ owner: 'late' }, gone.signal), /left/);
});

test('a gate runs as many pieces at once as it has places, also after failures', async () => {
  const gate = openGate(2);
  let running = 0;
  let most = 0;
  const work = async (i: number): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (i % 2 === 0) throw new Error('failed');
  };
  const ended = await Promise.allSettled(Array.from({ length: 9 }, (_, i) => gate(() => work(i))));
  assert.deepEqual([most, ended.filter(({ status }) => status === 'rejected').length], [2, 5]);
});

test('owners take turns, and the items of each owner keep their order', () => {
  const queue = openFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item[0]!, item);
  const order: (string | undefined)[] = [queue.shift(), queue.shift()];
  queue.push('d', 'd1');
  assert.equal(queue.length, 5);
  while (queue.length > 0) order.push(queue.shift());
  assert.deepEqual(
    order,
    ['a1', 'b1', 'c1', 'a2', 'd1', 'b2', 'a3'],
    'd came after b had its turn, and goes before its next',
  );
  assert.equal(queue.shift(), undefined);
});

test('parts of an owner take turns, and cost other owners no turn', () => {
  const queue = openFairQueue<string>();
  for (const item of ['ax1', 'ax2', 'ax3', 'ay1', 'b_1', 'b_2']) queue.push(item[0]!, item, item[1]);
  const order: (string | undefined)[] = [];
  while (queue.length > 0) {
    const next = queue.peek();
    order.push(queue.shift());
    assert.equal(order.at(-1), next);
  }
  assert.deepEqual(order, ['ax1', 'b_1', 'ay1', 'b_2', 'ax2', 'ax3']);
});
