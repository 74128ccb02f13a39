/**
 * Hides sources whose items are gone at the origin, like a deletion of single sources. Jobs remove the rows and blobs in the
 * background.
 */
import { addChunkMetadatasCount } from '../../corpus/group-store.ts';
import { listGoneSources } from '../../corpus/origin-store.ts';
import { addDeleted } from '../../corpus/run-store.ts';
import { deletedFiles, insertRunFiles } from '../../corpus/runs/run-file-store.ts';
import { type TombstonedSource, tombstoneSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { eraseHistory } from './erase-history.ts';

const SOURCES_PER_TRANSACTION = 20;

/**
 * Hides the sources that are gone, after a listing that came to its end.
 *
 * @param isFullListing items that the listing did not report are gone.
 * @param onlyNeverServed hide only sources that were never served.
 * @throws RunLost
 */
export async function removeGone(
  deps: IngestDeps,
  active: ActiveRun,
  { isFullListing, onlyNeverServed }: { isFullListing: boolean; onlyNeverServed: boolean },
  signal: AbortSignal,
): Promise<void> {
  for (let hidden = 1; hidden > 0; ) {
    signal.throwIfAborted();
    hidden = await deps.db.transaction(active.tenantId, async (tx) => {
      await checkFence(tx, active);
      const gone = await listGoneSources(tx, active.tenantId, active, {
        full: isFullListing,
        unread: onlyNeverServed,
        limit: SOURCES_PER_TRANSACTION,
      });
      await hideSources(deps, tx, active, gone);
      return gone.length;
    });
    deps.crash.reach('origin.gone_hidden');
  }
}

/** Hides sources of a locked group and the sources found inside them. Returns how many of them were pending. */
export async function hideSources(
  deps: IngestDeps,
  tx: Tx,
  { tenantId, groupId, runId }: ActiveRun,
  sourceIds: readonly string[],
): Promise<number> {
  let waiting = 0;
  const all: TombstonedSource[] = [];
  for (const sourceId of sourceIds) {
    const hidden = await tombstoneSources(tx, tenantId, [sourceId], deps.clock.now());
    if (hidden.length === 0) continue;
    all.push(...hidden);
    const metadatas = hidden.reduce((sum, source) => sum + source.chunkMetadatasCount, 0);
    if (metadatas > 0) await addChunkMetadatasCount(tx, tenantId, groupId, -metadatas);
    await addDeleted(tx, tenantId, runId, hidden.length);
    await deps.queue.enqueue(tx, 'delete-source', { tenantId, sourceId });
    waiting += hidden.filter((source) => source.waits).length;
  }
  await insertRunFiles(tx, tenantId, runId, deletedFiles(all));
  if (all.length > 0) await eraseHistory(deps, tx, tenantId, groupId, all);
  return waiting;
}
