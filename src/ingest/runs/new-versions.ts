/** Gives sources other bytes, and lets sources that failed be read again. */
import { type NewVersion, resetFailedUpdates, saveUpdates } from '../../corpus/origin-store.ts';
import { resetAttempts, resetFailedSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';

/** Saves new versions of served sources. They wait to be read, with all their attempts. */
export async function saveVersions(tx: Tx, groupId: string, versions: readonly NewVersion[]): Promise<void> {
  await saveUpdates(tx, groupId, versions);
  const ids = versions.map(({ sourceId }) => sourceId);
  await resetAttempts(tx, ids);
}

/** Makes what failed in the group wait again: sources and new versions of sources, of these sources only if `ids` is given. */
export async function resetFailed(tx: Tx, groupId: string, ids?: string[]): Promise<void> {
  await resetFailedSources(tx, groupId, ids);
  await resetFailedUpdates(tx, groupId, ids);
}
