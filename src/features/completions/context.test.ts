import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diversify } from './context.ts';

const hits = (sources: string) => [...sources].map((sourceId, i) => ({ sourceId, i }));
const chosen = (sources: string, limit: number) =>
  diversify(hits(sources), limit)
    .map(({ sourceId }) => sourceId)
    .join('');

test('at most half of the hits come from one source when other sources have hits', () => {
  assert.equal(chosen('aaaaaabbcc', 4), 'aabb');
  assert.equal(chosen('aaabaabccc', 6), 'aaabbc');
  assert.equal(chosen('aaaaab', 5), 'aaaab');
});

test('a source takes the places that other sources cannot fill', () => {
  assert.equal(chosen('aaaa', 4), 'aaaa');
  assert.equal(chosen('aaaab', 4), 'aaab');
  assert.equal(chosen('ab', 10), 'ab');
  assert.equal(chosen('aab', 1), 'a');
});

test('the chosen hits keep their order', () => {
  assert.deepEqual(
    diversify(hits('aaabb'), 4).map(({ i }) => i),
    [0, 1, 3, 4],
  );
});
