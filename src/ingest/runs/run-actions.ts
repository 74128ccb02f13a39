/** Starting and canceling runs, as callers ask for it. */

import type { GroupLimits } from '../../access/limits.ts';
import { findGroup, lockGroup, type SourceGroup, setGroupStatus, UPLOADED } from '../../corpus/group-store.ts';
import { resetFailedUpdates } from '../../corpus/origin-store.ts';
import {
  addDeleted,
  addListed,
  findRun,
  insertRun,
  lockRun,
  NOTHING_LISTED,
  type Run,
  type RunReads,
  setRunStatus,
} from '../../corpus/run-store.ts';
import { findSettingOfGroup, forgetCheckpoint, type Setting } from '../../corpus/setting-store.ts';
import { countSources } from '../../corpus/source-lookup.ts';
import { resetFailedSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { isActive, type JobStatus, mayFollow } from '../../jobs/status.ts';
import { newId } from '../../util/ids.ts';
import { hasOneTimeCredential } from '../../vault/secret-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

type ActionDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock'>;

/**
 * Runs a source group again. For uploaded files nothing can have changed at the origin, so ready files count as unchanged
 * and failed (or, after a cancellation, unfinished) ones are tried again; `onlyFailed` leaves the others out of the figures.
 * What is kept in step with an origin is listed anew, and `onlyFailed` changes nothing: what is unchanged there costs nothing.
 *
 * @throws ServiceError not_found; conflict while a run is active, and when nothing is left to open the origin with.
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
    if (!mayRun(group.status)) {
      throw new ServiceError(
        'conflict',
        `The source group is ${group.status}: it can run again when its run has ended.`,
      );
    }
    const setting = await findSettingOfGroup(tx, tenantId, groupId);
    if (setting) await checkCredential(tx, tenantId, setting);
    const id = setting
      ? await queueOriginRun(deps, tx, tenantId, group)
      : await queueFilesRun(deps, tx, tenantId, group, onlyFailed);
    return (await findRun(tx, tenantId, id, limits))!;
  });
}

/** Whether a run may begin. */
export function mayRun(status: JobStatus): boolean {
  return mayFollow(status, 'queued') && !isActive(status);
}

/**
 * Makes the run of a locked group that is kept in step with an origin, and its job; returns its id. What it looks at is counted
 * while it lists. What could not be read before is tried again.
 */
export async function queueOriginRun(
  deps: ActionDeps,
  tx: Tx,
  tenantId: string,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
): Promise<string> {
  await forgetCheckpoint(tx, tenantId, group.id);
  await resetFailedSources(tx, tenantId, group.id);
  await resetFailedUpdates(tx, tenantId, group.id);
  return queueRun(deps, tx, tenantId, group, { scanned: 0, unchanged: 0 });
}

async function queueFilesRun(
  deps: ActionDeps,
  tx: Tx,
  tenantId: string,
  group: SourceGroup,
  onlyFailed: boolean,
): Promise<string> {
  await resetFailedSources(tx, tenantId, group.id);
  await resetFailedUpdates(tx, tenantId, group.id);
  const { pending, updating, ready } = await countSources(tx, tenantId, group.id);
  const unchanged = onlyFailed ? 0 : ready - updating;
  return queueRun(deps, tx, tenantId, group, { scanned: pending + updating + unchanged, unchanged });
}

/** What a request did to the files of a group before its run begins. */
export interface FileChanges {
  unchanged: number;
  /** Files that were updated without being read: they got another path, or an earlier version back. */
  settled: number;
  /** Sources, those found inside others among them. */
  deleted: number;
}

/** The run of a locked group of uploaded files that reads what a request added and changed; returns its id. */
export async function queueChangesRun(
  deps: ActionDeps,
  tx: Tx,
  tenantId: string,
  group: SourceGroup,
  { unchanged, settled, deleted }: FileChanges,
): Promise<string> {
  const { pending, updating } = await countSources(tx, tenantId, group.id);
  const id = await queueRun(deps, tx, tenantId, group, { scanned: pending + updating + unchanged, unchanged });
  const step = { ...NOTHING_LISTED, listed: settled, updated: settled };
  if (settled > 0) await addListed(tx, tenantId, id, step, deps.clock.now());
  if (deleted > 0) await addDeleted(tx, tenantId, id, deleted);
  return id;
}

/** A run of a locked group that reads what waits, without a look at its origin. `waiting` sources are its total. */
export function queueStoredRun(
  deps: ActionDeps,
  tx: Tx,
  tenantId: string,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
  waiting: number,
): Promise<string> {
  return queueRun(deps, tx, tenantId, group, { scanned: waiting, unchanged: 0 }, 'stored');
}

async function queueRun(
  deps: ActionDeps,
  tx: Tx,
  tenantId: string,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
  figures: { scanned: number; unchanged: number },
  reads: RunReads = 'origin',
): Promise<string> {
  const generation = group.generation + 1;
  await setGroupStatus(tx, tenantId, group.id, 'queued', { generation });
  const createdAt = deps.clock.now();
  const id = newId(createdAt.getTime());
  await insertRun(tx, tenantId, { id, reads, sourceGroupId: group.id, generation, ...figures, createdAt });
  await enqueueRun(deps, tx, tenantId, { id, reads }, group.sourceType);
  return id;
}

/** The job that works on a run. */
export async function enqueueRun(
  { queue }: Pick<IngestDeps, 'queue'>,
  tx: Tx,
  tenantId: string,
  { id: runId, reads }: Pick<Run, 'id' | 'reads'>,
  sourceType: string,
): Promise<void> {
  // Without its origin a run waits for nobody: it stands with the uploads.
  const kind = sourceType === UPLOADED || reads === 'stored' ? 'ingest-run' : 'origin-run';
  await queue.enqueue(tx, kind, { tenantId, runId });
}

/** A secret that was deleted meanwhile is told by the run. */
async function checkCredential(tx: Tx, tenantId: string, setting: Setting): Promise<void> {
  if (!setting.needsCredential || setting.secretId !== null) return;
  if (await hasOneTimeCredential(tx, tenantId, setting.sourceGroupId)) return;
  throw new ServiceError(
    'conflict',
    'The credential of this source was erased after its first run. Create the source again with a stored secret.',
  );
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
    await enqueueRun(deps, tx, tenantId, run, group.sourceType);
    return { ...run, status: 'canceling' };
  });
}
