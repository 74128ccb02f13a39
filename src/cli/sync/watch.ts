/** Says when a folder may have changed. */
import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Changes come in crowds: they are waited for until there is quiet, but not for ever. */
const QUIET_MS = 300;
const CROWD_MS = 5_000;
/** Also without news: network file systems tell of no changes. */
const RESCAN_MS = 60_000;
/** Where the system tells of no changes at all. */
const RESCAN_UNTOLD_MS = 5_000;
/** Folders full of files that are left out anyway. */
const QUIET_PLACES = /(^|[/\\])(node_modules|\.git)([/\\]|$)/;

export interface FolderWatch {
  /** Resolves when something may have changed since the call before, at the latest after some time. */
  next(): Promise<void>;
  close(): void;
}

/** @param onFailure is told when the system cannot watch the folder: then it is looked at again and again. */
export function watchFolder(root: string, onFailure: (error: unknown) => void): FolderWatch {
  let changedAt: number | undefined;
  let firstAt = 0;
  let wake = (): void => undefined;
  let isTold = true;
  const changed = (): void => {
    const now = Date.now();
    if (changedAt === undefined) firstAt = now;
    changedAt = now;
    wake();
  };
  const failed = (error: unknown): void => {
    isTold = false;
    onFailure(error);
    changed();
  };
  const watcher = openWatcher(root, changed, failed);
  return {
    async next() {
      if (changedAt === undefined) {
        const stop = new AbortController();
        const told = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const late = sleep(isTold ? RESCAN_MS : RESCAN_UNTOLD_MS, undefined, { signal: stop.signal });
        await Promise.race([told, late.catch(() => undefined)]);
        stop.abort();
      }
      while (changedAt !== undefined && Date.now() - changedAt < QUIET_MS && Date.now() - firstAt < CROWD_MS)
        await sleep(QUIET_MS);
      changedAt = undefined;
    },
    close: () => watcher?.close(),
  };
}

function openWatcher(root: string, changed: () => void, failed: (error: unknown) => void) {
  try {
    const watcher = watch(root, { recursive: true }, (_event, name) => {
      if (name === null || !QUIET_PLACES.test(name)) changed();
    });
    watcher.on('error', failed);
    return watcher;
  } catch (error) {
    failed(error);
    return undefined;
  }
}
