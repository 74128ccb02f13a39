/** The legal status transitions: code and database agree, and the database refuses all others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import { sql } from '../../src/db/sql.ts';
import { JOB_STATUSES, type JobStatus, mayFollow, TRANSITIONS } from '../../src/jobs/status.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

test('the database and the code have the same status transitions', async () => {
  const rows = await database.db.system.query<{ fromStatus: JobStatus; toStatus: JobStatus }>(
    sql`select from_status, to_status from source_group_transition`,
  );
  const stored = rows.map((row) => `${row.fromStatus} -> ${row.toStatus}`).sort();
  const coded = Object.entries(TRANSITIONS).flatMap(([from, to]) => to.map((status) => `${from} -> ${status}`));
  assert.deepEqual(stored, coded.sort());
});

test('the database accepts the legal transitions and refuses all others', async () => {
  const { id: tenantId } = await createTenant(database.db, { id: newId(), name: 'transitions' });
  const { db } = database;
  for (const from of JOB_STATUSES) {
    for (const to of JOB_STATUSES) {
      if (from === to) continue;
      const id = newId();
      await db.query(
        tenantId,
        sql`insert into source_group (tenant_id, id, source_type, name, status, created_at)
            values (${tenantId}, ${id}, 'local_file', 'g', ${from}, ${new Date()})`,
      );
      const change = db.query(
        tenantId,
        sql`update source_group set status = ${to} where tenant_id = ${tenantId} and id = ${id}`,
      );
      if (mayFollow(from, to)) await change;
      else await assert.rejects(change, /illegal status transition/, `${from} -> ${to}`);
    }
  }
});
