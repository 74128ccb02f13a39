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

/** Returns the version of the server and the size of the database on disk. */
export async function serverFacts(db: Database): Promise<{ version: string; bytes: number }> {
  const [row] = await db.system.query<{ version: string; bytes: number }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`);
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
