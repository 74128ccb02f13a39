/** Stores received files durably before the rows that refer to them: first the blobs, then one transaction. */

import type { Caller } from '../../access/caller.ts';
import type { StagedBlob } from '../../blobs/blob-store.ts';
import {
  insertBlobRows,
  insertReservation,
  releaseReservation,
  removeUnneededBlobRows,
} from '../../corpus/blob-row-store.ts';
import type { Tx } from '../../db/database.ts';
import { ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import type { IdempotencyRecord } from '../../http/route.ts';
import { newId } from '../../util/ids.ts';

const BLOB_ROWS_PER_TRANSACTION = 400;

/**
 * Stores the files of a request and returns its answer. If it rejects, nothing of the request is stored.
 *
 * @param store writes the rows and returns the answer. It runs in the transaction that also saves the answer for repeated requests.
 */
export async function storeUpload<T>(
  deps: Deps,
  caller: Caller,
  request: { files: readonly { staged: StagedBlob }[]; digest: Buffer },
  idempotency: IdempotencyRecord,
  signal: AbortSignal,
  store: (tx: Tx) => Promise<T>,
): Promise<T> {
  const staged = request.files.map((file) => file.staged);
  const uploadId = newId();
  let reserved = false;
  try {
    deps.crash.reach('upload.staged');
    await idempotency.bodyRead(request.digest);
    reserved = true;
    await reserve(deps, caller.tenantId, uploadId, staged);
    deps.crash.reach('upload.reserved');
    await deps.blobs.commit(staged);
    deps.crash.reach('upload.blobs_durable');
    signal.throwIfAborted();
    const answer = await deps.db.transaction(
      caller.tenantId,
      async (tx) => {
        if (!(await releaseReservation(tx, uploadId))) throw tooSlow();
        const result = await store(tx);
        await idempotency.save(tx, result);
        return result;
      },
      { signal },
    );
    deps.crash.reach('upload.committed');
    return answer;
  } catch (error) {
    await deps.blobs.discard(staged);
    if (reserved) await undoReservation(deps, caller.tenantId, uploadId, staged);
    throw error;
  }
}

function tooSlow(): ServiceError {
  return new ServiceError('overloaded', 'Storing the files took too long. Send them again.', { retryAfterSeconds: 60 });
}

/** Writes the reservation in transactions of about 10 ms each, because searches on the embedded database wait for each transaction. */
async function reserve(deps: Deps, tenantId: string, uploadId: string, staged: readonly StagedBlob[]): Promise<void> {
  const now = deps.clock.now();
  const sizes = new Map(staged.map((blob) => [blob.hash, blob.size]));
  const blobs = [...sizes.keys()].sort().map((hash) => ({ hash, size: sizes.get(hash)! }));
  await deps.db.transaction(tenantId, (tx) => insertReservation(tx, uploadId, [...sizes.keys()], now));
  for (let at = 0; at < blobs.length; at += BLOB_ROWS_PER_TRANSACTION) {
    const part = blobs.slice(at, at + BLOB_ROWS_PER_TRANSACTION);
    await deps.db.transaction(tenantId, (tx) => insertBlobRows(tx, part, now));
  }
}

/** Removes the reservation and the blobs of a failed upload. If this fails too, the blob collector removes them later. */
async function undoReservation(
  deps: Deps,
  tenantId: string,
  uploadId: string,
  staged: readonly StagedBlob[],
): Promise<void> {
  try {
    await deps.db.transaction(tenantId, async (tx) => {
      await releaseReservation(tx, uploadId);
      const hashes = staged.map((blob) => blob.hash);
      const unneeded = await removeUnneededBlobRows(tx, hashes);
      await Promise.all(unneeded.map((hash) => deps.blobs.delete(tenantId, hash)));
    });
  } catch (error) {
    deps.log.warn({ err: error, uploadId }, 'a failed upload could not be undone at once');
  }
}
