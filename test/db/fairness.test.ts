/** Tests that no tenant waits for all the searches of another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase } from '../support/database.ts';

test('a transaction of one tenant waits for at most two of the many transactions of another', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  if (database.db.kind !== 'embedded') return t.skip('a server runs the transactions of tenants side by side');
  const [busy, other] = await Promise.all(
    ['busy', 'other'].map((name) => createTenant(database.db, { id: newId(), name: `${name} ${newId()}` })),
  );
  const ended: string[] = [];
  const search = async (tenantId: string, name: string): Promise<void> => {
    await database.db.transaction(tenantId, (tx) => tx.query(sql`select 1`), { readOnly: true });
    ended.push(name);
  };
  const all = Array.from({ length: 50 }, () => search(busy!.id, 'busy'));
  all.push(search(other!.id, 'other'));
  await Promise.all(all);
  assert.ok(ended.indexOf('other') <= 2, `after ${ended.indexOf('other')} of the other tenant`);
});
