/** What an operator wants to know when something is wrong: one line per check, in words. */
import { statfs } from 'node:fs/promises';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { readMigrations } from './db/migrate.ts';
import { sql } from './db/sql.ts';

/** Uploads of this size must fit, with room for the database to grow. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

export interface Examination {
  /** True when every check is. */
  ok: boolean;
  checks: Check[];
}

interface Uses {
  config: Config;
  db: Database;
  blobs: BlobStore;
}

/** `thorough` also compares stored counters and references with what is there: it reads everything. */
export async function examine(uses: Uses, options: { thorough: boolean }): Promise<Examination> {
  const checks: Check[] = [];
  const add = async (name: string, check: () => Promise<string | { ok: boolean; detail: string }>): Promise<void> => {
    try {
      const result = await check();
      checks.push({ name, ...(typeof result === 'string' ? { ok: true, detail: result } : result) });
    } catch (error) {
      checks.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  };
  await add('node', async () => process.version);
  await add('data directory', async () => uses.config.dataDir);
  await add('disk space', () => diskSpace(uses.config.dataDir));
  await add('database', () => databaseFacts(uses.db));
  await add('migrations', () => migrationFacts(uses.db));
  await add('text search', async () =>
    uses.db.hasTextSearch ? 'pg_textsearch (BM25)' : 'tsvector stand-in: install pg_textsearch for BM25 ranking',
  );
  await add('blob store', async () => {
    await uses.blobs.check();
    return uses.config.blobs.kind === 'file' ? uses.config.blobs.directory : `s3://${uses.config.blobs.bucket}`;
  });
  await add('models', async () => modelFacts(uses.config));
  await add('tenants', () => countRows(uses.db));
  if (options.thorough) for (const check of await thoroughChecks(uses)) checks.push(check);
  return { ok: checks.every((check) => check.ok), checks };
}

async function diskSpace(directory: string): Promise<{ ok: boolean; detail: string }> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  return {
    ok: free >= FREE_BYTES_MIN,
    detail: `${(free / 1024 ** 3).toFixed(1)} GiB free, ${FREE_BYTES_MIN / 1024 ** 3} GiB needed`,
  };
}

async function databaseFacts(db: Database): Promise<string> {
  const [row] = await db.system.query<{ version: string; size: number }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size`);
  const megabytes = ((row?.size ?? 0) / 1024 ** 2).toFixed(0);
  return `${db.kind === 'embedded' ? 'embedded ' : ''}PostgreSQL ${row?.version}, ${megabytes} MiB`;
}

async function migrationFacts(db: Database): Promise<{ ok: boolean; detail: string }> {
  const rows = await db.system.query<{ name: string }>(sql`select name from schema_migration`);
  const applied = new Set(rows.map((row) => row.name));
  const pending = readMigrations().filter((migration) => !applied.has(migration.name));
  const detail = pending.length === 0 ? `${applied.size} applied` : `pending: ${pending.map((m) => m.name).join(', ')}`;
  return { ok: pending.length === 0, detail };
}

function modelFacts({ chat, embedding, rerank }: Config): string {
  return `chat ${chat.model}, embedding ${embedding.model}, rerank ${rerank.model}`;
}

async function countRows(db: Database): Promise<string> {
  const [row] = await db.system.query<{ tenants: number; groups: number; sources: number; chunks: number }>(sql`
    select (select count(*) from tenant) as tenants,
           (select count(*) from source_group where deleted_at is null) as groups,
           (select count(*) from source where deleted_at is null) as sources,
           (select coalesce(sum(chunk_count), 0)::bigint from source where deleted_at is null) as chunks`);
  return `${row?.tenants} tenants, ${row?.groups} source groups, ${row?.sources} sources, ${row?.chunks} chunks`;
}

async function thoroughChecks(_uses: Uses): Promise<Check[]> {
  return [];
}
