/** The names of columns in rows, and recordsets: the same on the embedded engine and on a server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { recordset } from '../../src/db/recordset.ts';
import { keepPlan, sql } from '../../src/db/sql.ts';
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

test('rows name their columns in camelCase, however a statement is run; keys inside JSON keep their names', async () => {
  const { db } = opened;
  const named = (
    n: number,
  ) => sql`select ${n}::int as row_no, name as tenant_name, partition_no, ${'x'}::text as "asIs",
    jsonb_build_object('source_id', jsonb_build_array(${'y'}::text)) as as_json from tenant where id = ${tenant.id}`;
  const row = (n: number) => {
    const { name: tenantName, partitionNo } = tenant;
    return [{ rowNo: n, tenantName, partitionNo, asIs: 'x', asJson: { source_id: ['y'] } }];
  };
  assert.deepEqual(await db.system.query(named(1)), row(1));
  assert.deepEqual(await db.system.query(sql`select partition_no, id from tenant where id = ${tenant.id}`), [
    { partitionNo: tenant.partitionNo, id: tenant.id },
  ]);
  await db.system.transaction(async (tx) => {
    for (let n = 2; n < 5; n += 1) assert.deepEqual(await tx.query(named(n)), row(n));
    for (let n = 5; n < 8; n += 1) assert.deepEqual(await tx.query(keepPlan(named(n))), row(n));
  });
  await db.transaction(tenant.id, (tx) => insertTag(tx, 'named'));
  const tags = sql`select tenant_id, name as tag_name from tag`;
  const expected = [{ tenantId: tenant.id, tagName: 'named' }];
  assert.deepEqual(await db.query(tenant.id, tags), expected);
  for (const readOnly of [false, true]) {
    const read = await db.transaction(tenant.id, (tx) => tx.query(tags), { readOnly });
    assert.deepEqual(read, expected);
  }
  await db.query(tenant.id, sql`delete from tag where tenant_id = ${tenant.id}`);
});

test('the rows of raw statements keep the names of their columns', async () => {
  const { system } = opened.db;
  const text = 'select 1 as source_id';
  const rows = [{ source_id: 1 }];
  const withValue = (execute: Tx['execute']) => execute('select $1::int as source_id', [1]);
  assert.deepEqual(await system.execute(text), { rows });
  assert.deepEqual(await system.execute(`${text}; ${text}`), { rows: [...rows, ...rows] });
  assert.deepEqual(await withValue(system.execute), { rows });
  assert.deepEqual(await system.transaction((tx) => withValue(tx.execute)), { rows });
  await system.transaction(async (tx) => {
    assert.deepEqual(await tx.execute(text), { rows });
    assert.deepEqual(await tx.query(sql`select 1 as source_id`), [{ sourceId: 1 }]);
    assert.deepEqual(await withValue(tx.execute), { rows });
  });
});

test('a recordset is a table of the given rows, in their order; absent members are null, others are left out', async () => {
  const at = new Date('2026-02-03T04:05:06.789Z');
  const rows: {
    rowId: string;
    bigNumber: number;
    contentAt: Date;
    headingPath: string[];
    asJson: unknown;
    note?: string;
  }[] = [
    {
      rowId: newId(),
      bigNumber: 2 ** 53 - 1,
      contentAt: at,
      headingPath: ['a,b', '"c"'],
      asJson: { source_id: 1 },
      note: 'é',
    },
    { rowId: newId(), bigNumber: 0, contentAt: at, headingPath: [], asJson: null },
  ];
  const types = {
    row_id: 'uuid',
    big_number: 'bigint',
    content_at: 'timestamptz',
    heading_path: 'text[]',
    as_json: 'jsonb',
    note: { type: 'text', insert: "coalesce(r.note, 'none')" },
  } as const;
  const given = recordset(types, rows);
  const expected = rows.map((row) => ({ ...row, note: row.note ?? null }));
  assert.deepEqual(await opened.db.system.query(sql`select * from ${given.table}`), expected);
  await opened.db.system.transaction(async (tx) => {
    await tx.query(sql`create temporary table given (row_id uuid, big_number bigint, content_at timestamptz, heading_path text[],
      as_json jsonb, note text) on commit drop`);
    await tx.query(sql`insert into given (${given.columns}) select ${given.values} from ${given.table}`);
    const stored = await tx.query(sql`select * from given order by big_number desc`);
    assert.deepEqual(
      stored,
      expected.map((row) => ({ ...row, note: row.note ?? 'none' })),
    );
  });
  // @ts-expect-error no row has such a member
  recordset({ row_name: 'text' }, rows);
});
