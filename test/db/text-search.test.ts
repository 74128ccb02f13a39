/** Which text search the database may use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canUseTextSearch } from '../../src/db/extensions.ts';
import { sql } from '../../src/db/sql.ts';
import { openTestDatabase } from '../support/database.ts';

test('pg_textsearch is not used if it allows no index on tables with row-level security', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  if (!(await canUseTextSearch(database.db.system))) return t.skip('the database has no pg_textsearch');
  await database.db.system.transaction(async (tx) => {
    await tx.query(sql`set local pg_textsearch.allow_rls = off`);
    assert.equal(await canUseTextSearch(tx), false);
  });
  assert.equal(await canUseTextSearch(database.db.system), true);
});
