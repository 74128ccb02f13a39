/** Brings the schema up to date: numbered SQL files, forward only, each in its own transaction. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conflict } from '../errors.ts';
import { packageFolder } from '../util/package-files.ts';
import type { Database, SystemTx } from './database.ts';
import { raw, sql } from './sql.ts';
import { TENANT_ROLE } from './tenant-scope.ts';

export interface Migration {
  version: number;
  name: string;
  text: string;
}

interface Applied {
  version: number;
  name: string;
  /** Null in a table that an unreleased version made, which has no column for it. */
  hash: string | null;
}

/** The database has a migration that this program does not have. */
export class SchemaMismatch extends Error {
  readonly #problem: string;
  readonly #remedy: string;

  private constructor(problem: string, remedy: string) {
    super(`${problem} the database: ${remedy}start with a new one and ingest again`);
    this.name = 'SchemaMismatch';
    this.#problem = problem;
    this.#remedy = remedy;
  }

  static newer(migration: string): SchemaMismatch {
    return new SchemaMismatch(`a newer version of Pinakes (migration ${migration}) made`, 'use the newer program, or ');
  }

  static unreleased(migration: string): SchemaMismatch {
    return new SchemaMismatch(`an unreleased version of Pinakes (migration ${migration}) made`, '');
  }

  /** Returns the message for a database at `place`. `container` is what the user must replace, for example `data directory`. */
  explain(place: string, container: string): string {
    return `${this.#problem} ${place}: ${this.#remedy}start with a new ${container} and ingest again`;
  }
}

/** Any constant. Processes that migrate the same database wait for each other on it. */
const MIGRATION_LOCK = 8_310_452;

/**
 * Applies the migrations that are missing and returns their names, in order.
 *
 * Processes may call it at the same time: one applies the migrations, the others then find nothing to do.
 *
 * @throws SchemaMismatch when a newer or an unreleased version made the database.
 * @throws Error when a migration fails. Its transaction is rolled back.
 */
export async function migrate(db: Database, migrations: readonly Migration[] = readMigrations()): Promise<string[]> {
  await db.system.transaction(async (tx) => {
    await lock(tx);
    await createRole(tx);
    await tx.query(sql`create table if not exists schema_migration (
      version int primary key, name text not null, hash text not null, applied_at timestamptz not null default now())`);
    await checkApplied(tx, migrations);
    await showRowsToOwner(tx);
  });
  const applied: string[] = [];
  for (const migration of migrations) if (await apply(db, migration)) applied.push(migration.name);
  return applied;
}

/**
 * Returns whether the database has tables of the program, and writes nothing.
 *
 * @throws SchemaMismatch as `migrate`. ServiceError conflict if the rows are hidden from the role of the connection.
 */
export async function isMigrated(db: Database): Promise<boolean> {
  return db.system.transaction(async (tx) => {
    const found = await tx.query(
      sql`select from pg_tables where schemaname = current_schema() and tablename = 'schema_migration'`,
    );
    if (found.length === 0 || (await checkApplied(tx, readMigrations())).length === 0) return false;
    if ((await listHiddenTables(tx)).length > 0) {
      const problem =
        'The tables belong to this role, but their rows to another one, as after a restore with --no-owner';
      throw conflict(`${problem}: run \`pinakes migrate\`, or start the service.`);
    }
    return true;
  });
}

/** Returns the tables of the role whose policy shows all rows to another role, or that have no such policy. */
async function listHiddenTables(tx: SystemTx): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c join pg_roles r on r.oid = c.relowner
    where c.relnamespace = current_schema()::regnamespace and c.relforcerowsecurity and r.rolname = current_user
      and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'system_rows' and r.oid = any(p.polroles))`);
  return rows.map(({ name }) => name);
}

/**
 * Lets the role see the rows of its tables. A backup names the role that made the tables; if it is restored as another role with
 * --no-owner, the service would find an empty database.
 */
async function showRowsToOwner(tx: SystemTx): Promise<void> {
  for (const name of await listHiddenTables(tx)) {
    await tx.query(sql`drop policy if exists system_rows on ${raw(name)}`);
    await tx.query(sql`create policy system_rows on ${raw(name)} to current_user using (true)`);
  }
}

/** Returns the migrations of the package, found from `src/` as well as from `dist/`. */
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

/** Returns a hash of all migrations. It names a template database that tests copy. */
export function migrationsHash(migrations: readonly Migration[] = readMigrations()): string {
  return createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16);
}

/** Returns a hash of the statements of a migration, which is the same after a change of comments or white space. */
function hashOf({ text }: Migration): string {
  const statements = text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim();
  return createHash('sha256').update(statements).digest('hex');
}

async function apply(db: Database, migration: Migration): Promise<boolean> {
  return db.system.transaction(
    async (tx) => {
      await lock(tx);
      const done = await tx.query(sql`select from schema_migration where version = ${migration.version}`);
      if (done.length > 0) return false;
      await tx.execute(migration.text);
      await tx.query(
        sql`insert into schema_migration (version, name, hash) values (${migration.version}, ${migration.name}, ${hashOf(migration)})`,
      );
      return true;
    },
    { withoutTimeout: true },
  );
}

/** The lock belongs to the transaction, so it is released however the transaction ends. */
async function lock(tx: SystemTx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
}

/** Roles belong to the whole server, so the migration of another database may create the role at the same moment. */
async function createRole(tx: SystemTx): Promise<void> {
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

/**
 * Returns the applied migrations, and compares them with those of the program. Names are compared first: a database of an unreleased
 * version may also have higher versions. Hashes find a migration that was edited before its release.
 *
 * @throws SchemaMismatch
 */
async function checkApplied(tx: SystemTx, migrations: readonly Migration[]): Promise<Applied[]> {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const newest = migrations.at(-1)?.version ?? 0;
  const applied = await tx.query<Applied>(
    sql`select version, name, to_jsonb(m) ->> 'hash' as hash from schema_migration m order by version`,
  );
  const other = applied.find(({ version, name, hash }) => {
    const migration = known.get(version);
    return version <= newest && (migration?.name !== name || hash !== hashOf(migration));
  });
  if (other) throw SchemaMismatch.unreleased(other.name);
  const last = applied.at(-1);
  if (last && last.version > newest) throw SchemaMismatch.newer(last.name);
  return applied;
}
