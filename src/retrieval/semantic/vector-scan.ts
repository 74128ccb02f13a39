/**
 * Vectors in memory with one byte per number, and the error of this form. A scan returns all vectors that may be the nearest, and few
 * others. Pure.
 */

/** Packed vectors, one after the other. */
export interface VectorBlock {
  /** The numbers of each normalised vector, in units of its scale. */
  codes: Int8Array;
  scales: Float64Array;
  /** The distance between each vector and its codes. */
  errors: Float64Array;
}

export interface VectorScan {
  /** Returns the numbers of all vectors that may be among the `limit` nearest by cosine. */
  (query: Float32Array, limit: number): number[];
  /** Bytes of memory that the scan takes. */
  bytes: number;
}

const CODE_MAX = 127;
const QUERY_CODE_MAX = 32_767;
const SUM_MAX = 2 ** 31 - 1;
/** Maximum error of a cosine in single precision. */
const SLACK = 1e-5;

/** Packs vectors of the same dimension. */
export function packVectors(vectors: readonly Float32Array[], dimension: number): VectorBlock {
  const codes = new Int8Array(vectors.length * dimension);
  const scales = new Float64Array(vectors.length);
  const errors = new Float64Array(vectors.length);
  for (let at = 0; at < vectors.length; at += 1) {
    const vector = vectors[at]!;
    const length = lengthOf(vector);
    const scale = largest(vector) / length / CODE_MAX;
    let error = 0;
    for (let i = 0; i < dimension; i += 1) {
      const value = vector[i]! / length;
      const code = Math.round(value / scale);
      codes[at * dimension + i] = code;
      const off = value - code * scale;
      error += off * off;
    }
    scales[at] = scale;
    errors[at] = Math.sqrt(error);
  }
  return { codes, scales, errors };
}

export function openVectorScan(blocks: readonly VectorBlock[], dimension: number): VectorScan {
  const count = blocks.reduce((sum, { scales }) => sum + scales.length, 0);
  const scan = (query: Float32Array, limit: number): number[] => {
    const { codes: asked, scale, error } = packQuery(query);
    const highest = new Float64Array(count);
    const least = openBest(limit);
    let place = 0;
    for (const { codes, scales, errors } of blocks) {
      for (let at = 0; at < scales.length; at += 1, place += 1) {
        const similarity = product(codes, at * dimension, asked) * scales[at]! * scale;
        const off = errors[at]! + error * (1 + errors[at]!) + SLACK;
        highest[place] = similarity + off;
        least.add(similarity - off);
      }
    }
    const cut = least.worst();
    const places: number[] = [];
    // A zero vector has no direction: its similarity is NaN, which is never near.
    highest.forEach((value, i) => {
      if (value >= cut) places.push(i);
    });
    return places;
  };
  const taken = blocks.reduce((sum, { codes, scales }) => sum + codes.byteLength + 2 * scales.byteLength, 0);
  return Object.assign(scan, { bytes: taken });
}

/** Packs the query as finely as possible while all sums of products fit in 32 bits. */
function packQuery(query: Float32Array): { codes: Int16Array; scale: number; error: number } {
  const codeMax = Math.min(QUERY_CODE_MAX, Math.floor(SUM_MAX / (CODE_MAX * query.length)));
  const length = lengthOf(query);
  const scale = largest(query) / length / codeMax;
  const codes = Int16Array.from(query, (value) => Math.round(value / length / scale));
  const error = Math.sqrt(query.reduce((sum, value, i) => sum + (value / length - codes[i]! * scale) ** 2, 0));
  return { codes, scale, error };
}

/** Returns the dot product. Four independent sums let the processor work in parallel. */
function product(codes: Int8Array, start: number, asked: Int16Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const { length } = asked;
  const whole = length - (length % 4);
  for (let i = 0; i < whole; i += 4) {
    a = (a + Math.imul(codes[start + i]!, asked[i]!)) | 0;
    b = (b + Math.imul(codes[start + i + 1]!, asked[i + 1]!)) | 0;
    c = (c + Math.imul(codes[start + i + 2]!, asked[i + 2]!)) | 0;
    d = (d + Math.imul(codes[start + i + 3]!, asked[i + 3]!)) | 0;
  }
  for (let i = whole; i < length; i += 1) a = (a + Math.imul(codes[start + i]!, asked[i]!)) | 0;
  return a + b + c + d;
}

/** Keeps the `limit` highest of many numbers. It sorts now and then, not for each number. */
function openBest(limit: number) {
  const kept = new Float64Array(Math.max(2 * limit, 1_000));
  let count = 0;
  let worst = Number.NEGATIVE_INFINITY;
  const drop = (): void => {
    const best = kept.subarray(0, count).sort().slice(-limit);
    kept.set(best);
    count = best.length;
    if (count === limit) worst = best[0]!;
  };
  return {
    add(value: number): void {
      if (!(value > worst)) return;
      kept[count++] = value;
      if (count === kept.length) drop();
    },
    /** Returns the lowest of the kept numbers. */
    worst(): number {
      drop();
      return worst;
    },
  };
}

function lengthOf(vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i += 1) sum += vector[i]! * vector[i]!;
  return Math.sqrt(sum);
}

function largest(vector: Float32Array): number {
  let max = 0;
  for (let i = 0; i < vector.length; i += 1) max = Math.max(max, Math.abs(vector[i]!));
  return max;
}
