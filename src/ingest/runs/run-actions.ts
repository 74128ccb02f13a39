/** Starts and cancels runs at the request of callers. */

import type { GroupLimits } from '../../access/limits.ts';
import { findGroup, lockGroup, type SourceGroup, setGroupStatus, UPLOADED } from '../../corpus/group-store.ts';
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
import { countFiles, countSources } from '../../corpus/source-lookup.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, notFound } from '../../errors.ts';
import { isActive, type JobStatus, mayFollow } from '../../jobs/status.ts';
import { isId, newId } from '../../util/ids.ts';
import { hasOneTimeCredential } from '../../vault/secret-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { resetFailed } from './new-versions.ts';

export interface RunRequest {
  /** Leaves the unchanged files of an upload out of the counts. */
  onlyFailed: boolean;
  /** Only these files, of those that failed. Their origin is not asked. */
  sourceIds?: readonly string[] | undefined;
}

type ActionDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock'>;

/**
 * Starts a new run of a source group and returns it.
 *
 * Uploaded files cannot have changed, so ready files count as unchanged. Failed files, and unfinished files of a canceled run,
 * are processed again. A group with an origin is listed again; `onlyFailed` has no effect there, because unchanged items cost
 * nothing.
 *
 * @throws ServiceError not_found; conflict while a run is active, when the credential of the origin was erased, or when none of
 *   `sourceIds` has failed.
 */
export async function startRun(
  deps: ActionDeps,
  tenantId: string,
  groupId: string,
  limits: GroupLimits,
  { onlyFailed, sourceIds }: RunRequest,
): Promise<Run> {
  return deps.db.transaction(tenantId, async (tx) => {
    const visible = await findGroup(tx, groupId, limits);
    const group = visible && (await lockGroup(tx, groupId));
    if (!group || group.deletedAt) throw notFound();
    if (!mayRun(group.status)) {
      throw conflict(`The source group is ${group.status}: it can run again when its run has ended.`);
    }
    if (sourceIds) {
      const id = await queueFailedFiles(deps, tx, group, sourceIds);
      return (await findRun(tx, id, limits))!;
    }
    const setting = await findSettingOfGroup(tx, groupId);
    if (setting) await checkCredential(tx, setting);
    const id = setting ? await queueOriginRun(deps, tx, group) : await queueFilesRun(deps, tx, group, onlyFailed);
    return (await findRun(tx, id, limits))!;
  });
}

/** Returns whether a run may start in a group of this status. */
export function mayRun(status: JobStatus): boolean {
  return mayFollow(status, 'queued') && !isActive(status);
}

/**
 * Queues the run of a locked group with an origin, and returns the run's id. The run counts items while it lists them. Failed
 * sources are processed again.
 */
export async function queueOriginRun(
  deps: ActionDeps,
  tx: Tx,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
): Promise<string> {
  await forgetCheckpoint(tx, group.id);
  await resetFailed(tx, group.id);
  return queueRun(deps, tx, group, { scanned: 0, unchanged: 0 });
}

async function queueFilesRun(deps: ActionDeps, tx: Tx, group: SourceGroup, onlyFailed: boolean): Promise<string> {
  await resetFailed(tx, group.id);
  const { pending, updating, ready } = await countSources(tx, group.id);
  const unchanged = onlyFailed ? 0 : ready - updating;
  return queueRun(deps, tx, group, { scanned: pending + updating + unchanged, unchanged });
}

/** Queues a run that reads the given files of a locked group again, from their stored bytes. */
async function queueFailedFiles(
  deps: ActionDeps,
  tx: Tx,
  group: SourceGroup,
  sourceIds: readonly string[],
): Promise<string> {
  const wanted = [...new Set(sourceIds.map((id) => id.toLowerCase()))];
  if (!wanted.every(isId)) throw notFound();
  const { found, unread } = await countFiles(tx, group.id, wanted);
  if (found < wanted.length) throw notFound();
  if (unread === 0) throw conflict('None of these files has failed.');
  await resetFailed(tx, group.id, wanted);
  const { pending, updating } = await countSources(tx, group.id);
  return queueStoredRun(deps, tx, group, pending + updating);
}

/** Changes that a request made to the files of a group before their run starts. */
interface FileChanges {
  unchanged: number;
  /** Files that were updated without being processed: they got another path, or an earlier version again. */
  updatedInPlace: number;
  /** Deleted sources, including files found inside other files. */
  deleted: number;
}

/** Queues a run that processes the files which a request added or changed in a locked group. Returns the run's id. */
export async function queueChangesRun(
  deps: ActionDeps,
  tx: Tx,
  group: SourceGroup,
  { unchanged, updatedInPlace, deleted }: FileChanges,
): Promise<string> {
  const { pending, updating } = await countSources(tx, group.id);
  const id = await queueRun(deps, tx, group, { scanned: pending + updating + unchanged, unchanged });
  const step = { ...NOTHING_LISTED, listed: updatedInPlace, updated: updatedInPlace };
  if (updatedInPlace > 0) await addListed(tx, id, step, deps.clock.now());
  if (deleted > 0) await addDeleted(tx, id, deleted);
  return id;
}

/**
 * Queues a run that processes the pending sources of a locked group without listing its origin. `waiting` is the run's total.
 */
export function queueStoredRun(
  deps: ActionDeps,
  tx: Tx,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
  waiting: number,
): Promise<string> {
  return queueRun(deps, tx, group, { scanned: waiting, unchanged: 0 }, 'stored');
}

async function queueRun(
  deps: ActionDeps,
  tx: Tx,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType'>,
  figures: { scanned: number; unchanged: number },
  reads: RunReads = 'origin',
): Promise<string> {
  const generation = group.generation + 1;
  await setGroupStatus(tx, group.id, 'queued', { generation });
  const createdAt = deps.clock.now();
  const id = newId(createdAt.getTime());
  await insertRun(tx, { id, reads, sourceGroupId: group.id, generation, ...figures, createdAt });
  await enqueueRun(deps, tx, { id, reads }, group.sourceType);
  return id;
}

/** Enqueues the job that works on a run. */
export async function enqueueRun(
  { queue }: Pick<IngestDeps, 'queue'>,
  tx: Tx,
  { id: runId, reads }: Pick<Run, 'id' | 'reads'>,
  sourceType: string,
): Promise<void> {
  // A run that does not list its origin never waits for a remote service, so it uses the queue of uploads.
  const kind = sourceType === UPLOADED || reads === 'stored' ? 'ingest-run' : 'origin-run';
  await queue.enqueue(tx, kind, { tenantId: tx.tenantId, runId });
}

/** Checks a one-time credential. The run itself reports a secret that was deleted. */
async function checkCredential(tx: Tx, setting: Setting): Promise<void> {
  if (!setting.needsCredential || setting.secretId !== null) return;
  if (await hasOneTimeCredential(tx, setting.sourceGroupId)) return;
  throw conflict(
    'The credential of this source was erased after its first run. Create the source again with a stored secret.',
  );
}

/** Requests that a run stops: files in flight are dropped, stored results stay. A repeated request changes nothing. */
export async function cancelRun(deps: ActionDeps, tenantId: string, runId: string, limits: GroupLimits): Promise<Run> {
  return deps.db.transaction(tenantId, async (tx) => {
    const visible = await findRun(tx, runId, limits);
    const group = visible && (await lockGroup(tx, visible.sourceGroupId));
    const run = group && (await lockRun(tx, runId));
    if (!run || group.deletedAt) throw notFound();
    if (run.status === 'canceling' || run.status === 'canceled') return run;
    if (!mayFollow(run.status, 'canceling')) throw conflict(`The run has ended: ${run.status}.`);
    await setGroupStatus(tx, group.id, 'canceling');
    await setRunStatus(tx, runId, 'canceling');
    // A worker that owns the run notices the status. If no worker does, this job ends the run.
    await enqueueRun(deps, tx, run, group.sourceType);
    return { ...run, status: 'canceling' };
  });
}
