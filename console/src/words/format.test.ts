import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ago, ahead, milliseconds, sortedByName } from './format.ts';

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

test('names stand in the order of the language, and 9 before 10', () => {
  assert.deepEqual(
    sortedByName(['Pier 10', 'quay', 'Östre', 'pier 9', 'Oslo'], (name) => name),
    ['Oslo', 'Östre', 'pier 9', 'Pier 10', 'quay'],
  );
});
