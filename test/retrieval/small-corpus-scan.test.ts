/** A scan scores the chunks of a narrow filter like the index: for all texts, in its write buffer and in its segments. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant, termsIndex } from '../../src/corpus/tenant-store.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { Candidate, Scope } from '../../src/retrieval/engine.ts';
import { isSmallCorpus, scanSmallCorpus } from '../../src/retrieval/lexical/small-corpus-scan.ts';
import { openPostgresEngine } from '../../src/retrieval/postgres/engine.ts';
import { findFilterMatches } from '../../src/retrieval/query/filter-matches.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom } from '../support/random.ts';
import { type SeedSource, seed } from './corpus.ts';

const SOURCES = 120;
const CHUNKS_PER_SOURCE = 4;
const WORDS = 400;
/** Rounding changes the length of a text by at most one part in eight. */
const IN_BUFFER = 0.1;
const LENGTHS = [1, 5, 22, 23, 24, 25, 40, 60, 110, 300, 700];

const random = openRandom(20_261_122);
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

/** Writes the write buffer of the index to its segments. */
async function spill(): Promise<void> {
  await database.db.system.execute(`select bm25_spill_index('${termsIndex(tenant.partitionNo)}')`);
}

const below = (share: number): Filters => ({
  sourceMetadata: { operator: 'and', filters: [{ key: 'share', operator: 'lt', value: share }] },
});

function requestOf(filters: Filters, query: string): RetrieveRequest {
  return { ...scopeOf(filters), query, principal: null, mode: 'lexical', usePostfilter: false, limit: 10, offset: 0 };
}

function scopeOf(filters: Filters): Scope {
  const { id: tenantId, partitionNo } = tenant;
  return { tenantId, partitionNo, sourceGroupIds: null, tagIds: null, policy: null, filters };
}

/** Returns the candidates of the scan and those of the index. */
async function both(terms: readonly string[], filters: Filters, depth: number): Promise<[Candidate[], Candidate[]]> {
  return database.db.transaction(tenant.id, async (tx: Tx) => {
    const scope = scopeOf(filters);
    const corpus = await openPostgresEngine(database.db, { scansSmall: false }).open(tx, scope);
    const matches = await findFilterMatches(tx, scope);
    assert.ok(matches && isSmallCorpus(matches), 'they are few');
    const { lexical } = await corpus.candidates({ terms, vector: undefined, depth });
    return [await scanSmallCorpus(tx, scope, matches, { terms, depth }), [...lexical]];
  });
}

/**
 * @param off the allowed relative error of scores. Scores of chunks in the write buffer differ: the index knows their exact lengths
 * there.
 */
async function assertSame(share: number, off = 1e-5): Promise<void> {
  for (let n = 0; n < 15; n++) {
    const terms = Array.from({ length: random.integer(1, 12) }, word);
    const [few, byIndex] = await both(terms, below(share), 1_000);
    assert.deepEqual(few.map(({ id }) => id).toSorted(), byIndex.map(({ id }) => id).toSorted());
    const scores = new Map(byIndex.map(({ id, score }) => [id, score]));
    for (const { id, score } of few) {
      assert.ok(Math.abs(score / scores.get(id)! - 1) < off, `${terms.join(' ')}: ${score} ${scores.get(id)}`);
    }
    // The order is the same, except for scores that differ only in the last digits of the index.
    for (const [i, { id }] of few.entries()) {
      assert.ok(Math.abs(scores.get(id)! / byIndex[i]!.score - 1) < off, `place ${i}`);
    }
  }
}

test('a scan gives texts of every length the same scores as the index', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the text index in tables has one way only');
  await assertSame(5, IN_BUFFER);
  await spill();
  await assertSame(5);
  await assertSame(30);
  await assertSame(40);
});

test('a scan gives the same scores as the index after chunks were added and deleted', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the text index in tables has one way only');
  await seed(database.db, tenant.id, [{ sources: Array.from({ length: 20 }, () => source()) }]);
  await database.db.query(tenant.id, sql`delete from source where metadata ->> 'share' in ('3', '4', '50', '51')`);
  await assertSame(5, IN_BUFFER);
  await spill();
  await assertSame(5);
  await assertSame(30);
});

test('a scan finds nothing for words that no chunk has', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the text index in tables has one way only');
  assert.deepEqual(await both(['zqnowhere'], below(30), 10), [[], []]);
  for (const terms of [
    [words[0]!],
    ['zqnowhere', words[0]!],
    [words[0]!, words[0]!],
    ['zqnowhere', words[0]!, words[0]!],
  ]) {
    const [few, byIndex] = await both(terms, below(30), 10);
    assert.equal(few.length, 10);
    for (const [i, { score }] of few.entries())
      assert.ok(Math.abs(score / byIndex[i]!.score - 1) < 1e-5, `${terms.join(' ')} ${score} ${byIndex[i]!.score}`);
  }
});

test('a typing error is corrected among the few chunks of a filter', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the text index in tables has one way only');
  const rare = newId().slice(-4);
  const content = `The pterodactyl flew over the archipelago ${rare}.`;
  await seed(database.db, tenant.id, [{ sources: [{ name: 'rare', metadata: { share: '-1' }, chunks: [content] }] }]);
  const { db, texts } = recording();
  const { hits, warnings } = await retrieve({ db }, requestOf(below(0), 'pterodactil archipelgo'));
  assert.deepEqual(
    hits.map(({ name }) => name),
    ['rare'],
  );
  assert.equal(warnings[0]?.type, 'fuzzy_match');
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
