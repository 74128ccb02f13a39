import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from './database.ts';
import { dueTier, type MergedSegments, mergeSegments } from './text-segments.ts';

test('large merges of segments wait for a quiet moment, unless there are many segments', () => {
  assert.deepEqual([dueTier(30, 0), dueTier(30, 5_000), dueTier(50, 0)], [0, 1, 1]);
});

test('segments that no pass could merge do not count as many segments', async () => {
  let passes = 0;
  const merged: MergedSegments = new Map();
  const passesAt = async (levels: number[]): Promise<number> => {
    passes = 0;
    const system = {
      query: async () => [{ name: 'i', levels, mergesOnInsert: false }],
      transaction: async () => {
        passes += 1;
        return false;
      },
    };
    await mergeSegments({ system } as unknown as Database, merged, 0, new AbortController().signal);
    return passes;
  };
  const found = [await passesAt([0, 44]), await passesAt([1, 44]), await passesAt([40, 44]), await passesAt([41, 44])];
  assert.deepEqual(found, [2, 1, 1, 2]);
});

test('while rows are written, segments of each level are merged four at a time', async () => {
  let levels: number[] = [];
  const system = {
    query: async () => [{ name: 'i', levels, mergesOnInsert: false }],
    transaction: async () => {
      const level = levels.findIndex((count) => count >= 2);
      if (level === -1) return false;
      const taken = Math.min(4, levels[level]!);
      levels = levels.map((count, at) => (at === level ? count - taken : at === level + 1 ? count + 1 : count));
      return true;
    },
  };
  const merge = async (counts: number[]): Promise<number[]> => {
    levels = counts;
    await mergeSegments({ system } as unknown as Database, new Map(), 0, new AbortController().signal);
    return levels;
  };
  assert.deepEqual(await merge([3, 3, 0]), [3, 3, 0]);
  assert.deepEqual(await merge([4, 0, 0]), [0, 1, 0]);
  assert.deepEqual(await merge([0, 4, 0]), [0, 0, 1]);
});
