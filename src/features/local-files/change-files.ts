/** Changes the files of a local file group: adds, replaces, moves and deletes them by their paths. */

import type { Caller } from '../../access/caller.ts';
import type { ChangedFiles } from '../../client/api.ts';
import { findGroup, lockGroup, type SourceGroup } from '../../corpus/group-store.ts';
import { dropUpdates, type NewVersion } from '../../corpus/origin-store.ts';
import { countSkipped } from '../../corpus/run-store.ts';
import { deletedFiles, insertRunFiles } from '../../corpus/runs/run-file-store.ts';
import {
  checkQuota,
  countSources,
  GROUP_BYTES_MAX,
  GROUP_SOURCES_MAX,
  listFiles,
  lockQuotaRoom,
  type StoredFile,
} from '../../corpus/source-lookup.ts';
import { renameSources, restartSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, invalidRequest, notFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import type { IdempotencyRecord } from '../../http/route.ts';
import { auditHiddenFiles, hideSources } from '../../ingest/removal/delete-source.ts';
import { runForIncluders } from '../../ingest/runs/includes.ts';
import { saveVersions } from '../../ingest/runs/new-versions.ts';
import { mayRun, queueChangesRun } from '../../ingest/runs/run-actions.ts';
import { insertFiles, SOURCE_TYPE, toSentFile } from './local-files.ts';
import { type ChangePlan, countChanges, isEmptyPlan, planChanges, type SentFile } from './plan-changes.ts';
import { changeDigest, type ReceivedChange } from './receive.ts';
import { storeUpload } from './store-upload.ts';

/**
 * Applies a change request to the files of a group. A file stays searchable until its new version is searchable. A deleted file is
 * hidden when this function returns.
 *
 * @throws ServiceError not_found; conflict while a run is active, and for an impossible move; invalid_request or too_large if the group
 *   would become too large.
 */
export async function changeFiles(
  deps: Deps,
  caller: Caller,
  groupId: string,
  change: ReceivedChange,
  idempotency: IdempotencyRecord,
  signal: AbortSignal,
): Promise<ChangedFiles> {
  const request = { files: change.files, digest: changeDigest(change) };
  return storeUpload(deps, caller, request, idempotency, signal, async (tx) => {
    const group = await lockFiles(tx, caller, groupId);
    if (!mayRun(group.status))
      throw conflict(`The source group is ${group.status}: change its files when its run has ended.`);
    const paths = [...change.files.map(({ path }) => path), ...change.moves.flatMap(({ from, to }) => [from, to])];
    const stored = await listFiles(tx, groupId, change.mode === 'mirror' ? undefined : paths);
    const receivedAt = deps.clock.now();
    const files = change.files.map((file) => toSentFile(file, receivedAt));
    const plan = planChanges({ mode: change.mode, files, moves: change.moves }, stored);
    return apply(deps, tx, caller, group, plan, stored);
  });
}

async function apply(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  group: SourceGroup,
  plan: ChangePlan,
  stored: readonly StoredFile[],
): Promise<ChangedFiles> {
  const answer = { source_group_id: group.id, ...countChanges(plan), deleted: plan.deleted.length };
  if (isEmptyPlan(plan)) return { ...answer, run_id: null };
  const hidden = await hideSources(deps, tx, group.id, plan.deleted);
  checkRoom(await countSources(tx, group.id), plan);
  const bytes = sentFiles(plan).reduce((sum, { size }) => sum + size, 0);
  checkQuota(await lockQuotaRoom(tx, deps.config.quotas), { files: plan.added.length, bytes });
  await write(deps, tx, group, plan);
  const runId = await queueChangesRun(deps, tx, group, {
    unchanged: plan.unchanged,
    updatedInPlace: countSettled(plan, stored),
    deleted: hidden.length,
  });
  await insertRunFiles(tx, runId, deletedFiles(hidden));
  await auditHiddenFiles(tx, caller, group.id, plan.deleted);
  return { ...answer, run_id: runId };
}

async function write(deps: Deps, tx: Tx, group: SourceGroup, plan: ChangePlan): Promise<void> {
  const createdAt = deps.clock.now();
  await insertFiles(tx, group.id, plan.added, createdAt);
  const renamed = plan.renamed.map(({ sourceId: id, path, name }) => ({ id, path, name }));
  await renameSources(tx, renamed);
  const reread = (isServed: boolean): NewVersion[] =>
    plan.reread.filter((file) => file.status === (isServed ? 'ready' : 'failed')).map(sameVersion);
  await restartSources(tx, [...plan.restarted.map(newVersion), ...reread(false)]);
  await saveVersions(tx, group.id, [...plan.updated.map(newVersion), ...reread(true)]);
  await dropUpdates(tx, plan.reverted);
}

function newVersion({ sourceId, file }: { sourceId: string; file: SentFile }): NewVersion {
  return { sourceId, blobHash: file.hash, fileSize: file.size, contentAt: file.contentAt };
}

function sameVersion(file: StoredFile): NewVersion {
  return {
    sourceId: file.sourceId,
    blobHash: file.updateHash ?? file.blobHash,
    fileSize: file.fileSize,
    contentAt: null,
  };
}

/** Returns the number of files that changed but need not be read. */
function countSettled(plan: ChangePlan, stored: readonly StoredFile[]): number {
  const isRead = new Set([
    ...stored.filter((file) => file.waits).map((file) => file.sourceId),
    ...[...plan.updated, ...plan.restarted, ...plan.reread].map((one) => one.sourceId),
  ]);
  return new Set([...plan.reverted, ...[...plan.moved].filter((sourceId) => !isRead.has(sourceId))]).size;
}

/** Returns the files whose bytes are stored. */
function sentFiles({ added, restarted, updated }: ChangePlan): SentFile[] {
  return [...added, ...restarted.map(({ file }) => file), ...updated.map(({ file }) => file)];
}

/** Checks the limits of a group. @throws ServiceError invalid_request, too_large */
function checkRoom(counts: { pending: number; ready: number; failed: number; bytes: number }, plan: ChangePlan): void {
  const { added } = plan;
  const sources = counts.pending + counts.ready + counts.failed + added.length;
  if (added.length > 0 && sources > GROUP_SOURCES_MAX)
    throw invalidRequest(`A source group has at most ${GROUP_SOURCES_MAX} files.`);
  const sent = sentFiles(plan);
  const bytes = sent.reduce((sum, { size }) => sum + size, counts.bytes);
  if (sent.length > 0 && bytes > GROUP_BYTES_MAX)
    throw new ServiceError('too_large', `A source group has at most ${GROUP_BYTES_MAX / 1024 ** 3} GiB of files.`);
}

/**
 * Hides the files with these paths, starts their removal, and returns their number. A repeated call changes nothing. An active run
 * counts the hidden files that it has not read as skipped.
 *
 * @throws ServiceError not_found
 */
export async function deleteFilesByPath(
  deps: Deps,
  caller: Caller,
  groupId: string,
  paths: readonly string[],
): Promise<number> {
  const deleted = await deps.db.transaction(caller.tenantId, async (tx) => {
    const group = await lockFiles(tx, caller, groupId);
    const files = await listFiles(tx, groupId, paths);
    const ids = files.map((file) => file.sourceId);
    const hidden = await hideSources(deps, tx, groupId, ids);
    const waiting = hidden.filter((source) => source.waits).length;
    if (waiting > 0) await countSkipped(tx, groupId, group.generation, waiting);
    if (hidden.length > 0) await runForIncluders(deps, tx, group);
    await auditHiddenFiles(tx, caller, groupId, ids);
    return files.length;
  });
  deps.crash.reach('delete.tombstoned');
  return deleted;
}

/** Locks a group of uploaded files that the caller may see. @throws ServiceError not_found */
async function lockFiles(tx: Tx, caller: Caller, groupId: string): Promise<SourceGroup> {
  const visible = await findGroup(tx, groupId, caller);
  const group = visible && (await lockGroup(tx, groupId));
  if (!group || group.deletedAt || group.sourceType !== SOURCE_TYPE) throw notFound();
  return group;
}
