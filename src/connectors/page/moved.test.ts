import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageApiError } from './api.ts';
import { findMoved } from './moved.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

test('of too many pages the first are asked for, those of the search before all others, and the answer is incomplete', async () => {
  const asked: string[] = [];
  const api = {
    async get(path: string) {
      asked.push(path);
      throw new PageApiError(404, 'object_not_found');
    },
  };
  const ids = Array.from({ length: 2_100 }, (_, i) => idOf(i));
  const { chains, gone, isComplete } = await findMoved(api, ids, new Set([idOf(2_099)]), () => false);
  assert.deepEqual([chains, gone.length, isComplete], [[], 2_000, false]);
  assert.deepEqual([asked.length, asked[0]], [2_000, `pages/${idOf(2_099)}`]);
});

test('a page in a circle of parents is no page that is gone', async () => {
  const api = {
    get: async (path: string) => ({ id: path, parent: { page_id: path.endsWith('1') ? idOf(2) : idOf(1) } }),
  };
  const { chains, gone, isComplete } = await findMoved(api, [idOf(1)], new Set(), () => false);
  assert.deepEqual([chains, gone, isComplete], [[], [], false]);
});

test('a page below one that is in the trash is gone', async () => {
  const api = {
    get: async (path: string) =>
      path.endsWith('1') ? { id: path, parent: { page_id: idOf(2) } } : { id: path, in_trash: true },
  };
  const { gone, isComplete } = await findMoved(api, [idOf(1)], new Set(), (id) => id === idOf(3));
  assert.deepEqual([gone, isComplete], [[idOf(1)], true]);
});
