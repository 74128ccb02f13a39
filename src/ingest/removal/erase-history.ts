/** Erases stored answers together with the content that they rest on, if PINAKES_HISTORY_ON_DELETE says so. */
import { eraseAnswers } from '../../corpus/conversation-store.ts';
import type { Tx } from '../../db/database.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/**
 * Erases the answers that rest on deleted sources of a locked group, or on the whole group if `sources` is null. A turn that is being
 * stored meanwhile waits for the lock or is erased.
 */
export async function eraseHistory(
  { config, clock }: Pick<IngestDeps, 'config' | 'clock'>,
  tx: Tx,
  groupId: string,
  sources: readonly { id: string }[] | null,
): Promise<void> {
  if (config.historyOnDelete === 'keep') return;
  await eraseAnswers(tx, groupId, sources?.map(({ id }) => id) ?? null, clock.now());
}
