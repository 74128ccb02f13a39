/** Answers do not depend on hidden data: neither on chunks that a policy hides, nor on data of another tenant. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Policy } from '../../src/access/policy.ts';
import { savePolicy } from '../../src/access/policy-store.ts';
import { saveSubject } from '../../src/access/subject-store.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, RetrieveRequest, SearchMode } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { addVectors, storeVectors, wordsEmbedding } from '../redaction/words-embedding.ts';
import { type SeedGroup, type SeedSource, seed } from '../retrieval/corpus.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom, type Random } from '../support/random.ts';

const HIDDEN_CHUNKS = 1_000;
/** Words of visible chunks; `die` is a stop word in German. */
const WORDS =
  'die heron river oak nest spring water feather meadow harbour lantern copper winter orchard market bridge'.split(' ');
/** Further words of hidden chunks: misspelled words of the queries, and words of another language. */
const OTHER_WORDS = 'heran rivers oaks nset waiter leather shadow lantarn kopper haus garten lantern market'.split(' ');
const POLICIES: Record<string, Policy> = {
  source: {
    operator: 'and',
    filters: [{ target: 'source_metadata', key: 'team', operator: 'eq', value: { subject: 'team' } }],
  },
  chunk: {
    operator: 'and',
    filters: [
      { target: 'source_metadata', key: 'team', operator: 'in', value: ['red', 'blue'] },
      { target: 'chunk_metadata', key: 'team', operator: 'eq', value: { subject: 'team' }, trust_content: true },
    ],
  },
};

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

test(`${HIDDEN_CHUNKS} chunks that a policy hides change neither the results of a search nor its counts`, async () => {
  const random = openRandom(8);
  const tenant = await createTenant(database.db, { id: newId(), name: newId() });
  await setRules(tenant);
  const shown = sourcesOf(random, 25, 'red', WORDS);
  const generation = await store(tenant, shown, sourcesOf(random, 5, 'blue', WORDS));
  const first = await seen(tenant);
  assert.ok(
    Object.values(first).some(({ ids }) => ids.length > 20) &&
      Object.values(first).some(({ warnings }) => warnings.length > 0),
  );
  const hidden = [...sourcesOf(random, HIDDEN_CHUNKS / 4, 'blue', [...WORDS, ...OTHER_WORDS]), ...copiesOf(shown)];
  const texts = await add(tenant, hidden);
  await addVectors(database.db, tenant.id, generation, texts);
  assert.deepEqual(await seen(tenant), first);
});

test('data of another tenant does not change a byte of the answers', async () => {
  const random = openRandom(9);
  const tenant = await createTenant(database.db, { id: newId(), name: newId() });
  await setRules(tenant);
  await store(tenant, sourcesOf(random, 20, 'red', WORDS), []);
  const answers = async (): Promise<string> => {
    const all = [];
    for (const request of requests(tenant)) {
      const { hits, warnings } = await search(request);
      all.push({ hits, warnings });
    }
    return JSON.stringify(all);
  };
  const first = await answers();
  const other = await createTenant(database.db, { id: newId(), name: newId() });
  await setRules(other);
  await store(other, sourcesOf(random, 60, 'red', [...WORDS, ...OTHER_WORDS]), sourcesOf(random, 20, 'blue', WORDS));
  assert.equal(await answers(), first);
});

/** Returns for every request the chunks that paging to the end reaches, and the warnings. */
async function seen(tenant: Tenant): Promise<Record<string, { ids: string[]; warnings: string[] }>> {
  const all: Record<string, { ids: string[]; warnings: string[] }> = {};
  for (const request of requests(tenant)) {
    const { query, mode, filters, principal } = request;
    const ids: string[] = [];
    const warnings = new Set<string>();
    for (let offset = 0; ; offset += request.limit) {
      const found = await search({ ...request, offset });
      for (const { message } of found.warnings) warnings.add(message);
      ids.push(
        ...found.hits.map((hit) => [hit.id, hit.neighbours!.before, hit.neighbours!.after].flat().map(idOf).join(' ')),
      );
      if (found.hits.length < request.limit) break;
    }
    all[JSON.stringify([query, mode, filters, principal!.policy])] = { ids: ids.sort(), warnings: [...warnings] };
  }
  return all;
}

function idOf(one: string | { id: string }): string {
  return typeof one === 'string' ? one : one.id;
}

function search(request: RetrieveRequest) {
  return retrieve({ db: database.db, embedding: wordsEmbedding }, request);
}

function* requests(tenant: Tenant): Generator<RetrieveRequest> {
  const filters: Filters[] = [
    {},
    { fileTypes: ['md'] },
    { sourceMetadata: { operator: 'and', filters: [{ key: 'even', operator: 'exists' }] } },
  ];
  // Misspelled words, and words that only hidden chunks contain.
  const queries = ['die nest', 'herin', 'lantern makret bridge', 'haus garten oak', 'heran nset', 'fether'];
  for (const policy of Object.keys(POLICIES)) {
    for (const mode of ['lexical', 'hybrid', 'semantic'] satisfies SearchMode[]) {
      for (const query of mode === 'lexical' ? queries : queries.slice(0, 2)) {
        for (const filter of mode === 'lexical' || query === 'herin' ? filters : filters.slice(0, 1)) {
          yield {
            ...{ tenantId: tenant.id, partitionNo: tenant.partitionNo, sourceGroupIds: null, tagIds: null },
            ...{ principal: { id: 'someone', policy, at: new Date() }, query, mode, filters: filter },
            ...{ usePostfilter: false, limit: 45, offset: 0, context: { before: 1, after: 1 } },
          };
        }
      }
    }
  }
}

async function setRules(tenant: Tenant): Promise<void> {
  const now = new Date();
  await database.db.transaction(tenant.id, async (tx) => {
    for (const [name, definition] of Object.entries(POLICIES))
      await savePolicy(tx, { id: newId(), name, definition }, now);
    const subject = { id: newId(), principalId: 'someone', attributes: { team: 'red' }, expiresAt: null };
    await saveSubject(tx, subject, now);
  });
}

/** Returns sources with four chunks each. Random words keep chunks from being copies. All metadata of a source names one team. */
function sourcesOf(random: Random, count: number, team: string, words: readonly string[]): SeedSource[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${team} ${i}`,
    fileType: i % 3 === 0 ? 'md' : 'txt',
    language: words === WORDS ? 'en' : random.pick(['en', 'de', 'fr', null]),
    metadata: { team, ...(i % 2 === 0 ? { even: 'yes' } : {}) },
    chunks: Array.from({ length: 4 }, () => chunkOf(random, team, words)),
  }));
}

function chunkOf(random: Random, team: string, words: readonly string[]) {
  const content = Array.from({ length: random.integer(5, 20) }, () => random.pick(words)).join(' ');
  return {
    id: newId(),
    content: `${content} ${random.word(9)} ${random.word(9)} ${random.word(9)}`,
    metadata: { team: { val: team, type: 'string' as const } },
  };
}

/** Returns sources with the same texts that the policies hide. */
function copiesOf(sources: readonly SeedSource[]): SeedSource[] {
  const metadata = { team: { val: 'blue', type: 'string' as const } };
  return sources.map(({ chunks, name = '' }) => ({
    name: `copy of ${name}`,
    metadata: { team: 'blue' },
    chunks: chunks.map((chunk) => ({ ...(chunk as { content: string }), id: newId(), metadata })),
  }));
}

async function store(tenant: Tenant, shown: SeedSource[], hidden: SeedSource[]): Promise<number> {
  const texts = await add(tenant, [...shown, ...hidden]);
  return storeVectors(database.db, tenant.id, texts);
}

async function add(tenant: Tenant, sources: SeedSource[]): Promise<Map<string, string>> {
  const group: SeedGroup = { sources };
  await seed(database.db, tenant.id, [group]);
  const chunks = sources.flatMap((source) => source.chunks as { id: string; content: string }[]);
  return new Map(chunks.map(({ id, content }) => [id, content]));
}
