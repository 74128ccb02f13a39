import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRY_WAIT_MS_MAX, retryAfterMs, retryWait } from './retry-wait.ts';

test('the wait doubles with every attempt, and a random part keeps callers apart', () => {
  for (let attempt = 0; attempt < 6; attempt++) {
    const waits = Array.from({ length: 50 }, () => retryWait(attempt, undefined, { baseMs: 100 }));
    for (const wait of waits) assert.ok(wait >= 100 * 2 ** attempt && wait < 200 * 2 ** attempt, `${attempt}: ${wait}`);
    assert.ok(new Set(waits).size > 1);
  }
});

test('the wait is at least what the server asks for, and a random part is added', () => {
  assert.equal(retryWait(0, 7_000, { baseMs: 500, random: 0 }), 7_000);
  assert.equal(retryWait(1, 7_000, { baseMs: 500, random: 0.5 }), 7_500);
  assert.equal(retryWait(2, 1, { baseMs: 500, random: 0 }), 2_000);
});

test('no wait is longer than the limit', () => {
  assert.equal(retryWait(0, 61_000), RETRY_WAIT_MS_MAX);
  assert.equal(retryWait(60, undefined), RETRY_WAIT_MS_MAX);
  assert.equal(retryWait(0, 100_000, { maxMs: 120_000, random: 0 }), 100_000);
  assert.equal(retryWait(0, 130_000, { maxMs: 120_000 }), 120_000);
});

test('a Retry-After header is read as seconds or as a date', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  assert.equal(retryAfterMs('7', now), 7_000);
  assert.equal(retryAfterMs('1.5', now), 1_500);
  assert.equal(retryAfterMs('Sun, 01 Mar 2026 00:00:30 GMT', now), 30_000);
  for (const past of ['0', 'Thu, 01 Jan 1970 00:00:00 GMT']) assert.equal(retryAfterMs(past, now), 0, past);
  for (const unreadable of [null, undefined, '', 'soon', 'NaN', 'Infinity', '1e9'])
    assert.equal(retryAfterMs(unreadable, now), undefined, String(unreadable));
});

test('a very large number of seconds is limited, not ignored', () => {
  const askedMs = retryAfterMs('99999999999999999999999999')!;
  assert.equal(retryWait(0, askedMs), RETRY_WAIT_MS_MAX);
  assert.ok(!Number.isNaN(new Date(Date.now() + askedMs).getTime()));
});
