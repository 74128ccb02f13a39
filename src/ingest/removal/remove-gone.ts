/**
 * Hides sources whose items are gone at the origin, like a deletion of single sources. Jobs remove the rows and blobs in the
 * background.
 */
import { listGoneSources } from '../../corpus/origin-store.ts';
import { addDeleted } from '../../corpus/run-store.ts';
import { deletedFiles, insertRunFiles } from '../../corpus/runs/run-file-store.ts';
import type { Tx } from '../../db/database.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { hideSources } from './delete-source.ts';

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
      const gone = await listGoneSources(tx, active, {
        full: isFullListing,
        unread: onlyNeverServed,
        limit: SOURCES_PER_TRANSACTION,
      });
      await hideInRun(deps, tx, active, gone);
      return gone.length;
    });
    deps.crash.reach('origin.gone_hidden');
  }
}

/** Hides sources of the run's locked group and the sources found inside them. Returns how many of them were pending. */
export async function hideInRun(
  deps: IngestDeps,
  tx: Tx,
  { groupId, runId }: ActiveRun,
  sourceIds: readonly string[],
): Promise<number> {
  const hidden = await hideSources(deps, tx, groupId, sourceIds);
  if (hidden.length > 0) await addDeleted(tx, runId, hidden.length);
  await insertRunFiles(tx, runId, deletedFiles(hidden));
  return hidden.filter((source) => source.waits).length;
}
