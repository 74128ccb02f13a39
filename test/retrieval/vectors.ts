/** Stores vectors of chunks, with the same result as the embedding job. */
import {
  createGeneration,
  type Element,
  elementFor,
  indexGeneration,
  insertVectors,
  serveGeneration,
  vectorText,
} from '../../src/corpus/vector-store.ts';
import type { Database } from '../../src/db/database.ts';

const BATCH_VECTORS = 500;

/** Begins a generation with these vectors, by chunk id, and makes searches use it. */
export async function seedVectors(
  db: Database,
  tenantId: string,
  model: string,
  vectors: ReadonlyMap<string, Float32Array | readonly number[]>,
  ofElement?: Element,
): Promise<number> {
  const now = new Date();
  const entries = [...vectors].map(([chunkId, vector]) => ({
    chunkId,
    hash: Buffer.from(chunkId),
    embedding: vectorText(Float32Array.from(vector)),
  }));
  const dimension = vectors.values().next().value!.length;
  const element = ofElement ?? elementFor(db, dimension);
  const { generation } = await db.system.transaction((tx) =>
    createGeneration(tx, tenantId, { model, dimension, element, indexed: false }, now),
  );
  for (let start = 0; start < entries.length; start += BATCH_VECTORS) {
    const batch = entries.slice(start, start + BATCH_VECTORS);
    await db.transaction(tenantId, (tx) => insertVectors(tx, generation, batch));
  }
  await indexGeneration(db, tenantId, { generation, dimension, element });
  await db.transaction(tenantId, (tx) => serveGeneration(tx, generation, now));
  return generation;
}
