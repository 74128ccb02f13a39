/** Combines the vectors of tokens into one vector of length 1 per text. */
import type { Pooling } from './families.ts';

/** Returns the vector of a text from those of its tokens, which follow each other in `data`. */
export function pool(data: Float32Array, dimension: number, pooling: Pooling): Float32Array {
  const tokens = data.length / dimension;
  const row = (token: number): Float32Array => data.subarray(token * dimension, (token + 1) * dimension);
  if (pooling === 'cls') return unit(row(0));
  if (pooling === 'last') return unit(row(tokens - 1));
  const pooled = Float64Array.from(row(0));
  for (let token = 1; token < tokens; token += 1) {
    const vector = row(token);
    for (let i = 0; i < dimension; i += 1)
      pooled[i] = pooling === 'max' ? Math.max(pooled[i]!, vector[i]!) : pooled[i]! + vector[i]!;
  }
  return unit(pooled);
}

/** Returns the vector of a text from those of its parts. A part counts as much as it has tokens. */
export function joinParts(vectors: readonly Float32Array[], lengths: readonly number[]): Float32Array {
  const [only] = vectors;
  if (vectors.length === 1) return only!;
  const joined = new Float64Array(only!.length);
  for (const [part, vector] of vectors.entries())
    for (const [i, value] of vector.entries()) joined[i] = joined[i]! + lengths[part]! * value;
  return unit(joined);
}

/** Returns the vector scaled to length 1. Zeros stay zeros. When one number is not finite, all numbers become NaN. */
export function unit(vector: Float32Array | Float64Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) return new Float32Array(vector.length).fill(Number.NaN);
  const length = Math.sqrt(squares) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
