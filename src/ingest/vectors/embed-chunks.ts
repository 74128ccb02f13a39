/**
 * The job `embed-chunks`: makes vectors for the waiting chunks of a tenant. If another model is configured, the job builds a
 * new generation of vectors while the old generation serves.
 *
 * The queue may deliver a job twice or to two workers at once. A claim raises the tenant's attempt, and every transaction that
 * stores vectors checks the attempt. If a worker is killed, the texts of its requests in flight, one request per lane, are
 * embedded again.
 */

import {
  beatEmbedding,
  claimEmbedding,
  hasWork,
  holdsEmbedding,
  lockEmbedding,
  releaseEmbedding,
} from '../../corpus/embedding-queue-store.ts';
import type { Generation } from '../../corpus/vector-store.ts';
import { reasonOf, ServiceError } from '../../errors.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import type { Embedding } from '../../llm/models.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { embedWindow } from './embed-batch.ts';
import { finishBuilding, prepareGenerations } from './embed-generations.ts';
import { EMBEDDING_ALIVE_SECONDS, enqueueEmbedding } from './embed-queue.ts';
import type { EmbeddingTurn } from './embedding-turn.ts';

const HEARTBEAT_MS = 2_000;
/** After this time other tenants have their turn. */
const TURN_MS = 60_000;
/**
 * Delay of the next job when this job found nothing more but chunks still wait: they are being deleted or came a moment ago.
 */
const LOOK_AGAIN_SECONDS = 1;

/** Another job has claimed the tenant. */
class EmbeddingLost extends Error {
  constructor() {
    super('another job embeds for this tenant');
    this.name = 'EmbeddingLost';
  }
}

export function embedChunks(deps: IngestDeps): JobHandler {
  return async ({ tenantId }, { signal, lastAttempt }) => {
    if (!tenantId) throw new Error('embed-chunks needs tenantId');
    const { embedding } = deps;
    // The model was removed from the configuration. Waiting chunks are found when a model is configured again.
    if (!embedding) return;
    const attempt = await take(deps, tenantId);
    if (attempt === undefined) return;
    const lost = new AbortController();
    let beating: Promise<unknown> = Promise.resolve();
    const heartbeat = setInterval(() => {
      beating = beat(deps, tenantId, attempt).then(
        (alive) => alive || lost.abort(new EmbeddingLost()),
        (error) => deps.log.warn({ err: error }, 'the heartbeat of an embedding job failed'),
      );
    }, HEARTBEAT_MS);
    const turn: EmbeddingTurn = {
      tenantId,
      embedding,
      signal: AbortSignal.any([signal, lost.signal]),
      async fence(tx) {
        if (!(await holdsEmbedding(tx, tenantId, attempt))) throw new EmbeddingLost();
      },
    };
    let failures = 0;
    // A job that goes on without a model may fail later: it counts once.
    const countFailure = (): void => {
      if (++failures === 1) deps.metrics.embedded('failed_jobs', 1);
    };
    try {
      const done = await work(deps, turn, countFailure);
      await release(deps, tenantId, attempt, embedding, done);
    } catch (error) {
      if (error instanceof EmbeddingLost || lost.signal.aborted) return;
      if (!signal.aborted) countFailure();
      await releaseFailed(deps, tenantId, attempt, lastAttempt && !signal.aborted).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(heartbeat);
      await beating;
    }
  };
}

/** Embeds waiting chunks. Returns true when no chunk waits any more, false when the turn is over. */
async function work(deps: IngestDeps, turn: EmbeddingTurn, countFailure: () => void): Promise<boolean> {
  const endsAt = performance.now() + TURN_MS;
  const failing = new Set<number>();
  const positions = new Map<number, string | null>();
  while (performance.now() < endsAt) {
    turn.signal.throwIfAborted();
    let didEmbed = false;
    const generations = await prepareGenerations(deps, turn);
    const hasCopy = generations.length > 1 && generations.every((one) => isConfiguredModel(turn, one));
    for (const generation of generations) {
      const number = generation.generation;
      if (failing.has(number)) continue;
      const after = positions.get(number) ?? null;
      try {
        const { embedded, lastId } = await embedWindow(deps, turn, generation, after);
        // After the last chunk, start again at the first: chunks with lower ids may have come meanwhile.
        positions.set(number, lastId);
        didEmbed ||= embedded > 0 || after !== null;
        const atEnd = lastId === null && after === null;
        if (generation.status === 'building' && atEnd) await finishBuilding(deps, turn, generation);
      } catch (error) {
        // Only a model that fails leaves the other generation to go on.
        if (turn.signal.aborted || !(error instanceof ServiceError)) throw error;
        // A copy does not need the model. When it is in use, the next chunk without a vector ends the job.
        if (isConfiguredModel(turn, generation) && (!hasCopy || generation.status === 'building')) throw error;
        // The provider may no longer offer the old model: the vectors of the new model are made all the same.
        const { model } = generation;
        deps.log.warn({ reason: reasonOf(error), model }, 'new chunks get no vectors of the model that serves');
        countFailure();
        failing.add(number);
      }
    }
    if (!didEmbed) return true;
  }
  return false;
}

function isConfiguredModel({ embedding }: EmbeddingTurn, { model }: Generation): boolean {
  return model === embedding.model.name;
}

async function take(deps: IngestDeps, tenantId: string): Promise<number | undefined> {
  const now = deps.clock.now();
  const aliveSince = new Date(now.getTime() - EMBEDDING_ALIVE_SECONDS * 1000);
  return deps.db.transaction(tenantId, (tx) => claimEmbedding(tx, now, aliveSince));
}

function beat(deps: IngestDeps, tenantId: string, attempt: number): Promise<boolean> {
  return deps.db.transaction(tenantId, (tx) => beatEmbedding(tx, attempt, deps.clock.now()));
}

/**
 * Releases the tenant. Chunks that were stored meanwhile did not enqueue a job, so this function looks for work once more and
 * enqueues the next job.
 */
async function release(
  deps: IngestDeps,
  tenantId: string,
  attempt: number,
  embedding: Embedding,
  done: boolean,
): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    await lockEmbedding(tx, tenantId);
    await releaseEmbedding(tx, attempt, null);
    const more = !done || (await hasWork(tx, embedding.model.name));
    if (more) await enqueueEmbedding(deps, tx, done ? LOOK_AGAIN_SECONDS : 0);
  });
}

/** Releases the tenant after a failure. The queue retries the job; after its last attempt the garbage collector does. */
async function releaseFailed(
  deps: IngestDeps,
  tenantId: string,
  attempt: number,
  isLastAttempt: boolean,
): Promise<void> {
  await deps.db.transaction(tenantId, (tx) => releaseEmbedding(tx, attempt, isLastAttempt ? null : deps.clock.now()));
}
