/**
 * Files found inside a file become sources in the transaction that makes the file itself ready, so that each comes once,
 * whatever is tried again. Their bytes are durable before it, reserved as an upload's are.
 */
import { insertBlobRows, insertReservation, releaseReservation } from '../corpus/blob-row-store.ts';
import { addFilesToRun } from '../corpus/run-store.ts';
import { countSources, insertMembers } from '../corpus/source-store.ts';
import type { Tx } from '../db/database.ts';
import { newId } from '../util/ids.ts';
import { overLimit } from './failure.ts';
import type { ActiveRun } from './fence.ts';
import type { IngestDeps } from './ingest-deps.ts';
import type { SourceRows } from './rows.ts';

/** Sources of a group, those found inside others among them. */
export const GROUP_SOURCES_MAX = 10_000;
const ROWS_PER_STATEMENT = 400;

/**
 * Makes the members' bytes durable and calls `store`, which calls what it is given in its last transaction.
 *
 * @throws FileError when the group would have too many sources; RunLost and what `store` throws.
 */
export async function storeWithMembers(
  deps: IngestDeps,
  { tenantId, groupId, runId }: ActiveRun,
  rows: SourceRows,
  store: (insert: (tx: Tx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const staged = rows.members.map((member) => member.staged);
  const sizes = new Map(staged.map((blob) => [blob.hash, blob.size]));
  const hashes = [...sizes.keys()].sort();
  const reservationId = newId();
  try {
    const now = deps.clock.now();
    const counts = await deps.db.transaction(tenantId, (tx) => countSources(tx, tenantId, groupId));
    if (counts.pending + counts.ready + counts.failed + staged.length > GROUP_SOURCES_MAX) {
      throw overLimit(
        `With the files inside, the source group would have more than ${GROUP_SOURCES_MAX} files.`,
        'store',
      );
    }
    await deps.db.transaction(tenantId, (tx) => insertReservation(tx, tenantId, reservationId, hashes, now));
    for (let at = 0; at < hashes.length; at += ROWS_PER_STATEMENT) {
      const part = hashes.slice(at, at + ROWS_PER_STATEMENT).map((hash) => ({ hash, size: sizes.get(hash)! }));
      await deps.db.transaction(tenantId, (tx) => insertBlobRows(tx, tenantId, part, now));
    }
    await deps.blobs.commit(staged);
    await store(async (tx) => {
      if (!(await releaseReservation(tx, tenantId, reservationId))) throw new Error('a reservation of members is gone');
      const members = rows.members.map(({ name, staged: blob }) => ({
        id: newId(now.getTime()),
        name,
        fileSize: blob.size,
        blobHash: blob.hash,
      }));
      await insertMembers(tx, tenantId, rows.source.id, members, now);
      await addFilesToRun(tx, tenantId, runId, members.length);
    });
  } catch (error) {
    // What is durable already and in no source is removed by the collector.
    await deps.blobs.discard(staged);
    throw error;
  }
}
