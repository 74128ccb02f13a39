/**
 * Files found inside a file become sources in the transaction that makes the file itself ready, so that each comes once,
 * whatever is tried again. Their bytes are durable before it, reserved as an upload's are.
 */
import { insertBlobRows, insertReservation, releaseReservation } from '../corpus/blob-row-store.ts';
import { addFilesToRun } from '../corpus/run-store.ts';
import { countSources, insertMembers, type SourceCounts } from '../corpus/source-store.ts';
import type { Tx } from '../db/database.ts';
import { newId } from '../util/ids.ts';
import { overLimit } from './failure.ts';
import type { ActiveRun } from './fence.ts';
import type { IngestDeps } from './ingest-deps.ts';
import type { SourceRows } from './rows.ts';

/** Sources of a group, those found inside others among them. */
export const GROUP_SOURCES_MAX = 10_000;
/** Bytes of them: archives within archives could unpack to far more than any one of them may. */
export const GROUP_BYTES_MAX = 2 * 1024 * 1024 * 1024;
const ROWS_PER_STATEMENT = 400;

/** @throws FileError when a group of these sources has no room for the members. */
export function checkRoom(counts: SourceCounts, members: readonly { size: number }[]): void {
  if (counts.pending + counts.ready + counts.failed + members.length > GROUP_SOURCES_MAX) {
    throw overLimit(
      `With the files inside, the source group would have more than ${GROUP_SOURCES_MAX} files.`,
      'store',
    );
  }
  if (members.reduce((sum, { size }) => sum + size, counts.bytes) > GROUP_BYTES_MAX) {
    throw overLimit(
      `With the files inside, the source group would have more than ${GROUP_BYTES_MAX / 1024 ** 3} GiB.`,
      'store',
    );
  }
}

/**
 * Makes the members' bytes durable and calls `store`, which calls what it is given in its last transaction.
 *
 * @throws FileError when the group would become too large; RunLost and what `store` throws.
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
    checkRoom(counts, staged);
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
