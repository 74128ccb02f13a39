/** Gives sources other bytes, and lets sources that failed be read again. */
import { type NewVersion, resetFailedUpdates, saveUpdates } from '../../corpus/origin-store.ts';
import { resetAttempts, resetFailedSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';

/** Saves new versions of served sources. They wait to be read, with all their attempts. */
export async function saveVersions(
  tx: Tx,
  tenantId: string,
  groupId: string,
  versions: readonly NewVersion[],
): Promise<void> {
  await saveUpdates(tx, tenantId, groupId, versions);
  const ids = versions.map(({ sourceId }) => sourceId);
  await resetAttempts(tx, tenantId, ids);
}

/** Makes what failed in the group wait again: sources and new versions of sources, of these sources only if `ids` is given. */
export async function resetFailed(tx: Tx, tenantId: string, groupId: string, ids?: string[]): Promise<void> {
  await resetFailedSources(tx, tenantId, groupId, ids);
  await resetFailedUpdates(tx, tenantId, groupId, ids);
}
