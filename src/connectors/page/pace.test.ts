import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPace } from './pace.ts';

function openVirtual(perSecond: number, burst: number) {
  let time = 1_000_000;
  /** Sleepers wake in order as the time moves to them. */
  const sleepers: { at: number; wake: () => void }[] = [];
  const pace = openPace(
    perSecond,
    burst,
    { now: () => new Date(time) },
    (ms) => new Promise((wake) => sleepers.push({ at: time + ms, wake })),
  );
  return {
    pace,
    now: () => time,
    /** Lets everything run until nobody sleeps. */
    async drain() {
      for (;;) {
        await new Promise((next) => setImmediate(next));
        const next = sleepers.sort((a, b) => a.at - b.at).shift();
        if (!next) return;
        time = Math.max(time, next.at);
        next.wake();
      }
    },
  };
}

const { signal } = new AbortController();

test('after a burst, requests of a credential go out evenly; those of others do not wait for them', async () => {
  const { pace, now, drain } = openVirtual(4, 2);
  const start = now();
  const times: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < 10; i++) void pace.turn('a', signal).then(() => times.push(now() - start));
  void pace.turn('b', signal).then(() => others.push(now() - start));
  await drain();
  assert.deepEqual(times, [0, 0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  assert.deepEqual(others, [0]);
});

test('a rest gives the burst back, and no more', async () => {
  const { pace, now, drain } = openVirtual(4, 2);
  for (let i = 0; i < 3; i++) void pace.turn('a', signal);
  void pace.turn('b', signal);
  pace.hold('b', 60_000);
  void pace.turn('b', signal);
  await drain();
  const start = now();
  const times: number[] = [];
  for (let i = 0; i < 4; i++) void pace.turn('a', signal).then(() => times.push(now() - start));
  await drain();
  assert.deepEqual(times, [0, 0, 250, 500]);
});

test('nobody goes on before a pause is over, who waited before it neither', async () => {
  const { pace, now, drain } = openVirtual(4, 1);
  const start = now();
  const times: number[] = [];
  for (let i = 0; i < 3; i++) void pace.turn('a', signal).then(() => times.push(now() - start));
  await new Promise((next) => setImmediate(next));
  pace.hold('a', 5_000);
  await drain();
  assert.equal(times[0], 0);
  assert.ok(
    times.slice(1).every((time) => time >= 5_000),
    String(times),
  );
});
