/** Enqueues the job `embed-chunks`: in the transaction that stores chunks, at the start, and after a job was lost. */
import {
  addWaiting,
  forgetLostJobs,
  hasWork,
  lockEmbedding,
  markQueued,
  releaseAllEmbedding,
} from '../../corpus/embedding-queue-store.ts';
import { listTenants } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** A job without a heartbeat for this long is lost. Jobs send a heartbeat every 2 s. */
export const EMBEDDING_ALIVE_SECONDS = 10;
/** A job that waits this long in the queue may be lost. An unneeded second job does no harm. */
const QUEUED_AFTER_SECONDS = 600;

type QueueDeps = Pick<IngestDeps, 'embedding' | 'queue' | 'clock'>;

/**
 * Requests vectors for chunks that this transaction stored; the job `embed-chunks` makes them. Call this function last: it
 * holds a lock that every transaction which stores chunks of the tenant takes.
 */
export async function requestVectors(deps: QueueDeps, tx: Tx, chunkIds: readonly string[]): Promise<void> {
  if (chunkIds.length === 0) return;
  await lockEmbedding(tx, tx.tenantId);
  await addWaiting(tx, chunkIds);
  if (deps.embedding) await enqueueEmbedding(deps, tx);
}

/** Enqueues a job, unless one already waits. */
export async function enqueueEmbedding(deps: QueueDeps, tx: Tx, startAfterSeconds = 0): Promise<void> {
  if (await markQueued(tx, deps.clock.now()))
    await deps.queue.enqueue(tx, 'embed-chunks', { tenantId: tx.tenantId }, { startAfterSeconds });
}

/** Enqueues a job for work that no job does: a new model, chunks left by a failing provider, a lost job. */
export async function wakeEmbedding(deps: QueueDeps & Pick<IngestDeps, 'db'>, tenantId: string): Promise<void> {
  const { embedding } = deps;
  if (!embedding) return;
  const now = deps.clock.now();
  await deps.db.transaction(tenantId, async (tx) => {
    if (!(await hasWork(tx, embedding.model.name))) return;
    const idle = await forgetLostJobs(
      tx,
      new Date(now.getTime() - EMBEDDING_ALIVE_SECONDS * 1000),
      new Date(now.getTime() - QUEUED_AFTER_SECONDS * 1000),
    );
    if (idle) await enqueueEmbedding(deps, tx);
  });
}

/**
 * Wakes embedding for all tenants at the start, because another model may be configured. No other process can use the embedded
 * database, so all its claims are released.
 */
export async function wakeAllEmbedding(deps: QueueDeps & Pick<IngestDeps, 'db'>): Promise<void> {
  if (!deps.embedding) return;
  if (deps.db.kind === 'embedded') await releaseAllEmbedding(deps.db.system);
  for (const { id } of await listTenants(deps.db)) await wakeEmbedding(deps, id);
}
