/**
 * Manages a tenant's generations of vectors: the generation of the configured model, and the previous one, which serves while
 * the new one is built.
 */
import { dropWaiting, fillWaiting, hasManyChunks, lockEmbedding } from '../../corpus/embedding-queue-store.ts';
import {
  createGeneration,
  dropCachedVectors,
  dropGeneration,
  elementFor,
  findFilledTo,
  findWorn,
  type Generation,
  indexGeneration,
  listGenerations,
  listRetired,
  retireBuilding,
  saveFilledTo,
  serveGeneration,
} from '../../corpus/vector-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { EmbeddingTurn } from './embedding-turn.ts';

/** Sized for about 30 ms on the embedded database, where transactions queue with searches. */
const FILL_CHUNKS_PER_TRANSACTION = 1_000;
/** Searches that started before the change still read the old vectors. */
const RETIRED_SECONDS = 120;
/** Vectors of replaced chunks stay cached this long. Their new chunks are embedded soon, unless the provider fails. */
const CACHED_SECONDS = 24 * 3_600;
/**
 * On a server, if a tenant has more chunks than this, the index is made after the vectors: about three times faster than row by
 * row. The embedded database never does so, because every search would wait: 5 ms of CPU for each vector of 384 dimensions.
 */
export const INDEX_LATER_CHUNKS_MIN = 2_000;

/**
 * Returns the generations for which chunks get vectors, the serving one first. Starts a generation for a newly configured
 * model, and retires an unfinished generation of another model.
 */
export async function prepareGenerations(deps: IngestDeps, turn: EmbeddingTurn): Promise<Generation[]> {
  const configuredModel = turn.embedding.model.name;
  const { serving, building } = await deps.db.transaction(turn.tenantId, async (tx) => {
    await turn.fence(tx);
    const found = await listGenerations(tx, turn.tenantId);
    const current = found.find(({ status }) => status === 'serving');
    const next = found.find(({ status }) => status === 'building');
    if (!next || next.model === configuredModel) return { serving: current, building: next };
    await retireBuilding(tx, deps.clock.now());
    return { serving: current, building: undefined };
  });
  const live = serving ? [serving] : [];
  const next = building ?? (serving?.model === configuredModel ? undefined : await begin(deps, turn));
  if (!next) return live;
  if (!next.filled) await fill(deps, turn, next);
  return [...live, next];
}

/**
 * Begins to build a tenant's vectors anew, with an index of their own, when the index has mostly deleted vectors. The job `embed-chunks`
 * copies the vectors, four at a time, and searches go first. On the embedded database this takes the place of a vacuum of the index. A
 * vacuum blocks everybody until it has connected the neighbours of every deleted vector anew: 10 s of processor time for 20,000
 * vectors of 384 dimensions, of which 1 % are deleted. It also gives the disk back, which a vacuum does not.
 */
export async function renewWornVectors(
  { db, embedding, clock, log }: Pick<IngestDeps, 'db' | 'embedding' | 'clock' | 'log'>,
  tenantId: string,
): Promise<void> {
  if (!embedding || db.kind === 'server') return;
  await db.system.transaction(async (tx) => {
    const worn = await findWorn(tx, tenantId, embedding.model.name);
    if (!worn) return;
    await lockEmbedding(tx, tenantId);
    if ((await listGenerations(tx, tenantId)).some(({ status }) => status === 'building')) return;
    const { generation } = await createGeneration(tx, tenantId, { ...worn, indexed: true }, clock.now());
    log.info({ tenantId, generation }, 'vectors are copied, because most vectors of their index are deleted');
  });
}

/** Creates a generation. Returns undefined when the tenant has no chunks. */
async function begin(deps: IngestDeps, turn: EmbeddingTurn): Promise<Generation | undefined> {
  const { tenantId, embedding, signal } = turn;
  const size = await deps.db.transaction(tenantId, (tx) => hasManyChunks(tx, INDEX_LATER_CHUNKS_MIN));
  if (size === 'none') return undefined;
  // Only the model can report its dimension.
  const [probe] = await embedding.model.embed(['text'], 'passage', signal);
  const indexed = size === 'few' || deps.db.kind === 'embedded';
  const dimension = probe!.length;
  const model = { model: embedding.model.name, dimension, element: elementFor(deps.db, dimension), indexed };
  const created = await deps.db.system.transaction(async (tx) => {
    await lockEmbedding(tx, tenantId);
    await turn.fence(tx);
    return createGeneration(tx, tenantId, model, deps.clock.now());
  });
  deps.log.info({ tenantId, ...model, generation: created.generation }, 'a new set of vectors is being built');
  deps.crash.reach('embed.generation_created');
  return created;
}

/** Marks the existing chunks as waiting for the new vectors. Later chunks are marked when they are stored. */
async function fill(deps: IngestDeps, turn: EmbeddingTurn, { generation }: Generation): Promise<void> {
  const { tenantId, signal } = turn;
  for (let filled = false; !filled; ) {
    signal.throwIfAborted();
    filled = await deps.db.transaction(tenantId, async (tx) => {
      await turn.fence(tx);
      const from = await findFilledTo(tx, generation);
      const to = await fillWaiting(tx, generation, from, FILL_CHUNKS_PER_TRANSACTION);
      await saveFilledTo(tx, generation, to);
      return to === null;
    });
  }
}

/** Makes a complete generation serve searches. Only chunks of this moment may still lack a vector. */
export async function finishBuilding(deps: IngestDeps, turn: EmbeddingTurn, generation: Generation): Promise<void> {
  const { tenantId } = turn;
  if (!generation.indexed) await indexGeneration(deps.db, tenantId, generation);
  deps.crash.reach('embed.indexed');
  await deps.db.transaction(tenantId, async (tx) => {
    await turn.fence(tx);
    await serveGeneration(tx, generation.generation, deps.clock.now());
  });
  deps.log.info({ tenantId, model: generation.model, generation: generation.generation }, 'new vectors serve');
  deps.crash.reach('embed.served');
}

/** Removes retired generations and expired cached vectors. The garbage collector calls this function. */
export async function dropOldVectors(
  deps: IngestDeps,
  tenantId: string,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const cachedBefore = new Date(now.getTime() - CACHED_SECONDS * 1000);
  const retiredBefore = new Date(now.getTime() - RETIRED_SECONDS * 1000);
  const retired = await deps.db.transaction(tenantId, async (tx) => {
    await dropCachedVectors(tx, cachedBefore);
    return listRetired(tx, retiredBefore);
  });
  for (const generation of retired) {
    for (let dropped = 1; dropped > 0; ) {
      signal.throwIfAborted();
      dropped = await deps.db.transaction(tenantId, (tx) => dropWaiting(tx, generation, FILL_CHUNKS_PER_TRANSACTION));
    }
    await dropGeneration(deps.db, tenantId, generation);
  }
}
