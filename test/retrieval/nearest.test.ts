/** Compares semantic candidates with a comparison of every vector, for every filter and every plan. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { findServingVectors } from '../../src/corpus/vector-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { Candidates } from '../../src/retrieval/engine.ts';
import { openPostgresEngine, type PostgresLimits } from '../../src/retrieval/postgres/engine.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest } from '../../src/retrieval/types.ts';
import { analyzeQuery } from '../../src/text/analyzer.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { seed } from './corpus.ts';
import { seedVectors } from './vectors.ts';

const SOURCES = 600;
const CHUNKS_PER_SOURCE = 5;
const DIMENSION = 32;
const TOPICS = 20;
const QUERIES = 20;
/** Queries for a plan that compares every vector: it either finds the nearest of each or has a fault. */
const QUERIES_EXACT = 2;
const EVERY_ROW = 1e6;
/** Sources have random numbers from 0 to 999: a filter `share < n` selects about n per mille. */
const SHARES = [1, 10, 100, 500];

interface Known {
  vector: Float32Array;
  share: number;
  kind: string;
  /** True if the source is deleted, so the chunk must not be found. */
  gone: boolean;
}

const random = openRandom(20_261_121);
const known = new Map<string, Known>();
let database: TestDatabase;
let tenant: Tenant;

const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const centres = Array.from({ length: TOPICS }, () => Float32Array.from({ length: DIMENSION }, gaussian));
const near = (centre: Float32Array): Float32Array => centre.map((value) => value + 0.8 * gaussian());

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  const sources = Array.from({ length: SOURCES }, (_, n) => {
    const topic = random.integer(0, TOPICS - 1);
    const share = random.integer(0, 999);
    const gone = n % 50 === 49;
    const chunks = Array.from({ length: CHUNKS_PER_SOURCE }, (_, ordinal) => {
      const id = newId();
      const kind = ordinal === 0 ? 'first' : 'other';
      known.set(id, { vector: near(centres[topic]!), share, kind, gone });
      return {
        id,
        content: `topic${topic} chunk ${n} ${ordinal}`,
        metadata: { kind: { val: kind, type: 'string' as const } },
      };
    });
    return { metadata: { share: String(share) }, deleted: gone, chunks };
  });
  await seed(database.db, tenant.id, [{ sources }]);
  await seedVectors(database.db, tenant.id, 'm', new Map([...known].map(([id, { vector }]) => [id, vector])));
});
after(() => database.close());

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, lengths] = [0, [0, 0] as [number, number]];
  for (let i = 0; i < a.length; i += 1) {
    dot += a[i]! * b[i]!;
    lengths = [lengths[0] + a[i]! ** 2, lengths[1] + b[i]! ** 2];
  }
  return dot / Math.sqrt(lengths[0] * lengths[1]);
}

/** Returns the similarities of all matching chunks, best first. */
function expected(query: Float32Array, fits: (one: Known) => boolean): { id: string; similarity: number }[] {
  return [...known]
    .filter(([, one]) => !one.gone && fits(one))
    .map(([id, { vector }]) => ({ id, similarity: cosine(query, vector) }))
    .sort((a, b) => b.similarity - a.similarity);
}

interface Asked extends PostgresLimits {
  query: Float32Array;
  filters?: Filters;
  limit?: number;
  words?: string;
}

/** Returns the candidates of an engine with these limits. */
async function find(
  { query: values, filters = {}, limit = 10, words = '', ...limits }: Asked,
  prepare: (tx: Tx) => Promise<unknown> = async () => undefined,
  onStatement: (text: string) => void = () => {},
): Promise<Candidates> {
  const { id: tenantId, partitionNo } = tenant;
  const engine = openPostgresEngine(database.db, limits);
  const search = async (own: Tx): Promise<Candidates> => {
    const query: Tx['query'] = (statement) => {
      onStatement(statement.text);
      return own.query(statement);
    };
    const tx: Tx = { ...own, query };
    const scope = { tenantId, partitionNo, sourceGroupIds: null, tagIds: null, policy: null, filters };
    const corpus = engine.open(tx, scope);
    await prepare(tx);
    const vector = { vectors: (await findServingVectors(tx, tenantId))!, values };
    return corpus.candidates({ terms: words === '' ? [] : analyzeQuery(words, ['en']), vector, depth: limit });
  };
  return database.db.transaction(tenantId, search, { settings: engine.settings });
}

const below = (share: number): Filters => ({
  sourceMetadata: { operator: 'and', filters: [{ key: 'share', operator: 'lt', value: share }] },
});
const queries = Array.from({ length: QUERIES }, () => near(centres[random.integer(0, TOPICS - 1)]!));

/** Returns the mean share of the true best ten that were found; checks that no rows are missing. */
async function recall(
  filters: Filters,
  fits: (one: Known) => boolean,
  how: Omit<Asked, 'query' | 'filters'>,
): Promise<number> {
  let sum = 0;
  const asked = how.exactRowsMax === EVERY_ROW ? queries.slice(0, QUERIES_EXACT) : queries;
  for (const query of asked) {
    const best = expected(query, fits);
    const { semantic: found } = await find({ query, filters, ...how });
    assert.equal(found.length, Math.min(how.limit ?? 10, best.length));
    const ids = new Set(found.map(({ id }) => id));
    const wanted = best.slice(0, 10);
    sum += wanted.length === 0 ? 1 : wanted.filter(({ id }) => ids.has(id)).length / wanted.length;
  }
  return sum / asked.length;
}

for (const [plan, exactRowsMax] of [
  ['every vector compared', EVERY_ROW],
  ['the index used', 0],
  ['chosen by size', 400],
] as const) {
  describe(`nearest vectors, ${plan}`, () => {
    for (const share of SHARES) {
      test(`the nearest are found with a filter that ${share / 10} % match`, async () => {
        assert.ok((await recall(below(share), (one) => one.share < share, { exactRowsMax })) >= 0.99);
      });
    }
    test('the nearest are found without a filter', async () => {
      assert.ok((await recall({}, () => true, { exactRowsMax })) >= 0.97);
    });
  });
}

// Whatever the sizes are, the index is used: only sources are counted before.
test('the nearest are found with a filter on chunk metadata', async () => {
  const kind = (value: string): Filters => ({
    chunkMetadata: { operator: 'and', filters: [{ key: 'kind', operator: 'eq', value }] },
  });
  assert.ok((await recall(kind('first'), (one) => one.kind === 'first', {})) >= 0.99);
  assert.equal(await recall(kind('none'), () => false, {}), 1);
});

for (const share of [10, 500]) {
  test(`the nearest are found with more sources than can be passed by id, filtered to ${share / 10} %`, async () => {
    assert.ok((await recall(below(share), (one) => one.share < share, { exactRowsMax: 0, namedMax: 0 })) >= 0.99);
    const words = 'chunk';
    const both = await find({
      query: queries[0]!,
      filters: below(share),
      exactRowsMax: 0,
      words,
      namedMax: 0,
      limit: 20,
    });
    const fits = ({ id }: { id: string }): boolean => known.get(id)!.share < share && !known.get(id)!.gone;
    const there = [...known.values()].filter((one) => one.share < share && !one.gone).length;
    assert.equal(both.lexical.length, Math.min(20, there));
    assert.ok([...both.lexical, ...both.semantic].every(fits));
  });
}

test('the nearest are found with a wide filter, for which vectors are tested one by one', async () => {
  const how = { exactRowsMax: 0, words: 'chunk', limit: 100 };
  assert.ok((await recall(below(600), (one) => one.share < 600, how)) >= 0.99);
});

/** Part of the statement that evaluates a filter for all sources. */
const EVALUATES = 'array_agg(s.id)';

test('candidates that are tested one by one are those of an evaluated filter, which is then not evaluated', async () => {
  for (const [share, depth] of [
    [500, 20],
    [200, 20],
    [500, 100],
  ] as const) {
    const words = 'topic3 topic4 topic5';
    const asked = { query: queries[0]!, words, filters: below(share), limit: depth, scansSmall: false };
    const statements: string[] = [];
    const tested = await find(
      asked,
      async () => undefined,
      (text) => statements.push(text),
    );
    const evaluated = await find({ ...asked, testedMax: 0 });
    assert.equal(tested.lexical.length, depth);
    assert.deepEqual(
      tested.lexical.map(({ score }) => score),
      evaluated.lexical.map(({ score }) => score),
    );
    const isEvaluated = statements.some((text) => text.includes(EVALUATES));
    // Vectors are tested one by one for a wide filter only.
    assert.equal(isEvaluated, share < 400, `${share} ${depth}`);
  }
});

test('a wide filter is evaluated if it excludes the best chunks', async () => {
  const excluded = [...known.values()].flatMap(({ share }, i) =>
    i % CHUNKS_PER_SOURCE === 0 && share >= 500 ? [String(i / CHUNKS_PER_SOURCE)] : [],
  );
  const words = `chunk ${excluded.slice(0, 40).join(' ')}`;
  const statements: string[] = [];
  const { lexical } = await find(
    { query: queries[0]!, words, filters: below(500), limit: 20 },
    async () => undefined,
    (text) => statements.push(text),
  );
  assert.ok(statements.some((text) => text.includes(EVALUATES)));
  assert.equal(lexical.length, 20);
  assert.ok(lexical.every(({ id }) => known.get(id)!.share < 500));
});

test('scores of a semantic search are cosines, best first', async () => {
  const [query] = queries;
  const { semantic: found } = await find({ query: query!, exactRowsMax: 1e6 });
  const best = expected(query!, () => true);
  for (const [i, { score }] of found.entries()) {
    assert.ok(Math.abs(score - best[i]!.similarity) < 0.002, `${score} ${best[i]!.similarity}`);
  }
});

test('all vectors are compared if the index gives up on a filter', async () => {
  const [query] = queries;
  const { semantic: found } = await find({ query: query!, filters: below(100), exactRowsMax: 0, limit: 50 }, (tx) =>
    tx.query(sql`select set_config('hnsw.max_scan_tuples', '1', true), set_config('hnsw.ef_search', '1', true)`),
  );
  const best = expected(query!, (one) => one.share < 100).slice(0, 50);
  assert.deepEqual(found.map(({ id }) => id).sort(), best.map(({ id }) => id).sort());
});

test('chunks that match a narrow filter get the same scores as from the index', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the text index in tables has one way only');
  const asked = { query: queries[0]!, words: 'topic3 topic4 chunk', filters: below(30) };
  const { lexical: alone } = await find({ ...asked, limit: 200 });
  const { lexical: byIndex } = await find({ ...asked, limit: 200, scansSmall: false });
  const fits = [...known.values()].filter(({ share, gone }) => share < 30 && !gone);
  assert.equal(alone.length, fits.length);
  assert.ok(fits.length > 50 && fits.length <= 200, `${fits.length} chunks`);
  assert.deepEqual(
    alone.map(({ id }) => id),
    byIndex.map(({ id }) => id),
  );
  for (const [i, { score }] of alone.entries()) {
    assert.ok(Math.abs(score / byIndex[i]!.score - 1) < 1e-5, `${score} ${byIndex[i]!.score}`);
  }
  assert.deepEqual((await find({ ...asked, limit: 5 })).lexical, alone.slice(0, 5));
});

test('both kinds of candidates are complete when the engine is asked for more than exist', async () => {
  const [query] = queries;
  const all = expected(query!, (one) => one.share < 500).map(({ id }) => id);
  for (const exactRowsMax of [0, 1e6]) {
    const found = await find({ query: query!, words: 'chunk', filters: below(500), exactRowsMax, limit: 4_000 });
    assert.deepEqual(found.semantic.map(({ id }) => id).toSorted(), all.toSorted());
    assert.deepEqual(found.lexical.map(({ id }) => id).toSorted(), all.toSorted());
  }
});

test('searches use the vectors of a new embedding model as soon as they are in use', async () => {
  const { db } = database;
  const { id: tenantId, partitionNo } = await createTenant(db, { id: newId(), name: newId() });
  const [one, two] = [newId(), newId()];
  await seed(db, tenantId, [
    {
      sources: [
        {
          chunks: [
            { id: one, content: 'first' },
            { id: two, content: 'second' },
          ],
        },
      ],
    },
  ]);
  const asked: string[] = [];
  const embedding = {
    model: { name: 'none yet' },
    embedQuery: async (_tenant: string, model: string) => {
      asked.push(model);
      return Float32Array.of(1, 0);
    },
  };
  const nearestNow = async (): Promise<string | undefined> => {
    const request: RetrieveRequest = {
      ...{ tenantId, partitionNo, sourceGroupIds: null, tagIds: null, principal: null, filters: {}, query: 'first' },
      ...{ mode: 'semantic', usePostfilter: false, limit: 10, offset: 0 },
    };
    return (await retrieve({ db, embedding: embedding as never }, request)).hits[0]?.id;
  };
  const vectors = (near: string): Map<string, number[]> =>
    new Map([one, two].map((id) => [id, id === near ? [1, 0] : [0, 1]]));
  assert.equal(await nearestNow(), undefined);
  await seedVectors(db, tenantId, 'first', vectors(one));
  assert.equal(await nearestNow(), one);
  await seedVectors(db, tenantId, 'second', vectors(two));
  assert.equal(await nearestNow(), two);
  assert.deepEqual(asked, ['none yet', 'first', 'second']);
});
