import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinParts, pool, unit } from './pooling.ts';

/** Two tokens. */
const data = Float32Array.of(3, 0, 0, 4);

describe('pooling', () => {
  const pooled = (how: Parameters<typeof pool>[2]) => [[...pool(data, 2, how)]];
  const close = (found: number[][], expected: number[][]) => {
    assert.equal(found.length, expected.length);
    for (const [i, vector] of expected.entries()) {
      for (const [k, value] of vector.entries()) assert.ok(Math.abs(found[i]![k]! - value) < 1e-6, `${found}`);
    }
  };
  test('the mean of the tokens', () => close(pooled('mean'), [[0.6, 0.8]]));
  test('the first token', () => close(pooled('cls'), [[1, 0]]));
  test('the last token', () => close(pooled('last'), [[0, 1]]));
  test('the maximum of the tokens', () => close(pooled('max'), [[0.6, 0.8]]));
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
