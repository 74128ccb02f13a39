/** The promises of the database port, which hold on the embedded engine and on a server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import {
  createTenant,
  deleteTenant,
  findTenantByName,
  listTenants,
  type Tenant,
} from '../../src/corpus/tenant-store.ts';
import { json, type Tx } from '../../src/db/database.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { isUniqueViolation } from '../../src/db/pg-errors.ts';
import { CONNECTIONS_MAX } from '../../src/db/server/server.ts';
import { runTransaction } from '../../src/db/server/transaction.ts';
import { identifier, keepPlan, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let opened: TestDatabase;
let tenant: Tenant;

before(async () => {
  opened = await openTestDatabase();
  tenant = await createTenant(opened.db, { id: newId(), name: 'default' });
});

after(() => opened.close());

async function insertTag(tx: Pick<Tx, 'query'>, name: string): Promise<void> {
  await tx.query(sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, ${name})`);
}

async function tagNames(): Promise<string[]> {
  const rows = await opened.db.query<{ name: string }>(
    tenant.id,
    sql`select name from tag where tenant_id = ${tenant.id} order by name`,
  );
  return rows.map((row) => row.name);
}

test('values come back as the types that the port names', async () => {
  const at = new Date('2026-02-03T04:05:06.789Z');
  const values = {
    text: 'naïve "quotes" \\ \n 日本語 🙂',
    int8: 2 ** 53 - 1,
    float: 0.1,
    flag: true,
    at,
    bytes: Buffer.from([0, 255, 39, 92]),
    object: { a: [1, null, 'x'], b: { c: true } },
    texts: ['a,b', '"q"', '\\', '', 'NULL', 'é'],
    ids: [newId(), newId()],
    ints: [1, -2, 3],
    none: null,
    nothing: [],
  };
  const [row] = await opened.db.query(
    tenant.id,
    sql`select ${values.text}::text as text, ${values.int8}::int8 as int8, ${values.float}::float8 as float,
      ${values.flag}::boolean as flag, ${values.at}::timestamptz as at, ${values.bytes}::bytea as bytes,
      ${json(values.object)}::jsonb as object, ${values.texts}::text[] as texts, ${values.ids}::uuid[] as ids,
      ${values.ints}::int[] as ints, ${values.none}::text as none, ${values.nothing}::text[] as nothing`,
  );
  assert.deepEqual(row, values);
});

test('arrays may hold nulls, and counts are numbers', async () => {
  const [row] = await opened.db.system.query(
    sql`select ${['a', null]}::text[] as texts, array[1, null]::int8[] as int8s, count(*) as count from tenant`,
  );
  assert.deepEqual(row, { texts: ['a', null], int8s: [1, null], count: 1 });
});

test('a plain object is refused instead of being bound as text', async () => {
  await assert.rejects(opened.db.system.query(sql`select ${{ a: 1 }}::text`), /wrap objects in json/);
});

test('a transaction that rejects is rolled back, although it had read its own rows', async () => {
  const failure = new Error('no');
  await assert.rejects(
    opened.db.transaction(tenant.id, async (tx) => {
      await insertTag(tx, 'lost');
      assert.equal((await tx.query(sql`select from tag where name = 'lost'`)).length, 1);
      throw failure;
    }),
    failure,
  );
  assert.deepEqual(await tagNames(), []);
});

test('a failed statement fails its transaction, and the next transaction works', async () => {
  await assert.rejects(
    opened.db.transaction(tenant.id, async (tx) => {
      await insertTag(tx, 'lost');
      await tx.query(sql`select 1 / 0`);
    }),
    /division by zero/,
  );
  assert.deepEqual(await tagNames(), []);
});

test('single statements that fail write nothing and release their connections', async () => {
  const failing = Array.from({ length: CONNECTIONS_MAX + 1 }, () =>
    opened.db.query(tenant.id, sql`select 1 / (select count(*) from tag where name = 'none')`),
  );
  for (const one of await Promise.allSettled(failing)) assert.match(String(one.status), /rejected/);
  await opened.db.query(
    tenant.id,
    sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, 'kept')`,
  );
  assert.deepEqual(await tagNames(), ['kept']);
  await opened.db.query(tenant.id, sql`delete from tag where tenant_id = ${tenant.id}`);
});

test('a read-only transaction cannot write, and many of them release their connections', async () => {
  const write = opened.db.transaction(tenant.id, (tx) => insertTag(tx, 'refused'), { readOnly: true });
  await assert.rejects(write, /read-only transaction/);
  const reads = Array.from({ length: CONNECTIONS_MAX + 1 }, () =>
    opened.db.transaction(tenant.id, (tx) => tx.query(sql`select ${1}::int as one`), { readOnly: true }),
  );
  assert.deepEqual(
    (await Promise.all(reads)).flat(),
    reads.map(() => ({ one: 1 })),
  );
  assert.deepEqual(await tagNames(), []);
});

test('a read-only transaction sees one state of the database, whatever others change meanwhile', async (t) => {
  if (opened.db.kind === 'embedded') return t.skip('other transactions wait');
  const count = sql`select count(*) from tag`;
  const counts = await opened.db.transaction(
    tenant.id,
    async (tx) => {
      const first = await tx.query(count);
      await opened.db.transaction(tenant.id, (other) => insertTag(other, 'meanwhile'));
      return [first, await tx.query(count)];
    },
    { readOnly: true },
  );
  assert.deepEqual(counts[1], counts[0]);
  assert.deepEqual(await tagNames(), ['meanwhile']);
  await opened.db.query(tenant.id, sql`delete from tag where tenant_id = ${tenant.id}`);
});

test('settings of a transaction hold for its statements and end with it, and a wrong one fails the first statement', async () => {
  const { db } = opened;
  const shown = sql`select current_setting('enable_sort') as sorts`;
  const settings = ['set local enable_sort = off'];
  for (const readOnly of [false, true]) {
    const search = (tx: Tx) => Promise.all([tx.query(shown), tx.query(shown)]);
    const found = await db.transaction(tenant.id, search, { readOnly, settings });
    assert.deepEqual(found, [[{ sorts: 'off' }], [{ sorts: 'off' }]]);
    assert.deepEqual(await db.transaction(tenant.id, (tx) => tx.query(shown)), [{ sorts: 'on' }]);
    const wrong = { readOnly, settings: ['set local enable_sort = often'] };
    await assert.rejects(db.transaction(tenant.id, (tx) => tx.query(shown), wrong));
  }
  assert.deepEqual(await db.query(tenant.id, shown), [{ sorts: 'on' }]);
});

test('a statement does not run when the commands before it fail', async (t) => {
  const owner = process.env['PINAKES_TEST_DATABASE_URL'];
  if (!owner) return t.skip('for a server');
  const name = `stranger_${newId().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: owner });
  await client.connect();
  const url = new URL(owner);
  [url.username, url.password] = [name, 'x'];
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  try {
    await client.query(
      `create role ${name} login password 'x'; create table ${name} (n int); grant all on ${name} to public`,
    );
    const insert = sql`insert into ${identifier(name)} values (${1})`;
    const connections = {
      pool,
      urgentPool: pool,
      nameOf: () => undefined,
      readTimeoutMs: 10_000,
      cancel: async () => {},
    };
    const run = runTransaction(connections, tenant.id, (tx) => tx.query(insert));
    await assert.rejects(run, /permission denied to set role/);
    assert.deepEqual((await client.query(`select n from ${name}`)).rows, []);
  } finally {
    await pool.end();
    await client.query(`drop table ${name}; drop role ${name}`);
    await client.end();
  }
});

test('a prepared statement uses the values of each call, also after a failure and a change of its table', async () => {
  const { db } = opened;
  await db.system.execute(
    'create table planned (n int); insert into planned values (1), (2); grant select on planned to pinakes_app',
  );
  const read = (n: number, by = 1) =>
    keepPlan(sql`select n, ${n}::int / ${by}::int as part from planned where n = ${n}`);
  const inside = (n: number) =>
    db.transaction(tenant.id, async (tx) => [...(await tx.query(read(n))), ...(await tx.query(read(n)))]);
  assert.deepEqual(await db.query(tenant.id, read(1)), [{ n: 1, part: 1 }]);
  assert.deepEqual(await db.query(tenant.id, read(2)), [{ n: 2, part: 2 }]);
  assert.deepEqual(await inside(2), [
    { n: 2, part: 2 },
    { n: 2, part: 2 },
  ]);
  await assert.rejects(db.query(tenant.id, read(1, 0)), /division by zero/);
  assert.deepEqual(await inside(1), [
    { n: 1, part: 1 },
    { n: 1, part: 1 },
  ]);
  await db.system.execute('alter table planned alter column n type bigint using n * 10, add column m int');
  // The first call after the change may fail, the next ones must not.
  await db.query(tenant.id, read(10)).catch(() => {});
  assert.deepEqual(await inside(10), [
    { n: 10, part: 10 },
    { n: 10, part: 10 },
  ]);
  await db.system.execute('drop table planned');
});

test('concurrent transactions and statements all commit, and none runs inside another', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `t${String(i).padStart(2, '0')}`);
  await Promise.all(
    names
      .map((name, i) =>
        i % 2 === 0
          ? opened.db.query(
              tenant.id,
              sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, ${name})`,
            )
          : opened.db.transaction(tenant.id, async (tx) => {
              await tx.query(sql`select pg_sleep(0.001)`);
              await insertTag(tx, name);
              if (i % 4 === 1) throw new Error('rolled back');
            }),
      )
      .map((done) => (done as Promise<unknown>).catch(() => {})),
  );
  assert.deepEqual(
    await tagNames(),
    names.filter((_, i) => i % 4 !== 1),
  );
  await opened.db.query(tenant.id, sql`delete from tag where tenant_id = ${tenant.id}`);
});

test('an abort rolls the transaction back, rejects with the reason, and refuses late statements', async () => {
  const abort = new AbortController();
  const late = Promise.withResolvers<unknown>();
  const reason = new Error('the client left');
  const running = opened.db.transaction(
    tenant.id,
    async (tx) => {
      await insertTag(tx, 'aborted');
      abort.abort(reason);
      await insertTag(tx, 'late').then(late.resolve, late.resolve);
    },
    { signal: abort.signal },
  );
  await assert.rejects(running, reason);
  assert.equal(await late.promise, reason);
  assert.deepEqual(await tagNames(), []);
  await assert.rejects(
    opened.db.transaction(tenant.id, async () => {}, { signal: abort.signal }),
    reason,
  );
});

test('a unique violation is recognized', async () => {
  await opened.db.query(tenant.id, sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, 'one')`);
  const again = opened.db.transaction(tenant.id, (tx) => insertTag(tx, 'one'));
  await assert.rejects(again, (error: unknown) => {
    assert.ok(isUniqueViolation(error));
    return true;
  });
});

test('an illegal status transition is refused by the database', async () => {
  const id = newId();
  await opened.db.query(
    tenant.id,
    sql`insert into source_group (tenant_id, id, source_type, name, status, created_at)
        values (${tenant.id}, ${id}, 'local_file', 'group', 'success', now())`,
  );
  const setStatus = (status: string): Promise<unknown> =>
    opened.db.query(
      tenant.id,
      sql`update source_group set status = ${status} where tenant_id = ${tenant.id} and id = ${id}`,
    );
  await assert.rejects(setStatus('started'), { code: '23514' });
  await setStatus('queued');
});

test('migrating again applies nothing, also when two processes migrate at once', async () => {
  assert.deepEqual(await Promise.all([migrate(opened.db), migrate(opened.db)]), [[], []]);
});

test('a migration that fails is rolled back', async () => {
  const broken = { version: 9999, name: '9999_broken', text: 'create table half_done (id int); select 1 / 0;' };
  await assert.rejects(migrate(opened.db, [...readMigrations(), broken]), /division by zero/);
  const [row] = await opened.db.system.query(sql`select to_regclass('half_done') is null as missing`);
  assert.deepEqual(row, { missing: true });
});

test('a migration has no statement timeout, and later transactions have theirs again', async () => {
  const limit = async (tx: Pick<Tx, 'query'>): Promise<string> =>
    (await tx.query<{ limit: string }>(sql`select current_setting('statement_timeout') as limit`))[0]!.limit;
  const usual = await opened.db.system.transaction(limit);
  const text = "create table seen_limit as select current_setting('statement_timeout') as value";
  const seeing = { version: 9_999, name: 'seeing', text };
  await migrate(opened.db, [...readMigrations(), seeing]);
  const [seen] = await opened.db.system.query<{ value: string }>(sql`select value from seen_limit`);
  await opened.db.system.execute('drop table seen_limit; delete from schema_migration where version = 9999');
  assert.equal(seen!.value, '0');
  assert.equal(await opened.db.system.transaction(limit), usual);
  assert.equal(usual, opened.db.kind === 'server' ? '1min' : '0');
});

test('the server compiles no statement, which would take longer than our statements run', async (t) => {
  if (opened.db.kind === 'embedded') return t.skip('it cannot');
  const [row] = await opened.db.query<{ jit: string }>(tenant.id, sql`select current_setting('jit') as jit`);
  assert.equal(row!.jit, 'off');
});

test('a program that is older than the database does not migrate it', async () => {
  await assert.rejects(migrate(opened.db, []), /use the newer program/);
});

test('a tenant is found by name, and deleting it removes its partition and rows', async () => {
  const other = await createTenant(opened.db, { id: newId(), name: 'other' });
  assert.deepEqual(await findTenantByName(opened.db, 'other'), other);
  assert.deepEqual(
    (await listTenants(opened.db)).map(({ name }) => name),
    ['default', 'other'],
  );
  assert.equal(await deleteTenant(opened.db, other.id), true);
  assert.equal(await deleteTenant(opened.db, other.id), false);
  const [row] = await opened.db.system.query(
    sql`select to_regclass(${`chunk_${other.partitionNo}`}) is null as missing`,
  );
  assert.deepEqual(row, { missing: true });
});
