/** Prepared statements of the embedded engine return the same rows as statements that are planned each time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lockEmbedding } from '../../src/corpus/embedding-queue-store.ts';
import { insertGroup, lockGroup, UPLOADED } from '../../src/corpus/group-store.ts';
import { addProgress, insertRun, lockRun } from '../../src/corpus/run-store.ts';
import { insertRunFiles } from '../../src/corpus/runs/run-file-store.ts';
import { claimPendingSources, insertSources, saveSourceResults } from '../../src/corpus/source-store.ts';
import { deleteTexts, insertTexts } from '../../src/corpus/sources/text-store.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openEmbeddedDatabase } from '../../src/db/embedded/embedded-database.ts';
import { openEngine } from '../../src/db/embedded/engine.ts';
import { openKeptPlans } from '../../src/db/embedded/kept-plans.ts';
import { createSession } from '../../src/db/embedded/session.ts';
import { keepPlan, raw, type Sql, sql } from '../../src/db/sql.ts';
import type { ClaimedSource } from '../../src/ingest/runs/claimed-source.ts';
import { failedRows } from '../../src/ingest/runs/rows.ts';
import { readRows } from '../../src/retrieval/reading/hits.ts';
import { findSourcesWithTables } from '../../src/tables/store.ts';
import { newId } from '../../src/util/ids.ts';
import { copyTemplate } from '../support/database.ts';

let folder: string;
let dataDir: string;
let db: Database;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  await copyTemplate(folder);
  dataDir = join(folder, 'database');
  db = await openEmbeddedDatabase({ dataDir });
});
after(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns how many prepared statements of the engine have this text. */
async function kept(text: string): Promise<number> {
  const [row] = await db.system.query<{ count: number }>(
    sql`select count(*) from pg_prepared_statements where name <> '' and statement like ${`%${text}%`} and statement not like '%pg_prepared%'`,
  );
  return row!.count;
}

test('a prepared statement is planned once and uses the values of each call', async () => {
  const twice = (n: number): Sql => keepPlan(sql`select ${n}::int * 2 as twice`);
  for (let n = 1; n < 10; n += 1) {
    assert.deepEqual(await db.system.query(twice(n)), [{ twice: 2 * n }]);
    assert.deepEqual(await db.system.transaction((tx) => tx.query(twice(-n))), [{ twice: -2 * n }]);
  }
  assert.equal(await kept('as twice'), 1);
  await db.system.query(sql`select ${1}::int * 3 as thrice`);
  await db.system.query(sql`select x.* from (${keepPlan(sql`select ${1}::int * 4 as fourfold`)}) x`);
  assert.equal((await kept('as thrice')) + (await kept('as fourfold')), 0);
});

test('the statement that reads search hits stays prepared, however many tenants there are', async () => {
  const tenants: Tenant[] = [];
  for (const name of ['first', 'second', 'third']) tenants.push(await createTenant(db, { id: newId(), name }));
  const { id: tenantId, partitionNo } = tenants[1]!;
  for (let n = 0; n < 8; n += 1)
    await db.transaction(tenantId, (tx) => readRows(tx, { tenantId, partitionNo, tagIds: null }, [newId()]));
  const plans = await db.system.query<{ generic: number }>(sql`
    select generic_plans as generic from pg_prepared_statements where statement like ${`%chunk_${partitionNo}"%lateral%`} and name <> ''`);
  assert.equal(plans.length, 1);
  assert.ok(plans[0]!.generic > 0, 'the plan for all values costs no more than a plan for these values');
});

test('the statements of each batch of files that a run stores stay prepared', async () => {
  const { id: tenantId } = await createTenant(db, { id: newId(), name: 'uploader' });
  const createdAt = new Date();
  const group = { id: newId(), sourceType: UPLOADED, name: 'files', chunkMetadataKeys: [], uploadAt: null, createdAt };
  const run = { id: newId(), sourceGroupId: group.id, generation: 1, scanned: 1, unchanged: 0, createdAt };
  const file = { id: newId(), name: 'a.txt', fileType: 'txt', fileSize: 1, blobHash: 'hash', contentAt: createdAt };
  const step = { filesDone: 0, chunksDone: 0, added: 0, updated: 0, failed: 0 };
  const claim = { afterId: null, limit: 1, suspectAttempts: 100, suspects: false };
  const failure = { stage: 'parse', title: '', message: '', retryable: true } as const;
  const { result } = failedRows({ ...file, parentSourceId: null } as unknown as ClaimedSource, failure);
  await db.transaction(tenantId, async (tx) => {
    await insertGroup(tx, group);
    await insertSources(tx, group, [file]);
    await insertRun(tx, run);
  });
  for (let n = 0; n < 8; n += 1) {
    await db.transaction(tenantId, async (tx) => {
      await lockGroup(tx, group.id);
      await lockRun(tx, run.id);
      await claimPendingSources(tx, group.id, claim);
      await saveSourceResults(tx, [result]);
      await deleteTexts(tx, [{ id: file.id, generation: 1 }]);
      await insertTexts(tx, [{ sourceId: file.id, generation: 1, startOffset: 0, endOffset: 1, content: 'a' }]);
      await findSourcesWithTables(tx, [file.id]);
      await insertRunFiles(tx, run.id, [{ sourceId: file.id, change: 'added' }]);
      await addProgress(tx, run.id, step, createdAt);
      await lockEmbedding(tx, tenantId);
    });
  }
  const rows = await db.system.query<{ statement: string }>(
    sql`select statement from pg_prepared_statements where name <> '' and generic_plans > 0`,
  );
  const begin = ['select g.id', 'select r.id', 'with waiting', 'update source t', 'delete from source_text'];
  const further = [
    'insert into source_text',
    'select s.id as',
    'insert into run_file',
    'update run',
    'insert into embedding',
  ];
  for (const words of [...begin, ...further])
    assert.ok(
      rows.some(({ statement }) => statement.trimStart().startsWith(words)),
      words,
    );
});

test('with a prepared statement each tenant sees its own rows, and the owner all rows', async () => {
  const names = keepPlan(sql`select name from tag order by name`);
  const tenants: Tenant[] = [];
  for (const name of ['one', 'two']) {
    const tenant = await createTenant(db, { id: newId(), name });
    await db.query(tenant.id, sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, ${name})`);
    tenants.push(tenant);
  }
  for (let n = 0; n < 8; n += 1) {
    for (const { id, name } of tenants) {
      assert.deepEqual(await db.query(id, names), [{ name }]);
      assert.deepEqual(await db.transaction(id, (tx) => tx.query(names)), [{ name }]);
    }
    assert.deepEqual(await db.system.query(names), [{ name: 'one' }, { name: 'two' }]);
  }
});

test('prepared statements that are sent together before the first answer return their own rows', async () => {
  const given = [1, 2, 3, 4].map((n) => keepPlan(sql`select ${n}::int as together`));
  const expected = [1, 2, 3, 4].map((together) => [{ together }]);
  assert.deepEqual(await Promise.all(given.map((one) => db.system.query(one))), expected);
  assert.deepEqual(await db.system.transaction((tx) => Promise.all(given.map((one) => tx.query(one)))), expected);
  assert.equal(await kept('as together'), 1);
});

test('a prepared statement that fails is prepared again by the next call', async () => {
  const all = keepPlan(sql`select * from shelf`);
  for (let n = 0; n < 2; n += 1) await assert.rejects(db.system.query(all), /relation "shelf" does not exist/);
  await assert.rejects(Promise.all([db.system.query(all), db.system.query(all)]), /does not exist/);
  await db.system.execute('create table shelf (a int)');
  await db.system.execute('insert into shelf values (1)');
  assert.deepEqual(await db.system.query(all), [{ a: 1 }]);
  const divided = keepPlan(sql`select 1 / ${0}::int as divided`);
  await assert.rejects(db.system.query(divided), /division by zero/);
  await assert.rejects(db.system.query(divided), /division by zero/);
  await db.system.execute('alter table shelf add column b int');
  await assert.rejects(db.system.query(all), /must not change result type/);
  assert.deepEqual(await db.system.query(all), [{ a: 1, b: null }]);
});

test('statements beyond the limit of prepared statements are planned each time', async () => {
  for (let n = 0; n < 120; n += 1)
    assert.equal((await db.system.query(keepPlan(raw(`select ${n} as form`)))).length, 1);
  const count = await kept('as form');
  assert.ok(count > 50 && count <= 100, `${count}`);
});

test('after a restart of the engine, statements are prepared again', async () => {
  await copyTemplate(join(folder, 'restarted'));
  const engine = await openEngine(join(folder, 'restarted', 'database'));
  try {
    const session = createSession(engine);
    const run = openKeptPlans(engine);
    const one = async (): Promise<unknown> => {
      const { rows, error } = await run(keepPlan(sql`select ${1}::int as one`), (bytes) => session.single(bytes));
      return error ?? rows;
    };
    assert.deepEqual([await one(), await one()], [[{ one: 1 }], [{ one: 1 }]]);
    const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
    engine.restart(new Error('as after a PANIC'));
    await restarted;
    assert.deepEqual([await one(), await one()], [[{ one: 1 }], [{ one: 1 }]]);
  } finally {
    await engine.close();
  }
});
