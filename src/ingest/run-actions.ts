/** Starting and canceling runs, as callers ask for it. */
import { findGroup, type GroupLimits, lockGroup, setGroupStatus } from '../corpus/group-store.ts';
import { findRun, insertRun, lockRun, type Run, setRunStatus } from '../corpus/run-store.ts';
import { countSources, resetFailedSources } from '../corpus/source-store.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isActive, mayFollow } from '../jobs/status.ts';
import { newId } from '../util/ids.ts';
import type { IngestDeps } from './ingest-deps.ts';

type ActionDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock'>;

/**
 * Runs a source group again. For uploaded files nothing can have changed at the origin, so ready files count as unchanged
 * and failed (or, after a cancellation, unfinished) ones are tried again; `onlyFailed` leaves the others out of the figures.
 *
 * @throws ServiceError not_found; conflict while a run is active.
 */
export async function startRun(
  deps: ActionDeps,
  tenantId: string,
  groupId: string,
  limits: GroupLimits,
  onlyFailed: boolean,
): Promise<Run> {
  return deps.db.transaction(tenantId, async (tx) => {
    const visible = await findGroup(tx, tenantId, groupId, limits);
    const group = visible && (await lockGroup(tx, tenantId, groupId));
    if (!group || group.deletedAt) throw notFound();
    if (!mayFollow(group.status, 'queued') || isActive(group.status)) {
      throw new ServiceError(
        'conflict',
        `The source group is ${group.status}: it can run again when its run has ended.`,
      );
    }
    const counts = await countSources(tx, tenantId, groupId);
    await resetFailedSources(tx, tenantId, groupId);
    const generation = group.generation + 1;
    await setGroupStatus(tx, tenantId, groupId, 'queued', { generation });
    const unchanged = onlyFailed ? 0 : counts.ready;
    const id = newId(deps.clock.now().getTime());
    await insertRun(tx, tenantId, {
      id,
      sourceGroupId: groupId,
      generation,
      scanned: counts.failed + counts.pending + unchanged,
      unchanged,
      createdAt: deps.clock.now(),
    });
    await deps.queue.enqueue(tx, 'ingest-run', { tenantId, runId: id });
    return (await findRun(tx, tenantId, id, limits))!;
  });
}

/**
 * Asks a run to stop: files in hand are dropped, what is stored stays. Asked again, it changes nothing.
 *
 * @throws ServiceError not_found; conflict when the run has ended.
 */
export async function cancelRun(deps: ActionDeps, tenantId: string, runId: string, limits: GroupLimits): Promise<Run> {
  return deps.db.transaction(tenantId, async (tx) => {
    const visible = await findRun(tx, tenantId, runId, limits);
    const group = visible && (await lockGroup(tx, tenantId, visible.sourceGroupId));
    const run = group && (await lockRun(tx, tenantId, runId));
    if (!run || group.deletedAt) throw notFound();
    if (run.status === 'canceling' || run.status === 'canceled') return run;
    if (!mayFollow(run.status, 'canceling')) throw new ServiceError('conflict', `The run has ended: ${run.status}.`);
    await setGroupStatus(tx, tenantId, group.id, 'canceling');
    await setRunStatus(tx, tenantId, runId, 'canceling');
    // Whoever works on it notices; if nobody does, this job ends it.
    await deps.queue.enqueue(tx, 'ingest-run', { tenantId, runId });
    return { ...run, status: 'canceling' };
  });
}
