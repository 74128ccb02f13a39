/** A scan scores the chunks of a narrow filter. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BM25_B, BM25_K1, createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { Candidate, Scope } from '../../src/retrieval/engine.ts';
import { isSmallCorpus, openSmallCorpusScan, scoreChunks } from '../../src/retrieval/postgres/small-corpus-scan.ts';
import { findFilterMatches } from '../../src/retrieval/query/filter-matches.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { type SeedSource, seed } from './corpus.ts';

const NO_INDEX = 'the text index in tables has one way only';
const SOURCES = 120;
const CHUNKS_PER_SOURCE = 4;
const WORDS = 400;
const LENGTHS = [1, 5, 22, 40, 60, 110, 300];

const random = openRandom();
/** The first words are common, the last ones rare. */
const words = Array.from({ length: WORDS }, () => random.word(random.integer(3, 9)));
const word = (): string => words[Math.floor(WORDS ** random.next()) - 1] ?? words[0]!;

let database: TestDatabase;
let tenant: Tenant;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  await seed(database.db, tenant.id, [{ sources: Array.from({ length: SOURCES }, () => source()) }]);
  await database.db.system.executeOutsideTransaction('analyze chunk');
});
after(() => database.close());

function source(): SeedSource {
  const terms = Array.from({ length: CHUNKS_PER_SOURCE }, () =>
    Array.from({ length: random.pick(LENGTHS) }, word).join(' '),
  );
  const repeated = random.next() < 0.1 ? [`${`${words[0]} `.repeat(300)}${words[1]}`] : [];
  const chunks = [...terms, ...repeated].map((text) => ({ content: text, terms: text }));
  return { metadata: { share: String(random.integer(0, 99)) }, chunks };
}

const below = (share: number): Filters => ({
  sourceMetadata: { operator: 'and', filters: [{ key: 'share', operator: 'lt', value: share }] },
});

function scopeOf({ id: tenantId, partitionNo }: Tenant, filters: Filters): Scope {
  return { tenantId, partitionNo, sourceGroupIds: null, tagIds: null, policy: null, filters };
}

/** Returns the candidates of the scan. */
async function find(terms: readonly string[], filters: Filters, limit: number): Promise<Candidate[]> {
  const scope = scopeOf(tenant, filters);
  return database.db.transaction(tenant.id, async (tx: Tx) => {
    const matches = await findFilterMatches(tx, scope);
    assert.ok(matches && isSmallCorpus(matches), 'they are few');
    return openSmallCorpusScan(tx, scope, matches)(terms, limit);
  });
}

test('a scan scores the matching chunks by BM25, with the document frequencies of all chunks', async (t) => {
  if (!database.db.hasTextSearch) return t.skip(NO_INDEX);
  t.diagnostic(`seed ${random.seed}`);
  const rows = await database.db.query<{ id: string; terms: string; share: number }>(
    tenant.id,
    sql`select c.id, c.terms, (s.metadata ->> 'share')::int as share from chunk c join source s on s.id = c.source_id`,
  );
  const all = rows.map((row) => ({ ...row, terms: row.terms.split(' ') }));
  const few = all.filter(({ share }) => share < 5);
  for (let n = 0; n < 20; n++) {
    const terms = Array.from({ length: random.integer(1, 12) }, word);
    const expected = few
      .map(({ id, terms: own }) => ({ id, score: scoreOf(own, terms, all, few) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
    const found = await find(terms, below(5), 1_000);
    assert.deepEqual(found.map(({ id }) => id).toSorted(), expected.map(({ id }) => id).toSorted());
    // The weights of the index are known up to a factor that depends on the mean length.
    for (const [i, { score }] of found.entries())
      assert.ok(Math.abs(score / expected[i]!.score - 1) < 0.02, `${terms.join(' ')}: ${score} ${expected[i]!.score}`);
    assert.deepEqual(await find(terms, below(5), 5), found.slice(0, 5));
  }
});

interface Chunk {
  terms: readonly string[];
}

/** Returns the textbook score of a chunk. The mean length is that of `few`. */
function scoreOf(
  own: readonly string[],
  terms: readonly string[],
  all: readonly Chunk[],
  few: readonly Chunk[],
): number {
  const mean = few.reduce((sum, chunk) => sum + chunk.terms.length, 0) / few.length;
  return terms.reduce((sum, term) => {
    const count = own.filter((one) => one === term).length;
    const having = all.filter((chunk) => chunk.terms.includes(term)).length;
    const rarity = Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
    return sum + (rarity * count * (BM25_K1 + 1)) / (count + BM25_K1 * (1 - BM25_B + (BM25_B * own.length) / mean));
  }, 0);
}

test('a scan finds nothing for words that no chunk has', async (t) => {
  if (!database.db.hasTextSearch) return t.skip(NO_INDEX);
  assert.deepEqual(await find(['zqnowhere'], below(5), 10), []);
});

test('a scan asks for the weights of terms that occur in its chunks, and of no others', async () => {
  const asked: string[][] = [];
  const weigh = async (terms: readonly string[]): Promise<Map<string, number>> => {
    asked.push([...terms]);
    return new Map(terms.map((term) => [term, 1]));
  };
  const chunks = ['a b', 'b ab', 'c'].map((terms, i) => ({ id: String(i), sourceId: '', terms }));
  const ids = async (terms: string[]) => (await scoreChunks(chunks, terms, weigh)).map(({ id }) => id);
  assert.deepEqual(await ids(['a', 'a', 'c', 'absent']), ['0', '2']);
  assert.deepEqual(await ids(['absent']), []);
  assert.deepEqual(asked, [['a', 'c']]);
});

test('for equal scores the lower id comes first, and a repeated term counts repeatedly', async (t) => {
  if (!database.db.hasTextSearch) return t.skip(NO_INDEX);
  const chunks = Array.from({ length: 30 }, () => ({ id: newId(), content: 'same word' }));
  const other = { id: newId(), content: 'other word' };
  const sources = [{ metadata: { share: '-2' }, chunks: [...chunks.toReversed(), other] }];
  await seed(database.db, tenant.id, [{ sources }]);
  const found = await find(['word', 'word', 'same'], below(-1), 20);
  assert.deepEqual(
    found.map(({ id }) => id),
    chunks.slice(0, 20).map(({ id }) => id),
  );
  const [once] = await find(['other'], below(-1), 1);
  const [twice] = await find(['other', 'other'], below(-1), 1);
  assert.equal(once!.id, other.id);
  assert.ok(Math.abs(twice!.score - 2 * once!.score) < 1e-9);
});

test('a search reads the chunks of a scan once, also to correct typing errors', async (t) => {
  if (!database.db.hasTextSearch) return t.skip(NO_INDEX);
  const rare = newId().slice(-4);
  const content = `The pterodactyl flew over the archipelago ${rare}.`;
  await seed(database.db, tenant.id, [{ sources: [{ name: 'rare', metadata: { share: '-1' }, chunks: [content] }] }]);
  const { db, texts } = recording();
  const request: RetrieveRequest = {
    ...{ ...scopeOf(tenant, below(0)), principal: null, query: 'pterodactil archipelgo', mode: 'lexical' },
    ...{ usePostfilter: false, limit: 10, offset: 0 },
  };
  const { hits, warnings } = await retrieve({ db }, request);
  assert.deepEqual(
    hits.map(({ name }) => name),
    ['rare'],
  );
  assert.equal(warnings[0]?.type, 'fuzzy_match');
  assert.equal(texts.filter((text) => text.includes('c.source_id, c.terms from')).length, 1);
  assert.ok(!texts.some((text) => text.includes('order by c.terms <@>') && !text.includes('limit')));
});

/** Returns the database, and a list of the statements that its transactions ran. */
function recording(): { db: Database; texts: string[] } {
  const texts: string[] = [];
  const transaction: Database['transaction'] = (tenantId, run, options) =>
    database.db.transaction(
      tenantId,
      (tx) =>
        run({
          ...tx,
          query: (statement) => {
            texts.push(statement.text);
            return tx.query(statement);
          },
        }),
      options,
    );
  return { db: { ...database.db, transaction }, texts };
}
