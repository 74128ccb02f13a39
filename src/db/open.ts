/** Opens the database that the settings name, and prepares it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../util/settings/settings-reader.ts';
import type { Database } from './database.ts';
import { openEmbeddedDatabase } from './embedded/embedded-database.ts';
import { SchemaMismatch } from './migrate.ts';
import { openServerDatabase } from './server/server.ts';
import { explainStart, withStartLock } from './server/start.ts';

export interface DatabaseOptions {
  /** A `postgres://` URL of a server. Undefined: the embedded engine. */
  url?: string | undefined;
  /** The embedded engine keeps its files in the sub-folder `database`. */
  dataDir: string;
  /** Time limit of read-only transactions. */
  readTimeoutMs?: number;
}

/** Opens without migrating. @throws Error with one helpful line when the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, dataDir, readTimeoutMs } = options;
  if (url) return openServerDatabase({ url, readTimeoutMs });
  return openEmbeddedDatabase({ dataDir: embeddedFolder(dataDir), readTimeoutMs });
}

/** Returns whether a database of the embedded engine is in the data directory. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(join(embeddedFolder(dataDir), 'PG_VERSION'));
}

function embeddedFolder(dataDir: string): string {
  return join(dataDir, 'database');
}

/** The settings that say where the database is. */
export interface DatabasePlace {
  /** Null: the embedded engine. */
  databaseUrl: string | null;
  dataDir: string;
}

/**
 * Returns what `work` returns. `work` makes tables that may be missing. Processes that share a server run it one after the other.
 *
 * @throws ConfigError where the server lacks what `work` needs, or another version of the program made the database.
 */
export async function prepareDatabase<T>(db: Database, place: DatabasePlace, work: () => Promise<T>): Promise<T> {
  try {
    return db.kind === 'embedded' ? await work() : await withStartLock(db.system, work);
  } catch (error) {
    throw place.databaseUrl === null ? explainData(error, place.dataDir) : explainStart(error, place.databaseUrl);
  }
}

/** Returns `error` as a ConfigError of one line where the database in the data directory is to blame. */
function explainData(error: unknown, dataDir: string): unknown {
  if (!(error instanceof SchemaMismatch)) return error;
  const problem = `is ${dataDir}, but ${error.explain('the database in it', 'data directory')}`;
  return new ConfigError('PINAKES_DATA_DIR', problem, `${dataDir}-new`, { cause: error });
}
