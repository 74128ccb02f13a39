/** The copy of a database into an empty one: `pinakes copy-database` copies the embedded database to a server in this way. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { copyDatabase } from '../../src/copy-database.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { identifier, sql } from '../../src/db/sql.ts';
import { openDeps } from '../../src/deps.ts';
import { newId } from '../../src/util/ids.ts';
import { buildWorker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually, ingest } from '../support/upload.ts';

/** Each database fills these on its own. The time of the last use of a key is written later. */
const OWN_TABLES = [
  'schema_migration',
  'text_index',
  'text_index_term',
  'text_index_change',
  'embedding_state',
  'api_key',
];

let t: TestApp;
let copy: TestDatabase;
before(async () => {
  t = await openTestApp();
  copy = await openTestDatabase();
});
after(async () => {
  await t.close();
  await copy.close();
});

/** Returns a hash of the rows of every table. */
async function contentsOf(db: Database): Promise<Record<string, string>> {
  const tables = await db.system.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`);
  const contents: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !OWN_TABLES.includes(table.name))) {
    const [row] = await db.system.query<{ count: number; hash: string }>(sql`
      select count(*) as count, md5(coalesce(string_agg(line, ';' order by line collate "C"), '')) as hash
      from (select row_to_json(x)::text as line from ${identifier(name)} x) lines`);
    contents[name] = `${row!.count} rows ${row!.hash}`;
  }
  return contents;
}

test('a copied database has all rows and waiting jobs, is found by search, and is refused a second time', async () => {
  const worker = buildWorker(t.deps);
  await worker.start();
  const guide = await ingest(t, [
    { name: 'guide.md', content: '# Hours\n\nThe quagga is fed at noon.\n' },
    { name: 'prices.csv', content: 'item,price\nlantern,12.50\nrope,3.20\n' },
  ]);
  const doomed = await ingest(t, [{ name: 'old.txt', content: 'The dodo left.' }]);
  await t.secondTenant();
  const { body: tag } = await t.post('/tags', { name: 'animals' });
  await t.post('/tag-source-groups', { tag_id: tag.id, source_group_id: guide });
  await t.post('/secrets', { name: 'token', type: 'repo', secret: 'not told' });
  await t.post('/completions', { messages: [{ role: 'user', content: 'When is the quagga fed?' }] });
  await worker.stop(1_000);
  assert.equal((await t.delete(`/local-file-groups/${doomed}`)).status, 202);

  const copied = await copyDatabase(t.deps.db, copy.db, t.deps.config, t.deps.log);
  assert.equal(copied.tenants, 2);
  assert.deepEqual(await contentsOf(copy.db), await contentsOf(t.deps.db));
  const [job] = await copy.db.system.query<{ data: unknown }>(
    sql`select data from pgboss.job where name = 'delete-group'`,
  );
  assert.deepEqual(job?.data, { tenantId: t.tenantId, groupId: doomed });

  const deps = await openDeps(t.deps.config, t.deps.log, { db: copy.db });
  const app = await buildApp(deps);
  try {
    const ask = async (query: string): Promise<string[]> => {
      const headers = { 'x-api-key': t.key, 'content-type': 'application/json' };
      const answer = await app.inject({ method: 'POST', url: '/api/v1/search', headers, payload: { query } });
      return answer.json().results.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(
      [await ask('quagga'), await ask('lantern'), await ask('dodo')],
      [['guide.md'], ['prices.csv'], []],
    );
    // The job that was waiting is done, with foreign keys and triggers. A new tenant gets a number of its own.
    const other = buildWorker(deps);
    await other.start();
    const left = sql`select from source_group where id = ${doomed}`;
    await eventually(async () => (await copy.db.system.query(left)).length === 0);
    await other.stop(1_000);
    await createTenant(copy.db, { id: newId(), name: 'third' });
    const places = { now: new Date(), graceSeconds: 3_600 };
    assert.deepEqual(await findViolations(copy.db, deps.blobs, places), []);
  } finally {
    await app.close();
    await deps.close();
  }
  await assert.rejects(copyDatabase(t.deps.db, copy.db, t.deps.config, t.deps.log), /has tenants already/);
});
