import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ago, ahead } from './format.ts';

describe('times', () => {
  test('minutes and months are told apart by their words', () => {
    const now = 1_800_000_000;
    assert.match(ago(now - 3 * 60, now), /^3 min\b/);
    assert.match(ago(now - 93 * 86_400, now), /^3 mo\b/);
    assert.match(ahead(now + 5 * 3_600, now), /^in 5 h/);
  });
});
