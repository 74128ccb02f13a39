import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRandom } from '../../../test/support/random.ts';
import { openVectorScan, packVectors } from './vector-scan.ts';

const random = openRandom(20_261_122);
const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

for (const [name, dimension, make] of [
  ['by chance', 50, gaussian],
  ['all near to each other', 33, () => 1 + 0.5 * gaussian()],
  ['of a few large numbers', 64, () => gaussian() ** 5],
  ['of many numbers', 600, gaussian],
] as const) {
  test(`every vector that is among the nearest is named: ${name}`, () => {
    const vectors = Array.from({ length: 600 }, () => Float32Array.from({ length: dimension }, make));
    const blocks = [packVectors(vectors.slice(0, 250), dimension), packVectors(vectors.slice(250), dimension)];
    const scan = openVectorScan(blocks, dimension);
    for (let asked = 0; asked < 5; asked += 1) {
      const query = Float32Array.from({ length: dimension }, make);
      const similar = vectors.map((vector) => cosine(query, vector));
      for (const limit of [1, 20, 600, 1_000]) {
        const least = similar.toSorted((a, b) => b - a)[limit - 1] ?? -1;
        const named = new Set(scan(query, limit));
        assert.ok(similar.every((similarity, place) => similarity < least || named.has(place)));
        if (limit === 20) assert.ok(named.size < 400, `${named.size} are no choice`);
      }
    }
  });
}

test('a zero vector is never among the nearest', () => {
  const scan = openVectorScan([packVectors([new Float32Array(3), Float32Array.of(1, 2, 3)], 3)], 3);
  assert.deepEqual(scan(Float32Array.of(1, 0, 0), 2), [1]);
  assert.deepEqual(openVectorScan([], 3)(Float32Array.of(1, 0, 0), 2), []);
});
