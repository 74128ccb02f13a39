/** Pages of a search with a filter, without the BM25 access method. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openPostgresEngine } from '../../src/retrieval/postgres/engine.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { seed } from './corpus.ts';

let database: TestDatabase;
/** The database without the BM25 access method, whether it has one or not. */
let plain: Database;

before(async () => {
  database = await openTestDatabase();
  plain = { ...database.db, hasTextSearch: false };
});
after(() => database.close());

test('all pages of a filtered search have one order, whether the best chunks are tested or the filter is evaluated', async () => {
  const tenant = await createTenant(plain, { id: newId(), name: 'pages' });
  const random = openRandom();
  const word = (): string => `w${random.integer(0, 500)}`;
  const sources = Array.from({ length: 200 }, (_, i) => ({
    metadata: { tenth: String(i % 10) },
    chunks: ['alder', 'birch', 'alder', 'birch'].map((tree, k) => {
      const others = Array.from({ length: tree === 'alder' ? 60 + i : random.integer(3, 8) }, word);
      return [tree, ...others, `${tree}${i}x${k}`].join(' ');
    }),
  }));
  await seed(plain, tenant.id, [{ sources }]);
  await plain.system.execute('analyze', []);
  const engine = openPostgresEngine(plain, { scoredChunks: 400 });
  const page = async (tenth: string, offset: number, limit: number): Promise<string[]> => {
    const value: Filters['sourceMetadata'] = {
      operator: 'and',
      filters: [{ key: 'tenth', operator: 'eq', value: tenth }],
    };
    const asked = {
      tenantId: tenant.id,
      partitionNo: tenant.partitionNo,
      sourceGroupIds: null,
      tagIds: null,
      principal: null,
    };
    const found = {
      query: 'alder birch',
      mode: 'lexical' as const,
      filters: { sourceMetadata: value },
      usePostfilter: false,
    };
    const { hits } = await retrieve({ db: plain, engine }, { ...asked, ...found, offset, limit });
    return hits.map(({ id }) => id);
  };
  const all = await page('4', 0, 80);
  assert.equal(new Set(all).size, 80);
  const pages: string[] = [];
  for (let offset = 0; offset < 80; offset += 10) pages.push(...(await page('4', offset, 10)));
  assert.deepEqual(pages, all);
});
