/**
 * Makes the bytes of new sources durable while a run is active. A reservation protects the bytes until their rows
 * exist, like the reservation of an upload (corpus/blob-row-store.ts).
 */
import type { StagedBlob } from '../blobs/blob-store.ts';
import { insertBlobRows, insertReservation, releaseReservation } from '../corpus/blob-row-store.ts';
import type { Tx } from '../db/database.ts';
import { newId } from '../util/ids.ts';
import type { IngestDeps } from './ingest-deps.ts';

const ROWS_PER_STATEMENT = 400;

/**
 * Makes the bytes durable, then calls `store`. `store` must call its `release` argument in the transaction that writes
 * the rows. If `store` rejects, the garbage collector removes the bytes that no row needs.
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
    await deps.db.transaction(tenantId, (tx) => insertReservation(tx, reservationId, hashes, now));
    for (let at = 0; at < hashes.length; at += ROWS_PER_STATEMENT) {
      const part = hashes.slice(at, at + ROWS_PER_STATEMENT).map((hash) => ({ hash, size: sizes.get(hash)! }));
      await deps.db.transaction(tenantId, (tx) => insertBlobRows(tx, part, now));
    }
    await deps.blobs.commit(staged);
    return await store(async (tx) => {
      if (!(await releaseReservation(tx, reservationId)))
        throw new Error('the reservation of the blobs no longer exists');
    });
  } catch (error) {
    await deps.blobs.discard(staged);
    throw error;
  }
}
