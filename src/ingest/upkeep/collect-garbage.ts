/**
 * The job `collect-garbage`: removes the leftovers of crashes and restarts work that no worker owns. Every step may run twice.
 */
import { dropStaleReservations } from '../../corpus/blob-row-store.ts';
import { listOverdueDeletions, lockGroup, setGroupStatus } from '../../corpus/group-store.ts';
import { dropExpiredIdempotencyKeys } from '../../corpus/idempotency-store.ts';
import { dropEndedItems } from '../../corpus/origin-store.ts';
import { dropOldRuns, listStalledRuns, setRunStatus } from '../../corpus/run-store.ts';
import { listOverdueTombstones } from '../../corpus/source-lookup.ts';
import { listTenants } from '../../corpus/tenant-store.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { claimStalledTables } from '../../tables/store.ts';
import { removeTempLeftovers } from '../../util/folders.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { removeUnneededBlobs } from '../removal/delete-group.ts';
import { removeDeletedSource } from '../removal/delete-source.ts';
import { removeReplacedOfIdle } from '../runs/remove-replaced.ts';
import { enqueueRun } from '../runs/run-actions.ts';
import { dropOldVectors, renewWornVectors } from '../vectors/embed-generations.ts';
import { wakeEmbedding } from '../vectors/embed-queue.ts';

/** A run without a heartbeat for this long has lost its worker. Workers send a heartbeat every 2 s. */
const STALLED_AFTER_SECONDS = 60;
const DELETING_AFTER_SECONDS = 900;
const SOURCES_PER_COLLECTION = 100;
const ITEMS_PER_TRANSACTION = 2_000;
const TABLE_STALLED_AFTER_SECONDS = 900;
const RUNS_KEPT_DAYS = 90;
const IDEMPOTENCY_KEPT_SECONDS = 24 * 3_600;
/** Interval between two collections. */
export const COLLECT_INTERVAL_MS = 60_000;
/** A look at a tenant without garbage takes about 5 ms. With more tenants, each collection looks at the next part of them. */
const TENANTS_PER_COLLECTION = 200;

export function collectGarbage(deps: IngestDeps): JobHandler {
  return async (_payload, { signal }) => {
    const now = deps.clock.now();
    await deps.blobs.removeLeftovers();
    await removeTempLeftovers();
    for (const tenant of partOf(await listTenants(deps.db), now, TENANTS_PER_COLLECTION)) {
      signal.throwIfAborted();
      await deps.db.transaction(tenant.id, async (tx) => {
        await dropStaleReservations(tx, now);
        await dropOldRuns(tx, secondsBefore(now, RUNS_KEPT_DAYS * 24 * 3_600));
        await dropExpiredIdempotencyKeys(tx, secondsBefore(now, IDEMPOTENCY_KEPT_SECONDS));
      });
      await removeUnneededBlobs(deps, tenant.id, signal);
      await wakeRuns(deps, tenant.id, now);
      await wakeDeletions(deps, tenant.id, now);
      await wakeTables(deps, tenant.id, now);
      await renewWornVectors(deps, tenant.id);
      await wakeEmbedding(deps, tenant.id);
      await dropOldVectors(deps, tenant.id, now, signal);
      await removeOverdueSources(deps, tenant.id, now, signal);
      await removeReplacedOfIdle(deps, tenant.id, signal);
      await forgetItems(deps, tenant.id, signal);
    }
  };
}

/** Returns the part whose turn it is, by the time alone: the next collection may run in another process. */
export function partOf<T>(all: readonly T[], now: Date, size: number): T[] {
  const parts = Math.max(1, Math.ceil(all.length / size));
  const part = Math.floor(now.getTime() / COLLECT_INTERVAL_MS) % parts;
  return all.slice(part * size, (part + 1) * size);
}

/** Finds runs that lost their worker, which get the status `unknown` until another worker claims them. Enqueues runs that have no job. */
async function wakeRuns(deps: IngestDeps, tenantId: string, now: Date): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    const stalled = await listStalledRuns(tx, secondsBefore(now, STALLED_AFTER_SECONDS));
    if (stalled.length === 0) return;
    const withJob = await deps.queue.listRunsWithJob(tx);
    const jobs = new Map(withJob.map(({ runId, isWorkedOn }) => [runId, isWorkedOn]));
    for (const run of stalled) {
      const { id: runId, sourceGroupId, status } = run;
      const hasBegun = status === 'starting' || status === 'started';
      if (jobs.get(runId) || (jobs.has(runId) && !hasBegun)) continue;
      const group = await lockGroup(tx, sourceGroupId);
      if (!group || group.deletedAt) continue;
      if (group.status === status && hasBegun) {
        await setGroupStatus(tx, sourceGroupId, 'unknown');
        await setRunStatus(tx, runId, 'unknown');
      }
      if (jobs.has(runId)) continue;
      deps.log.warn({ runId, status }, 'no worker was working on a run');
      await enqueueRun(deps, tx, run, group.sourceType);
    }
  });
}

async function wakeDeletions(deps: IngestDeps, tenantId: string, now: Date): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    const overdue = await listOverdueDeletions(tx, secondsBefore(now, DELETING_AFTER_SECONDS));
    for (const groupId of overdue) await deps.queue.enqueue(tx, 'delete-group', { tenantId, groupId });
  });
}

/**
 * Removes overdue sources in this job instead of new jobs: every collection retries failed removals, and jobs must not pile up.
 */
async function removeOverdueSources(deps: IngestDeps, tenantId: string, now: Date, signal: AbortSignal): Promise<void> {
  const deletedBefore = secondsBefore(now, DELETING_AFTER_SECONDS);
  const overdue = await deps.db.transaction(tenantId, (tx) =>
    listOverdueTombstones(tx, deletedBefore, SOURCES_PER_COLLECTION),
  );
  for (const sourceId of overdue) {
    signal.throwIfAborted();
    await removeDeletedSource(deps, tenantId, sourceId, signal).catch((error) => {
      deps.log.warn({ err: error, sourceId }, 'a deleted source could not be removed');
    });
  }
}

/** Deletes the recorded outcomes of items, which nothing needs after their run has ended. */
async function forgetItems(deps: IngestDeps, tenantId: string, signal: AbortSignal): Promise<void> {
  for (let dropped = ITEMS_PER_TRANSACTION; dropped === ITEMS_PER_TRANSACTION; ) {
    signal.throwIfAborted();
    dropped = await deps.db.transaction(tenantId, (tx) => dropEndedItems(tx, ITEMS_PER_TRANSACTION));
  }
}

async function wakeTables(deps: IngestDeps, tenantId: string, now: Date): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    const stalled = await claimStalledTables(tx, secondsBefore(now, TABLE_STALLED_AFTER_SECONDS), now);
    for (const sourceId of stalled) await deps.queue.enqueue(tx, 'table-build', { tenantId, sourceId });
  });
}

function secondsBefore(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}
