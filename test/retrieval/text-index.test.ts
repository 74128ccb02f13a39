/** The tables that replace a BM25 index: scores, counts, limits, and the change to a BM25 index and back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, deleteTenant, type Tenant, textIndex } from '../../src/corpus/tenant-store.ts';
import { findTextSearchForm, rearrangeTextSearch, textSearchFacts } from '../../src/corpus/text-index.ts';
import type { Database } from '../../src/db/database.ts';
import { ensureExtensions } from '../../src/db/extensions.ts';
import { recordset } from '../../src/db/recordset.ts';
import { identifier, type Sql, sql } from '../../src/db/sql.ts';
import type { Candidate } from '../../src/retrieval/engine.ts';
import { bm25Candidates, FORCE_INDEX_ORDER } from '../../src/retrieval/lexical/lexical.ts';
import {
  type LookLimits,
  type ScannedMatches,
  scanCandidates,
  termsAmong,
} from '../../src/retrieval/lexical/lexical-scan.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { near, reference } from './bm25.ts';

/** Enough chunks for a search to score only a part of the matching chunks. */
const CHUNKS = 1_500;
const VOCABULARY = 150;
const QUERIES = 80;
/** The limits of the service, and limits that make a small corpus take every way to the result. */
const LOOKS = [
  undefined,
  { firstRows: 20, largeRows: 40, namedMax: 100 },
  { firstRows: 20, largeRows: 40, namedMax: 0 },
];

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
  unfiltered?: boolean;
  uncertainSources?: string[];
  bySource?: boolean;
  filterMatches?: ScannedMatches;
  limits?: LookLimits | undefined;
}

function search(
  tenant: Tenant,
  terms: string[],
  limit: number,
  conditions: Sql[] = [],
  { unfiltered = false, uncertainSources, limits, bySource = false, filterMatches }: Way = {},
  statements: string[] = [],
): Promise<Candidate[]> {
  const { partitionNo } = tenant;
  return plain.transaction(tenant.id, (tx) => {
    const recording = {
      ...tx,
      query: <R extends object>(statement: Sql) => {
        statements.push(statement.text);
        return tx.query<R>(statement);
      },
    };
    const where = { tenantId: tenant.id, partitionNo, conditions, unfiltered, uncertainSources, bySource };
    const request = { ...where, terms, limit };
    return scanCandidates(recording, request, filterMatches, limits);
  });
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
  const rows = randomRows(CHUNKS);
  await insert(tenant, rows);
  const ordinals = new Map(rows.map((row) => [row.id, row.ordinal]));
  for (let i = 0; i < QUERIES; i += 1) {
    const terms = Array.from({ length: random.pick([1, 2, 4, 8, 25]) }, () => `w${random.integer(0, VOCABULARY + 5)}`);
    const every = random.pick([1, 1, 3, 50, 900]);
    const limit = random.pick([1, 10, 10, 100, 3_000]);
    const limits = random.pick(LOOKS);
    const unfiltered = random.pick([true, false]);
    const found = await search(tenant, terms, limit, [sql`c.ordinal % ${every}::int = 0`], { unfiltered, limits });
    const scores = reference(rows, terms);
    const expected = [...scores]
      .filter(([id]) => ordinals.get(id)! % every === 0)
      .map(([, score]) => score)
      .toSorted((a, b) => b - a)
      .slice(0, limit);
    const what = `${terms.join(' ')}, every ${every}, limit ${limit}, ${JSON.stringify(limits)}`;
    assert.equal(found.length, expected.length, what);
    assert.equal(new Set(found.map(({ id }) => id)).size, found.length, what);
    for (const [at, { id, score }] of found.entries()) {
      assert.ok(near(score, scores.get(id)!), `${what}: ${score} is not ${scores.get(id)}`);
      assert.ok(near(score, expected[at]!), `${what}: place ${at} has ${score}, not ${expected[at]}`);
      assert.equal(ordinals.get(id)! % every, 0, what);
    }
  }
});

test('a search without a filter does not look for matching chunks first', async () => {
  const tenant = await newTenant('unfiltered');
  await insert(tenant, randomRows(300));
  const looks = async (unfiltered: boolean): Promise<number> => {
    const statements: string[] = [];
    const limits = { firstRows: 20, largeRows: 40, namedMax: 100 };
    await search(tenant, ['w0', 'w1'], 10, [sql`true`], { unfiltered, limits }, statements);
    return statements.filter((text) => /^\s*select c\.id from/.test(text)).length;
  };
  assert.deepEqual([await looks(true), await looks(false)], [0, 1]);
});

test('a chunk with more occurrences of a term than any chunk before is found', async () => {
  const tenant = await newTenant('bounds');
  const filling = (count: number): string[] => Array.from({ length: count }, () => `f${random.integer(0, 40)}`);
  const rows = Array.from({ length: 300 }, (_, ordinal) => {
    const terms = [...(ordinal < 20 ? ['w'] : []), ...(ordinal >= 290 ? ['rare'] : []), ...filling(29)];
    return { id: newId(), ordinal, terms };
  });
  await insert(tenant, rows);
  const count = () => plain.system.query(sql`select count_text_index_changes(${tenant.id})`);
  const check = async (): Promise<void> => {
    const limits = { firstRows: 1, largeRows: 1_000, namedMax: 0 };
    const found = await search(tenant, ['rare', 'w'], 2, [], { unfiltered: true, uncertainSources: [], limits });
    const best = [...reference(rows, ['rare', 'w'])].toSorted(([, a], [, b]) => b - a).slice(0, 2);
    assert.equal(found[0]!.id, best[0]![0]);
    assert.ok(found.every(({ score }, place) => near(score, best[place]![1])));
  };
  await count();
  // A replaced chunk and a new chunk, before and after the change is counted.
  for (const { at, terms } of [
    { at: 7, terms: [...Array<string>(20).fill('w'), ...filling(9)] },
    { at: 300, terms: [...Array<string>(28).fill('w'), 'f0'] },
  ]) {
    if (rows[at]) {
      rows[at].terms = terms;
      await plain.query(tenant.id, sql`update chunk set terms = ${terms.join(' ')} where id = ${rows[at].id}`);
    } else {
      rows.push({ id: newId(), ordinal: at, terms });
      await insert(tenant, rows.slice(at));
    }
    await check();
    await count();
    await check();
  }
});

test('with few or many matching sources, a search finds the same chunks as scoring every chunk', async () => {
  const tenant = await newTenant('sources');
  const sources = Array.from({ length: 60 }, newId);
  const rows = randomRows(CHUNKS).map((row) => ({ ...row, sourceId: sources[row.ordinal % sources.length]! }));
  await insert(tenant, rows);
  for (let i = 0; i < QUERIES; i += 1) {
    const terms = Array.from({ length: random.pick([1, 2, 4, 8]) }, () => `w${random.integer(0, VOCABULARY + 5)}`);
    const limit = random.pick([1, 10, 100]);
    const fits = sources.slice(0, random.pick([0, 1, 5, 20, 60]));
    const filterMatches: ScannedMatches = {
      ids: random.pick([fits, fits, null]),
      ...{ mixed: random.pick([true, false]), chunks: (fits.length * CHUNKS) / sources.length },
      share: fits.length / sources.length,
    };
    // Conditions on chunks are evaluated as before; a condition on the sources is not repeated.
    const bySource = random.pick([true, false]);
    const every = bySource ? 1 : random.pick([1, 3]);
    const ofSources = sql`c.ordinal % ${every}::int = 0 and c.source_id = any(${fits}::uuid[])`;
    const conditions = bySource && !filterMatches.mixed && filterMatches.ids !== null ? [sql`false`] : [ofSources];
    const way = { bySource, filterMatches, limits: random.pick(LOOKS) };
    const found = await search(tenant, terms, limit, conditions, way);
    const scores = reference(rows, terms);
    const expected = rows
      .filter(({ id, ordinal, sourceId }) => scores.has(id) && ordinal % every === 0 && fits.includes(sourceId))
      .toSorted((a, b) => scores.get(b.id)! - scores.get(a.id)!)
      .slice(0, limit);
    const what = JSON.stringify({ terms, limit, fits: fits.length, bySource, every, mixed: filterMatches.mixed });
    assert.equal(found.length, expected.length, what);
    for (const [at, { id, score }] of found.entries()) {
      assert.ok(near(score, scores.get(id)!) && near(score, scores.get(expected[at]!.id)!), `${what}: place ${at}`);
      assert.ok(fits.includes(rows.find((row) => row.id === id)!.sourceId), what);
    }
    const present = await plain.transaction(tenant.id, (tx) => termsAmong(tx, terms, { ids: fits, chunks: 10 * i }));
    const inSources = rows.filter(({ sourceId }) => fits.includes(sourceId)).flatMap((row) => row.terms);
    assert.deepEqual(present, new Set(terms.filter((term) => inSources.includes(term))));
  }
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
  // Few terms and many terms are counted in different ways, and in another way if no changes wait.
  for (const [i, known] of [truth, truth.slice(0, 20), truth].entries()) {
    if (i === 2) await plain.system.query(sql`select count_text_index_changes(${tenant.id})`);
    const wanted = [...known.map(({ term }) => term), 'absent'];
    const counted = await plain.query<{ term: string; chunks: number; length: number }>(
      tenant.id,
      sql`select term, chunks, length from own_term_counts(${wanted}::text[])`,
    );
    const byTerm = new Map(counted.map((row) => [row.term, row]));
    for (const row of known) assert.deepEqual(byTerm.get(row.term), { ...row, length: Number(row.length) }, row.term);
    assert.equal(byTerm.get('absent')?.chunks ?? 0, 0);
  }
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
    await tx.query(sql`select ${FORCE_INDEX_ORDER}`);
    const asked = { tenantId, partitionNo, conditions: [], limit: 20 };
    assert.equal((await bm25Candidates(tx, { ...asked, terms: ['later'] })).length, 1);
    return bm25Candidates(tx, { ...asked, terms: ['w3', 'w40', 'w90'] });
  });
  assert.deepEqual([expected[0]!.id, found[0]!.id], [best.id, best.id]);
});
