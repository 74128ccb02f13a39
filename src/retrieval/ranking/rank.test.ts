import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candidate } from '../engine.ts';
import { FUSED_DEPTH, FUSION_DEFAULT } from './fuse.ts';
import { extendCandidates, rankCandidates } from './rank.ts';

const list = (prefix: string, count: number): Candidate[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${prefix}${i}`, sourceId: 's', score: 1 - i / 1_000 }));
const ids = (candidates: readonly { id: string }[]): string[] => candidates.map(({ id }) => id);
const hybrid = { mode: 'hybrid', fusion: FUSION_DEFAULT } as const;

test('longer lists add candidates after the ones that have been ranked, so that pages have one order', () => {
  const first = { lexical: list('a', FUSED_DEPTH), semantic: list('b', FUSED_DEPTH), exhausted: false };
  // The engine finds other candidates when it is asked for more.
  const longer = {
    lexical: list('a', 150).toReversed(),
    semantic: [...list('c', 3), ...list('b', 140)],
    exhausted: true,
  };
  const extended = extendCandidates(first, longer);
  const [before, after] = [rankCandidates(hybrid, first), rankCandidates(hybrid, extended)];
  assert.deepEqual(ids(after).slice(0, before.length), ids(before));
  assert.equal(after.length, 150 + 143);
  assert.equal(extended.exhausted, true);
  assert.equal(new Set(ids(after)).size, after.length);
});

test('scores of a semantic search descend although the engine found a better candidate late', () => {
  const semantic = [...list('a', 3), { id: 'late', sourceId: 's', score: 0.9995 }];
  const ranked = rankCandidates({ ...hybrid, mode: 'semantic' }, { lexical: [], semantic });
  assert.deepEqual(ids(ranked), ['a0', 'a1', 'a2', 'late']);
  assert.deepEqual(ranked.at(-1)!.score, 0.998);
  assert.deepEqual(ranked.at(-1)!.scores, { lexical: null, semantic: 0.9995, rerank: null });
});

test('a lexical search has only lexical scores', () => {
  const [first] = rankCandidates({ ...hybrid, mode: 'lexical' }, { lexical: list('a', 2), semantic: list('b', 2) });
  assert.deepEqual(first, { id: 'a0', sourceId: 's', score: 1, scores: { lexical: 1, semantic: null, rerank: null } });
});
