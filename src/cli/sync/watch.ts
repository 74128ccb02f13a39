/** Watches a folder, and reports when it may have changed. */
import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A series of changes is over when nothing changed for this time … */
const QUIET_MS = 300;
/** … or when it has lasted for this time. */
const SERIES_MS = 5_000;
/** The folder is read again after this time even without a reported change, because network file systems report none. */
const RESCAN_MS = 60_000;
/** The same if the folder cannot be watched at all. */
const RESCAN_UNWATCHED_MS = 5_000;
/** Folders with many files that are left out anyway. */
const IGNORED_PLACES = /(^|[/\\])(node_modules|\.git)([/\\]|$)/;

export interface FolderWatch {
  /** Resolves when something may have changed since the previous call, at the latest after RESCAN_MS. */
  next(): Promise<void>;
  close(): void;
}

/** Starts to watch. @param onFailure is called if the system cannot watch the folder. The folder is then read at regular times. */
export function watchFolder(root: string, onFailure: (error: unknown) => void): FolderWatch {
  let changedAt: number | undefined;
  let firstAt = 0;
  let wake = (): void => undefined;
  let isWatched = true;
  const changed = (): void => {
    const now = Date.now();
    if (changedAt === undefined) firstAt = now;
    changedAt = now;
    wake();
  };
  const failed = (error: unknown): void => {
    isWatched = false;
    onFailure(error);
    changed();
  };
  const watcher = openWatcher(root, changed, failed);
  return {
    async next() {
      if (changedAt === undefined) {
        const stop = new AbortController();
        const reported = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const rescan = sleep(isWatched ? RESCAN_MS : RESCAN_UNWATCHED_MS, undefined, { signal: stop.signal });
        await Promise.race([reported, rescan.catch(() => undefined)]);
        stop.abort();
      }
      while (changedAt !== undefined && Date.now() - changedAt < QUIET_MS && Date.now() - firstAt < SERIES_MS)
        await sleep(QUIET_MS);
      changedAt = undefined;
    },
    close: () => watcher?.close(),
  };
}

function openWatcher(root: string, changed: () => void, failed: (error: unknown) => void) {
  try {
    const watcher = watch(root, { recursive: true }, (_event, name) => {
      if (name === null || !IGNORED_PLACES.test(name)) changed();
    });
    watcher.on('error', failed);
    return watcher;
  } catch (error) {
    failed(error);
    return undefined;
  }
}
