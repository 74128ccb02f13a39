/** Combines the vectors of tokens into one vector of length 1 per text. */
import type { Pooling } from './families.ts';

/** Vectors in the order texts × tokens × dimension. Of text i the first `lengths[i]` tokens count. */
export interface TokenVectors {
  data: Float32Array;
  tokens: number;
  dimension: number;
  lengths: readonly number[];
}

/** Returns one vector per text. */
export function pool({ data, tokens, dimension, lengths }: TokenVectors, pooling: Pooling): Float32Array[] {
  return lengths.map((length, text) => {
    const row = (token: number): Float32Array => {
      const start = (text * tokens + token) * dimension;
      return data.subarray(start, start + dimension);
    };
    if (pooling === 'cls') return unit(row(0));
    if (pooling === 'last') return unit(row(Math.max(0, length - 1)));
    const pooled = Float64Array.from(row(0));
    for (let token = 1; token < length; token += 1) {
      const vector = row(token);
      for (let i = 0; i < dimension; i += 1) {
        pooled[i] = pooling === 'max' ? Math.max(pooled[i]!, vector[i]!) : pooled[i]! + vector[i]!;
      }
    }
    return unit(pooled);
  });
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

/**
 * Returns groups of text indexes. The texts of a group run together: they have similar lengths, so that little is padded, and at most
 * `tokensMax` tokens with the padding. A longer text runs alone.
 */
export function planRuns(lengths: readonly number[], tokensMax: number): number[][] {
  const runs: number[][] = [];
  const byLength = lengths.map((_, i) => i).toSorted((a, b) => lengths[a]! - lengths[b]!);
  let run: number[] = [];
  for (const i of byLength) {
    if (run.length > 0 && (run.length + 1) * lengths[i]! > tokensMax) {
      runs.push(run);
      run = [];
    }
    run.push(i);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}
