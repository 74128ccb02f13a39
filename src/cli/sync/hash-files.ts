/** Hashes files. The hash of a file that has not changed is cached. */
import { createHash, hash as hashOf } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { forEachLimited } from '../../util/pool.ts';
import { isGone, type LocalTree, type TreeFile } from './local-tree.ts';

const HASHED_AT_ONCE = 4;
/** Resolution of the clock of a file system, at worst. A file that changes twice within this time can keep its stamp. */
const STAMP_GRACE_MS = 2_000;
/** A smaller file is read whole: a stream takes 0.3 ms of processor time for each file, which is most of the work in a large folder. */
const STREAMED_BYTES_MIN = 1_000_000;

export interface HashedFile extends TreeFile {
  /** SHA-256, in hex. */
  hash: string;
}

/** Cached hashes, by the place of the file on this machine. */
export type HashCache = Map<string, { stamp: string; hash: string }>;

/** Hashes the files of a tree. Files that cannot be read are added to `tree.unreadable`. */
export async function hashFiles(
  tree: LocalTree,
  cache: HashCache,
  onProgress: (bytesDone: number, bytesTotal: number) => void,
): Promise<HashedFile[]> {
  const bytesTotal = tree.files.reduce((sum, { size }) => sum + size, 0);
  let bytesDone = 0;
  const hashed: (HashedFile | undefined)[] = tree.files.map(() => undefined);
  await forEachLimited([...tree.files.entries()], HASHED_AT_ONCE, async ([index, file]) => {
    hashed[index] = await hashFile(tree, cache, file);
    bytesDone += file.size;
    onProgress(bytesDone, bytesTotal);
  });
  return hashed.filter((file) => file !== undefined);
}

async function hashFile(tree: LocalTree, cache: HashCache, file: TreeFile): Promise<HashedFile | undefined> {
  const { place, stamp } = file;
  const cached = cache.get(place);
  if (cached?.stamp === stamp) return { ...file, hash: cached.hash };
  const startedMs = Date.now();
  try {
    const hash = file.size < STREAMED_BYTES_MIN ? hashOf('sha256', await readFile(place)) : await hashStreamed(place);
    if (startedMs - file.changedMs > STAMP_GRACE_MS) cache.set(place, { stamp, hash });
    return { ...file, hash };
  } catch (error) {
    if (!isGone(error)) tree.unreadable.push(file.path);
    return undefined;
  }
}

async function hashStreamed(place: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(place), digest);
  return digest.digest('hex');
}
