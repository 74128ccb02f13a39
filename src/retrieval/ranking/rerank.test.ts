import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRandom } from '../../../test/support/random.ts';
import { inModelOrder } from './rerank.ts';

test('scores descend from the last reranked candidate to the next one, despite rounding', (t) => {
  const random = openRandom();
  t.diagnostic(`seed ${random.seed}`);
  for (let run = 0; run < 500; run += 1) {
    const score = random.next();
    const candidates = [1, score, score, score * 0.9].map((score, i) => ({
      id: String(i),
      score,
      scores: { lexical: score, semantic: null, rerank: null },
    }));
    const scores = inModelOrder(candidates, [random.next(), null, null, null]).map((candidate) => candidate.score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  }
});
