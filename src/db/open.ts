/** Opens the database that the settings name. */
import { join } from 'node:path';
import type { Database } from './database.ts';
import { openEmbeddedDatabase } from './embedded/embedded-database.ts';
import { openServerDatabase } from './server/server.ts';
import { explainStart, whileAlone } from './server/start.ts';

export interface DatabaseOptions {
  /** A `postgres://` URL: that server. Absent: the embedded engine. */
  url?: string | undefined;
  /** Where the embedded engine keeps its files, in the sub-folder `database`. */
  dataDir: string;
}

/** Opens without migrating. @throws Error with one helpful line when the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url) return openServerDatabase({ url: options.url });
  return openEmbeddedDatabase({ dataDir: join(options.dataDir, 'database') });
}

/**
 * Returns what `work` returns, which makes tables that may be missing. Processes that share a server run it one after the other.
 *
 * @throws ConfigError where the server lacks what the work needs.
 */
export async function prepareDatabase<T>(db: Database, url: string | null, work: () => Promise<T>): Promise<T> {
  if (db.kind === 'embedded') return work();
  try {
    return await whileAlone(db.system, work);
  } catch (error) {
    throw url === null ? error : explainStart(error, url);
  }
}
