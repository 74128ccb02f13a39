/** Facts about the database, for doctor and readiness. */
import type { Database } from './database.ts';
import { readMigrations } from './migrate.ts';
import { sql } from './sql.ts';

/** Returns the names of the migrations, in order. Rejects when the database does not answer. */
export async function listMigrations(db: Database): Promise<{ applied: string[]; pending: string[] }> {
  const rows = await db.system.query<{ name: string }>(sql`select name from schema_migration order by version`);
  const applied = rows.map((row) => row.name);
  const names = readMigrations().map((migration) => migration.name);
  return { applied, pending: names.filter((name) => !applied.includes(name)) };
}

export interface ServerFacts {
  version: string;
  /** Size of the database on disk. */
  bytes: number;
  /** The server is a standby, or its administrator has forbidden changes. */
  isReadOnly: boolean;
}

export async function serverFacts(db: Database): Promise<ServerFacts> {
  const [row] = await db.system.query<ServerFacts>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      current_setting('transaction_read_only') = 'on' as is_read_only`);
  return row!;
}

/** Counts the contents of all tenants, without groups and sources that are being deleted. */
export async function countContents(
  db: Database,
): Promise<{ tenants: number; groups: number; sources: number; chunks: number }> {
  const [row] = await db.system.query<{ tenants: number; groups: number; sources: number; chunks: number }>(sql`
    select (select count(*) from tenant) as tenants,
           (select count(*) from source_group where deleted_at is null) as groups,
           (select count(*) from source where deleted_at is null) as sources,
           (select coalesce(sum(chunk_count), 0)::bigint from source where deleted_at is null) as chunks`);
  return row!;
}
