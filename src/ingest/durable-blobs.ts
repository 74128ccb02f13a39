/**
 * Bytes that become sources while a run goes on: durable before the rows that need them, and reserved until then, as those of
 * an upload are (corpus/blob-row-store.ts).
 */
import type { StagedBlob } from '../blobs/blob-store.ts';
import { insertBlobRows, insertReservation, releaseReservation } from '../corpus/blob-row-store.ts';
import type { Tx } from '../db/database.ts';
import { newId } from '../util/ids.ts';
import type { IngestDeps } from './ingest-deps.ts';

const ROWS_PER_STATEMENT = 400;

/**
 * Makes the bytes durable and calls `store`, which calls what it is given in the transaction that writes the rows. When it rejects,
 * what no row needs is removed by the collector.
 */
export async function storeWithBlobs<T>(
  deps: Pick<IngestDeps, 'db' | 'blobs' | 'clock'>,
  tenantId: string,
  staged: readonly StagedBlob[],
  store: (release: (tx: Tx) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (staged.length === 0) return store(async () => undefined);
  const sizes = new Map(staged.map((blob) => [blob.hash, blob.size]));
  const hashes = [...sizes.keys()].sort();
  const reservationId = newId();
  const now = deps.clock.now();
  try {
    await deps.db.transaction(tenantId, (tx) => insertReservation(tx, tenantId, reservationId, hashes, now));
    for (let at = 0; at < hashes.length; at += ROWS_PER_STATEMENT) {
      const part = hashes.slice(at, at + ROWS_PER_STATEMENT).map((hash) => ({ hash, size: sizes.get(hash)! }));
      await deps.db.transaction(tenantId, (tx) => insertBlobRows(tx, tenantId, part, now));
    }
    await deps.blobs.commit(staged);
    return await store(async (tx) => {
      if (!(await releaseReservation(tx, tenantId, reservationId))) throw new Error('a reservation of blobs is gone');
    });
  } catch (error) {
    await deps.blobs.discard(staged);
    throw error;
  }
}
