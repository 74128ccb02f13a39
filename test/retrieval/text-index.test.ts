/** The tables that replace a BM25 index: scores, counts, limits, and the change to a BM25 index and back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, deleteTenant, type Tenant, textIndex } from '../../src/corpus/tenant-store.ts';
import { findTextSearchForm, rearrangeTextSearch, textSearchFacts } from '../../src/corpus/text-index.ts';
import type { Database } from '../../src/db/database.ts';
import { ensureExtensions } from '../../src/db/extensions.ts';
import { recordset } from '../../src/db/recordset.ts';
import { identifier, type Sql, sql } from '../../src/db/sql.ts';
import { bestFirst, type Candidate } from '../../src/retrieval/engine.ts';
import { bm25Candidates, FORCE_INDEX_ORDER } from '../../src/retrieval/postgres/bm25-index.ts';
import { bm25FromTables, countTerms, type TermCount } from '../../src/retrieval/postgres/bm25-tables.ts';
import type { FilterMatches } from '../../src/retrieval/query/filter-matches.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { near, reference } from './bm25.ts';
import { seed } from './corpus.ts';

const CHUNKS = 600;
const VOCABULARY = 150;
const QUERIES = 80;

let database: TestDatabase;
/** The database without the BM25 access method, whether it has one or not. */
let plain: Database;
const random = openRandom();

before(async () => {
  database = await openTestDatabase();
  plain = { ...database.db, hasTextSearch: false };
});
after(() => database.close());

interface Row {
  id: string;
  sourceId?: string;
  ordinal: number;
  terms: string[];
}

async function newTenant(name: string): Promise<Tenant> {
  return createTenant(plain, { id: newId(), name });
}

async function insert(tenant: Tenant, rows: readonly Row[]): Promise<void> {
  const given = recordset(
    { id: 'uuid', source_id: 'uuid', ordinal: 'int', content: 'text', terms: 'text' },
    rows.map(({ id, ordinal, terms, sourceId = newId() }) => {
      const text = terms.join(' ');
      return { id, ordinal, sourceId, content: text, terms: text };
    }),
  );
  await plain.query(
    tenant.id,
    sql`insert into chunk (tenant_id, source_group_id, start_offset, end_offset, ${given.columns})
        select ${tenant.id}, ${newId()}, 0, 1, ${given.values} from ${given.table}`,
  );
}

interface Way {
  conditions?: Sql[];
  filterMatches?: Pick<FilterMatches, 'ids' | 'share'>;
  /** The number of chunks to score; absent: as many as in the service. */
  scoredChunks?: number;
  testedMax?: number;
}

function search(
  tenant: Tenant,
  terms: string[],
  limit: number,
  { conditions = [], filterMatches, scoredChunks, ...how }: Way = {},
): Promise<Candidate[]> {
  const request = { tenantId: tenant.id, partitionNo: tenant.partitionNo, conditions, terms, limit, ...how };
  return plain.transaction(tenant.id, (tx) => bm25FromTables(tx, request, filterMatches, scoredChunks));
}

/** Returns random chunks: few words are common, most are rare; chunks are short and long, and repeat words. */
function randomRows(count: number): Row[] {
  return Array.from({ length: count }, (_, ordinal) => {
    const length = random.integer(1, 5) ** 3;
    const terms = Array.from({ length }, () => `w${Math.floor(VOCABULARY * random.next() ** 4)}`);
    return { id: newId(), ordinal, terms };
  });
}

test('a search finds the same chunks as scoring every chunk, under every condition', async (t) => {
  t.diagnostic(`seed ${random.seed}`);
  const tenant = await newTenant('random');
  const sources = Array.from({ length: 60 }, newId);
  const rows = randomRows(CHUNKS).map((row) => ({ ...row, sourceId: sources[row.ordinal % sources.length]! }));
  await insert(tenant, rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (let i = 0; i < QUERIES; i += 1) {
    const terms = Array.from({ length: random.pick([1, 2, 4, 8, 25]) }, () => `w${random.integer(0, VOCABULARY + 5)}`);
    const limit = random.pick([1, 10, 10, 100, 3_000]);
    const every = random.pick([1, 1, 3, 50, 900]);
    const matching = sources.slice(0, random.pick([0, 1, 5, 20, 60]));
    const isNamed = random.pick([true, false]);
    const filterMatches = { ids: isNamed ? matching : null, share: matching.length / sources.length };
    const ofSources = isNamed ? [] : [sql`c.source_id = any(${matching}::uuid[])`];
    const conditions = [sql`c.ordinal % ${every}::int = 0`, ...ofSources];
    const found = await search(tenant, terms, limit, { conditions, filterMatches });
    const scores = reference(rows, terms);
    const expected = rows
      .filter(({ id, ordinal, sourceId }) => scores.has(id) && ordinal % every === 0 && matching.includes(sourceId))
      .map(({ id }) => scores.get(id)!)
      .toSorted((a, b) => b - a)
      .slice(0, limit);
    const what = JSON.stringify({ terms, limit, every, sources: matching.length, isNamed });
    assert.equal(found.length, expected.length, what);
    assert.equal(new Set(found.map(({ id }) => id)).size, found.length, what);
    for (const [at, { id, sourceId, score }] of found.entries()) {
      assert.ok(near(score, scores.get(id)!), `${what}: ${score} is not ${scores.get(id)}`);
      assert.ok(near(score, expected[at]!), `${what}: place ${at} has ${score}, not ${expected[at]}`);
      assert.equal(byId.get(id)!.ordinal % every, 0, what);
      assert.ok(sourceId === byId.get(id)!.sourceId && matching.includes(sourceId), what);
    }
  }
});

test('if very many chunks have a term, the chunks with the rarer terms are scored, by all terms', async () => {
  const tenant = await newTenant('bounded');
  const rows: Row[] = Array.from({ length: 300 }, (_, ordinal) => {
    const terms = ['common', ...(ordinal % 2 === 0 ? ['half'] : []), ...(ordinal % 10 === 0 ? ['rare'] : [])];
    // A chunk with the rare term is so long that its score is low.
    return { id: newId(), ordinal, terms: [...terms, ...Array<string>(ordinal % 10 === 0 ? 300 : 1).fill('pad')] };
  });
  await insert(tenant, rows);
  const terms = ['common', 'half', 'rare', 'absent'];
  const scores = reference(rows, terms);
  const rare = rows.filter((row) => row.terms.includes('rare'));
  const best = await search(tenant, terms, 2, { scoredChunks: 40 });
  assert.ok(best.every(({ id, score }) => near(score, scores.get(id)!) && rare.some((row) => row.id === id)));
  // The chunks without a rare term follow.
  const many = await search(tenant, terms, 200, { scoredChunks: 40 });
  assert.equal(new Set(many.map(({ id }) => id)).size, 200);
  assert.deepEqual(new Set(many.slice(0, 30).map(({ id }) => id)), new Set(rare.map(({ id }) => id)));
  assert.deepEqual(many.slice(0, 2), best);
  assert.deepEqual(many.slice(0, 50), await search(tenant, terms, 50, { scoredChunks: 40 }));
  assert.deepEqual(many, bestFirst(many, 0), 'in the order of their scores');
  const condition = sql`c.ordinal = any(${[1, 3]}::int[])`;
  const others = await search(tenant, terms, 2, { conditions: [condition], scoredChunks: 40 });
  assert.deepEqual(new Set(others.map(({ id }) => id)), new Set([rows[1]!.id, rows[3]!.id]));
  assert.equal((await search(tenant, ['common'], 2, { scoredChunks: 0 })).length, 2);
});

test('if too few chunks have a rarer term, those with the next rarer terms follow', async () => {
  const tenant = await newTenant('wider');
  const rows: Row[] = Array.from({ length: 310 }, (_, ordinal) => {
    const term = ordinal < 10 ? 'rare' : ordinal < 110 ? 'some' : 'many';
    // Without a limit of scored chunks, the short chunks with the commonest term are better than the long ones.
    return { id: newId(), ordinal, terms: [term, ...Array<string>(term === 'some' ? 300 : 1).fill('pad')] };
  });
  await insert(tenant, rows);
  const terms = ['rare', 'some', 'many'];
  const all = await search(tenant, terms, 310);
  assert.equal(termOf(all[50]!), 'many');
  const found = await search(tenant, terms, 150, { scoredChunks: 20 });
  assert.deepEqual(
    found.map(termOf),
    rows.slice(0, 150).map((row) => row.terms[0]),
  );
  assert.deepEqual(found.slice(0, 50), await search(tenant, terms, 50, { scoredChunks: 20 }));
  function termOf({ id }: Candidate): string | undefined {
    return rows.find((row) => row.id === id)?.terms[0];
  }
});

test('conditions are tested for so many of the best chunks, whichever terms these have', async () => {
  const tenant = await newTenant('tested');
  const rows: Row[] = Array.from({ length: 200 }, (_, ordinal) => {
    const terms = ['common', ...(ordinal < 10 ? ['rare'] : [])];
    return { id: newId(), ordinal, terms: [...terms, ...Array<string>(ordinal).fill('pad')] };
  });
  await insert(tenant, rows);
  const found = async (ordinal: number, testedMax: number): Promise<number> => {
    const conditions = [sql`c.ordinal = ${ordinal}::int`];
    return (await search(tenant, ['common', 'rare'], 1, { conditions, scoredChunks: 40, testedMax })).length;
  };
  assert.deepEqual([await found(5, 5), await found(5, 6)], [0, 1]);
  assert.deepEqual([await found(100, 50), await found(100, 150)], [0, 1]);
});

test('for equal scores the lower id comes first, also where the limit cuts through them', async () => {
  const tenant = await newTenant('equal');
  const rows = Array.from({ length: 900 }, (_, ordinal) => ({ id: newId(), ordinal, terms: ['same', 'word'] }));
  await insert(tenant, rows.toReversed());
  const found = await search(tenant, ['same', 'word'], 20);
  assert.deepEqual(
    found.map(({ id }) => id),
    rows.slice(0, 20).map(({ id }) => id),
  );
});

test('the counts of terms equal those of the chunks after every kind of change', async () => {
  const tenant = await newTenant('changes');
  const rows = randomRows(600);
  for (let from = 0; from < rows.length; from += 40) await insert(tenant, rows.slice(from, from + 40));
  await assertCounts(tenant);
  const { id } = tenant;
  await plain.query(id, sql`delete from chunk where tenant_id = ${id} and ordinal % 3 = 0`);
  await plain.query(
    id,
    sql`update chunk set terms = 'rewritten ' || terms where tenant_id = ${id} and ordinal % 3 = 1`,
  );
  await plain.query(id, sql`update chunk set content = 'other' where tenant_id = ${id}`);
  await assert.rejects(
    plain.transaction(id, async (tx) => {
      await tx.query(sql`delete from chunk where tenant_id = ${id}`);
      throw new Error('given up');
    }),
    /given up/,
  );
  await Promise.all([
    insert(tenant, randomRows(150)),
    insert(tenant, randomRows(150)),
    insert(tenant, randomRows(150)),
  ]);
  await assertCounts(tenant);
  const [waiting] = await plain.system.query<{ count: number }>(
    sql`select count(*) from text_index_change where tenant_id = ${id}`,
  );
  assert.ok(waiting!.count < 700, `${waiting!.count} of 1,650 changes are not counted yet`);
  await plain.query(id, sql`delete from chunk where tenant_id = ${id}`);
  await assertCounts(tenant);
});

/** Compares the counts with the index, and the index with the chunks. */
async function assertCounts(tenant: Tenant): Promise<void> {
  const index = identifier(textIndex(tenant.partitionNo));
  const truth = await plain.system.query<{ term: string; chunks: number; length: number }>(sql`
    select '' as term, count(*) as chunks, coalesce(sum(array_length(string_to_array(terms, ' '), 1)), 0) as length
    from chunk where tenant_id = ${tenant.id}
    union all
    select term, count(*), 0 from (select distinct id, unnest(string_to_array(terms, ' ')) as term from chunk
                                   where tenant_id = ${tenant.id}) t group by term`);
  const terms = [...truth.map(({ term }) => term), 'absent'];
  const byTerm = (rows: readonly TermCount[]) =>
    new Map(rows.map(({ term, chunks, length }) => [term, { chunks, length: Number(length) }]));
  for (const isCounted of [false, true]) {
    if (isCounted) await plain.system.query(sql`select count_text_index_changes(${tenant.id})`);
    const counted = await plain.transaction(tenant.id, (tx) => countTerms(tx, terms));
    assert.deepEqual(byTerm(counted.filter(({ term, chunks }) => term === '' || chunks > 0)), byTerm(truth));
  }
  const left = await plain.system.query<{ term: string }>(
    sql`select term from text_index_term where tenant_id = ${tenant.id} and term <> ''`,
  );
  assert.equal(left.length, truth.length - 1, 'terms of deleted chunks are deleted');
  const [rows] = await plain.system.query<{ count: number }>(sql`select count(*) from ${index}`);
  assert.equal(rows!.count, truth[0]!.chunks);
}

test('the index takes every text, and no term is run as SQL', async () => {
  const tenant = await newTenant('hostile');
  const odd = ["it's", 'back\\slash', '&|!():*<->', "'", '\\', "a'b\\c", '"'];
  const huge = Array.from({ length: 60_000 }, (_, i) => `term${i}`);
  const rows: Row[] = [
    { id: newId(), ordinal: 0, terms: ['x'.repeat(5_000), 'beside'] },
    { id: newId(), ordinal: 1, terms: huge },
    { id: newId(), ordinal: 2, terms: Array<string>(250).fill('often') },
    { id: newId(), ordinal: 3, terms: Array<string>(900).fill('often') },
  ];
  await insert(tenant, rows);
  const ids = async (terms: string[]): Promise<string[]> => (await search(tenant, terms, 10)).map(({ id }) => id);
  assert.deepEqual(await ids(['beside', 'x'.repeat(5_000), 'é'.repeat(1_500)]), [rows[0]!.id]);
  assert.deepEqual(await ids(['term0']), [rows[1]!.id]);
  assert.deepEqual(await ids(odd), []);
  assert.deepEqual(await ids(['', 'x'.repeat(2_047)]), []);
  assert.deepEqual(await ids([...huge.slice(0, 500), 'often']), await ids([...huge.slice(0, 500), 'often']));
  const [many, more] = await search(tenant, ['often'], 10);
  assert.deepEqual([many!.id, more!.id].toSorted(), [rows[2]!.id, rows[3]!.id].toSorted());
  const expected = reference(rows, ['often']).get(rows[2]!.id)!;
  const found = [many!, more!].find(({ id }) => id === rows[2]!.id)!.score;
  assert.ok(near(found, expected), `250 occurrences: ${found} is not ${expected}`);
});

test('a tenant sees neither chunks nor counts of another, and cannot change an index by hand', async () => {
  const [ours, theirs] = [await newTenant('ours'), await newTenant('theirs')];
  await insert(theirs, [{ id: newId(), ordinal: 0, terms: ['canary'] }]);
  assert.deepEqual(await search(ours, ['canary'], 10), []);
  assert.deepEqual(await search({ ...ours, partitionNo: theirs.partitionNo }, ['canary'], 10), []);
  for (const table of ['text_index', 'text_index_term', 'text_index_change', textIndex(theirs.partitionNo)]) {
    const foreign = sql`select from ${identifier(table)} where tenant_id <> ${ours.id}`;
    assert.deepEqual(await plain.query(ours.id, foreign), [], table);
  }
  for (const call of [
    sql`select create_text_index(${theirs.id}, ${theirs.partitionNo}::int)`,
    sql`select drop_text_index(${theirs.id}, ${theirs.partitionNo}::int)`,
    sql`select count_text_index_changes(${theirs.id})`,
  ]) {
    await assert.rejects(plain.query(ours.id, call), /permission denied/);
  }
});

test('deleting a tenant deletes its whole index', async () => {
  const tenant = await newTenant('gone');
  await insert(tenant, randomRows(300));
  await deleteTenant(plain, tenant.id);
  for (const table of ['text_index', 'text_index_term', 'text_index_change']) {
    const rows = await plain.system.query(sql`select from ${identifier(table)} where tenant_id = ${tenant.id} limit 1`);
    assert.deepEqual(rows, [], table);
  }
});

test('a search is refused while the index of terms is dropped, and works when it is made again', async () => {
  const tenant = await newTenant('dropped');
  await seed(plain, tenant.id, [{ sources: [{ metadata: { kind: 'a' }, chunks: ['contract'] }] }]);
  const run = (name: 'create' | 'drop'): Promise<unknown> =>
    plain.system.transaction((tx) => tx.execute(`select ${name}_text_index($1, $2)`, [tenant.id, tenant.partitionNo]));
  const narrow: Filters = {
    sourceMetadata: { operator: 'and', filters: [{ key: 'kind', operator: 'eq', value: 'a' }] },
  };
  const find = async (filters: Filters): Promise<number> => {
    const { id: tenantId, partitionNo } = tenant;
    const anything = {
      sourceGroupIds: null,
      tagIds: null,
      principal: null,
      usePostfilter: false,
      limit: 10,
      offset: 0,
    };
    const asked = { tenantId, partitionNo, query: 'contract', mode: 'lexical' as const, filters, ...anything };
    return (await retrieve({ db: plain }, asked)).hits.length;
  };
  await run('drop');
  for (const filters of [{}, narrow]) await assert.rejects(find(filters), { code: 'overloaded' });
  await run('create');
  for (const filters of [{}, narrow]) assert.equal(await find(filters), 1);
});

test('migrate gives every tenant the form of the index that the database supports', async () => {
  const tenant = await newTenant('form');
  // One chunk is far better than the random ones: the changed index may order chunks of nearly equal scores otherwise.
  const best = { id: newId(), ordinal: 0, terms: ['w3', 'w40', 'w90', 'w3', 'w40', 'w90'] };
  await insert(tenant, [...randomRows(200), best]);
  const hasAll = await ensureExtensions(database.db.system);
  assert.equal(hasAll, false, 'searches use the tables as long as there are any');
  const expected = await search(tenant, ['w3', 'w40', 'w90'], 20);
  const { isUsable } = await findTextSearchForm(database.db.system);
  if (isUsable) {
    assert.match((await textSearchFacts(plain)).detail, /pg_textsearch can be used: `pinakes migrate` changes over/);
  } else {
    await database.db.system.query(sql`select drop_text_index(${tenant.id}, ${tenant.partitionNo}::int)`);
    const { ok, detail } = await textSearchFacts(plain);
    assert.ok(!ok && detail.includes('tenants without an index: form'), detail);
  }
  const changed = await rearrangeTextSearch(database.db);
  assert.ok(changed.includes('form'));
  assert.deepEqual(await rearrangeTextSearch(database.db), []);
  const { ok, detail } = await textSearchFacts(plain);
  assert.equal(ok, !isUsable, detail);
  assert.equal(await ensureExtensions(database.db.system), isUsable);
  if (!isUsable) {
    assert.deepEqual(await search(tenant, ['w3', 'w40', 'w90'], 20), expected);
    return;
  }
  await assert.rejects(search(tenant, ['w3'], 20), /restart/);
  const [left] = await plain.system.query<{ count: number }>(sql`
    select (select count(*) from text_index_term) + (select count(*) from text_index_change) as count`);
  assert.equal(left!.count, 0);
  await insert(tenant, [{ id: newId(), ordinal: 0, terms: ['later'] }]);
  const { id: tenantId, partitionNo } = tenant;
  const found = await database.db.transaction(tenantId, async (tx) => {
    await tx.execute(FORCE_INDEX_ORDER.join(';'));
    const asked = { tenantId, partitionNo, conditions: [], limit: 20 };
    assert.equal((await bm25Candidates(tx, { ...asked, terms: ['later'] })).length, 1);
    return bm25Candidates(tx, { ...asked, terms: ['w3', 'w40', 'w90'] });
  });
  assert.deepEqual([expected[0]!.id, found[0]!.id], [best.id, best.id]);
});
