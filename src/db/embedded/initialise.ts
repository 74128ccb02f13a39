/** Creates a data directory completely and durably, or not at all. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openEngine } from './engine.ts';

const FILES_AT_ONCE = 16;

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
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true, mode: 0o700 });
  const engine = await openEngine(building);
  await engine.close();
  await syncTree(building);
  renameSync(building, dataDir);
  await syncPaths([dirname(dataDir)]);
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
