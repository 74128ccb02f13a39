/** Correction of typing errors in queries, with the BM25 index and without. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';
import { analyzeForIndex } from '../../src/text/analyzer.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

let database: TestDatabase;

before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

const SOURCES = [
  { name: 'warsaw', language: 'en', chunks: ['The population of Warsaw grew during the century.'] },
  { name: 'cracow', language: 'en', chunks: ['The populations of Cracow and its castle.'] },
  { name: 'heron', language: 'en', chunks: ['A heron stands in shallow water and waits.'] },
  { name: 'haus', language: 'de', chunks: ['Die Bevölkerung der Stadt wuchs im Jahrhundert.'] },
  { name: 'город', language: 'ru', chunks: ['Население города выросло за столетие.'] },
  {
    ...{ name: 'router', language: 'en' },
    chunks: [
      'The internet of the office is fast.',
      'Call setGlimmerMode before you start.',
      { content: 'It has buttons.', terms: analyzeForIndex('Bandoneon\nIt has buttons.', 'en') },
    ],
  },
  { name: 'rules', language: 'en', chunks: ['Internal rules.', 'An internal audit.', 'The internal mail.'] },
  { name: 'làng', language: 'vi', chunks: ['Bức tranh của làng Sình trong hội xuân.'] },
];

for (const form of ['as the database has it', 'without the BM25 index'] as const) {
  describe(`typing errors, ${form}`, () => {
    let db: Database;
    let tenant: Tenant;
    let open = '';

    before(async () => {
      db = form === 'without the BM25 index' ? { ...database.db, hasTextSearch: false } : database.db;
      tenant = await createTenant(db, { id: newId(), name: form });
      const hidden = [{ name: 'hidden', language: 'en', chunks: ['The confidential acquisition of Zephyrcorp.'] }];
      [open = ''] = await seed(db, tenant.id, [{ sources: SOURCES }, { sources: hidden }]);
    });

    const search = async (query: string, changes: Partial<RetrieveRequest> = {}) => {
      const { hits, warnings, corrections } = await retrieve(
        { db },
        {
          ...{
            tenantId: tenant.id,
            partitionNo: tenant.partitionNo,
            sourceGroupIds: null,
            tagIds: null,
            principal: null,
          },
          ...{ query, mode: 'lexical', filters: {}, usePostfilter: false, limit: 10, offset: 0, ...changes },
        },
      );
      assert.equal(
        corrections.size > 0,
        warnings.some(({ message }) => message.includes('instead of')),
      );
      return { names: hits.map((hit) => hit.name), warnings };
    };

    test('a misspelled word finds the intended word, and a warning names both', async () => {
      for (const [query, name, meant] of [
        ['hreon', 'heron', 'heron'],
        ['herom', 'heron', 'heron'],
        ['Warsw', 'warsaw', 'warsaw'],
        ['Warzaw', 'warsaw', 'warsaw'],
        ['Bevolkerugn', 'haus', 'bevölkerung'],
        ['Насиление', 'город', 'население'],
        ['internt', 'router', 'internet'],
        ['populaton of Cracow', 'cracow', 'population'],
        ['populatins in Cracow', 'cracow', 'populations'],
        ['castel', 'cracow', 'castle'],
        ['castels', 'cracow', 'castles'],
        ['Badnoneon', 'router', 'bandoneon'],
        ['glimer', 'router', 'glimmer'],
      ] as const) {
        const { names, warnings } = await search(query);
        assert.equal(names[0], name, `${query}: ${names}`);
        assert.deepEqual(
          warnings.map(({ type }) => type),
          ['fuzzy_match'],
          query,
        );
        assert.ok(
          warnings[0]!.message.includes(`“${meant}” instead of “${query.split(' ')[0]}”`),
          warnings[0]!.message,
        );
      }
    });

    test('a word that only a removed chunk had is corrected', async () => {
      const other = await createTenant(db, { id: newId(), name: `${form}, removed` });
      const chunks = [newId(), newId()];
      const sources = ['heron', 'hreon'].map((word, i) => ({
        name: word,
        language: 'en',
        chunks: [{ id: chunks[i]!, content: `A ${word} stands in shallow water.` }],
      }));
      await seed(db, other.id, [{ sources }]);
      const inOther = { tenantId: other.id, partitionNo: other.partitionNo };
      assert.deepEqual((await search('hreon', inOther)).names, ['hreon']);
      await db.query(other.id, sql`delete from chunk where id = ${chunks[1]!}`);
      const { names, warnings } = await search('hreon', inOther);
      assert.deepEqual(names, ['heron']);
      assert.equal(warnings[0]?.type, 'fuzzy_match');
    });

    test('a key with limits is corrected as if the chunks that it may not see were not there', async () => {
      const other = await createTenant(db, { id: newId(), name: `${form}, limited` });
      const [seen = ''] = await seed(db, other.id, [
        { sources: [{ name: 'heron', language: 'en', chunks: ['A heron stands in shallow water.'] }] },
        { sources: [{ name: 'hreon', language: 'en', chunks: ['The hreon project is secret.'] }] },
      ]);
      const inOther = { tenantId: other.id, partitionNo: other.partitionNo };
      assert.deepEqual((await search('hreon', inOther)).names, ['hreon']);
      const { names, warnings } = await search('hreon', { ...inOther, sourceGroupIds: [seen] });
      assert.deepEqual(names, ['heron']);
      assert.equal(warnings[0]?.type, 'fuzzy_match');
    });

    test('words that occur, and words without a similar word, are not corrected', async () => {
      for (const query of [
        'heron',
        'populating Warsaw',
        'xylophone',
        'hreomn',
        'cat',
        'ERR_4012',
        'trách nhiệm',
        'là của trang',
      ]) {
        assert.deepEqual(
          (await search(query)).warnings.map((w) => w.message),
          [],
          query,
        );
      }
      assert.deepEqual((await search('xylophone')).names, []);
    });

    test('a word that occurs outside of the best chunks is not corrected to a rarer word', async () => {
      const other = await createTenant(db, { id: newId(), name: `${form}, common words` });
      const chunks = [
        ...Array.from({ length: 12 }, (_, i) => `Alpine meadow ${i}`),
        ...Array.from({ length: 40 }, (_, i) => `Sand of pit ${i} has quartz`),
        'Two quarts of milk',
      ];
      await seed(db, other.id, [
        { sources: chunks.map((chunk, i) => ({ name: `${i}`, language: 'en', chunks: [chunk] })) },
      ]);
      const of = { tenantId: other.id, partitionNo: other.partitionNo };
      const { names, warnings } = await search('alpine meadow quartz', of);
      assert.ok(names.every((name) => Number(name) < 12));
      assert.deepEqual(warnings, []);
      assert.equal((await search('alpine meadow quarty', of)).warnings.length, 1);
    });

    test('two common words that share no chunk are not corrected', async () => {
      const other = await createTenant(db, { id: newId(), name: `${form}, words apart` });
      const chunks = [
        ...Array.from({ length: 12 }, (_, i) => `Alpine meadow ${i}`),
        ...Array.from({ length: 130 }, () => 'Fine porcelain'),
        ...Array.from({ length: 110 }, () => `A marine animal in water ${'that is deep and cold '.repeat(5)}`),
        'The marina has berths',
      ];
      await seed(db, other.id, [
        { sources: chunks.map((chunk, i) => ({ name: `${i}`, language: 'en', chunks: [chunk] })) },
      ]);
      const of = { tenantId: other.id, partitionNo: other.partitionNo };
      assert.deepEqual((await search('alpine meadow porcelain marine', of)).warnings, []);
      assert.equal((await search('alpine meadow porcelain marinf', of)).warnings.length, 1);
    });

    test('a word that occurs outside of the filters is not corrected', async () => {
      const other = await createTenant(db, { id: newId(), name: `${form}, filters` });
      await seed(db, other.id, [
        {
          sources: [
            { name: 'pipes', language: 'en', fileType: 'md', chunks: ['Pipes of copper'] },
            { name: 'barrels', language: 'en', fileType: 'pdf', chunks: ['The cooper makes barrels'] },
          ],
        },
      ]);
      const asked = { tenantId: other.id, partitionNo: other.partitionNo, filters: { fileTypes: ['pdf'] } };
      assert.deepEqual(await search('copper', asked), { names: [], warnings: [] });
      const { names, warnings } = await search('cooperr', asked);
      assert.deepEqual([names, warnings.length], [['barrels'], 1]);
    });

    test('a query that lacks more than three words is about another subject, and is not corrected', async () => {
      assert.equal((await search('hreon shalow watr')).warnings.length, 1);
      assert.deepEqual((await search('hreon shalow wters waitts')).warnings, []);
    });

    test('a query whose best chunks have most of its words is not corrected', async () => {
      const { names, warnings } = await search('heron stands shallow water waits populaton');
      assert.deepEqual([names[0], warnings.length], ['heron', 0]);
    });

    test('words of chunks that the caller may not see are never suggested', async () => {
      assert.deepEqual((await search('Zephyrcrop')).warnings.length, 1);
      for (const changes of [{ sourceGroupIds: [open] }, { filters: { fileTypes: ['pdf'] } }]) {
        const { names, warnings } = await search('Zephyrcrop', changes);
        assert.deepEqual([names, warnings], [[], []]);
      }
      // A right spelling in hidden chunks changes nothing.
      const { names, warnings } = await search('Zephyrcorp', { sourceGroupIds: [open] });
      assert.deepEqual([names, warnings], [[], []]);
    });

    test('pages of a corrected search have one order', async () => {
      const all = await search('populaton', { limit: 10 });
      const pages = [await search('populaton', { limit: 1 }), await search('populaton', { limit: 1, offset: 1 })];
      assert.ok(all.names.length >= 2);
      assert.deepEqual(
        pages.flatMap(({ names }) => names),
        all.names.slice(0, 2),
      );
    });

    test('a query full of typing errors is answered soon', async () => {
      const { warnings } = await search(
        Array.from({ length: 300 }, (_, i) => `qzx${'abcdefghij'[i % 10]}wv${'klmno'[i % 5]}`).join(' '),
      );
      assert.deepEqual(warnings, []);
    });
  });
}
