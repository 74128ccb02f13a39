import { existsSync, mkdirSync, statSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const TEMP_PREFIX = 'pinakes-work-';
/** A folder of this age was left by a process that was killed. All work ends earlier. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a folder and the missing folders above it, with access for the owner only.
 *
 * Node's recursive `mkdir` never ends where an existing folder refuses new folders, as in /proc.
 *
 * @throws the error of the first folder that cannot be made.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems do not report EEXIST.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    makeFolder(dirname(folder));
    makeFolder(folder);
  }
}

/** Runs `work` with a new folder, in the system's folder for temporary files. It is deleted afterwards. */
export async function inTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), TEMP_PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Deletes the folders of this user that killed processes have left, also those of other programs of Pinakes on this machine. Root could
 * delete those of other users, who could put a link in their place meanwhile.
 */
export async function removeTempLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(TEMP_PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // Another process may delete the same folder.
    const found = await lstat(folder).catch(() => undefined);
    if (!found || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    if (Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
