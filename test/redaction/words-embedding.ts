/** An embedding model for tests: equal words give equal vectors. */
import { createHash } from 'node:crypto';
import { elementFor, insertVectors, vectorText } from '../../src/corpus/vector-store.ts';
import type { Database } from '../../src/db/database.ts';
import type { Embedding } from '../../src/llm/models.ts';
import { seedVectors } from '../retrieval/vectors.ts';

const MODEL = 'words';
const DIMENSION = 16;

export function wordsVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const digest = createHash('sha256').update(word).digest();
    for (let i = 0; i < DIMENSION; i++) vector[i]! += digest[i]! - 127.5;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export const wordsEmbedding: Embedding = {
  model: { name: MODEL, embed: async (texts) => texts.map(wordsVector) },
  named: () => wordsEmbedding.model,
  embedQuery: async (_tenantId, _name, query) => wordsVector(query),
  close: async () => {},
};

/** Stores the first vectors of a tenant, for a map of chunk id -> text. Returns the generation, which `addVectors` needs. */
export function storeVectors(db: Database, tenantId: string, texts: ReadonlyMap<string, string>): Promise<number> {
  const vectors = new Map([...texts].map(([id, text]) => [id, wordsVector(text)]));
  return seedVectors(db, tenantId, MODEL, vectors, elementFor(db, DIMENSION));
}

export async function addVectors(
  db: Database,
  tenantId: string,
  generation: number,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = [...texts].map(([chunkId, text]) => ({
    ...{ chunkId, hash: Buffer.from(chunkId), embedding: vectorText(wordsVector(text)) },
  }));
  await db.transaction(tenantId, (tx) => insertVectors(tx, generation, rows));
}
