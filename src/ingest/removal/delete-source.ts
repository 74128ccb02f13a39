/**
 * Deletes one source and the sources found inside it. The tombstones commit with the response, under the group's lock, so an
 * active run cannot restore the sources. The job `delete-files` removes the rest; it may be stopped and restarted at any
 * point.
 */

import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { removeUnneededBlobRows } from '../../corpus/blob-row-store.ts';
import { removeChunksOfSource } from '../../corpus/chunk-writer.ts';
import { addChunkMetadatasCount, lockGroup, type SourceGroup } from '../../corpus/group-store.ts';
import { countSkipped } from '../../corpus/run-store.ts';
import { findTombstone, listTombstonesInside, listTombstonesOfGroup } from '../../corpus/source-lookup.ts';
import {
  noteDeletedMember,
  removeTombstonedSource,
  type TombstonedSource,
  tombstoneSources,
} from '../../corpus/source-store.ts';
import { removeTextsOfSource } from '../../corpus/sources/text-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound, orNotFound } from '../../errors.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { listTableBlobs } from '../../tables/store.ts';
import { removeInParts } from '../background.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { eraseHistory } from './erase-history.ts';

const SOURCES_AT_ONCE = 100;
/** Ids in one audit entry; the entry only counts the others. */
const AUDITED_IDS_MAX = 100;
/** Sized for about 30 ms each on the embedded database, where transactions queue with searches. */
const CHUNKS_PER_TRANSACTION = 500;
const TEXTS_PER_TRANSACTION = 50;

/**
 * Hides the source and the sources found inside it, and starts their removal. A repeated request changes nothing.
 *
 * An active run counts the hidden pending files as skipped. `also` runs in the same
 * transaction.
 *
 * @throws ServiceError not_found
 */
export async function requestSourceDeletion(
  deps: Pick<IngestDeps, 'db' | 'config' | 'queue' | 'clock' | 'crash'>,
  caller: Caller,
  sourceId: string,
  also: (tx: Tx, group: SourceGroup) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(caller.tenantId, async (tx) => {
    const found = orNotFound(await findTombstone(tx, sourceId, caller));
    if (found.deletedAt) return;
    const group = await lockGroup(tx, found.sourceGroupId);
    if (!group || group.deletedAt) throw notFound();
    const hidden = await hideSources(deps, tx, group.id, [sourceId]);
    // Another request already hid the source.
    if (hidden.length === 0) return;
    await noteDeletedMember(tx, sourceId);
    const pending = hidden.filter((source) => source.waits).length;
    if (pending > 0) await countSkipped(tx, group.id, group.generation, pending);
    await also(tx, group);
    await recordChange(tx, caller, 'delete', 'source', sourceId, {
      source_group_id: group.id,
      with_members: hidden.length - 1,
    });
  });
  deps.crash.reach('delete.tombstoned');
}

/**
 * Hides sources of a locked group and the sources found inside them, corrects the group's counter, starts their removal, and returns
 * the hidden sources.
 */
export async function hideSources(
  deps: Pick<IngestDeps, 'config' | 'queue' | 'clock'>,
  tx: Tx,
  groupId: string,
  sourceIds: readonly string[],
): Promise<TombstonedSource[]> {
  if (sourceIds.length === 0) return [];
  const hidden = await tombstoneSources(tx, sourceIds, deps.clock.now());
  if (hidden.length === 0) return [];
  await eraseHistory(deps, tx, groupId, hidden);
  const chunkMetadatas = hidden.reduce((sum, source) => sum + source.chunkMetadatasCount, 0);
  if (chunkMetadatas > 0) await addChunkMetadatasCount(tx, groupId, -chunkMetadatas);
  await deps.queue.enqueue(tx, 'delete-files', { tenantId: tx.tenantId, groupId });
  return hidden;
}

/** Writes the deletion of files to the audit log. Call it last in the transaction. */
export async function auditHiddenFiles(
  tx: Tx,
  caller: Caller,
  groupId: string,
  sourceIds: readonly string[],
): Promise<void> {
  if (sourceIds.length === 0) return;
  await recordChange(tx, caller, 'change', 'source_group', groupId, {
    deleted_files: sourceIds.length,
    source_ids: sourceIds.slice(0, AUDITED_IDS_MAX),
  });
}

/** The job `delete-files`: removes the hidden sources of a group. */
export function deleteFiles(deps: IngestDeps): JobHandler {
  return async ({ tenantId, groupId }, { signal }) => {
    if (!tenantId || !groupId) throw new Error('delete-files needs tenantId and groupId');
    for (let ids = ['']; ids.length > 0; ) {
      ids = await deps.db.transaction(tenantId, (tx) => listTombstonesOfGroup(tx, groupId, SOURCES_AT_ONCE));
      for (const id of ids) await removeDeletedSource(deps, tenantId, id, signal);
    }
  };
}

/** Removes a hidden source and the sources inside it. Does nothing when the source is visible or already removed. */
export async function removeDeletedSource(
  deps: IngestDeps,
  tenantId: string,
  sourceId: string,
  signal: AbortSignal,
): Promise<void> {
  // The source itself is removed last, because its row leads to the sources inside it.
  const hidden = await deps.db.transaction(tenantId, (tx) => listTombstonesInside(tx, sourceId));
  for (const id of hidden) await removeOne(deps, tenantId, id, signal);
}

async function removeOne(deps: IngestDeps, tenantId: string, sourceId: string, signal: AbortSignal): Promise<void> {
  const removeChunks = (tx: Tx) => removeChunksOfSource(tx, sourceId, CHUNKS_PER_TRANSACTION);
  await removeInParts(deps, tenantId, signal, removeChunks, () => deps.crash.reach('delete.chunks_removed'));
  const removeTexts = (tx: Tx) => removeTextsOfSource(tx, sourceId, TEXTS_PER_TRANSACTION);
  await removeInParts(deps, tenantId, signal, removeTexts);
  // One transaction removes the row and the blobs: while the row exists, a retried job knows which blobs to remove.
  await deps.db.transaction(tenantId, async (tx) => {
    const ofTables = await listTableBlobs(tx, sourceId);
    const hash = await removeTombstonedSource(tx, sourceId);
    if (hash === undefined) return;
    const unneeded = await removeUnneededBlobRows(tx, [hash, ...ofTables]);
    await Promise.all(unneeded.map((blob) => deps.blobs.delete(tenantId, blob)));
    deps.crash.reach('delete.blobs_removed');
  });
  deps.crash.reach('delete.finished');
}
