import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOfRow } from './span-of-row.ts';

const rowAt = (row: number, start: number | null) => ({ row, place: { start_offset: start } }) as never;

test('a row reaches to the row that follows it', () => {
  assert.deepEqual(spanOfRow([rowAt(0, 10), rowAt(1, 30)], 0), { start: 10, end: 30 });
});

test('a row without a known next row is marked where it begins', () => {
  assert.deepEqual(spanOfRow([rowAt(0, 10), rowAt(2, 50)], 0), { start: 10, end: 11 });
  assert.deepEqual(spanOfRow([rowAt(0, 10)], 0), { start: 10, end: 11 });
});

test('a hidden place is not guessed', () => {
  assert.deepEqual(spanOfRow([rowAt(0, null), rowAt(1, null)], 0), {});
});
