/** Facts about the database, for `doctor`. */
import type { Database } from './database.ts';
import { sql } from './sql.ts';

export interface DatabaseFacts {
  kind: Database['kind'];
  /** For example `18.6`. */
  serverVersion: string;
  /** Extension name to version. */
  extensions: Record<string, string>;
  /** True when lexical search uses the BM25 index of pg_textsearch. */
  textSearch: boolean;
  /** The newest applied migration; null on an empty database. */
  migration: string | null;
  sizeBytes: number;
}

/** @throws when the database does not answer. */
export async function checkDatabase(db: Database): Promise<DatabaseFacts> {
  const [server] = await db.system.query<{ version: string; size: number; migrated: boolean }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size,
      to_regclass('schema_migration') is not null as migrated`);
  const extensions = await db.system.query<{ name: string; version: string }>(
    sql`select extname as name, extversion as version from pg_extension order by extname`,
  );
  const [migration] = server?.migrated
    ? await db.system.query<{ name: string }>(sql`select name from schema_migration order by version desc limit 1`)
    : [];
  return {
    kind: db.kind,
    serverVersion: server?.version ?? 'unknown',
    extensions: Object.fromEntries(extensions.map(({ name, version }) => [name, version])),
    textSearch: db.hasTextSearch,
    migration: migration?.name ?? null,
    sizeBytes: server?.size ?? 0,
  };
}
