/** Terms and BM25 scores in the database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BM25_B, BM25_K1, createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { Candidate } from '../../src/retrieval/engine.ts';
import { bm25Candidates, type CandidateRequest, FORCE_INDEX_ORDER } from '../../src/retrieval/postgres/bm25-index.ts';
import { bm25FromTables } from '../../src/retrieval/postgres/bm25-tables.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Retrieved, RetrieveRequest } from '../../src/retrieval/types.ts';
import { nameTerms } from '../../src/text/analysis/names.ts';
import { analyzeForIndex, searchTerms } from '../../src/text/analyzer.ts';
import { chunkTerms } from '../../src/text/chunk-terms.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

let database: TestDatabase;
let tenant: Tenant;
/** A tenant whose index is the one for databases without the BM25 access method. */
let plainTenant: Tenant;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  plainTenant = await createTenant({ ...database.db, hasTextSearch: false }, { id: newId(), name: 'plain' });
});
after(() => database.close());

const request = (changes: Partial<RetrieveRequest>): RetrieveRequest => ({
  tenantId: tenant.id,
  partitionNo: tenant.partitionNo,
  sourceGroupIds: null,
  tagIds: null,
  principal: null,
  query: '',
  mode: 'lexical',
  filters: {},
  usePostfilter: false,
  limit: 10,
  offset: 0,
  ...changes,
});

test('every term is one lexeme of PostgreSQL, in every script', async () => {
  const texts: [string, string | null][] = [
    ['สวัสดีครับ ภาษาไทยไม่มีวรรค', 'th'],
    ['हिन्दी किताबों की दुनिया', 'hi'],
    ['والكِتاب العربيّة', 'ar'],
    ['中文機器學習，カーナビ 한국어 처리', 'zh'],
    ['Größe ERR_4012 1e5abc 12e3a v1.2.3 foo.bar@baz.org -12 0x1f C++ 3.14 10,000 http://a.b/c', 'de'],
    ['ভাষা தமிழ் తెలుగు മലയാളം ಕನ್ನಡ ગુજરાતી ਪੰਜਾਬੀ සිංහල မြန်မာ ខ្មែរ ລາວ עִבְרִית Ελλάδα հայերեն ქართული አማርኛ', null],
    ['👩‍👩‍👧 🎉 🇩🇪 ①² ½ ⅷ ﬁ 𝒳 𠮷 \u{1F9D1}\u200d\u{1F680}', null],
    ['zq zqabc zp a_b _x_ "quoted" & | ! ( ) :* \\ \' null NaN', 'en'],
    ['x'.repeat(5000), 'en'],
  ];
  for (const [text, language] of texts) {
    const terms = analyzeForIndex(text, language).split(' ');
    const [row] = await database.db.query<{ lexemes: string[] }>(
      tenant.id,
      sql`select array(select lexeme from unnest(to_tsvector('simple', ${terms.join(' ')}))) as lexemes`,
    );
    assert.deepEqual(row!.lexemes.toSorted(), [...new Set(terms)].sort(), text);
  }
});

test('scores are BM25, with and without the BM25 access method', async () => {
  const contents = Array.from({ length: 120 }, (_, i) => {
    const words = ['heron', 'otter', 'river', 'oak', 'frog', 'pike'].filter((_, w) => (i * 7 + w * 5) % (w + 2) === 0);
    return [...words, ...words.slice(0, i % 3), `filler${i}`, ...Array<string>(i % 11).fill('pad')].join(' ');
  });
  const terms = ['heron', 'otter', 'filler7', 'absent'];
  const run = async (
    find: (tx: Tx, request: CandidateRequest) => Promise<Candidate[]>,
    { id: tenantId, partitionNo }: Tenant,
  ): Promise<Candidate[]> => {
    await seed(database.db, tenantId, [{ sources: contents.map((content) => ({ chunks: [content] })) }]);
    return database.db.transaction(tenantId, async (tx) => {
      await tx.execute(FORCE_INDEX_ORDER.join(';'));
      return find(tx, { tenantId, partitionNo, terms, conditions: [], limit: 200 });
    });
  };
  const expected = bm25(contents, terms);
  const own = await run(database.db.hasTextSearch ? bm25Candidates : bm25FromTables, tenant);
  for (const found of [own, await run(bm25FromTables, plainTenant)]) {
    assert.equal(found.length, expected.length);
    for (const [i, score] of expected.entries()) {
      assert.ok(Math.abs(found[i]!.score - score) < 0.02 * score, `${i}: ${found[i]!.score} is not ${score}`);
    }
  }
});

test('of chunks with one score, those of a small search are the first of a larger one', async (t) => {
  if (!database.db.hasTextSearch) return t.skip('the database has no BM25 index');
  const { id: tenantId, partitionNo } = await createTenant(database.db, { id: newId(), name: 'alike' });
  // The index returns them as they were written, which is not the order of their ids.
  for (const id of Array.from({ length: 20 }, newId).toReversed())
    await database.db.query(
      tenantId,
      sql`insert into chunk (tenant_id, source_group_id, source_id, id, ordinal, content, terms, start_offset, end_offset)
          values (${tenantId}, ${newId()}, ${newId()}, ${id}, 0, 'heron', 'heron', 0, 5)`,
    );
  const found = (limit: number): Promise<Candidate[]> =>
    database.db.transaction(tenantId, async (tx) => {
      await tx.execute(FORCE_INDEX_ORDER.join(';'));
      return bm25Candidates(tx, { tenantId, partitionNo, terms: ['heron'], conditions: [], limit });
    });
  const more = await found(10);
  assert.equal(more.length, 10);
  assert.deepEqual(await found(5), more.slice(0, 5));
});

/** Returns textbook BM25 scores, descending, without zeros. */
function bm25(contents: readonly string[], terms: readonly string[]): number[] {
  const documents = contents.map((content) => analyzeForIndex(content, 'en').split(' '));
  const mean = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
  return documents
    .map((words) =>
      terms.reduce((sum, term) => {
        const containing = documents.filter((other) => other.includes(term)).length;
        const weight = Math.log(1 + (documents.length - containing + 0.5) / (containing + 0.5));
        const count = words.filter((word) => word === term).length;
        const damping = BM25_K1 * (1 - BM25_B + (BM25_B * words.length) / mean);
        return sum + (weight * count * (BM25_K1 + 1)) / (count + damping);
      }, 0),
    )
    .filter((score) => score > 0)
    .toSorted((a, b) => b - a);
}

test('chunks of one tenant do not change the scores of another tenant', async () => {
  const other = await createTenant(database.db, { id: newId(), name: 'other' });
  await seed(database.db, other.id, [{ sources: [{ chunks: ['a lone heron'] }] }]);
  const { hits } = await retrieve(
    database,
    request({ tenantId: other.id, partitionNo: other.partitionNo, query: 'heron' }),
  );
  assert.equal(hits.length, 1);
  const weight = searchTerms('heron', ['en']).filter((term) => !nameTerms('heron').includes(term)).length;
  assert.ok(Math.abs(hits[0]!.score - weight * Math.log(1 + 0.5 / 1.5)) < 0.01, `${hits[0]!.score}`);
});

test('the definition of a name comes before short chunks that only mention the name', async () => {
  const code = (content: string, headingPath: string[], name: string, context?: string) => ({
    ...{ name, fileType: 'code', language: 'en' },
    chunks: [
      {
        content,
        terms: chunkTerms({ content, context: context ?? null, headingPath }, name, 'en', true),
        ...(context && { context }),
      },
    ],
  });
  const body = '    """Writes values as they are."""\n    return write(values, options)\n'.repeat(20);
  const sources = [
    ...Array.from({ length: 12 }, (_, i) => code(`return send_json(${i}, send_json)`, [`test_${i}`], 'test_json.py')),
    code('export function send_json(): void;', ['send_json'], 'json.d.ts'),
    code(
      'class Sender:\n    limit = 5\n\n    def close(self):\n        pass',
      ['Sender', 'close'],
      'send.py',
      'Defines: Sender',
    ),
    code('Sender(Sender)', ['test_sender'], 'test_send.py'),
    code(`def send_json(values, options):\n${body}`, ['send_json'], 'json.py'),
  ];
  for (const hasTextSearch of new Set([database.db.hasTextSearch, false])) {
    const db = { ...database.db, hasTextSearch };
    const { id: tenantId, partitionNo } = await createTenant(db, { id: newId(), name: `code ${hasTextSearch}` });
    await seed(db, tenantId, [{ sources }]);
    for (const [query, first] of [
      ['send_json', 'json.py'],
      ['where is send_json', 'json.py'],
      ['sender', 'send.py'],
    ] as const) {
      const { hits } = await retrieve({ ...database, db }, request({ tenantId, partitionNo, query }));
      assert.equal(hits[0]!.name, first, query);
    }
  }
});

test('a search in the partition of another tenant finds nothing', async () => {
  const [stranger] = [await createTenant(database.db, { id: newId(), name: 'stranger' })];
  const { hits } = await retrieve(
    database,
    request({ tenantId: stranger.id, partitionNo: tenant.partitionNo, query: 'heron' }),
  );
  assert.deepEqual(hits, []);
});

test('filtered results are complete, however few of the found chunks match the filter', async () => {
  const many = await createTenant(database.db, { id: newId(), name: 'many' });
  const sources = Array.from({ length: 1500 }, (_, i) => ({
    fileType: i % 500 === 499 ? 'pdf' : 'txt',
    name: `${i}`,
    chunks: [`common word ${'pad '.repeat(i % 5)}number${i}`],
  }));
  for (let start = 0; start < sources.length; start += 500) {
    await seed(database.db, many.id, [{ sources: sources.slice(start, start + 500) }]);
  }
  for (const query of ['common', 'common word number5']) {
    const found = await retrieve(
      database,
      request({ tenantId: many.id, partitionNo: many.partitionNo, query, filters: { fileTypes: ['pdf'] } }),
    );
    assert.deepEqual(found.hits.map((hit) => hit.name).toSorted(), ['1499', '499', '999']);
  }
});

test('pages of many equal scores neither repeat nor miss a chunk', async () => {
  const equal = await createTenant(database.db, { id: newId(), name: 'equal' });
  const sources = Array.from({ length: 300 }, (_, i) => ({ name: `${i}`, chunks: [`same again x${i}`] }));
  await seed(database.db, equal.id, [{ sources }]);
  const seen: string[] = [];
  for (let offset = 0; offset < 310; offset += 31) {
    const page = await retrieve(
      database,
      request({ tenantId: equal.id, partitionNo: equal.partitionNo, query: 'same again', limit: 31, offset }),
    );
    seen.push(...page.hits.map((hit) => hit.id));
  }
  assert.equal(seen.length, 300);
  assert.deepEqual(seen, seen.toSorted());
});

test('without the BM25 access method the same chunks are found in the same order', async () => {
  const plain = { db: { ...database.db, hasTextSearch: false } };
  const asked = request({ query: 'heron filler7 otters', limit: 100 });
  const { id: tenantId, partitionNo } = plainTenant;
  const [indexed, scanned] = [
    await retrieve(database, asked),
    await retrieve(plain, { ...asked, tenantId, partitionNo }),
  ];
  const contents = ({ hits }: Retrieved): string[] => hits.map(({ content }) => content);
  assert.ok(scanned.hits.length > 20);
  assert.deepEqual(new Set(contents(scanned)), new Set(contents(indexed)));
  assert.equal(contents(scanned)[0], contents(indexed)[0]);
});
