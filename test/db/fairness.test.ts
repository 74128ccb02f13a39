/** Tests that no tenant waits for all the searches of another, and that the checks of rights wait for none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import { CONNECTIONS_MAX } from '../../src/db/server/server.ts';
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

test('an urgent transaction starts before all transactions of tenants that wait', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const { db } = database;
  const tenants = await Promise.all(
    ['one', 'two'].map((name) => createTenant(db, { id: newId(), name: `${name} ${newId()}` })),
  );
  const ended: string[] = [];
  const free = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const hold = (i: number): Promise<void> =>
    db.transaction(tenants[i % 2]!.id, async (tx) => {
      await tx.query(sql`select 1`);
      started.resolve();
      await free.promise;
      ended.push('tenant');
    });
  const held = Array.from({ length: 2 * CONNECTIONS_MAX }, (_, i) => hold(i));
  await started.promise;
  const urgent = db.system
    .transaction((tx) => tx.query(sql`select 1`), { urgent: true })
    .then(() => ended.push('check'));
  if (db.kind === 'server') await urgent;
  free.resolve();
  await Promise.all([...held, urgent]);
  assert.equal(ended.indexOf('check'), db.kind === 'server' ? 0 : 1);
});
