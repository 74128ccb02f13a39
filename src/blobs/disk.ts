/**
 * Stores blobs as files `<dir>/<tenant>/<first two hex digits>/<sha-256>`, which are received in `<dir>/.staging/`.
 *
 * A blob is durable when its file is synced and renamed, and every directory on the path is synced. A rename over an equal blob is
 * harmless, so two uploads of the same bytes need no lock.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { notFound, ServiceError } from '../errors.ts';
import { type CrashPoints, noCrashPoints } from '../util/crash.ts';
import { makeFolder } from '../util/folders.ts';
import { isId } from '../util/ids.ts';
import { forEachLimited } from '../util/pool.ts';
import type { BlobStore, StagedBlob } from './blob-store.ts';

const STAGING = '.staging';
/** How many files a commit syncs at once, so that the disk can merge its flushes. */
const SYNCS_AT_ONCE = 16;
const LEFTOVER_AGE_MS = 60 * 60 * 1000;
const DISK_FULL_RETRY_SECONDS = 60;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Opens the store in `dir`, creates it if it is missing, and deletes staged files older than an hour. */
export async function openDiskBlobStore(dir: string, crash: CrashPoints = noCrashPoints): Promise<BlobStore> {
  const staging = path.join(dir, STAGING);
  makeFolder(staging);
  const store: BlobStore = {
    stage: (tenantId, body, signal) => orOverloaded(() => stage(staging, tenantId, body, signal)),
    commit: (blobs) => orOverloaded(() => commit(dir, blobs, crash)),
    stagedPath: ({ handle }) => handle,
    discard: (blobs) => forEachLimited(blobs, SYNCS_AT_ONCE, (blob) => rm(blob.handle, { force: true })),
    localPath: (tenantId, hash) => blobPath(dir, tenantId, hash),
    async read(tenantId, hash, range): Promise<Readable> {
      const handle = await open(blobPath(dir, tenantId, hash)).catch(orNotFound);
      return handle.createReadStream(range ?? {});
    },
    delete: (tenantId, hash) => rm(blobPath(dir, tenantId, hash), { force: true }),
    async deleteTenant(tenantId) {
      if (!isId(tenantId)) throw notFound();
      await rm(path.join(dir, tenantId), { recursive: true, force: true, maxRetries: 3 });
    },
    list: () => list(dir),
    removeLeftovers: () => removeLeftovers(staging),
    check: () => orOverloaded(() => checkWritable(staging)),
  };
  await store.removeLeftovers();
  return store;
}

async function stage(
  staging: string,
  tenantId: string,
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<StagedBlob> {
  const file = path.join(staging, randomBytes(16).toString('hex'));
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(file, 'wx', FILE_MODE);
  try {
    for await (const bytes of body) {
      signal?.throwIfAborted();
      hash.update(bytes);
      await writeFully(handle, bytes);
      size += bytes.length;
    }
    signal?.throwIfAborted();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { tenantId, hash: hash.digest('hex'), size, handle: file };
}

async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written)).bytesWritten;
  }
}

/** Commits the blobs. Each directory is synced once for all files renamed into it: 2,000 files need at most 256 directory syncs. */
async function commit(dir: string, blobs: readonly StagedBlob[], crash: CrashPoints): Promise<void> {
  await forEachLimited(blobs, SYNCS_AT_ONCE, (blob) => sync(blob.handle));
  crash.reach('blob.synced');
  const changed = new Set<string>();
  for (const folder of new Set(blobs.map((blob) => path.dirname(blobPath(dir, blob.tenantId, blob.hash))))) {
    // `mkdir` returns the first directory that it created. All directories below are new, so their parents must be synced too.
    const made = await mkdir(folder, { recursive: true, mode: DIRECTORY_MODE });
    if (made !== undefined)
      for (let at = folder; at !== path.dirname(made); at = path.dirname(at)) changed.add(path.dirname(at));
    changed.add(folder);
  }
  await forEachLimited(blobs, SYNCS_AT_ONCE, async (blob) => {
    await rename(blob.handle, blobPath(dir, blob.tenantId, blob.hash));
    crash.reach('blob.renamed');
  });
  await forEachLimited([...changed], SYNCS_AT_ONCE, sync);
}

/** Syncs a file or a directory. fsync needs no write access. */
async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the path of a blob. @throws ServiceError not_found for other text than a tenant id and a SHA-256. */
function blobPath(dir: string, tenantId: string, hash: string): string {
  if (!isId(tenantId) || !isHash(hash)) throw notFound();
  return path.join(dir, tenantId, hash.slice(0, 2), hash);
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

async function* list(dir: string): AsyncIterable<{ tenantId: string; hash: string; size: number; modifiedAt: Date }> {
  for await (const tenant of await opendir(dir)) {
    if (!tenant.isDirectory() || !isId(tenant.name)) continue;
    for await (const entry of await opendir(path.join(dir, tenant.name), { recursive: true })) {
      if (!entry.isFile() || !isHash(entry.name)) continue;
      const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined);
      if (found) yield { tenantId: tenant.name, hash: entry.name, size: found.size, modifiedAt: found.mtime };
    }
  }
}

async function removeLeftovers(staging: string): Promise<number> {
  let removed = 0;
  for await (const entry of await opendir(staging)) {
    const file = path.join(staging, entry.name);
    const found = await stat(file).catch(() => undefined);
    if (!found || Date.now() - found.mtimeMs < LEFTOVER_AGE_MS) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function checkWritable(staging: string): Promise<void> {
  const probe = path.join(staging, `check-${randomBytes(8).toString('hex')}`);
  const handle = await open(probe, 'wx', FILE_MODE);
  try {
    await writeFully(handle, Buffer.from('ok'));
    await handle.sync();
  } finally {
    await handle.close();
    await rm(probe, { force: true });
  }
}

function orNotFound(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? notFound() : error;
}

async function orOverloaded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    throw new ServiceError('overloaded', 'The disk is full.', {
      cause: error,
      retryAfterSeconds: DISK_FULL_RETRY_SECONDS,
    });
  }
}
