/** Counts of terms, without a BM25 index. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openTermCounts } from '../../src/retrieval/lexical/term-counts.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

let database: TestDatabase;
let db: Database;
before(async () => {
  database = await openTestDatabase();
  db = { ...database.db, hasTextSearch: false };
});
after(() => database.close());

const make = (): Promise<Tenant> => createTenant(db, { id: newId(), name: newId() });

async function find({ id, partitionNo }: Tenant, query: string) {
  const anything = { sourceGroupIds: null, tagIds: null, principal: null, usePostfilter: false, limit: 10, offset: 0 };
  const asked = { tenantId: id, partitionNo, query, mode: 'lexical' as const, filters: {}, ...anything };
  const { hits } = await retrieve({ db }, asked);
  return hits.map(({ name, score }) => ({ name, score }));
}

test('a search is refused while the index of terms is dropped, and works when it is made again', async () => {
  const tenant = await make();
  await seed(db, tenant.id, [{ sources: [{ name: 'one', chunks: ['contract'] }] }]);
  const run = (name: 'create' | 'drop'): Promise<unknown> =>
    db.system.transaction((tx) => tx.execute(`select ${name}_text_index($1, $2)`, [tenant.id, tenant.partitionNo]));
  await run('drop');
  await assert.rejects(find(tenant, 'contract'), { code: 'overloaded' });
  await run('create');
  assert.equal((await find(tenant, 'contract')).length, 1);
});

test('an absent term does not occur although changes are not counted yet', async () => {
  const tenant = await make();
  await seed(db, tenant.id, [{ sources: [{ name: 'one', chunks: ['contract'] }] }]);
  const occurring = await db.transaction(tenant.id, (tx) => {
    const lists = [{ terms: () => ['contract', 'nowhere'] }];
    return openTermCounts(tx).occurring(lists);
  });
  assert.equal(occurring[0]!.includes('nowhere'), false);
});
