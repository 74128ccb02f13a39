/** Settings of the administrator of a PostgreSQL server: time limits, and a server that takes no changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { serverFacts } from '../../src/db/facts.ts';
import { openDatabase, prepareDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { ServiceError } from '../../src/errors.ts';

const SERVER = process.env['PINAKES_TEST_DATABASE_URL'];

describe('on a server whose administrator has set', { skip: SERVER === undefined && 'needs a server' }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  const made: string[] = [];
  const open: Database[] = [];
  const administer = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: SERVER! });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  /** Opens a new database on which new sessions have these settings. Its address has further ones, as operators give them. */
  const openWith = async (settings: Record<string, string>, connections = 1): Promise<[Database, string]> => {
    const name = `pinakes_test_${randomBytes(6).toString('hex')}`;
    await administer(`create database ${name}`);
    made.push(name);
    const address = Object.assign(new URL(SERVER!), { pathname: `/${name}` });
    address.searchParams.set('options', '-c work_mem=5MB -c jit=on');
    const url = address.href;
    // The extension is made before the settings count.
    await (await openDatabase({ url, dataDir })).close();
    for (const [setting, value] of Object.entries(settings))
      await administer(`alter database ${name} set ${setting} = '${value}'`);
    for (let i = 0; i < connections; i += 1) open.push(await openDatabase({ url, dataDir }));
    return [open.at(-1)!, url];
  };
  const isOverloaded = (error: unknown): boolean => error instanceof ServiceError && error.code === 'overloaded';
  afterEach(async () => {
    for (const db of open.splice(0)) await db.close();
  });
  after(async () => {
    for (const name of made) await administer(`drop database if exists ${name} with (force)`);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('statement_timeout, a statement outside transactions takes its time, as the build of an index does', async () => {
    const [db] = await openWith({ statement_timeout: '50ms' });
    await db.system.executeOutsideTransaction('select pg_sleep(0.2)');
  });

  test('lock_timeout, a request waits for a lock, and the other settings are those of the service and of the address', async () => {
    const [db] = await openWith({ lock_timeout: '50ms' });
    const holds = Promise.withResolvers<void>();
    const first = db.system.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(1)`);
      holds.resolve();
      await sleep(300);
    });
    await holds.promise;
    const rows = await db.system.query(sql`
      select pg_advisory_xact_lock(1)::text as lock, current_setting('jit') as jit,
        current_setting('work_mem') as memory`);
    assert.deepEqual(rows, [{ lock: '', jit: 'off', memory: '5MB' }]);
    await first;
  });

  test('lock_timeout, a second process waits for the first one to make the tables', async () => {
    const [second, databaseUrl] = await openWith({ lock_timeout: '50ms' }, 2);
    const first = open.at(-2)!;
    const holds = Promise.withResolvers<void>();
    const before = prepareDatabase(first, { databaseUrl, dataDir }, async () => {
      holds.resolve();
      await sleep(300);
    });
    await holds.promise;
    await prepareDatabase(second, { databaseUrl, dataDir }, async () => {});
    await before;
  });

  test('transaction_timeout or idle_in_transaction_session_timeout, the caller may try again', async () => {
    const [db] = await openWith({});
    const ends = db.system.transaction(async (tx) => {
      await tx.execute("set local idle_in_transaction_session_timeout = '50ms'");
      await sleep(300);
      await tx.query(sql`select 1`);
    });
    await assert.rejects(ends, isOverloaded);
    const [{ version }] = (await db.system.query<{ version: string }>(
      sql`select current_setting('server_version_num') as version`,
    )) as [{ version: string }];
    if (Number(version) < 170_000) return;
    const late = db.system.transaction(async (tx) => {
      await tx.execute("set local transaction_timeout = '50ms'");
      await tx.query(sql`select pg_sleep(1)`);
    });
    await assert.rejects(late, isOverloaded);
  });

  test('default_transaction_read_only, as on a standby, a change may be tried again, and the doctor knows', async () => {
    const [db] = await openWith({ default_transaction_read_only: 'on' });
    await assert.rejects(db.system.query(sql`create table t (id integer)`), isOverloaded);
    assert.equal((await serverFacts(db)).isReadOnly, true);
  });
});
