/** Row-level security: a statement without the tenant predicate neither sees nor changes rows of another tenant. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chunkPartition, createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { identifier, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let test_: TestDatabase;
let ours: Tenant;
let theirs: Tenant;

before(async () => {
  test_ = await openTestDatabase();
  ours = await createTenant(test_.db, { id: newId(), name: 'ours' });
  theirs = await createTenant(test_.db, { id: newId(), name: 'theirs' });
  for (const tenant of [ours, theirs]) {
    await test_.db.query(
      tenant.id,
      sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, 'blue')`,
    );
    await insertChunk(tenant);
  }
});

after(() => test_.close());

async function insertChunk(tenant: Tenant): Promise<void> {
  await test_.db.query(
    tenant.id,
    sql`insert into chunk (tenant_id, id, source_id, source_group_id, ordinal, start_offset, end_offset, content, terms)
        values (${tenant.id}, ${newId()}, ${newId()}, ${newId()}, 0, 0, 5, 'hello', 'hello')`,
  );
}

test('a statement without the tenant predicate sees only rows of its own tenant', async () => {
  for (const table of ['tag', 'chunk']) {
    const rows = await test_.db.query<{ tenantId: string }>(ours.id, sql`select tenant_id from ${identifier(table)}`);
    assert.deepEqual(
      rows.map((row) => row.tenantId),
      [ours.id],
    );
  }
});

test('the chunk partition of another tenant, named directly, shows and loses no row', async () => {
  const partition = identifier(chunkPartition(theirs.partitionNo));
  assert.deepEqual(await test_.db.query(ours.id, sql`select * from ${partition}`), []);
  assert.deepEqual(await test_.db.query(ours.id, sql`delete from ${partition} returning id`), []);
  const [count] = await test_.db.system.query<{ count: number }>(sql`select count(*) from ${partition}`);
  assert.equal(count?.count, 1);
});
