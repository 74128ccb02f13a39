/** Makes vectors for waiting chunks. A text whose hash already has a vector is not embedded again. */

import { listWaiting, refuseWaiting, removeWaiting } from '../../corpus/embedding-queue-store.ts';
import { findVectors, type Generation, insertVectors, vectorText } from '../../corpus/vector-store.ts';
import { ServiceError } from '../../errors.ts';
import { batchesOf } from '../../llm/embedding/batches.ts';
import { forEachLimited } from '../../util/pool.ts';
import { inBackground } from '../background.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { embeddingText, textHash } from './embedding-text.ts';
import type { EmbeddingTurn } from './embedding-turn.ts';

/** Chunks read at once: enough for several requests per lane. */
const WINDOW_CHUNKS = 256;
/** On the embedded database transactions queue with searches, and one row with its index entry takes up to 15 ms of CPU. */
const ROWS_PER_TRANSACTION = 4;
const REFUSED = 'the model refused the text or found nothing in it';

interface WaitingText {
  id: string;
  text: string;
  hash: Buffer;
}

/**
 * Embeds the next waiting chunks after the id `afterId`. Returns how many it embedded, and the id to continue after: null at
 * the end.
 */
export async function embedWindow(
  deps: IngestDeps,
  turn: EmbeddingTurn,
  generation: Generation,
  afterId: string | null,
): Promise<{ embedded: number; lastId: string | null }> {
  const chunks = await deps.db.transaction(turn.tenantId, (tx) =>
    listWaiting(tx, generation.generation, afterId, WINDOW_CHUNKS),
  );
  const texts = chunks.flatMap(({ id, content, context, headingPath }) => {
    if (content === null) return [];
    const text = embeddingText({ content, context, headingPath: headingPath ?? [] });
    return [{ id, text, hash: textHash(text) }];
  });
  const batches = batchesOf(texts, ({ text }) => Buffer.byteLength(text));
  await forEachLimited(batches, deps.config.embedding.requestsMax, (batch) =>
    embedBatch(deps, turn, generation, batch),
  );
  const lastId = chunks.length < WINDOW_CHUNKS ? null : chunks.at(-1)!.id;
  return { embedded: texts.length, lastId };
}

/** Embeds one batch with at most one request to the model. */
async function embedBatch(
  deps: IngestDeps,
  turn: EmbeddingTurn,
  generation: Generation,
  batch: readonly WaitingText[],
): Promise<void> {
  turn.signal.throwIfAborted();
  const { tenantId } = turn;
  const vectorByHash = await deps.db.transaction(tenantId, (tx) =>
    findVectors(
      tx,
      generation.model,
      batch.map(({ hash }) => hash),
    ),
  );
  const missing = new Map<string, string>();
  for (const { hash, text } of batch)
    if (!vectorByHash.has(hash.toString('hex'))) missing.set(hash.toString('hex'), text);
  for (const [hash, vector] of await embedMissing(turn, generation, missing)) vectorByHash.set(hash, vector);
  deps.crash.reach('embed.batch_embedded');
  const refused = batch.filter(({ hash }) => vectorByHash.get(hash.toString('hex')) === '');
  const vectors = batch.flatMap(({ id, hash }) => {
    const embedding = vectorByHash.get(hash.toString('hex'));
    return embedding ? [{ chunkId: id, hash, embedding }] : [];
  });
  for (let start = 0; start < vectors.length; start += ROWS_PER_TRANSACTION) {
    await inBackground(deps, tenantId, async (tx) => {
      await turn.fence(tx);
      const rows = vectors.slice(start, start + ROWS_PER_TRANSACTION);
      const stored = await insertVectors(tx, generation.generation, rows);
      await removeWaiting(tx, generation.generation, stored);
    });
  }
  if (refused.length > 0) await refuse(deps, turn, generation, refused);
  deps.metrics.embedded('chunks', vectors.length);
  deps.metrics.embedded('requested', missing.size);
  deps.crash.reach('embed.batch_stored');
}

/** Returns vectors as text by hash. The empty text marks a text that the model refused. */
async function embedMissing(
  { embedding, signal }: EmbeddingTurn,
  { model, dimension }: Generation,
  missing: ReadonlyMap<string, string>,
): Promise<[string, string][]> {
  if (missing.size === 0) return [];
  const generationModel = model === embedding.model.name ? embedding.model : embedding.named(model);
  const vectors = await generationModel.embed([...missing.values()], 'passage', signal);
  return [...missing.keys()].map((hash, i) => {
    const vector = vectors[i]!;
    if (vector.length !== dimension) {
      throw new ServiceError(
        'upstream_failed',
        `The embedding model ${model} returned ${vector.length} dimensions; its stored vectors have ${dimension}. ` +
          'Give another model another name.',
      );
    }
    return [hash, vector.some((value) => value !== 0) ? vectorText(vector) : ''];
  });
}

async function refuse(
  deps: IngestDeps,
  turn: EmbeddingTurn,
  { generation, model }: Generation,
  refused: readonly WaitingText[],
): Promise<void> {
  const ids = refused.map(({ id }) => id);
  await deps.db.transaction(turn.tenantId, async (tx) => {
    await turn.fence(tx);
    await refuseWaiting(tx, generation, ids, REFUSED);
  });
  deps.metrics.embedded('refused', ids.length);
  deps.log.warn({ model, chunkIds: ids.slice(0, 5), count: ids.length }, 'chunks stay without a vector');
}
