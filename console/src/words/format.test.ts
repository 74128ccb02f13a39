import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ago, ahead, milliseconds } from './format.ts';

describe('times', () => {
  test('what takes a second and more is written in seconds', () => {
    assert.deepEqual([4.25, 999, 10_911, 132_400].map(milliseconds), ['4.3 ms', '999 ms', '10.9 sec', '132 sec']);
  });

  test('minutes and months are told apart by their words', () => {
    const now = 1_800_000_000;
    assert.match(ago(now - 3 * 60, now), /^3 min\b/);
    assert.match(ago(now - 93 * 86_400, now), /^3 mo\b/);
    assert.match(ahead(now + 5 * 3_600, now), /^in 5 h/);
  });
});
