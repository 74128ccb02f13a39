/** Rules for local file groups. Wire shapes are in routes.ts, receiving in receive.ts, SQL in corpus/. */
import type { StagedBlob } from '../../blobs/blob-store.ts';
import {
  insertBlobRows,
  insertReservation,
  releaseReservation,
  removeUnneededBlobRows,
} from '../../corpus/blob-row-store.ts';
import { insertGroup, UPLOADED } from '../../corpus/group-store.ts';
import { insertRun } from '../../corpus/run-store.ts';
import { insertSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { ServiceError } from '../../errors.ts';
import type { Caller, IdempotencyRecord } from '../../http/route.ts';
import { newId } from '../../util/ids.ts';
import { type ReceivedUpload, uploadDigest } from './receive.ts';

export const SOURCE_TYPE = UPLOADED;
const BLOB_ROWS_PER_TRANSACTION = 400;

/**
 * Makes an upload durable and starts its ingestion; returns the group's id. Blobs first, then one transaction with the
 * group, its sources, its run and its job. When it rejects, nothing stays.
 */
export async function createGroup(
  deps: Deps,
  caller: Caller,
  upload: ReceivedUpload,
  idempotency: IdempotencyRecord,
  signal: AbortSignal,
): Promise<{ source_group_id: string }> {
  const staged = upload.files.map((file) => file.staged);
  const uploadId = newId();
  let reserved = false;
  try {
    deps.crash.reach('upload.staged');
    await idempotency.bodyRead(uploadDigest(upload));
    reserved = true;
    await reserve(deps, caller.tenantId, uploadId, staged);
    deps.crash.reach('upload.reserved');
    await deps.blobs.commit(staged);
    deps.crash.reach('upload.blobs_durable');
    signal.throwIfAborted();
    const answer = await deps.db.transaction(
      caller.tenantId,
      async (tx) => {
        if (!(await releaseReservation(tx, caller.tenantId, uploadId))) throw tooSlow();
        const groupId = await insertUpload(deps, tx, caller.tenantId, upload);
        await idempotency.save(tx, { source_group_id: groupId });
        return { source_group_id: groupId };
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

/** In transactions of about 10 ms: on the embedded database they queue with searches. */
async function reserve(deps: Deps, tenantId: string, uploadId: string, staged: readonly StagedBlob[]): Promise<void> {
  const now = deps.clock.now();
  const sizes = new Map(staged.map((blob) => [blob.hash, blob.size]));
  const blobs = [...sizes.keys()].sort().map((hash) => ({ hash, size: sizes.get(hash)! }));
  await deps.db.transaction(tenantId, (tx) => insertReservation(tx, tenantId, uploadId, [...sizes.keys()], now));
  for (let at = 0; at < blobs.length; at += BLOB_ROWS_PER_TRANSACTION) {
    const part = blobs.slice(at, at + BLOB_ROWS_PER_TRANSACTION);
    await deps.db.transaction(tenantId, (tx) => insertBlobRows(tx, tenantId, part, now));
  }
}

async function insertUpload(deps: Deps, tx: Tx, tenantId: string, upload: ReceivedUpload): Promise<string> {
  const createdAt = deps.clock.now();
  const group = { id: newId(createdAt.getTime()), sourceType: SOURCE_TYPE, createdAt };
  const files = upload.files.length;
  await insertGroup(tx, tenantId, {
    ...group,
    name: upload.name,
    chunkMetadataKeys: upload.chunkMetadataKeys,
    uploadAt: createdAt,
  });
  const sources = upload.files.map((file) => ({
    id: newId(createdAt.getTime()),
    name: file.name,
    fileType: 'unknown',
    fileSize: file.staged.size,
    blobHash: file.staged.hash,
    contentAt: file.lastModified,
  }));
  await insertSources(tx, tenantId, group, sources);
  const runId = newId(createdAt.getTime());
  await insertRun(tx, tenantId, {
    id: runId,
    sourceGroupId: group.id,
    generation: 1,
    scanned: files,
    unchanged: 0,
    createdAt,
  });
  await deps.queue.enqueue(tx, 'ingest-run', { tenantId, runId });
  return group.id;
}

/** Takes back what a failed upload had put in place. What even this cannot remove, the collector does later. */
async function undoReservation(
  deps: Deps,
  tenantId: string,
  uploadId: string,
  staged: readonly StagedBlob[],
): Promise<void> {
  try {
    await deps.db.transaction(tenantId, async (tx) => {
      await releaseReservation(tx, tenantId, uploadId);
      const unneeded = await removeUnneededBlobRows(
        tx,
        tenantId,
        staged.map((blob) => blob.hash),
      );
      await Promise.all(unneeded.map((hash) => deps.blobs.delete(tenantId, hash)));
    });
  } catch (error) {
    deps.log.warn({ err: error, uploadId }, 'a failed upload could not be undone at once');
  }
}
