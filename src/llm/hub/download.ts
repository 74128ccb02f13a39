/** Downloads one file of a model: resumes earlier attempts, and removes a file with a wrong hash. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { retryWait } from '../../net/retry-wait.ts';
import type { Hub, HubFile, HubModel } from './api.ts';

/** Consecutive attempts without a new byte after which the download fails. */
const FRUITLESS_ATTEMPTS_MAX = 4;
const STALL_MS = 60_000;
const HASH_DIGITS = 12;

/**
 * Returns when `path` holds the file with the right hash.
 *
 * @param onBytes receives the number of bytes that are stored so far.
 * @throws ServiceError when the hub refuses, stays away, or sends another file.
 */
export async function download(
  hub: Hub,
  model: HubModel,
  file: HubFile,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (await isThere(path, file)) return onBytes(file.bytes);
  await mkdir(dirname(path), { recursive: true });
  // The name contains the hash, so a part of another version is not resumed.
  const part = `${path}.${file.hash.hex.slice(0, HASH_DIGITS)}.part`;
  for (let fruitless = 0; ; ) {
    const before = await sizeOf(part);
    if (before >= file.bytes) break;
    const failure = await fetchRest(hub, model, file, part, before, onBytes).then(
      () => new ServiceError('upstream_failed', `The hub sent nothing of ${file.path}.`),
      (error: unknown) => error,
    );
    const after = await sizeOf(part);
    if (after >= file.bytes) break;
    fruitless = after > before ? 0 : fruitless + 1;
    if (!mayPass(failure) || fruitless >= FRUITLESS_ATTEMPTS_MAX) throw failure;
    await sleep(retryWait(fruitless, undefined));
  }
  if (file.bytes === 0) await (await open(part, 'w')).close();
  if (!(await isThere(part, file))) {
    await rm(part, { force: true });
    throw new ServiceError(
      'upstream_failed',
      `${file.path} does not have the hash that the hub announced: the file was removed. Try again.`,
    );
  }
  await rename(part, path);
}

/** True when the file is there as a whole, with its hash. */
export async function isThere(path: string, { bytes, hash }: HubFile): Promise<boolean> {
  if ((await sizeOf(path)) !== bytes) return false;
  const digest = hash.kind === 'sha256' ? createHash('sha256') : gitHash(bytes);
  try {
    for await (const piece of createReadStream(path)) digest.update(piece as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  return digest.digest('hex') === hash.hex;
}

function gitHash(bytes: number): Hash {
  return createHash('sha1').update(`blob ${bytes}\0`);
}

async function fetchRest(
  hub: Hub,
  model: HubModel,
  file: HubFile,
  part: string,
  from: number,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const stall = new AbortController();
  let timer = setTimeout(() => stall.abort(stalled(file)), STALL_MS);
  try {
    const response = await hub.open(model, file, from, stall.signal);
    // A hub that ignores ranges sends the whole file.
    const continues = response.status === 206 && startOf(response.headers.get('content-range')) === from;
    if (!continues && response.status === 206) {
      await response.discard();
      throw new ServiceError('upstream_failed', `The hub sent another range of ${file.path} than was asked for.`);
    }
    const target = await open(part, continues ? 'a' : 'w');
    try {
      let bytes = continues ? from : 0;
      for await (const piece of response.body) {
        clearTimeout(timer);
        timer = setTimeout(() => stall.abort(stalled(file)), STALL_MS);
        await target.write(piece);
        bytes += piece.length;
        onBytes(bytes);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

function stalled({ path }: HubFile): ServiceError {
  return new ServiceError('upstream_timeout', `Nothing of ${path} came for ${STALL_MS / 1000} s.`);
}

/** `bytes 100-199/200` -> 100. */
function startOf(range: string | null): number | undefined {
  const start = /^bytes (\d+)-/.exec(range ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

function mayPass(error: unknown): boolean {
  return error instanceof ServiceError && ['upstream_failed', 'upstream_timeout', 'overloaded'].includes(error.code);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
