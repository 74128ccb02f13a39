/** Cached vectors of a repeated filter: the results are the same, few vectors are compared, and a change invalidates the cache. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { findServingVectors, insertVectors, vectorColumn, vectorText } from '../../src/corpus/vector-store.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { openCorpusCache } from '../../src/retrieval/query/corpus-cache.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { type SeedSource, seed } from './corpus.ts';
import { seedVectors } from './vectors.ts';

const SOURCES = 21;
const CHUNKS_PER_SOURCE = 100;
const DIMENSION = 12;
/** Number of searches until the vectors are cached. */
const ASKED = 6;
const ALL: Filters = { sourceTypes: ['local_file'] };

const random = openRandom(20_261_122);
const numbers = (): Float32Array => Float32Array.from({ length: DIMENSION }, () => random.next() - 0.5);
const vectors = new Map<string, Float32Array>();
/** Inserts a chunk without a vector. */
const late = newId();
let database: TestDatabase;
let tenant: Tenant;
let generation: number;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  const sources = Array.from({ length: SOURCES }, (_, n): SeedSource => {
    const ids = Array.from({ length: CHUNKS_PER_SOURCE }, newId);
    for (const id of ids) vectors.set(id, numbers());
    return { name: `${n}`, chunks: ids.map((id, i) => ({ id, content: `common ${n} ${i}` })) };
  });
  sources.push({ name: 'late', chunks: [{ id: late, content: 'common late' }] });
  await seed(database.db, tenant.id, [{ sources }]);
  generation = await seedVectors(database.db, tenant.id, 'm', vectors);
});
after(() => database.close());

/** Returns a search with a cache, and what its statements compare: the vectors of named chunks, or of sources. */
function searches() {
  const compared: string[] = [];
  const transaction: Database['transaction'] = (tenantId, run, options) => {
    const recorded = (tx: Tx): Tx => ({
      ...tx,
      query(statement) {
        if (statement.text.includes('<=>'))
          compared.push(statement.text.includes('v.chunk_id = any') ? 'chunks' : 'sources');
        return tx.query(statement);
      },
    });
    return database.db.transaction(tenantId, (tx) => run(recorded(tx)), options);
  };
  const db = { ...database.db, transaction };
  const corpusCache = openCorpusCache(db);
  const found = async (vector: Float32Array, mode: 'hybrid' | 'semantic', kept = true): Promise<unknown[]> => {
    const anything = {
      sourceGroupIds: null,
      tagIds: null,
      principal: null,
      usePostfilter: false,
      limit: 10,
      offset: 0,
    };
    const asked = { query: 'common', mode, filters: ALL, ...anything };
    const request: RetrieveRequest = { tenantId: tenant.id, partitionNo: tenant.partitionNo, ...asked };
    const embedding = { embedQuery: async () => vector, recallQuery: () => vector } as never;
    const { hits } = await retrieve({ db, embedding, ...(kept && { corpusCache }) }, request);
    return hits.map(({ id, scores }) => ({ id, scores }));
  };
  return { found, compared };
}

test('a search with cached vectors finds the same chunks, and the database compares few vectors', async (t) => {
  if (database.db.kind === 'server') return t.skip('a server compares them all in no time');
  const { found, compared } = searches();
  for (let asked = 1; asked < ASKED; asked += 1) await found(numbers(), 'semantic');
  assert.deepEqual(compared.splice(0), new Array(ASKED - 1).fill('sources'));
  for (const mode of ['semantic', 'hybrid'] as const) {
    for (let asked = 0; asked < 5; asked += 1) {
      const vector = numbers();
      const kept = await found(vector, mode);
      assert.deepEqual(compared.splice(0), ['chunks']);
      assert.deepEqual(kept, await found(vector, mode, false));
      assert.deepEqual(compared.splice(0), ['sources']);
    }
  }
});

test('the next search sees a vector that was added, changed or deleted', async (t) => {
  if (database.db.kind === 'server') return t.skip('a server keeps none');
  const { found } = searches();
  const vector = numbers();
  const best = async (): Promise<unknown> => ((await found(vector, 'semantic'))[0] as { id: string }).id;
  const know = async (): Promise<unknown> => {
    for (let asked = 1; asked < ASKED; asked += 1) await best();
    return best();
  };
  const first = await know();
  const add = { chunkId: late, hash: Buffer.from(late), embedding: vectorText(vector) };
  await database.db.transaction(tenant.id, (tx) => insertVectors(tx, tenant.id, generation, [add]));
  assert.equal(await best(), late);
  assert.equal(await know(), late);
  const change = (to: Float32Array): Promise<unknown> =>
    database.db.transaction(tenant.id, async (tx) => {
      const serving = (await findServingVectors(tx, tenant.id))!;
      await tx.query(sql`update chunk_vector set ${vectorColumn(serving)} = ${vectorText(to)}::vector
        where tenant_id = ${tenant.id} and chunk_id = ${late}`);
    });
  await change(vector.map((value) => -value));
  assert.equal(await know(), first);
  await change(vector);
  assert.equal(await best(), late);
  assert.equal(await know(), late);
  await database.db.transaction(tenant.id, (tx) =>
    tx.query(sql`delete from chunk where tenant_id = ${tenant.id} and id = ${late}`),
  );
  assert.equal(await best(), first);
});
