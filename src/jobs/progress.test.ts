import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOutcome } from './progress.ts';

test('a run without failures is a success without an error', () => {
  assert.deepEqual(runOutcome(3, 0, []), { status: 'success', error: null });
  assert.deepEqual(runOutcome(0, 0, []), { status: 'success', error: null });
});

test('a run with some failures is a success whose error counts them', () => {
  const outcome = runOutcome(3, 1, [{ name: 'a.pdf', title: 'Encrypted' }]);
  assert.deepEqual(outcome, {
    status: 'success',
    error: { title: '1 of 3 files failed', message: 'a.pdf: Encrypted' },
  });
});

test('a run with only failures is a failure', () => {
  assert.equal(runOutcome(2, 2, []).status, 'failure');
});

test('a run with only failures is a success with an error if it did not try the other files of the group', () => {
  const { status, error } = runOutcome(1, 1, [{ name: 'a.pdf', title: 'Encrypted' }], true);
  assert.deepEqual([status, error?.title], ['success', '1 of 1 file failed']);
});
