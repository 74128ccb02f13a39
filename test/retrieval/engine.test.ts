/** A search behind the port of engines: candidates of an engine that lags behind the database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { sql } from '../../src/db/sql.ts';
import type { Engine } from '../../src/retrieval/engine.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

const COUNT = 60;

let database: TestDatabase;
let tenant: Tenant;
/** Ids of chunks, best first; each source has one. */
const chunks = Array.from({ length: COUNT }, () => newId());
const sources = chunks.map(() => newId());

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  const seeded = chunks.map((id, i) => ({
    ...{ id: sources[i]!, name: `${i}`, metadata: { half: String(i % 2) } },
    chunks: [{ id, content: `heron number ${i}` }],
  }));
  await seed(database.db, tenant.id, [{ sources: seeded }]);
});
after(() => database.close());

/** Knows every chunk that ever existed, also one that has every word and is gone, and nothing of filters. */
const lagging: Engine & { asked: number[] } = {
  asked: [],
  testsCandidates: false,
  settings: [],
  open() {
    return {
      async candidates({ terms, depth }) {
        lagging.asked.push(depth);
        const known = [newId(), ...(terms.includes('heron') ? chunks : [])].map((id, i) => ({
          id,
          sourceId: sources[i] ?? id,
          score: 1_000 - i,
        }));
        return { lexical: known.slice(0, depth), semantic: [], exhausted: depth >= known.length };
      },
    };
  },
};

async function names(changes: Partial<RetrieveRequest> = {}): Promise<string[]> {
  lagging.asked = [];
  const request: RetrieveRequest = {
    ...{ tenantId: tenant.id, partitionNo: tenant.partitionNo, sourceGroupIds: null, tagIds: null, principal: null },
    ...{ query: 'heron', mode: 'lexical', filters: {}, usePostfilter: false, limit: 10, offset: 0, ...changes },
  };
  return (await retrieve({ db: database.db, engine: lagging }, request)).hits.map(({ name }) => name);
}

const numbers = (count: number, step = 1, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => String(from + i * step));
const half: RetrieveRequest['filters'] = {
  sourceMetadata: { operator: 'and', filters: [{ key: 'half', operator: 'eq', value: '1' }] },
};

test('chunks that an engine still knows, but that do not exist, are not returned', async () => {
  assert.deepEqual(await names(), numbers(10));
});

test('candidates are tested for the filters, and the engine is asked for more until a page is full', async () => {
  assert.deepEqual(await names({ filters: half, limit: 20 }), numbers(20, 2, 1));
  assert.deepEqual(lagging.asked, [30, 100]);
  assert.deepEqual(await names({ filters: half, offset: 20, limit: 20 }), numbers(10, 2, 41));
});

test('a word is not replaced by a word of a chunk that the caller may not see', async () => {
  const request = { tenantId: tenant.id, partitionNo: tenant.partitionNo, tagIds: null, principal: null, filters: {} };
  const asked = { ...request, query: 'herno', mode: 'lexical' as const, usePostfilter: false, limit: 10, offset: 0 };
  const warned = async (sourceGroupIds: string[] | null): Promise<number> =>
    (await retrieve({ db: database.db, engine: lagging }, { ...asked, sourceGroupIds })).warnings.length;
  assert.equal(await warned(null), 1);
  assert.equal(await warned([newId()]), 0);
});

test('candidates are tested for the limits of the key', async () => {
  assert.deepEqual(await names({ sourceGroupIds: [newId()] }), []);
});

test('chunks of sources that are deleted, read again or replaced are not returned', async () => {
  const change = (at: number, text: string) =>
    database.db.system.execute(`update source set ${text} where id = $1`, [sources[at]]);
  await change(0, 'deleted_at = now()');
  await change(1, `status = 'pending'`);
  await change(2, 'generation = 2, mixed = true');
  assert.deepEqual(await names(), numbers(10, 1, 3));
  await database.db.query(tenant.id, sql`update source_group set deleted_at = now()`);
  assert.deepEqual(await names(), []);
});
