/** How texts are cut into requests to an embedding model. Pure. */

/** What common servers take without being asked to. */
export const BATCH_TEXTS_MAX = 32;
/** About 16,000 tokens. A text that is larger alone is a batch of its own. */
export const BATCH_BYTES_MAX = 64 * 1024;

/** Consecutive texts, in order, each batch within both limits. */
export function splitBatches(texts: readonly string[], textsMax = BATCH_TEXTS_MAX): string[][] {
  return batchesOf(texts, (text) => Buffer.byteLength(text), textsMax);
}

/** The same for things that have a text of `bytes(thing)`. */
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
