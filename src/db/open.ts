/** Opens the database that the settings name. */
import { join } from 'node:path';
import type { Database } from './database.ts';
import { openEmbeddedDatabase } from './embedded/embedded-database.ts';
import { openServerDatabase } from './server.ts';

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
