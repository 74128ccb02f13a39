/**
 * Removes chunks and text of versions that are not served any more or never were. They are already hidden, so the removal is
 * not urgent.
 */
import { listReplacedChunks, removeChunks } from '../../corpus/chunk-writer.ts';
import { lockGroup } from '../../corpus/group-store.ts';
import { listMixedGroups } from '../../corpus/source-lookup.ts';
import { clearMixed } from '../../corpus/source-store.ts';
import { removeReplacedTexts } from '../../corpus/sources/text-store.ts';
import { cacheVectorsOfChunks } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { isActive } from '../../jobs/status.ts';
import { inBackground } from '../background.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Sized for about 30 ms each on the embedded database, where transactions queue with searches. */
const CHUNKS_PER_TRANSACTION = 500;
const TEXTS_PER_TRANSACTION = 50;

type RemoveDeps = Pick<IngestDeps, 'db' | 'clock'>;

/** Removes replaced versions in the group of a run. No source of the group may be in flight. @throws RunLost */
export async function removeReplaced(deps: RemoveDeps, active: ActiveRun, signal: AbortSignal): Promise<void> {
  await removeAll(deps, active.tenantId, active.groupId, signal, async (tx) => {
    await checkFence(tx, active);
    return true;
  });
}

/** Removes replaced versions that earlier, interrupted runs left behind. */
export async function removeReplacedOfIdle(deps: RemoveDeps, tenantId: string, signal: AbortSignal): Promise<void> {
  for (const groupId of await deps.db.transaction(tenantId, (tx) => listMixedGroups(tx))) {
    await removeAll(deps, tenantId, groupId, signal, async (tx) => {
      const group = await lockGroup(tx, groupId);
      return group !== undefined && !group.deletedAt && !isActive(group.status);
    });
  }
}

async function removeAll(
  deps: RemoveDeps,
  tenantId: string,
  groupId: string,
  signal: AbortSignal,
  mayGoOn: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  for (let more = true; more; ) {
    signal.throwIfAborted();
    more = await inBackground(deps, tenantId, async (tx) => {
      if (!(await mayGoOn(tx))) return false;
      const chunks = await listReplacedChunks(tx, groupId, CHUNKS_PER_TRANSACTION);
      await cacheVectorsOfChunks(tx, chunks, deps.clock.now());
      await removeChunks(tx, chunks);
      const texts = await removeReplacedTexts(tx, groupId, TEXTS_PER_TRANSACTION);
      if (chunks.length === CHUNKS_PER_TRANSACTION || texts === TEXTS_PER_TRANSACTION) return true;
      await clearMixed(tx, groupId);
      return false;
    });
  }
}
