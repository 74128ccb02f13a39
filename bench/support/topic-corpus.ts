/** Generates a corpus with topics that words and vectors share, as in real corpora, and writes it through the stores. */

import { createTenant, findTenantByName } from '../../src/corpus/tenant-store.ts';
import { rearrangeTextSearch } from '../../src/corpus/text-index.ts';
import {
  createGeneration,
  elementFor,
  findServingVectors,
  indexGeneration,
  insertVectors,
  serveGeneration,
  type VectorKind,
  vectorText,
} from '../../src/corpus/vector-store.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { type SeedSource, seed } from '../../test/retrieval/corpus.ts';
import { openRandom, type Random } from '../../test/support/random.ts';

export const MODEL = 'topics';
const TOPICS = 1_000;
const COMMON_WORDS = 20_000;
const TOPIC_WORDS = 20;
const CHUNK_WORDS = 60;
const CHUNKS_PER_SOURCE = 10;
const SOURCES_PER_GROUP = 50;
/** Deviation of a chunk's vector from the vector of its topic. */
const NOISE = 0.9;

/**
 * Creates the tenant `default` with this many chunks, unless it exists. The metadata of each source has a random number `bucket` from
 * 0 to 999, which filters use.
 */
export async function fillTopicCorpus(db: Database, chunks: number, dimension: number): Promise<void> {
  await migrate(db);
  const there = await findTenantByName(db, 'default');
  if (there && (await findServingVectors(db.system, there.id))) return;
  if (there) throw new Error('the corpus was not finished: remove it');
  const random = openRandom(20_261_121);
  const centres = Array.from({ length: TOPICS }, () =>
    Float32Array.from({ length: dimension }, () => gaussian(random)),
  );
  const words = Array.from({ length: COMMON_WORDS + TOPICS * TOPIC_WORDS }, () => random.word(random.integer(4, 9)));
  const { id: tenantId, partitionNo } = await createTenant(db, { id: newId(), name: 'default' });
  // Without pg_textsearch, the tables of the BM25 index take a quarter of the time when they are filled at the end.
  if (!db.hasTextSearch) await db.system.query(sql`select drop_text_index(${tenantId}, ${partitionNo})`);
  const element = elementFor(db, dimension);
  const { generation } = await db.system.transaction((tx) =>
    createGeneration(tx, tenantId, { model: MODEL, dimension, element, indexed: false }, new Date()),
  );
  for (let done = 0; done < chunks; done += CHUNKS_PER_SOURCE * SOURCES_PER_GROUP) {
    const vectors: { chunkId: string; hash: Buffer; embedding: string }[] = [];
    const sources = Array.from({ length: SOURCES_PER_GROUP }, (): SeedSource => {
      const topic = random.integer(0, TOPICS - 1);
      const texts = Array.from({ length: CHUNKS_PER_SOURCE }, () => {
        const chunkId = newId();
        const embedding = vectorText(near(random, centres[topic]!, NOISE));
        vectors.push({ chunkId, hash: Buffer.from(chunkId), embedding });
        return { id: chunkId, content: makeText(random, words, topic) };
      });
      return { metadata: { bucket: String(random.integer(0, 999)) }, chunks: texts };
    });
    await seed(db, tenantId, [{ sources }]);
    await db.transaction(tenantId, (tx) => insertVectors(tx, generation, vectors));
    if (done % 10_000 === 0) console.error(`${done} of ${chunks} chunks`);
  }
  await finish(db, tenantId, { generation, dimension, element });
}

async function finish(db: Database, tenantId: string, made: VectorKind & { generation: number }): Promise<void> {
  let startedAt = performance.now();
  const lap = (what: string): void => {
    console.error(`${what} made in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    startedAt = performance.now();
  };
  if (!db.hasTextSearch) {
    await rearrangeTextSearch(db);
    lap('text index');
  }
  await indexGeneration(db, tenantId, made);
  lap('HNSW index');
  await db.transaction(tenantId, (tx) => serveGeneration(tx, made.generation, new Date()));
  await db.system.executeOutsideTransaction('vacuum analyze');
  await db.system.executeOutsideTransaction('checkpoint');
}

/** Returns a text: three of ten words belong to the topic; the others get rarer with their number. */
function makeText(random: Random, words: readonly string[], topic: number): string {
  const skewed = (count: number): number => Math.min(count - 1, Math.floor(count ** random.next()));
  return Array.from({ length: CHUNK_WORDS }, () =>
    random.next() < 0.3 ? words[COMMON_WORDS + topic * TOPIC_WORDS + skewed(TOPIC_WORDS)] : words[skewed(COMMON_WORDS)],
  ).join(' ');
}

/** Returns a vector of length 1. `noise` has the unit of the standard deviation of the centre's numbers. */
export function near(random: Random, centre: Float32Array, noise: number): Float32Array {
  const deviation = Math.sqrt(centre.reduce((sum, value) => sum + value * value, 0) / centre.length);
  const vector = centre.map((value) => value + noise * deviation * gaussian(random));
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
