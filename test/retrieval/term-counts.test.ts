/** Cached counts of terms, without a BM25 index, always equal the present counts. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertChunks } from '../../src/corpus/chunk-writer.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { openTermCounts } from '../../src/retrieval/lexical/term-counts.ts';
import { type CorpusCache, openCorpusCache } from '../../src/retrieval/query/corpus-cache.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

let database: TestDatabase;
let db: Database;
let corpusCache: CorpusCache;
before(async () => {
  database = await openTestDatabase();
  db = { ...database.db, hasTextSearch: false };
  corpusCache = openCorpusCache(db);
});
after(() => database.close());

const make = (): Promise<Tenant> => createTenant(db, { id: newId(), name: newId() });

async function find({ id, partitionNo }: Tenant, query: string, remembered: CorpusCache | null) {
  const anything = { sourceGroupIds: null, tagIds: null, principal: null, usePostfilter: false, limit: 10, offset: 0 };
  const asked = { tenantId: id, partitionNo, query, mode: 'lexical' as const, filters: {}, ...anything };
  const { hits } = await retrieve({ db, corpusCache: remembered }, asked);
  return hits.map(({ name, score }) => ({ name, score }));
}

const versionOf = async ({ id }: Tenant): Promise<unknown> =>
  (await db.query<{ version: string }>(id, sql`select ${corpusCache.version} as version`))[0]!.version;

test('cached counts of terms are right while the parts of a large file are stored', async () => {
  const tenant = await make();
  const large = newId();
  const sources = [
    { name: 'one', chunks: ['contract payment penalty'] },
    { name: 'two', chunks: ['contract nothing more here'] },
    { name: 'three', chunks: ['other'] },
    { id: large, name: 'large', status: 'pending' as const, chunks: [] },
  ];
  const [groupId] = await seed(db, tenant.id, [{ sources }]);
  assert.equal((await find(tenant, 'contract', corpusCache)).length, 2);
  const version = await versionOf(tenant);
  const part = Array.from({ length: 40 }, (_, ordinal) => ({
    ...{ id: newId(), sourceId: large, generation: 1, ordinal, startOffset: 0, endOffset: 1, content: 'contract' },
    ...{ context: null, headingPath: [], pages: null, metadata: {}, terms: 'contract' },
  }));
  await db.transaction(tenant.id, (tx) => insertChunks(tx, tenant.id, groupId!, part));
  assert.equal(await versionOf(tenant), version, 'nothing tells of it');
  for (const query of ['contract payment', 'other contract', 'contract']) {
    const found = await find(tenant, query, corpusCache);
    assert.ok(found.length >= 2 && found.every(({ score }) => score > 0));
    assert.deepEqual(found, await find(tenant, query, null));
  }
});

test('cached counts of terms are right after the index was dropped and made again', async () => {
  const tenant = await make();
  await seed(db, tenant.id, [{ sources: [{ name: 'one', chunks: ['contract'] }] }]);
  const run = (name: 'create' | 'drop'): Promise<unknown> =>
    db.system.transaction((tx) => tx.execute(`select ${name}_text_index($1, $2)`, [tenant.id, tenant.partitionNo]));
  await run('drop');
  await assert.rejects(find(tenant, 'contract', corpusCache), { code: 'overloaded' });
  await run('create');
  assert.equal((await find(tenant, 'contract', corpusCache)).length, 1);
});

test('cached counts of absent terms are right although changes are not counted yet', async () => {
  const tenant = await make();
  await seed(db, tenant.id, [{ sources: [{ name: 'one', chunks: ['contract'] }] }]);
  const cache = corpusCache.at(String(await versionOf(tenant)));
  const occurring = await db.transaction(tenant.id, (tx) => {
    const lists = [{ key: 'k', terms: () => ['contract', 'nowhere'] }];
    return openTermCounts(tx, tenant.id, cache).occurring(lists);
  });
  assert.equal(occurring[0]!.includes('nowhere'), false);
});
