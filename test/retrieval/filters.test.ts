/**
 * Compares the SQL of filters with the reference, on random filters over random corpora. PINAKES_TEST_FILTERS sets the number of
 * filters, PINAKES_TEST_SEED the seed of the random numbers.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findColumnRefs, insertColumn, lockColumns } from '../../src/corpus/column-store.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { join, sql } from '../../src/db/sql.ts';
import type { MetadataFilterGroup } from '../../src/filters/types.ts';
import { lookedUpPredicates, matchingSources } from '../../src/retrieval/query/filter-sql.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom, type Random, TEST_SEED } from '../support/random.ts';
import { seed } from './corpus.ts';
import { KEYS, type RandomCorpus, randomCorpus, randomFilters, VALUES } from './random-filters.ts';
import { matches, selects } from './reference.ts';

const FILTERS = Number(process.env['PINAKES_TEST_FILTERS'] ?? 100);
const FILTERS_PER_CORPUS = 50;
const NO_BLOBS = { async *list() {} };

interface Stored extends RandomCorpus {
  tenant: Tenant;
}

let database: TestDatabase;
let first: Stored;

before(async () => {
  database = await openTestDatabase();
  first = await store(openRandom(TEST_SEED));
});
after(() => database.close());

test(`${FILTERS} random filters over ${Math.ceil(FILTERS / FILTERS_PER_CORPUS)} random corpora select what the reference selects`, async (t) => {
  let nonTrivial = 0;
  for (let done = 0; done < FILTERS; done += FILTERS_PER_CORPUS) {
    const corpus = done === 0 ? first : await store(openRandom(TEST_SEED + done));
    for (let i = done; i < Math.min(FILTERS, done + FILTERS_PER_CORPUS); i++) {
      const random = openRandom(1_000_000 * TEST_SEED + i);
      const filters = randomFilters(random, corpus);
      const expected = corpus.sources.filter((source) => selects(filters, source, corpus)).map(({ name }) => name);
      const found = await search(corpus, filters, random.next() < 0.3);
      const what = `filter ${i}, corpus ${TEST_SEED + done}: ${JSON.stringify(filters)}`;
      assert.deepEqual(found.toSorted(), expected.toSorted(), what);
      if (expected.length > 0 && expected.length < corpus.sources.length) nonTrivial++;
    }
    if (done > 0) await database.db.system.query(sql`delete from source where tenant_id = ${corpus.tenant.id}`);
  }
  t.diagnostic(`${nonTrivial} of ${FILTERS} filters tell sources apart`);
  assert.ok(nonTrivial > FILTERS / 2, `only ${nonTrivial} filters tell sources apart`);
});

test('filters on group, source and chunk metadata must all hold', async () => {
  const at = (key: string): MetadataFilterGroup => ({ operator: 'and', filters: [{ key, operator: 'exists' }] });
  const filters: Filters = { metadata: at('year'), sourceMetadata: at('author'), chunkMetadata: at('when') };
  const exact = first.sources
    .filter((e) => e.group('year') !== undefined && e.source('author') !== undefined && e.chunk('when') !== undefined)
    .map(({ name }) => name);
  assert.ok(exact.length > 0 && exact.length < first.sources.length);
  assert.deepEqual((await search(first, filters)).toSorted(), exact.toSorted());
});

test('the values that filters compare follow the metadata of their source', async () => {
  const tenant = await newTenant();
  const { system } = database.db;
  const origin = {
    year: { val: '2020', type: 'integer' as const },
    ['k'.repeat(2_000)]: { val: 'v', type: 'string' as const },
  };
  const sources = [{ originMetadata: origin, chunks: [{ content: 'common' }] }];
  const [group] = await seed(database.db, tenant.id, [{ sources }]);
  const found = async (value: number): Promise<number> => {
    const sourceMetadata: MetadataFilterGroup = { operator: 'and', filters: [{ key: 'year', operator: 'eq', value }] };
    const violations = await findViolations(database.db, NO_BLOBS, { now: new Date(), graceSeconds: 60 });
    assert.deepEqual(
      violations.filter(({ message }) => message.includes('values for filters')),
      [],
    );
    return (await search({ ...first, tenant }, { sourceMetadata })).length;
  };
  assert.equal(await found(2020), 1);
  await system.query(sql`update source set metadata = '{"year": "2021"}' where tenant_id = ${tenant.id}`);
  assert.deepEqual([await found(2020), await found(2021)], [0, 1]);
  await system.query(sql`update source set metadata = '{}' where tenant_id = ${tenant.id}`);
  assert.deepEqual([await found(2020), await found(2021)], [1, 0]);
  await system.query(sql`delete from source_group where tenant_id = ${tenant.id} and id = ${group}`);
  assert.deepEqual(await system.query(sql`select from metadata_value where tenant_id = ${tenant.id}`), []);
});

test('a condition on numbers, times or texts reads a range of the index, under row-level security too', async () => {
  const access = { sourceGroupIds: null, tagIds: null, policy: null };
  const indexConditions = async (value: string | number): Promise<string> => {
    const sourceMetadata: MetadataFilterGroup = { operator: 'and', filters: [{ key: 'year', operator: 'gte', value }] };
    const { id: tenantId, partitionNo } = first.tenant;
    const scope = { ...access, tenantId, partitionNo, filters: { sourceMetadata } };
    const rows = await database.db.transaction(tenantId, async (tx) => {
      await tx.query(
        sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
      );
      return tx.query<{ plan: string }>(sql`explain select s.id ${matchingSources(scope)}`);
    });
    return rows.flatMap((row) => Object.values(row).filter((line) => line.includes('Index Cond'))).join('\n');
  };
  assert.match(await indexConditions(2020), /number_double >= /);
  assert.match(await indexConditions('2020-01-01'), /time_value >= /);
  assert.match(await indexConditions('words'), /text_start >= /);
});

test('the source of a chunk is looked up by its id, although statistics do not know the tenant of a large upload yet', async () => {
  const sources = (count: number, language: string) => Array.from({ length: count }, () => ({ language, chunks: [] }));
  const [known, unknown] = [await newTenant(), await newTenant()];
  await seed(database.db, known.id, [{ sources: sources(200, 'de') }]);
  await database.db.query(known.id, sql`update source set blob_hash = id::text where tenant_id = ${known.id}`);
  await database.db.system.query(sql`analyze source`);
  await seed(database.db, unknown.id, [{ sources: [...sources(500, 'en'), { chunks: ['a chunk'] }] }]);
  const access = { sourceGroupIds: null, tagIds: null, policy: null };
  const conditions = lookedUpPredicates({
    ...access,
    tenantId: unknown.id,
    partitionNo: unknown.partitionNo,
    filters: {},
  });
  const plan = await database.db.query<Record<string, string>>(
    unknown.id,
    sql`explain select c.id from chunk c where ${join(conditions, ' and ')}`,
  );
  const lines = plan.flatMap((row) => Object.values(row));
  const used = lines.flatMap((line) => /using (\w+) on source\b/.exec(line)?.slice(1) ?? []);
  assert.ok(used.length > 0, lines.join('\n'));
  for (const index of used) assert.ok(['source_pkey', 'source_group_sources'].includes(index), lines.join('\n'));
});

test('every pair of a stored and a given value compares as in the reference', async () => {
  for (const value of VALUES) {
    for (const operator of ['eq', 'lt', 'contains'] as const) {
      const group: MetadataFilterGroup = { operator: 'or', filters: KEYS.map((key) => ({ key, operator, value })) };
      const expected = first.sources.filter((entry) => matches(group, entry.source)).map(({ name }) => name);
      const found = await search(first, { sourceMetadata: group });
      assert.deepEqual(found.toSorted(), expected.toSorted(), `${operator} ${value}`);
    }
  }
});

test('every value compares as in the reference in metadata columns too', async () => {
  const columns = new Map((await columnsOf(first.tenant.id, first)).map((column) => [column.key, column]));
  for (const value of VALUES) {
    for (const operator of ['in', 'lte', 'starts_with'] as const) {
      const given = operator === 'in' ? [value, 'other'] : value;
      const filters = [...columns.keys()].map((key) => ({ key, operator, value: given }));
      const metadataFilter: MetadataFilterGroup = { operator: 'or', filters };
      const expected = first.sources.filter((one) => selects({ metadataFilter }, one, first)).map(({ name }) => name);
      const found = await search(first, { metadataFilter, columns });
      assert.deepEqual(found.toSorted(), expected.toSorted(), `${operator} ${value}`);
    }
  }
});

/** Makes a tenant with the corpus and its columns. */
async function store(random: Random): Promise<Stored> {
  const corpus = randomCorpus(random);
  const tenant = await newTenant();
  await database.db.transaction(tenant.id, async (tx) => {
    await lockColumns(tx);
    for (const [key, type] of corpus.columns) {
      await insertColumn(tx, { id: newId(), key, type, description: '' }, new Date());
    }
  });
  await seed(database.db, tenant.id, corpus.groups, corpus.tags);
  return { ...corpus, tenant };
}

function newTenant(): Promise<Tenant> {
  return createTenant(database.db, { id: newId(), name: newId() });
}

function columnsOf(tenantId: string, corpus: RandomCorpus) {
  return database.db.transaction(tenantId, (tx) => findColumnRefs(tx, [...corpus.columns.keys()]));
}

async function search(corpus: Stored, filters: Filters, usePostfilter = false): Promise<string[]> {
  const resolved = filters.metadataFilter && !filters.columns ? await columnsOf(corpus.tenant.id, corpus) : [];
  const { hits } = await retrieve(database, {
    tenantId: corpus.tenant.id,
    partitionNo: corpus.tenant.partitionNo,
    sourceGroupIds: null,
    tagIds: null,
    principal: null,
    query: 'common',
    mode: 'lexical',
    filters: { columns: new Map(resolved.map((column) => [column.key, column])), ...filters },
    usePostfilter,
    limit: 100,
    offset: 0,
  });
  return hits.map((hit) => hit.name);
}
