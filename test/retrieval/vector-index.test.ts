/** The time and memory that building the index over vectors may use. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import { createGeneration, indexGeneration } from '../../src/corpus/vector-store.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const KIND = { dimension: 3, element: 'half' } as const;

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
  await database.db.system.execute(`
    create table seen (timeout text, memory text);
    create function see() returns trigger language plpgsql as $$ begin
      insert into seen values (current_setting('statement_timeout'), current_setting('maintenance_work_mem'));
      return null;
    end $$;
    create trigger see after update of indexed on embedding_generation for each row execute function see()`);
});
after(() => database.close());

test('the index over vectors is built without a time limit, and with the minimum memory or what the operator allows', async () => {
  const { db } = database;
  const { id } = await createTenant(db, { id: newId(), name: 'a tenant' });
  const build = async (): Promise<unknown> => {
    const { generation } = await db.system.transaction((tx) =>
      createGeneration(tx, id, { model: 'a model', ...KIND, indexed: false }, new Date()),
    );
    await indexGeneration(db, id, { generation, ...KIND });
    const [row] = await db.system.query<{ indexed: boolean; indexes: number }>(sql`
      select g.indexed, (select count(*) from pg_indexes where indexdef like '%hnsw%')::int as indexes
      from embedding_generation g where g.tenant_id = ${id} and g.generation = ${generation}`);
    const [seen] = await db.system.query(sql`delete from seen returning timeout, memory`);
    await db.system.query(sql`update embedding_generation set status = 'retired' where tenant_id = ${id}`);
    await db.system.query(sql`delete from seen`);
    return { ...row, ...seen };
  };
  const [{ name } = { name: '' }] = await db.system.query<{ name: string }>(sql`select current_database() as name`);
  // On a server a separate connection builds the index, so the setting is that of the database; else that of the one session.
  const allow = (memory: string) =>
    db.system.execute(
      `alter database "${name}" set maintenance_work_mem = '${memory}'; set maintenance_work_mem = '${memory}'`,
    );
  await allow('64MB');
  assert.deepEqual(await build(), { indexed: true, indexes: 1, timeout: '0', memory: '256MB' });
  await allow('300MB');
  assert.deepEqual(await build(), { indexed: true, indexes: 2, timeout: '0', memory: '300MB' });
});
