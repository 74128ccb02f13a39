/** Creates a data directory completely and durably, or not at all. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockDirectory } from './lock.ts';

const FILES_AT_ONCE = 16;
const CHILD_END_WAIT_MS = 10_000;

/**
 * Creates the data directory when it is missing. A start that is killed before the end leaves only the folder `<directory>.new`,
 * which the next start replaces. The caller holds the lock of the directory.
 *
 * @throws Error when the directory holds other files.
 */
export async function initialiseDirectory(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  if (existsSync(dataDir)) {
    if (readdirSync(dataDir).length > 0) throw new Error(`${dataDir} is not empty and holds no database`);
    rmdirSync(dataDir);
  }
  const building = `${dataDir}.new`;
  // The child of a start that was killed may end a moment later than the start.
  lockDirectory(building, CHILD_END_WAIT_MS).release();
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true, mode: 0o700 });
  await makeFiles(building);
  await syncTree(building);
  renameSync(building, dataDir);
  rmSync(`${building}.lock`, { force: true });
  await syncPaths([dirname(dataDir)]);
}

const OWN_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const CHILD_SCRIPT = new URL(`./initialise-child${OWN_EXTENSION}`, import.meta.url);

/** @throws Error with the engine's reason when it does not start. */
async function makeFiles(directory: string): Promise<void> {
  // The process ends before optimized code would pay for its compilation.
  const child = fork(CHILD_SCRIPT, [directory], { execArgv: ['--liftoff-only', '--no-warnings'] });
  let reason: unknown;
  child.on('message', (message) => {
    reason = message;
  });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(String(reason ?? `the process that makes the database ended (${code ?? signal})`));
}

/** Syncs all files. The engine copies its initial files without fsync, and later only syncs the files that it changes. */
async function syncTree(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  await syncPaths([root, ...entries.map((entry) => join(entry.parentPath, entry.name))]);
}

async function syncPaths(paths: readonly string[]): Promise<void> {
  const waiting = [...paths];
  const syncNext = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = await open(path, 'r');
      await file.sync();
      await file.close();
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, syncNext));
}
