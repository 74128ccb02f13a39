/**
 * An embedding model that is computed from a corpus alone: TF-IDF, reduced to the directions in which the texts differ most (latent
 * semantic analysis by a randomised singular value decomposition). The model is weak, but words that occur together are near.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRandom } from '../../test/support/random.ts';

export const SVD_DIMENSION = 128;
/** Additional directions that improve the wanted ones (oversampling). */
const SPARE_DIRECTIONS = 16;
const ITERATIONS = 4;
const TEXTS_MIN = 2;

/** Term number -> weight; the vector has length 1. */
type Sparse = ReadonlyMap<number, number>;

/** Returns a function text -> vector. `termsOf` returns the words of a text. */
export function trainSvd(texts: readonly string[], termsOf: (text: string) => readonly string[]) {
  const frequencies = new Map<string, number>();
  const analyzed = texts.map(termsOf);
  for (const terms of analyzed)
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const kept = [...frequencies].filter(([, count]) => count >= TEXTS_MIN);
  const numberOf = new Map(kept.map(([term], i) => [term, i]));
  const rarity = kept.map(([, count]) => Math.log(texts.length / count));
  const weigh = (terms: readonly string[]): Sparse => {
    const counts = new Map<number, number>();
    for (const term of terms) {
      const number = numberOf.get(term);
      if (number !== undefined) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    const weights = [...counts].map(([number, count]) => [number, (1 + Math.log(count)) * rarity[number]!] as const);
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.map(([number, weight]) => [number, weight / length]));
  };
  const width = SVD_DIMENSION + SPARE_DIRECTIONS;
  const basis = directions(analyzed.map(weigh), kept.length, width);
  return (text: string): number[] => {
    const vector = project(weigh(termsOf(text)), basis, width);
    return vector.some((value) => value !== 0) ? vector : vector.with(0, 1e-6);
  };
}

function project(sparse: Sparse, basis: Float64Array, width: number): number[] {
  const vector = new Array<number>(width).fill(0);
  for (const [number, weight] of sparse) {
    for (let k = 0; k < width; k += 1) vector[k] = vector[k]! + weight * basis[number * width + k]!;
  }
  return vector;
}

/** Returns an orthonormal matrix (terms × width) that spans the leading right singular vectors, by subspace iteration. */
function directions(rows: readonly Sparse[], terms: number, width: number): Float64Array {
  const random = openRandom(1);
  let basis = Float64Array.from({ length: terms * width }, () => random.next() - 0.5);
  orthonormalise(basis, terms, width);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const next = new Float64Array(terms * width);
    for (const row of rows) {
      const vector = project(row, basis, width);
      for (const [number, weight] of row) {
        for (let k = 0; k < width; k += 1) next[number * width + k]! += weight * vector[k]!;
      }
    }
    basis = next;
    orthonormalise(basis, terms, width);
  }
  return basis;
}

/** Modified Gram-Schmidt on the columns. */
function orthonormalise(basis: Float64Array, rows: number, width: number): void {
  for (let k = 0; k < width; k += 1) {
    for (let j = 0; j < k; j += 1) {
      let dot = 0;
      for (let i = 0; i < rows; i += 1) dot += basis[i * width + j]! * basis[i * width + k]!;
      for (let i = 0; i < rows; i += 1) basis[i * width + k]! -= dot * basis[i * width + j]!;
    }
    let length = 0;
    for (let i = 0; i < rows; i += 1) length += basis[i * width + k]! ** 2;
    length = Math.sqrt(length) || 1;
    for (let i = 0; i < rows; i += 1) basis[i * width + k]! /= length;
  }
}

/** Serves `/v1/embeddings` with the vectors of `embed`. */
export async function serveEmbeddings(
  embed: (text: string) => number[],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: embed(text) }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
