/** Rules for local file groups. Wire schemas are in routes.ts, the reading of uploads is in receive.ts, SQL is in corpus/. */

import type { Caller } from '../../access/caller.ts';
import { insertGroup, lockGroupName, UPLOADED } from '../../corpus/group-store.ts';
import { insertRun } from '../../corpus/run-store.ts';
import { checkQuota, lockQuotaRoom } from '../../corpus/source-lookup.ts';
import { insertSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import type { IdempotencyRecord } from '../../http/route.ts';
import { newId } from '../../util/ids.ts';
import type { SentFile } from './plan-changes.ts';
import { type ReceivedFile, type ReceivedUpload, uploadDigest } from './receive.ts';
import { storeUpload } from './store-upload.ts';

export const SOURCE_TYPE = UPLOADED;

/** Creates a group of the files, its run and its job in one transaction, and returns its id. If it rejects, nothing is stored. */
export function createGroup(
  deps: Deps,
  caller: Caller,
  upload: ReceivedUpload,
  idempotency: IdempotencyRecord,
  signal: AbortSignal,
): Promise<{ source_group_id: string }> {
  const request = { files: upload.files, digest: uploadDigest(upload) };
  return storeUpload(deps, caller, request, idempotency, signal, async (tx) => ({
    source_group_id: await insertUpload(deps, tx, upload),
  }));
}

async function insertUpload(deps: Deps, tx: Tx, upload: ReceivedUpload): Promise<string> {
  const createdAt = deps.clock.now();
  const group = { id: newId(createdAt.getTime()), sourceType: SOURCE_TYPE, createdAt };
  const files = upload.files.map((file) => toSentFile(file, createdAt));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  checkQuota(await lockQuotaRoom(tx, deps.config.quotas), { groups: 1, files: files.length, bytes });
  if (upload.uniqueName && (await lockGroupName(tx, SOURCE_TYPE, upload.name)))
    throw conflict('Another local file group has this name.');
  await insertGroup(tx, {
    ...group,
    name: upload.name,
    chunkMetadataKeys: upload.chunkMetadataKeys,
    uploadAt: createdAt,
  });
  await insertFiles(tx, group.id, files, createdAt);
  const runId = newId(createdAt.getTime());
  await insertRun(tx, {
    id: runId,
    sourceGroupId: group.id,
    generation: 1,
    scanned: files.length,
    unchanged: 0,
    createdAt,
  });
  await deps.queue.enqueue(tx, 'ingest-run', { tenantId: tx.tenantId, runId });
  return group.id;
}

export function toSentFile({ name, path, staged, lastModified }: ReceivedFile, receivedAt: Date): SentFile {
  return { name, path, hash: staged.hash, size: staged.size, contentAt: lastModified ?? receivedAt };
}

/** Adds files to a group as sources that were not read yet. */
export function insertFiles(tx: Tx, groupId: string, files: readonly SentFile[], createdAt: Date) {
  const sources = files.map(({ name, path, hash, size, contentAt }) => {
    const id = newId(createdAt.getTime());
    return { id, name, path, fileType: 'unknown', fileSize: size, blobHash: hash, contentAt };
  });
  return insertSources(tx, { id: groupId, sourceType: SOURCE_TYPE, createdAt }, sources);
}
