/** Every change of the corpus invalidates what searches cache, whoever makes the change and in whatever way. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildStep, findColumnRefs, insertColumn } from '../../src/corpus/column-store.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import type { MetadataFilterGroup } from '../../src/filters/types.ts';
import { analyzeChunks } from '../../src/ingest/upkeep/analyze-chunks.ts';
import { type CorpusCache, openCorpusCache } from '../../src/retrieval/query/corpus-cache.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type SeedGroup, seed, type TagIds } from './corpus.ts';
import { seedVectors } from './vectors.ts';

let database: TestDatabase;
let corpusCache: CorpusCache;
before(async () => {
  database = await openTestDatabase();
  corpusCache = openCorpusCache(database.db);
});
after(() => database.close());

const is = (value: string): MetadataFilterGroup => ({
  operator: 'and',
  filters: [{ key: 'colour', operator: 'eq', value }],
});
const RED = { sourceMetadata: is('red') };

interface Made {
  tenant: Tenant;
  groupId: string;
  one: string;
  tags: TagIds;
}

/** Makes a group with the tag `shown`, the colour blue and two sources: `one` is red, `two` is not. */
async function make(db = database.db): Promise<Made> {
  const tenant = await createTenant(db, { id: newId(), name: newId() });
  const tags: TagIds = new Map();
  const one = newId();
  const sources = [
    { id: one, name: 'one', metadata: { colour: 'red' }, url: 'https://one.example/a', chunks: ['common first'] },
    { name: 'two', metadata: { colour: 'green' }, fileType: 'md', chunks: ['common second'] },
  ];
  const other = { sources: [{ name: 'three', metadata: { colour: 'grey' }, chunks: ['common third'] }] };
  const group: SeedGroup = { metadata: { colour: 'blue' }, tags: ['shown'], sources };
  const [groupId] = await seed(database.db, tenant.id, [group, other], tags);
  return { tenant, groupId: groupId!, one, tags };
}

function requestOf({ tenant }: Made, filters: Filters, limits: Partial<RetrieveRequest> = {}): RetrieveRequest {
  const anything = { sourceGroupIds: null, tagIds: null, principal: null, usePostfilter: false, limit: 10, offset: 0 };
  const asked = { query: 'common', mode: 'lexical' as const, filters, ...anything, ...limits };
  return { tenantId: tenant.id, partitionNo: tenant.partitionNo, ...asked };
}

async function names(request: RetrieveRequest, remembered: CorpusCache | null, db = database.db): Promise<string[]> {
  const { hits } = await retrieve({ db, corpusCache: remembered }, request);
  return hits.map(({ name }) => name).toSorted();
}

/** Changes of the corpus, each with a search that the change affects. */
interface Change {
  filters: (made: Made) => Filters;
  limits?: (made: Made) => Partial<RetrieveRequest>;
  change: (made: Made) => Sql | Promise<unknown>;
  after: string[];
}

const CHANGES: Record<string, Change> = {
  'a source is deleted': {
    filters: () => RED,
    change: ({ one }) => sql`update source set deleted_at = now() where id = ${one}`,
    after: [],
  },
  'a source is deleted, where no filter was given': {
    filters: () => ({}),
    change: ({ one }) => sql`update source set deleted_at = now() where id = ${one}`,
    after: ['three', 'two'],
  },
  'a source is read anew, where no filter was given': {
    filters: () => ({}),
    change: ({ one }) => sql`update source set status = 'pending' where id = ${one}`,
    after: ['three', 'two'],
  },
  'a source has another generation, where no filter was given': {
    filters: () => ({}),
    change: ({ one }) => sql`update source set generation = 2, mixed = true where id = ${one}`,
    after: ['three', 'two'],
  },
  'a group is deleted, where no filter was given': {
    filters: () => ({}),
    change: ({ groupId }) => sql`update source_group set deleted_at = now() where id = ${groupId}`,
    after: ['three'],
  },
  'a source is removed': {
    filters: () => RED,
    change: ({ one }) => sql`delete from source where id = ${one}`,
    after: [],
  },
  'a source is read anew': {
    filters: () => RED,
    change: ({ one }) => sql`update source set status = 'pending' where id = ${one}`,
    after: [],
  },
  'a source has another generation': {
    filters: () => RED,
    change: ({ one }) => sql`update source set generation = 2, mixed = true where id = ${one}`,
    after: [],
  },
  'a source is added': {
    filters: () => RED,
    change: ({ tenant }) =>
      seed(database.db, tenant.id, [
        { sources: [{ name: 'new', metadata: { colour: 'red' }, chunks: ['common fourth'] }] },
      ]),
    after: ['new', 'one'],
  },
  'metadata of a source change': {
    filters: () => RED,
    change: ({ one }) => sql`update source set metadata = '{"colour": "pink"}' where id = ${one}`,
    after: [],
  },
  'metadata of an origin change': {
    filters: () => RED,
    change: () =>
      sql`update source set metadata = '{}', origin_metadata = '{"colour": {"val": "red", "type": "string"}}' where name = 'two'`,
    after: ['one', 'two'],
  },
  'the type of a file changes': {
    filters: () => ({ fileTypes: ['md'] }),
    change: ({ one }) => sql`update source set file_type = 'md' where id = ${one}`,
    after: ['one', 'two'],
  },
  'an address changes': {
    filters: () => ({ domains: ['one.example'] }),
    change: () => sql`update source set url = 'https://two.example/'`,
    after: [],
  },
  'a content date changes': {
    filters: () => ({ dateFrom: 1_800_000_000 }),
    change: ({ one }) => sql`update source set content_at = '2028-01-01' where id = ${one}`,
    after: ['one'],
  },
  'metadata of a chunk change': {
    filters: () => ({ ...RED, chunkMetadata: is('red') }),
    change: ({ one }) =>
      sql`update chunk set metadata = '{"colour": {"val": "red", "type": "string"}}' where source_id = ${one}`,
    after: ['one'],
  },
  'chunks are analyzed anew': {
    filters: () => RED,
    change: async ({ tenant, one }) => {
      await database.db.query(tenant.id, sql`update chunk set content = 'rare' where source_id = ${one}`);
      await database.db.system.query(sql`update tenant set analyzer_version = 1 where id = ${tenant.id}`);
      const context = { signal: new AbortController().signal, lastAttempt: false };
      await analyzeChunks(database)({ tenantId: tenant.id }, context);
    },
    after: [],
  },
  'a group is deleted': {
    filters: () => RED,
    change: ({ groupId }) => sql`update source_group set deleted_at = now() where id = ${groupId}`,
    after: [],
  },
  'a group is removed': {
    filters: () => RED,
    change: ({ groupId }) => sql`delete from source_group where id = ${groupId}`,
    after: [],
  },
  'metadata of a group change': {
    filters: () => ({ metadata: is('blue') }),
    change: ({ groupId }) => sql`update source_group set metadata = '{}' where id = ${groupId}`,
    after: [],
  },
  'a source moves to another group': {
    filters: () => ({ metadata: is('blue') }),
    change: ({ one, groupId }) =>
      sql`with moved as (update source set source_group_id = (select id from source_group where id <> ${groupId}) where id = ${one} returning id)
        update chunk c set source_group_id = (select id from source_group where id <> ${groupId}) from moved m where c.source_id = m.id`,
    after: ['two'],
  },
  'a tag is taken off': {
    filters: () => ({ tags: ['shown'] }),
    change: ({ groupId }) => sql`delete from tag_source_group where source_group_id = ${groupId}`,
    after: [],
  },
  'a tag is put on': {
    filters: ({ tags }) => ({ tagIds: [tags.get('shown')!] }),
    change: ({ tenant, groupId, tags }) =>
      sql`insert into tag_source_group (tenant_id, id, tag_id, source_group_id)
        select ${tenant.id}, gen_random_uuid(), ${tags.get('shown')}, id from source_group where id <> ${groupId}`,
    after: ['one', 'three', 'two'],
  },
  'a tag is renamed': {
    filters: () => ({ tags: ['shown'] }),
    change: () => sql`update tag set name = 'other'`,
    after: [],
  },
  'a tag is removed': {
    filters: () => ({ tags: ['shown'] }),
    change: () => sql`delete from tag`,
    after: [],
  },
  'a tag is taken off for a key that is limited to it': {
    filters: () => ({}),
    limits: ({ tags }) => ({ tagIds: [tags.get('shown')!] }),
    change: ({ groupId }) => sql`delete from tag_source_group where source_group_id = ${groupId}`,
    after: [],
  },
};

describe('the matches of a filter are found again after', () => {
  for (const [name, { filters, limits, change, after: then }] of Object.entries(CHANGES)) {
    test(`matches are found again after: ${name}`, async () => {
      const made = await make();
      const request = requestOf(made, filters(made), limits?.(made));
      const first = await names(request, corpusCache);
      assert.notDeepEqual(first, then);
      assert.deepEqual(await names(request, corpusCache), first);
      const changed = change(made);
      await (changed instanceof Promise ? changed : database.db.query(made.tenant.id, changed));
      assert.deepEqual(await names(request, corpusCache), then);
      assert.deepEqual(await names(request, null), then, 'the same without any corpusCache');
    });
  }

  test('a change of a metadata column value', async () => {
    const made = await make();
    const { id: tenantId } = made.tenant;
    const column = { id: newId(), key: 'colour', type: 'string' as const, description: '' };
    await database.db.transaction(tenantId, (tx) => insertColumn(tx, tenantId, column, new Date()));
    const build = () => database.db.transaction(tenantId, (tx) => buildStep(tx, tenantId, column.id, 100, new Date()));
    while (!(await build()));
    const refs = await database.db.transaction(tenantId, (tx) => findColumnRefs(tx, tenantId, ['colour']));
    const columns = new Map(refs.map((ref) => [ref.key, ref]));
    assert.equal(columns.get('colour')?.status, 'ready');
    const request = requestOf(made, { metadataFilter: is('red'), columns });
    assert.deepEqual(await names(request, corpusCache), ['one']);
    await database.db.query(tenantId, sql`update metadata_column_value set text_value = 'red'`);
    assert.deepEqual(await names(request, corpusCache), ['one', 'three', 'two']);
  });
});

test('a change that is rolled back leaves no trace in the cache', async () => {
  const made = await make();
  const request = requestOf(made, RED);
  assert.deepEqual(await names(request, corpusCache), ['one']);
  const taking = database.db.transaction(made.tenant.id, async (tx) => {
    await tx.query(sql`update source set deleted_at = now()`);
    throw new Error('taken back');
  });
  await assert.rejects(taking, /taken back/);
  assert.deepEqual(await names(request, corpusCache), ['one']);
});

test('cached matches of one tenant or key are not used for others', async () => {
  const made = await make();
  const other = await make();
  await database.db.query(other.tenant.id, sql`delete from source where name = 'one'`);
  assert.deepEqual(await names(requestOf(made, RED), corpusCache), ['one']);
  assert.deepEqual(await names(requestOf(other, RED), corpusCache), []);
  assert.deepEqual(await names(requestOf(made, RED, { sourceGroupIds: [] }), corpusCache), []);
  assert.deepEqual(await names(requestOf(made, RED, { sourceGroupIds: [made.groupId] }), corpusCache), ['one']);
  assert.deepEqual(await names(requestOf(made, RED, { tagIds: [newId()] }), corpusCache), []);
});

test('a repeated search reads matches, languages, terms and counts of terms from the cache', async () => {
  const made = await make();
  const texts: string[] = [];
  const watched: Database = {
    ...database.db,
    transaction: (tenantId, run, options) =>
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
      ),
  };
  const look = async (remembered: CorpusCache | null): Promise<number> => {
    texts.length = 0;
    assert.deepEqual(await names(requestOf(made, RED), remembered, watched), ['one']);
    const ofTerms = database.db.hasTextSearch ? 'c.source_id, c.terms from' : 'own_term_counts';
    const looks = ['s.language = l.language', 's.chunk_count', ofTerms];
    return texts.filter((text) => looks.some((part) => text.includes(part))).length;
  };
  assert.equal(await look(corpusCache), 3);
  assert.equal(await look(corpusCache), 0);
  assert.equal(await look(null), 3);
});

test('without a BM25 index, scores and corrections follow every change of the corpus', async () => {
  const scanned: Database = { ...database.db, hasTextSearch: false };
  const made = await make(scanned);
  const { id: tenantId } = made.tenant;
  const scores = async (remembered: CorpusCache | null): Promise<number[]> => {
    const { hits } = await retrieve({ db: scanned, corpusCache: remembered }, requestOf(made, {}));
    return hits.map(({ score }) => score);
  };
  const first = await scores(corpusCache);
  assert.deepEqual(await scores(corpusCache), first);
  const change = async (): Promise<unknown> =>
    seed(database.db, tenantId, [{ sources: [{ name: newId(), chunks: ['something else'] }] }]);
  for (let changes = 0; changes < 2; changes += 1) {
    await change();
    const then = await scores(corpusCache);
    assert.ok(then[0]! > first[0]!, 'the word has become rarer');
    assert.deepEqual(then, await scores(null), 'the same without any corpusCache');
  }
  const misspelled = { ...requestOf(made, {}), query: 'elevnth' };
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await names(misspelled, corpusCache, scanned), []);
  await seed(database.db, tenantId, [{ sources: [{ name: 'late', chunks: ['eleventh'] }] }]);
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await names(misspelled, corpusCache, scanned), ['late']);
});

test('searches use the vectors of a new embedding model as soon as they are in use', async () => {
  const made = await make();
  const { id: tenantId } = made.tenant;
  const chunks = await database.db.query<{ id: string; name: string }>(
    tenantId,
    sql`select c.id, s.name from chunk c join source s on s.id = c.source_id`,
  );
  const vectors = (near: string): Map<string, number[]> =>
    new Map(chunks.map(({ id, name }) => [id, name === near ? [1, 0] : [0, 1]]));
  const asked: string[] = [];
  const embedding = {
    embedQuery: async (_tenant: string, model: string) => {
      asked.push(model);
      return Float32Array.of(1, 0);
    },
  };
  const nearest = async (): Promise<string | undefined> => {
    const deps = { db: database.db, corpusCache, embedding: embedding as never };
    return (await retrieve(deps, requestOf(made, {}, { mode: 'semantic' }))).hits[0]?.name;
  };
  assert.equal(await nearest(), undefined);
  await seedVectors(database.db, tenantId, 'first', vectors('one'));
  assert.equal(await nearest(), 'one');
  await seedVectors(database.db, tenantId, 'second', vectors('two'));
  assert.equal(await nearest(), 'two');
  assert.deepEqual(asked, ['first', 'second']);
});

test('a change that commits after a later change is seen when it commits', async (t) => {
  if (database.db.kind === 'embedded') return t.skip('there transactions run one after the other');
  const made = await make();
  const request = requestOf(made, RED);
  const touch = (name: string): Sql => sql`update source set metadata = '{"colour": "red"}' where name = ${name}`;
  const ending = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const earlier = database.db.transaction(made.tenant.id, async (tx) => {
    await tx.query(touch('two'));
    changed.resolve();
    await ending.promise;
  });
  await changed.promise;
  assert.deepEqual(await names(request, corpusCache), ['one']);
  await database.db.query(made.tenant.id, touch('three'));
  assert.deepEqual(await names(request, corpusCache), ['one', 'three']);
  ending.resolve();
  await earlier;
  assert.deepEqual(await names(request, corpusCache), ['one', 'three', 'two']);
});

test('with many changes only few are scanned, and no version of the corpus repeats', async () => {
  const made = await make();
  const seen = new Set<string>();
  let most = 0;
  for (let i = 0; i < 600; i += 1) {
    await database.db.query(made.tenant.id, sql`update source set name = name where id = ${made.one}`);
    const [state] = await database.db.system.query<{ state: string; changes: number }>(
      sql`select corpus_state() as state, (select count(*) from corpus_change) as changes`,
    );
    seen.add(state!.state);
    most = Math.max(most, state!.changes);
  }
  assert.equal(seen.size, 600);
  assert.ok(most > 1 && most <= 300, `${most} changes`);
});
