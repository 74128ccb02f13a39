/** A real, migrated database for one test file: the embedded engine, or the server of PINAKES_TEST_DATABASE_URL. */
import { createHash, randomBytes } from 'node:crypto';
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import type { Database } from '../../src/db/database.ts';
import { lockDirectory } from '../../src/db/embedded/lock.ts';
import { migrate, migrationsHash } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { openJobQueue } from '../../src/jobs/queue-pgboss.ts';
import { assertNoCanaryInFiles } from './passages/canary.ts';

export interface TestDatabase {
  db: Database;
  /** The data directory given to `openDatabase` (embedded); tests may put other files beside `database`. */
  dataDir: string;
  /** Closes and removes everything. */
  close(): Promise<void>;
}

const TEMPLATES = join(import.meta.dirname, '../../node_modules/.cache/test-databases');
/** Another process builds the template, which takes minutes on a very busy machine. */
const TEMPLATE_WAIT_MS = 600_000;

/** Opens a new, migrated database without a tenant. Its time limit leaves room for tests that run side by side. */
export async function openTestDatabase(options = { readTimeoutMs: 60_000 }): Promise<TestDatabase> {
  const serverUrl = process.env['PINAKES_TEST_DATABASE_URL'];
  if (serverUrl) return openOnServer(serverUrl, options);
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  await copyTemplate(dataDir);
  const openedAt = new Date();
  const db = await openDatabase({ dataDir, ...options });
  return {
    db,
    dataDir,
    async close() {
      await db.close();
      try {
        assertNoCanaryInFiles(join(dataDir, 'database'), openedAt);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

/** Opens a new database on the server; `close` drops it. */
async function openOnServer(serverUrl: string, options: { readTimeoutMs: number }): Promise<TestDatabase> {
  const name = `pinakes_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  await administer(serverUrl, `create database ${name}`);
  const db = await openDatabase({ dataDir, url: url.href, ...options });
  await migrate(db);
  return {
    db,
    dataDir,
    async close() {
      await db.close();
      await administer(serverUrl, `drop database ${name} with (force)`);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Fills `dataDir` with a `database` folder, initialised and migrated: a copy of a template that later runs of the tests use again. */
export async function copyTemplate(dataDir: string): Promise<void> {
  const template = join(TEMPLATES, templateKey());
  if (!existsSync(template)) await buildTemplate(template);
  cpSync(template, dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Builds the template and removes templates of other migrations, engines and queues. */
async function buildTemplate(template: string): Promise<void> {
  mkdirSync(TEMPLATES, { recursive: true });
  const lock = lockDirectory(TEMPLATES, TEMPLATE_WAIT_MS);
  try {
    if (existsSync(template)) return;
    for (const name of readdirSync(TEMPLATES)) rmSync(join(TEMPLATES, name), { recursive: true });
    const building = mkdtempSync(join(TEMPLATES, 'building-'));
    const db = await openDatabase({ dataDir: building });
    await migrate(db);
    // Most tests need the tables of the queue, and making them takes a second.
    await (await openJobQueue(db, pino({ level: 'silent' }))).stop(0);
    await db.system.executeOutsideTransaction('checkpoint');
    await db.close();
    rmSync(join(building, 'database.lock'), { force: true });
    renameSync(building, template);
  } finally {
    lock.release();
  }
}

function templateKey(): string {
  const load = createRequire(import.meta.url);
  const made = [
    '@electric-sql/pglite',
    '@electric-sql/pglite-pgvector',
    '@electric-sql/pglite-pg_textsearch',
    'pg-boss',
  ];
  const versions = made.map((name) => {
    const manifest = join(load.resolve(name), '../../package.json');
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  });
  return createHash('sha256')
    .update(JSON.stringify([migrationsHash(), ...versions]))
    .digest('hex')
    .slice(0, 16);
}
