import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinParts, planRuns, pool, type TokenVectors, unit } from './pooling.ts';

/** Two texts, of two tokens and of one token. The padding of the second text must not count. */
const vectors: TokenVectors = {
  data: Float32Array.of(3, 0, 0, 4, /* text 2 */ 0, 2, 99, 99),
  tokens: 2,
  dimension: 2,
  lengths: [2, 1],
};

describe('pooling', () => {
  const pooled = (how: Parameters<typeof pool>[1]) => pool(vectors, how).map((vector) => [...vector]);
  const close = (found: number[][], expected: number[][]) => {
    assert.equal(found.length, expected.length);
    for (const [i, vector] of expected.entries()) {
      for (const [k, value] of vector.entries()) assert.ok(Math.abs(found[i]![k]! - value) < 1e-6, `${found}`);
    }
  };
  test('the mean of the tokens', () => close(pooled('mean'), [[0.6, 0.8], [0, 1]])); // biome-ignore format: a pair for each text
  test('the first token', () => close(pooled('cls'), [[1, 0], [0, 1]])); // biome-ignore format: a pair for each text
  test('the last token', () => close(pooled('last'), [[0, 1], [0, 1]])); // biome-ignore format: a pair for each text
  test('the maximum of the tokens', () => close(pooled('max'), [[0.6, 0.8], [0, 1]])); // biome-ignore format: a pair for each text
  test('the parts of a text, by their tokens', () => {
    const parts = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
    close([[...joinParts(parts, [30, 40])]], [[0.6, 0.8]]);
    assert.equal(joinParts([parts[1]!], [7]), parts[1]);
  });
  test('a vector of zeros stays zero, and one number that is not finite makes all of them NaN', () => {
    assert.deepEqual([...unit(Float32Array.of(0, 0))], [0, 0]);
    assert.deepEqual([...unit(Float32Array.of(1, Number.NaN))], [Number.NaN, Number.NaN]);
    assert.deepEqual([...unit(Float32Array.of(1, Number.NEGATIVE_INFINITY))], [Number.NaN, Number.NaN]);
  });
});

describe('runs', () => {
  test('texts of similar length run together, within the limit with their padding', () => {
    assert.deepEqual(planRuns([10, 2, 3, 9], 12), [[1, 2], [3], [0]]);
    assert.deepEqual(planRuns([5, 5, 5], 10), [[0, 1], [2]]);
  });
  test('a text that is longer than the limit runs alone, and no text is lost', () => {
    assert.deepEqual(planRuns([50, 1], 10), [[1], [0]]);
    assert.deepEqual(planRuns([], 10), []);
  });
});
