import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPace } from './pace.ts';

function openVirtual(perSecond: number, burst: number) {
  let time = 1_000_000;
  /** Sleepers wake in order when the time reaches them. */
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
    /** Advances the time until no sleeper is left. */
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

test('after a burst, requests of one credential are sent evenly, and requests of other credentials do not wait', async () => {
  const { pace, now, drain } = openVirtual(4, 2);
  const start = now();
  const times: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < 10; i++) void pace.waitForTurn('a', signal).then(() => times.push(now() - start));
  void pace.waitForTurn('b', signal).then(() => others.push(now() - start));
  await drain();
  assert.deepEqual(times, [0, 0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  assert.deepEqual(others, [0]);
});

test('after a rest, a credential may send one burst again and no more', async () => {
  const { pace, now, drain } = openVirtual(4, 2);
  for (let i = 0; i < 3; i++) void pace.waitForTurn('a', signal);
  void pace.waitForTurn('b', signal);
  pace.pause('b', 60_000);
  void pace.waitForTurn('b', signal);
  await drain();
  const start = now();
  const times: number[] = [];
  for (let i = 0; i < 4; i++) void pace.waitForTurn('a', signal).then(() => times.push(now() - start));
  await drain();
  assert.deepEqual(times, [0, 0, 250, 500]);
});

test('a pause also delays requests that already waited', async () => {
  const { pace, now, drain } = openVirtual(4, 1);
  const start = now();
  const times: number[] = [];
  for (let i = 0; i < 3; i++) void pace.waitForTurn('a', signal).then(() => times.push(now() - start));
  await new Promise((next) => setImmediate(next));
  pace.pause('a', 5_000);
  await drain();
  assert.equal(times[0], 0);
  assert.ok(
    times.slice(1).every((time) => time >= 5_000),
    String(times),
  );
});
