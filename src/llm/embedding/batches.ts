/** Divides texts into requests to an embedding model. */

/** Maximum texts of a batch: common servers accept as many with their default settings. */
export const BATCH_TEXTS_MAX = 32;
/** Maximum bytes of a batch: about 16,000 tokens. A larger text is a batch of its own. */
export const BATCH_BYTES_MAX = 64 * 1024;

/** Returns batches of consecutive texts, each within both limits. */
export function splitBatches(texts: readonly string[], textsMax = BATCH_TEXTS_MAX): string[][] {
  return batchesOf(texts, (text) => Buffer.byteLength(text), textsMax);
}

/** Returns batches of things in the same way, when a thing has a text of `bytes(thing)`. */
export function batchesOf<T>(things: readonly T[], bytes: (thing: T) => number, textsMax = BATCH_TEXTS_MAX): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let sum = 0;
  for (const thing of things) {
    const size = bytes(thing);
    if (batch.length > 0 && (batch.length >= textsMax || sum + size > BATCH_BYTES_MAX)) {
      batches.push(batch);
      batch = [];
      sum = 0;
    }
    batch.push(thing);
    sum += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
