/** Hides what is gone at the origin, as a deletion of single sources does; rows and blobs go in the background. */
import { addChunkMetadatasCount } from '../../corpus/group-store.ts';
import { listGoneSources } from '../../corpus/origin-store.ts';
import { addDeleted } from '../../corpus/run-store.ts';
import { tombstoneSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';

const SOURCES_PER_TRANSACTION = 20;

/**
 * After a listing that came to its end.
 *
 * @param full what it did not name is gone.
 * @param unread only sources that were never served.
 * @throws RunLost
 */
export async function removeGone(
  deps: IngestDeps,
  active: ActiveRun,
  { full, unread }: { full: boolean; unread: boolean },
  signal: AbortSignal,
): Promise<void> {
  for (let hidden = 1; hidden > 0; ) {
    signal.throwIfAborted();
    hidden = await deps.db.transaction(active.tenantId, async (tx) => {
      await checkFence(tx, active);
      const gone = await listGoneSources(tx, active.tenantId, active, {
        full,
        unread,
        limit: SOURCES_PER_TRANSACTION,
      });
      await hideSources(deps, tx, active, gone);
      return gone.length;
    });
    deps.crash.reach('origin.gone_hidden');
  }
}

/** With what was found inside them; returns how many of them waited to be read. Their group must be locked. */
export async function hideSources(
  deps: IngestDeps,
  tx: Tx,
  { tenantId, groupId, runId }: ActiveRun,
  sourceIds: readonly string[],
): Promise<number> {
  let waiting = 0;
  for (const sourceId of sourceIds) {
    const hidden = await tombstoneSources(tx, tenantId, [sourceId], deps.clock.now());
    if (hidden.length === 0) continue;
    const metadatas = hidden.reduce((sum, source) => sum + source.chunkMetadatasCount, 0);
    if (metadatas > 0) await addChunkMetadatasCount(tx, tenantId, groupId, -metadatas);
    await addDeleted(tx, tenantId, runId, hidden.length);
    await deps.queue.enqueue(tx, 'delete-source', { tenantId, sourceId });
    waiting += hidden.filter((source) => source.waits).length;
  }
  return waiting;
}
