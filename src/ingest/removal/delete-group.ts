/**
 * Deletes a source group. The tombstone commits with the response and hides the group at once. The job `delete-group` removes
 * the rest in small transactions; it may be stopped and restarted at any point.
 */

import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { listUnneededBlobs, removeUnneededBlobRows } from '../../corpus/blob-row-store.ts';
import { removeChunksOfGroup } from '../../corpus/chunk-writer.ts';
import { findGroup, lockGroup, removeGroup, type SourceGroup, setGroupStatus } from '../../corpus/group-store.ts';
import { deleteSetting } from '../../corpus/setting-store.ts';
import { removeSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound } from '../../errors.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { forEachLimited } from '../../util/pool.ts';
import { eraseOneTimeCredential } from '../../vault/secret-store.ts';
import { inBackground, removeInParts } from '../background.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { eraseHistory } from './erase-history.ts';

/** Sized for about 30 ms each on the embedded database, where transactions queue with searches. */
const CHUNKS_PER_TRANSACTION = 500;
const SOURCES_PER_TRANSACTION = 50;
const BLOBS_PER_TRANSACTION = 50;
const FILES_REMOVED_AT_ONCE = 8;

/**
 * Hides the group and starts its removal. A repeated request changes nothing, or restarts a failed deletion.
 *
 * @param sourceType if given, groups of other types count as not found.
 * @throws ServiceError not_found
 */
export async function requestDeletion(
  deps: Pick<IngestDeps, 'db' | 'config' | 'queue' | 'clock' | 'crash'>,
  caller: Caller,
  groupId: string,
  sourceType?: string,
): Promise<void> {
  const { tenantId } = caller;
  await deps.db.transaction(tenantId, async (tx) => {
    const visible = await findGroup(tx, groupId, caller);
    const group = visible && (await lockGroup(tx, groupId));
    if (!group || (sourceType !== undefined && group.sourceType !== sourceType)) throw notFound();
    if (group.status === 'deleting') return;
    const deletedAt = group.deletedAt ?? deps.clock.now();
    await setGroupStatus(tx, groupId, 'deleting', { deletedAt, error: null });
    await eraseHistory(deps, tx, groupId, null);
    await deleteSetting(tx, groupId, deletedAt);
    await eraseOneTimeCredential(tx, groupId);
    await deps.queue.enqueue(tx, 'delete-group', { tenantId, groupId });
    await recordChange(tx, caller, 'delete', 'source_group', groupId, {
      name: group.name,
      source_type: group.sourceType,
    });
  });
  deps.crash.reach('delete.tombstoned');
}

/**
 * The job `delete-group`: removes the content of a tombstoned group in small transactions. The job may run twice and continues
 * after a crash.
 */
export function deleteGroup(deps: IngestDeps): JobHandler {
  return async ({ tenantId, groupId }, { signal, lastAttempt }) => {
    if (!tenantId || !groupId) throw new Error('delete-group needs tenantId and groupId');
    const group = await deps.db.transaction(tenantId, (tx) => lockGroup(tx, groupId));
    if (!group?.deletedAt) return;
    try {
      await removeContent(deps, tenantId, group, signal);
    } catch (error) {
      if (lastAttempt && !signal.aborted) await recordFailure(deps, tenantId, groupId);
      throw error;
    }
  };
}

async function removeContent(
  deps: IngestDeps,
  tenantId: string,
  group: SourceGroup,
  signal: AbortSignal,
): Promise<void> {
  const removeChunks = (tx: Tx) => removeChunksOfGroup(tx, group.id, CHUNKS_PER_TRANSACTION);
  await removeInParts(deps, tenantId, signal, removeChunks, () => deps.crash.reach('delete.chunks_removed'));
  for (let hashes = ['']; hashes.length > 0; ) {
    signal.throwIfAborted();
    hashes = await inBackground(deps, tenantId, (tx) => removeSources(tx, group.id, SOURCES_PER_TRANSACTION));
    deps.crash.reach('delete.sources_removed');
    await removeBlobs(deps, tenantId, hashes);
    deps.crash.reach('delete.blobs_removed');
  }
  // These blobs belong to sources that an earlier, interrupted attempt removed.
  await removeUnneededBlobs(deps, tenantId, signal);
  await deps.db.transaction(tenantId, (tx) => removeGroup(tx, group.id));
  deps.crash.reach('delete.finished');
}

/**
 * Removes the given blobs that nothing needs any more, and returns their number. The files are deleted while the rows are locked: see
 * blob-row-store.ts.
 */
async function removeBlobs(deps: IngestDeps, tenantId: string, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0;
  return deps.db.transaction(tenantId, async (tx) => {
    const unneeded = await removeUnneededBlobRows(tx, hashes);
    await forEachLimited(unneeded, FILES_REMOVED_AT_ONCE, (hash) => deps.blobs.delete(tenantId, hash));
    return unneeded.length;
  });
}

/** Removes every blob of the tenant that neither a source nor an upload needs. */
export async function removeUnneededBlobs(deps: IngestDeps, tenantId: string, signal: AbortSignal): Promise<void> {
  for (let removed = 1; removed > 0; ) {
    signal.throwIfAborted();
    const hashes = await deps.db.transaction(tenantId, (tx) => listUnneededBlobs(tx, BLOBS_PER_TRANSACTION));
    // None is removed while a backup runs.
    removed = await removeBlobs(deps, tenantId, hashes);
  }
}

async function recordFailure(deps: IngestDeps, tenantId: string, groupId: string): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    const group = await lockGroup(tx, groupId);
    if (group?.status !== 'deleting') return;
    const error = {
      title: 'The deletion failed',
      message: 'The content is hidden. Delete the group again to remove what is left of it.',
    };
    await setGroupStatus(tx, groupId, 'delete_job_failure', { error });
  });
}
