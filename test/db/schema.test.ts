/** The schema itself: what every table must have, and databases that another version of the program made. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { listMigrations } from '../../src/db/facts.ts';
import { isMigrated, migrate, readMigrations, SchemaMismatch } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { runPinakes, runPinakesHere } from '../support/cli.ts';
import { copyTemplate, openTestDatabase, type TestDatabase } from '../support/database.ts';

/** What a database of a development state has applied. */
const UNRELEASED = sql`
  update schema_migration set name = '0001_core';
  delete from schema_migration where version > 1;
  insert into schema_migration (version, name, hash) select i, 'old ' || i, 'old' from generate_series(2, 27) i`;
/** An edited baseline has the same name as the present one. */
const EDITED = sql`update schema_migration set hash = 'another' where version = 1`;
const WITHOUT_HASH = sql`alter table schema_migration drop column hash`;
const NEWER = sql`insert into schema_migration (version, name, hash) values (9998, '9998_later', 'another')`;

describe('the schema', () => {
  let opened: TestDatabase;
  before(async () => {
    opened = await openTestDatabase();
    await createTenant(opened.db, { id: newId(), name: 'default' });
  });
  after(() => opened.close());

  const namesOf = async (condition: string): Promise<string[]> => {
    const rows = await opened.db.system.query<{ name: string }>(sql`
      select c.relname as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and ${raw(condition)} order by 1`);
    return rows.map(({ name }) => name);
  };
  const HAS_TENANT = `exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')`;

  test('keeps the steps of a run as json, because jsonb takes 256 MiB at most', async () => {
    const [column] = await opened.db.system.query<{ type: string }>(
      sql`select format_type(atttypid, null) as type from pg_attribute where attrelid = 'run_step'::regclass and attname = 'steps'`,
    );
    assert.equal(column?.type, 'json');
  });

  test('says of every table what it is for', async () => {
    assert.deepEqual(await namesOf("not c.relispartition and obj_description(c.oid, 'pg_class') is null"), []);
  });

  test('protects every table and partition with tenants’ rows by row-level security, against the owner too', async () => {
    assert.ok((await namesOf(`${HAS_TENANT} and c.relispartition`)).length >= 2, 'there are no partitions to look at');
    const isOpen = `not (c.relrowsecurity and c.relforcerowsecurity
      and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_rows'))`;
    assert.deepEqual(await namesOf(`${HAS_TENANT} and ${isOpen}`), []);
  });

  test('lets the tenants’ role call no function that works on all tenants', async () => {
    const rows = await opened.db.system.query<{ name: string }>(sql`
      select p.proname as name from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.prosecdef and has_function_privilege('pinakes_app', p.oid, 'execute')
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      order by 1`);
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['own_text_scores'],
    );
  });
});

test('rows that a backup shows to the role of another server are shown to the owner of the tables', async () => {
  const { db, close } = await openTestDatabase();
  try {
    await createTenant(db, { id: newId(), name: 'default' });
    const hidden = sql`
      select c.relname as name from pg_class c
      where c.relforcerowsecurity and not exists (select from pg_policy p
        where p.polrelid = c.oid and p.polname = 'system_rows' and current_user::regrole::oid = any(p.polroles))`;
    await migrate(db);
    assert.deepEqual(await db.system.query(hidden), []);
    await db.system.execute('alter policy system_rows on chunk_1 to pinakes_app; drop policy system_rows on source');
    await assert.rejects(isMigrated(db), /as after a restore with --no-owner: run `pinakes migrate`/);
    await migrate(db);
    assert.deepEqual(await db.system.query(hidden), []);
  } finally {
    await close();
  }
});

describe('a database that another version made is not migrated', () => {
  let opened: TestDatabase;
  before(async () => {
    opened = await openTestDatabase();
    await migrate(opened.db);
  });
  after(() => opened.close());

  const refusal = async (change: ReturnType<typeof sql>): Promise<string> => {
    const { system } = opened.db;
    const state = () => system.query(sql`select version, name from schema_migration order by version`);
    await system.execute('create table kept as table schema_migration');
    await system.execute(change.text);
    const before = await state();
    const error = await migrate(opened.db).then(
      () => assert.fail('it was migrated'),
      (reason: unknown) => reason,
    );
    assert.deepEqual(await state(), before);
    await system.execute('drop table schema_migration; alter table kept rename to schema_migration');
    assert.ok(error instanceof SchemaMismatch, String(error));
    return error.message;
  };

  test('an unreleased version', async () => {
    assert.equal(
      await refusal(UNRELEASED),
      'an unreleased version of Pinakes (migration 0001_core) made the database: start with a new one and ingest again',
    );
  });

  test('an unreleased version whose baseline was edited later', async () => {
    assert.match(
      await refusal(EDITED),
      /^an unreleased version of Pinakes \(migration 0001_baseline\) made the database/,
    );
  });

  test('an unreleased version that stored no hash of its baseline', async () => {
    assert.match(await refusal(WITHOUT_HASH), /^an unreleased version of Pinakes \(migration 0001_baseline\)/);
  });

  test('a newer version', async () => {
    assert.match(
      await refusal(NEWER),
      /^a newer version of Pinakes \(migration 9998_later\) made .* use the newer program/,
    );
  });
});

describe('the service ends with one line on a data directory of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (name: string, change: ReturnType<typeof sql>): Promise<string> => {
    const dataDir = join(folder, name);
    await copyTemplate(dataDir);
    const db = await openDatabase({ dataDir });
    await db.system.execute(change.text);
    await db.close();
    // A service that starts after all is ended, and the test fails.
    const { code, stdout, stderr } = await runPinakes(
      ['serve'],
      { PINAKES_DATA_DIR: dataDir, PINAKES_PORT: '0' },
      { timeoutMs: 60_000 },
    );
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    return stderr.replaceAll(dataDir, '<dir>');
  };

  test('an unreleased version', async () => {
    assert.equal(
      await start('unreleased', UNRELEASED),
      'pinakes: PINAKES_DATA_DIR is <dir>, but an unreleased version of Pinakes (migration 0001_core) made the database in it: ' +
        'start with a new data directory and ingest again; for example PINAKES_DATA_DIR=<dir>-new\n',
    );
  });

  test('a newer version', async () => {
    assert.match(
      await start('newer', NEWER),
      /^pinakes: PINAKES_DATA_DIR is <dir>, but a newer version of Pinakes \(migration 9998_later\) made [^\n]+: use the newer program[^\n]+\n$/,
    );
  });
});

test('of the operator commands only migrate changes the schema', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  try {
    await copyTemplate(dataDir);
    const withDatabase = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
      const db = await openDatabase({ dataDir });
      return work(db).finally(() => db.close());
    };
    const last = readMigrations().at(-1)!;
    await withDatabase((db) => db.system.query(sql`delete from schema_migration where version = ${last.version}`));
    const env = { PINAKES_DATA_DIR: dataDir };
    const doctor = await runPinakesHere(['doctor'], env);
    assert.match(doctor.stdout, /^FAIL {2}migrations: \d+ applied, 1 pending$/m);
    const tenants = await runPinakesHere(['tenants', 'list'], env);
    assert.deepEqual([tenants.code, tenants.stdout], [2, '']);
    assert.match(tenants.stderr, /lacks 1 of the migrations: run `pinakes migrate` first/);
    assert.deepEqual(await withDatabase((db) => listMigrations(db).then(({ pending }) => pending)), [last.name]);
    await withDatabase((db) => db.system.query(sql`drop table schema_migration`));
    const empty = await runPinakesHere(['doctor'], env);
    assert.match(empty.stderr, /PINAKES_DATA_DIR names a database without tables of Pinakes/);
    assert.equal(await withDatabase((db) => isMigrated(db)), false, 'the table was not made');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
