/** Brings the schema up to date: numbered SQL files, forward only, each in its own transaction. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../util/package-files.ts';
import type { Database, Tx } from './database.ts';
import { raw, sql } from './sql.ts';
import { TENANT_ROLE } from './tenant-scope.ts';

export interface Migration {
  version: number;
  name: string;
  text: string;
}

/** Any constant: processes that migrate the same database wait for each other on it. */
const MIGRATION_LOCK = 8_310_452;

/**
 * Applies the migrations that are missing and returns their names, in order.
 *
 * Processes may call it at the same time: one applies, the others then find nothing to do.
 *
 * @throws Error when the database is newer than this program, or a migration fails (its transaction leaves nothing).
 */
export async function migrate(db: Database, migrations: readonly Migration[] = readMigrations()): Promise<string[]> {
  await db.system.transaction(async (tx) => {
    await lock(tx);
    await createRole(tx);
    await tx.query(sql`create table if not exists schema_migration (
      version int primary key, name text not null, applied_at timestamptz not null default now())`);
    await assertNotNewer(tx, migrations);
  });
  const applied: string[] = [];
  for (const migration of migrations) if (await apply(db, migration)) applied.push(migration.name);
  return applied;
}

/** The migrations of the package, found from `src/` as well as from `dist/`. */
export function readMigrations(): Migration[] {
  const folder = packageFolder('migrations');
  return readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(0, -4),
      text: readFileSync(join(folder, file), 'utf8'),
    }));
}

/** Changes when any migration does: names a migrated template database. */
export function migrationsHash(migrations: readonly Migration[] = readMigrations()): string {
  return createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16);
}

async function apply(db: Database, migration: Migration): Promise<boolean> {
  return db.system.transaction(
    async (tx) => {
      await lock(tx);
      const done = await tx.query(sql`select from schema_migration where version = ${migration.version}`);
      if (done.length > 0) return false;
      await tx.execute(migration.text);
      await tx.query(
        sql`insert into schema_migration (version, name) values (${migration.version}, ${migration.name})`,
      );
      return true;
    },
    { patient: true },
  );
}

/** Transaction-level, so it is freed however the transaction ends. */
async function lock(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
}

/** Roles belong to the whole server: another database's migration may create it at the same moment. */
async function createRole(tx: Tx): Promise<void> {
  await tx.query(
    raw(`do $$ begin
    if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then
      begin
        create role ${TENANT_ROLE} nologin;
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    if not pg_has_role(current_user, '${TENANT_ROLE}', 'member') then
      execute format('grant ${TENANT_ROLE} to %I', current_user);
    end if;
    execute format('grant usage on schema %I to ${TENANT_ROLE}', current_schema());
  end $$`),
  );
}

async function assertNotNewer(tx: Tx, migrations: readonly Migration[]): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  const [row] = await tx.query<{ version: number | null }>(sql`select max(version) as version from schema_migration`);
  if ((row?.version ?? 0) > newest) {
    throw new Error(
      `the database is at migration ${row?.version}, this program knows ${newest}: use the newer program`,
    );
  }
}
