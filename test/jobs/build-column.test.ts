/** The build of a metadata column: it can be resumed, is right under concurrent changes, and is cleaned up after a deletion. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { json } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { BUILD_SOURCES_PER_TRANSACTION, buildColumn } from '../../src/ingest/upkeep/build-column.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import type { JobContext } from '../../src/jobs/queue.ts';
import { buildWorker } from '../../src/worker.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';
import { eventually } from '../support/upload.ts';

/** Enough for more than two transactions of a build. */
const SOURCES = BUILD_SOURCES_PER_TRANSACTION * 2 + 10;

let t: TestApp;
let tenant: TestTenant;
let columnId: string;
let now = new Date('2026-03-01T00:00:00Z');

before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

/** Creates a tenant with this number of sources, and a column that is not built yet. */
async function createColumn(count = SOURCES): Promise<void> {
  tenant = await t.secondTenant();
  const sources = Array.from({ length: count }, (_, i) => ({
    name: `s${i}`,
    metadata: { n: String(i) },
    chunks: [],
  }));
  await seed(t.deps.db, tenant.tenantId, [{ sources }]);
  columnId = (await t.post('/metadata-columns', { key: 'n', type: 'integer' }, tenant.key)).body.id;
}

const context = (signal = new AbortController().signal): JobContext => ({ signal, lastAttempt: false });
const payload = () => ({ tenantId: tenant.tenantId, columnId });

async function status(): Promise<string | undefined> {
  return (await t.get('/metadata-columns', tenant.key)).body.metadata_columns[0]?.status;
}

async function storedValues(): Promise<number> {
  const [row] = await t.deps.db.query<{ count: number }>(
    tenant.tenantId,
    sql`select count(*) as count from metadata_column_value where tenant_id = ${tenant.tenantId}`,
  );
  return row!.count;
}

async function violations(): Promise<string[]> {
  const found = await findViolations(t.deps.db, t.deps.blobs, { now, graceSeconds: 0 });
  return found.map(({ message }) => message).filter((message) => message.includes('metadata column'));
}

/** Returns dependencies with a database that aborts after this many transactions. */
function interrupted(transactions: number): { deps: typeof t.deps; signal: AbortSignal } {
  const controller = new AbortController();
  let left = transactions;
  const db: typeof t.deps.db = {
    ...t.deps.db,
    async transaction(tenantId, fn, options) {
      const result = await t.deps.db.transaction(tenantId, fn, options);
      if (--left === 0) controller.abort(new Error('stopped'));
      return result;
    },
  };
  return { deps: { ...t.deps, db }, signal: controller.signal };
}

test('a stopped build continues where it was', async () => {
  await createColumn();
  const { deps, signal } = interrupted(1);
  await assert.rejects(buildColumn(deps)(payload(), context(signal)), /stopped/);
  assert.equal(await storedValues(), BUILD_SOURCES_PER_TRANSACTION);
  assert.equal(await status(), 'building');
  // A second attempt that started again would restore the values of the first attempt.
  await t.deps.db.query(tenant.tenantId, sql`delete from metadata_column_value where tenant_id = ${tenant.tenantId}`);
  await buildColumn(t.deps)(payload(), context());
  assert.equal(await status(), 'ready');
  assert.equal(await storedValues(), SOURCES - BUILD_SOURCES_PER_TRANSACTION);
  assert.equal((await violations()).length, 1, 'the check of stored data reports the values that were deleted');
  await t.deps.db.query(tenant.tenantId, sql`delete from source where tenant_id = ${tenant.tenantId}`);
});

test('changes of metadata during the build win over the build', async () => {
  await createColumn();
  const change = (i: number) =>
    t.deps.db.transaction(tenant.tenantId, (tx) =>
      tx.query(
        sql`update source set metadata = ${json({ n: String(-i - 1) })} where tenant_id = ${tenant.tenantId} and name = ${`s${i}`}`,
      ),
    );
  const changes = Array.from({ length: 40 }, (_, i) => change(i * 25));
  const added = seed(t.deps.db, tenant.tenantId, [
    { sources: [{ name: 'new', metadata: { n: '-9999' }, chunks: [] }] },
  ]);
  await Promise.all([
    buildColumn(t.deps)(payload(), context()),
    buildColumn(t.deps)(payload(), context()),
    ...changes,
    added,
  ]);
  assert.equal(await status(), 'ready');
  assert.deepEqual(await violations(), []);
  assert.equal(await storedValues(), SOURCES + 1);
  const { values } = (await t.get('/metadata-columns/n/values?limit=1', tenant.key)).body;
  assert.deepEqual(values, [{ value: '-9999', count: 1 }]);
});

test('a deleted column and its values are removed step by step', async () => {
  await createColumn();
  await buildColumn(t.deps)(payload(), context());
  assert.equal((await t.delete('/metadata-columns/n', tenant.key)).status, 200);
  const { deps, signal } = interrupted(2);
  await assert.rejects(buildColumn(deps)(payload(), context(signal)), /stopped/);
  assert.ok((await storedValues()) < SOURCES);
  await buildColumn(t.deps)(payload(), context());
  assert.equal(await storedValues(), 0);
  const rows = await t.deps.db.query(
    tenant.tenantId,
    sql`select from metadata_column where tenant_id = ${tenant.tenantId}`,
  );
  assert.equal(rows.length, 0);
  await buildColumn(t.deps)(payload(), context());
});

test('the values of a column are deleted with their source', async () => {
  await createColumn(5);
  await buildColumn(t.deps)(payload(), context());
  await t.deps.db.query(
    tenant.tenantId,
    sql`delete from source where tenant_id = ${tenant.tenantId} and name in ('s1', 's2')`,
  );
  assert.equal(await storedValues(), 3);
  assert.deepEqual(await violations(), []);
});

test('the worker builds a column, and the collector enqueues a lost build again', async () => {
  await createColumn(5);
  const worker = buildWorker(t.deps);
  await t.deps.db.system.query(sql`delete from pgboss.job where name = 'build-column'`);
  await worker.start();
  try {
    now = new Date(now.getTime() + 60_000);
    await collectGarbage(t.deps)({}, context());
    assert.equal(await status(), 'building', 'the job does not count as lost yet');
    now = new Date(now.getTime() + 3_600_000);
    await collectGarbage(t.deps)({}, context());
    await eventually(async () => (await status()) === 'ready');
    await t.post('/metadata-columns', { key: 'other', type: 'string' }, tenant.key);
    await eventually(async () =>
      (await t.get('/metadata-columns', tenant.key)).body.metadata_columns.every(
        (column: { status: string }) => column.status === 'ready',
      ),
    );
  } finally {
    await worker.stop(5_000);
  }
});
