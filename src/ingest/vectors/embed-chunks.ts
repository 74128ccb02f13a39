/**
 * The job `embed-chunks`: gives the waiting chunks of a tenant their vectors, and builds the next generation of vectors when
 * another model is configured, while the one before serves.
 *
 * It may be delivered twice or to two workers at once: taking the tenant raises its attempt, and every transaction that
 * stores vectors checks that number. What a killed worker had in hand, one request for each of its lanes, is embedded again.
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
import type { JobHandler } from '../../jobs/queue.ts';
import type { Embedding } from '../../llm/models.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { embedWindow } from './embed-batch.ts';
import { finishBuilding, settleGenerations } from './embed-generations.ts';
import { EMBEDDING_ALIVE_SECONDS, enqueueEmbedding } from './embed-queue.ts';
import type { EmbeddingTurn } from './embedding-turn.ts';

const HEARTBEAT_MS = 2_000;
/** Then other tenants have their turn. */
const TURN_MS = 60_000;
/** What is left after a job found nothing more is being deleted or came this moment. */
const LOOK_AGAIN_SECONDS = 1;

/** Another job has the tenant now. */
export class EmbeddingLost extends Error {
  constructor() {
    super('another job embeds for this tenant');
    this.name = 'EmbeddingLost';
  }
}

export function embedChunks(deps: IngestDeps): JobHandler {
  return async ({ tenantId }, { signal, lastAttempt }) => {
    if (!tenantId) throw new Error('embed-chunks needs tenantId');
    const { embedding } = deps;
    // Turned off since. What waits is found when there is a model again.
    if (!embedding) return;
    const attempt = await take(deps, tenantId);
    if (attempt === undefined) return;
    const own = new AbortController();
    let beating: Promise<unknown> = Promise.resolve();
    const heartbeat = setInterval(() => {
      beating = beat(deps, tenantId, attempt).then(
        (alive) => alive || own.abort(new EmbeddingLost()),
        (error) => deps.log.warn({ err: error }, 'the heartbeat of an embedding job failed'),
      );
    }, HEARTBEAT_MS);
    const turn: EmbeddingTurn = {
      tenantId,
      embedding,
      signal: AbortSignal.any([signal, own.signal]),
      async fence(tx) {
        if (!(await holdsEmbedding(tx, tenantId, attempt))) throw new EmbeddingLost();
      },
    };
    try {
      const done = await work(deps, turn);
      await release(deps, tenantId, attempt, embedding, done);
    } catch (error) {
      if (error instanceof EmbeddingLost || own.signal.aborted) return;
      if (!signal.aborted) {
        deps.metrics.embedded('failed_jobs', 1);
        deps.log.warn({ err: error, tenantId }, 'chunks could not be embedded');
      }
      await giveBack(deps, tenantId, attempt, lastAttempt && !signal.aborted).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(heartbeat);
      await beating;
    }
  };
}

/** True when nothing waits any more, false when the turn is over. */
async function work(deps: IngestDeps, turn: EmbeddingTurn): Promise<boolean> {
  const endsAt = performance.now() + TURN_MS;
  const failing = new Set<number>();
  const positions = new Map<number, string | null>();
  while (performance.now() < endsAt) {
    turn.signal.throwIfAborted();
    let did = false;
    for (const generation of await settleGenerations(deps, turn)) {
      const number = generation.generation;
      if (failing.has(number)) continue;
      const after = positions.get(number) ?? null;
      try {
        const { embedded, lastId } = await embedWindow(deps, turn, generation, after);
        // At the end from the beginning again: chunks with lower ids may have come meanwhile.
        positions.set(number, lastId);
        did ||= embedded > 0 || after !== null;
        const atEnd = lastId === null && after === null;
        if (generation.status === 'building' && atEnd) await finishBuilding(deps, turn, generation);
      } catch (error) {
        if (turn.signal.aborted || error instanceof EmbeddingLost || isWanted(turn, generation)) throw error;
        // The old model may be gone from the provider: the new vectors are made all the same.
        deps.log.warn({ err: error, model: generation.model }, 'new chunks get no vectors of the model that serves');
        failing.add(number);
      }
    }
    if (!did) return true;
  }
  return false;
}

function isWanted({ embedding }: EmbeddingTurn, { model }: Generation): boolean {
  return model === embedding.model.name;
}

async function take(deps: IngestDeps, tenantId: string): Promise<number | undefined> {
  const now = deps.clock.now();
  const aliveSince = new Date(now.getTime() - EMBEDDING_ALIVE_SECONDS * 1000);
  return deps.db.transaction(tenantId, (tx) => claimEmbedding(tx, tenantId, now, aliveSince));
}

function beat(deps: IngestDeps, tenantId: string, attempt: number): Promise<boolean> {
  return deps.db.transaction(tenantId, (tx) => beatEmbedding(tx, tenantId, attempt, deps.clock.now()));
}

/** Chunks that were stored while this job ended have left their embedding to it: it looks once more, and asks for another job. */
async function release(
  deps: IngestDeps,
  tenantId: string,
  attempt: number,
  embedding: Embedding,
  done: boolean,
): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    await lockEmbedding(tx, tenantId);
    await releaseEmbedding(tx, tenantId, attempt, null);
    const more = !done || (await hasWork(tx, tenantId, embedding.model.name));
    if (more) await enqueueEmbedding(deps, tx, tenantId, done ? LOOK_AGAIN_SECONDS : 0);
  });
}

/** After a failure: tried again by the queue, or by the collector when that has given up. */
async function giveBack(deps: IngestDeps, tenantId: string, attempt: number, givenUp: boolean): Promise<void> {
  await deps.db.transaction(tenantId, (tx) =>
    releaseEmbedding(tx, tenantId, attempt, givenUp ? null : deps.clock.now()),
  );
}
