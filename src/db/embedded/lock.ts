/** The exclusive lock of a data directory. The engine has no lock, and two processes would silently lose rows. */
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';

export interface DirectoryLock {
  release(): void;
}

/** Returns the path of the lock file, next to the directory, so that the directory can be moved or removed as a whole. */
function lockFileOf(dataDir: string): string {
  return `${dataDir}.lock`;
}

/**
 * Takes the lock, waiting at most `waitMs` (which blocks the thread). The kernel releases the lock with the process, so that a
 * killed process leaves nothing to clean up.
 *
 * @throws ServiceError overloaded, with one line that names the file, when another process or this process holds the lock.
 */
export function lockDirectory(dataDir: string, waitMs = 0): DirectoryLock {
  const file = lockFileOf(dataDir);
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec('begin exclusive');
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) throw new Error(`cannot lock ${file}: ${String(cause)}`, { cause });
    throw new ServiceError(
      'overloaded',
      `another Pinakes process uses ${dataDir} (it holds ${file}): wait if it starts or ends just now, else stop it, ` +
        'or choose another data directory',
      { cause },
    );
  }
  return { release: () => database.close() };
}

/** Returns true for SQLITE_BUSY and its extended codes. */
function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && (code & 0xff) === 5;
}
