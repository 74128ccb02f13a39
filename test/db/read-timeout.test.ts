/** The time limit of searches, and searches whose caller has left: on both databases, others do not wait for them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { raw, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { CLOCK_TIMES } from '../../src/util/work/work-time.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

/** A statement that ends by itself after hours. */
const ENDLESS = sql`select count(*) from generate_series(1, 1000000000000) as n where n % 7 = 8`;
/** Without the time limit a test would wait for the statement. */
const TEST_TIMEOUT_MS = 120_000;
const READING = { readOnly: true };

let opened: TestDatabase;
let tenant: Tenant;
let other: Tenant;

before(async () => {
  opened = await openTestDatabase({ readTimeoutMs: 1_000 });
  tenant = await createTenant(opened.db, { id: newId(), name: 'slow' });
  other = await createTenant(opened.db, { id: newId(), name: 'other' });
  await opened.db.system.execute('create table noted (text text); grant select, insert on noted to pinakes_app');
});

after(() => opened.close());

function note(text: string): Promise<unknown> {
  return opened.db.query(other.id, sql`insert into noted values (${text})`);
}

async function notes(): Promise<unknown[]> {
  return (await opened.db.query<{ text: string }>(other.id, sql`select text from noted`)).map(({ text }) => text);
}

test('a search is stopped at its time limit, and what others sent meanwhile runs', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const { db } = opened;
  await note('before');
  const search = db.transaction(tenant.id, (tx) => tx.query(ENDLESS), READING);
  const written = db.transaction(other.id, async (tx) => {
    await tx.query(sql`insert into noted values ('meanwhile')`);
    return tx.query(raw('select 1 as one'));
  });
  const read = db.query(other.id, raw('select 2 as two'));
  await assert.rejects(search, {
    code: 'overloaded',
    retryAfterSeconds: 5,
    message: /^The search was stopped at its time limit of 1 s\. Send fewer requests at a time or fewer conditions/,
  });
  assert.deepEqual(await written, [{ one: 1 }]);
  assert.deepEqual(await read, [{ two: 2 }]);
  assert.deepEqual(await notes(), ['before', 'meanwhile']);
});

test('searches that wait for a slow search end with it, on the database that runs one at a time', {
  timeout: TEST_TIMEOUT_MS,
}, async (t) => {
  const { db } = opened;
  if (db.kind === 'server') return t.skip('for the embedded database');
  let begun = 0;
  const searches = Array.from({ length: 5 }, () =>
    db.transaction(
      tenant.id,
      (tx) => {
        begun += 1;
        return tx.query(ENDLESS);
      },
      READING,
    ),
  );
  for (const { status } of await Promise.allSettled(searches)) assert.equal(status, 'rejected');
  await db.query(other.id, raw('select 1'));
  assert.equal(begun, 1);
});

test('a search that waited for nearly all of its time does not start, on the database that runs one at a time', async (t) => {
  const patient = await openTestDatabase({ readTimeoutMs: 600_000 });
  t.after(() => patient.close());
  const { db } = patient;
  if (db.kind === 'server') return t.skip('for the embedded database');
  const held = Promise.withResolvers<void>();
  const holds = db.transaction(tenant.id, () => held.promise);
  let begun = 0;
  const begin = async (): Promise<void> => {
    begun += 1;
  };
  const search = (): Promise<unknown> => db.transaction(tenant.id, begin, READING);
  const searches = Promise.allSettled([search(), search()]);
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + 550_000);
  held.resolve();
  await holds;
  const [first, second] = await searches;
  assert.match(String((first as PromiseRejectedResult).reason), /The search was stopped at its time limit of 600 s/);
  assert.equal(second.status, 'rejected');
  assert.equal(begun, 0);
  await search();
  assert.equal(begun, 1);
});

test('the time limit is for all statements of a search together', { timeout: TEST_TIMEOUT_MS }, async () => {
  const search = opened.db.transaction(
    tenant.id,
    async (tx) => {
      for (;;) await tx.query(raw('select pg_sleep(0.1)'));
    },
    READING,
  );
  await assert.rejects(search, { code: 'overloaded', message: /^The search was stopped/ });
});

test('time in which a statement waits for a processor is no time of a search, up to a multiple of the limit', {
  timeout: TEST_TIMEOUT_MS,
}, async (t) => {
  const impatient = await openTestDatabase({ readTimeoutMs: 2_000 });
  t.after(() => impatient.close());
  const { db } = impatient;
  if (db.kind === 'server' || process.platform !== 'linux') return t.skip('for the embedded database on Linux');
  const searchBehindStatement = async (lateMs: number): Promise<unknown> => {
    const statement = db.transaction(newId(), (tx) => tx.query(raw('select pg_sleep(0.5)')));
    const search = db.transaction(newId(), (tx) => tx.query(raw('select 1')), READING);
    search.catch(() => {});
    await setTimeout(100);
    const { now } = performance;
    const late = t.mock.method(performance, 'now', () => now.call(performance) + lateMs);
    await statement;
    return search.finally(() => late.mock.restore());
  };
  await searchBehindStatement(10_000);
  await assert.rejects(searchBehindStatement(25_000), {
    code: 'overloaded',
    message: /^The search was stopped at its time limit of 2 s/,
  });
});

test('time in which the embedded engine has nothing to do is time of a search', {
  timeout: TEST_TIMEOUT_MS,
}, async (t) => {
  const impatient = await openTestDatabase({ readTimeoutMs: 500 });
  t.after(() => impatient.close());
  const { db } = impatient;
  if (db.kind === 'server') return t.skip('for the embedded database');
  const released = Promise.withResolvers<void>();
  const rejectsInTime = async (search: Promise<unknown>): Promise<void> => {
    const begin = performance.now();
    await assert.rejects(search, { code: 'overloaded', message: /^The search was stopped at its time limit of 0.5 s/ });
    const ms = performance.now() - begin;
    assert.ok(ms < (CLOCK_TIMES * 500) / 2, `${ms}`);
  };
  const holds = db.transaction(tenant.id, () => released.promise);
  await rejectsInTime(db.transaction(tenant.id, (tx) => tx.query(raw('select 1')), READING));
  released.resolve();
  await holds;
  const waitsItself = async (tx: Tx): Promise<void> => {
    await tx.query(raw('select 1'));
    await new Promise(() => {});
  };
  await rejectsInTime(db.transaction(tenant.id, waitsItself, READING));
});

test('a search ends when its caller leaves', { timeout: TEST_TIMEOUT_MS }, async () => {
  const unlimited = await openTestDatabase({ readTimeoutMs: 600_000 });
  try {
    const caller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const search = unlimited.db.transaction(
      newId(),
      async (tx) => {
        await tx.query(raw('select 1'));
        const rows = tx.query(ENDLESS);
        begun.resolve();
        return rows;
      },
      { ...READING, signal: caller.signal },
    );
    await begun.promise;
    caller.abort(new Error('the client left'));
    await assert.rejects(search, /^Error: the client left$/);
    // On a server the statement would go on beside others, so the test asks for running statements.
    const running = sql`select 1 from pg_stat_activity
      where query like '%generate_series(1, 1000000000000)%' and state = 'active' and pid <> pg_backend_pid()`;
    while ((await unlimited.db.system.query(running)).length > 0);
  } finally {
    await unlimited.close();
  }
});

test('notifications arrive after a search was stopped', { timeout: TEST_TIMEOUT_MS }, async () => {
  const { db } = opened;
  const received = Promise.withResolvers<string>();
  let connections = 0;
  const listener = await db.system.listen('noted', received.resolve, () => {
    connections += 1;
  });
  await assert.rejects(
    db.transaction(tenant.id, (tx) => tx.query(ENDLESS), READING),
    { code: 'overloaded' },
  );
  while (db.kind === 'embedded' && connections < 2) await db.system.query(raw('select 1'));
  await db.system.query(sql`select pg_notify('noted', 'new')`);
  assert.equal(await received.promise, 'new');
  await listener.close();
});
