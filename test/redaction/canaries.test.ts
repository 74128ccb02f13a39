/**
 * Every tenant's data contain unique words in every place that can hold text. No answer to another tenant contains such a word. No
 * answer to a principal contains a word that its policy hides. PINAKES_TEST_TENANTS and PINAKES_TEST_QUERIES set the numbers.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TypedMetadata } from '../../src/corpus/values.ts';
import { newId } from '../../src/util/ids.ts';
import { type SeedGroup, seed, type TagIds } from '../retrieval/corpus.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';
import { openRandom, type Random, TEST_SEED } from '../support/random.ts';
import { storeVectors, wordsEmbedding } from './words-embedding.ts';

const TENANTS = Number(process.env['PINAKES_TEST_TENANTS'] ?? 4);
const QUERIES = Number(process.env['PINAKES_TEST_QUERIES'] ?? 80);
const WORDS = 'heron river oak nest spring water feather meadow harbour lantern copper winter'.split(' ');
const POLICY = {
  filters: [
    { key: 'team', operator: 'eq', value: { subject: 'team' } },
    { target: 'chunk_metadata', key: 'team', operator: 'eq', value: { subject: 'team' }, trust_content: true },
  ],
};

interface Owner {
  key: string;
  /** The words in visible data, and the words in hidden data. */
  shown: string;
  hidden: string;
  groups: string[];
  sources: string[];
  chunks: string[];
  tags: TagIds;
}

let t: TestApp;
let owners: Owner[];
before(async () => {
  const env = {
    PINAKES_AUTHORIZATION: 'on',
    PINAKES_EMBEDDING_MODEL: 'openai-compatible:words',
    PINAKES_EMBEDDING_BASE_URL: 'http://127.0.0.1:9',
  };
  t = await openTestApp({ env, given: { embedding: wordsEmbedding } });
  const random = openRandom(TEST_SEED);
  owners = [];
  for (let i = 0; i < TENANTS; i++) owners.push(await makeOwner(random));
});
after(() => t.close());

test(`the answers to ${QUERIES} requests of ${TENANTS} tenants contain no word of another tenant and no hidden word`, async (context) => {
  const random = openRandom(TEST_SEED + 1);
  const counts = { ok: 0, own: 0 };
  for (let i = 0; i < QUERIES; i++) {
    const owner = random.pick(owners);
    const { what, answer } = await ask(random, owner);
    if (answer.status === 200) counts.ok++;
    if (answer.text.includes(owner.shown)) counts.own++;
    const told = `${answer.text}\n${JSON.stringify(answer.headers)}`;
    for (const { shown, hidden } of owners) {
      assert.ok(!told.includes(hidden), `hidden: request ${i}, ${what}`);
      assert.ok(shown === owner.shown || !told.includes(shown), `another tenant's: request ${i}, ${what}`);
    }
    assert.ok(answer.status < 500, `${answer.status}: ${what}`);
  }
  context.diagnostic(`${counts.ok} answers, ${counts.own} with words of their own`);
  assert.ok(counts.own > QUERIES / 4, 'most answers show something, so the test can fail');
  const logs = JSON.stringify(t.logs);
  for (const { shown, hidden } of owners) assert.ok(!logs.includes(shown) && !logs.includes(hidden), 'the log');
});

async function ask(random: Random, owner: Owner): Promise<{ what: string; answer: TestAnswer }> {
  const anyone = random.pick(owners);
  const principal = { principal_id: 'someone' };
  const query = Array.from({ length: random.integer(1, 4) }, () => misspelled(random, random.pick(WORDS))).join(' ');
  const send = async (method: 'GET' | 'POST', path: string, body?: object) => ({
    what: `${method} ${path} ${JSON.stringify(body)}`,
    answer: await t.request({ method, path, key: owner.key, ...(body ? { body } : {}) }),
  });
  switch (random.integer(0, 9)) {
    case 0:
      return send('GET', `/contents/${random.pick(anyone.chunks)}?principal_id=someone`);
    case 1:
      return send(
        'GET',
        `/sources/${random.pick(anyone.sources)}/${random.pick(['text', 'chunks'])}?principal_id=someone`,
      );
    case 2:
      return send('GET', '/metadata-columns/mark/values?principal_id=someone');
    case 3: {
      const messages = [{ role: 'user', content: `Where is the ${query}?` }];
      const limits = { limit: random.integer(1, 20), stream: random.next() < 0.4, ...filters(random, anyone) };
      return send('POST', '/completions', { messages, ...principal, ...limits });
    }
    case 4: {
      const listed = await t.request({ path: '/conversations?principal_id=someone', key: random.pick(owners).key });
      const found = listed.body.conversations.at(-1)?.id ?? newId();
      return send('GET', `/conversations/${found}?principal_id=someone`);
    }
    default:
      return send('POST', '/search', {
        ...{ query, mode: random.pick(['lexical', 'hybrid', 'semantic']), limit: random.integer(1, 30) },
        ...{ ...principal, ...filters(random, anyone), use_postfilter: random.next() < 0.2 },
        ...(random.next() < 0.3 ? { context: { before: 2, after: 2 } } : {}),
        ...(random.next() < 0.2 ? { max_chunks_per_source: 1 } : {}),
      });
  }
}

/** Returns the word; one in ten gets a typing error. */
function misspelled(random: Random, word: string): string {
  return random.next() < 0.9 ? word : word.slice(0, 2) + word.slice(3);
}

/** Returns random filters, often none. They name tags and ids of any tenant, and keys that all tenants have. */
function filters(random: Random, { tags, shown, hidden }: Owner): object {
  const on = (operator: string, value: unknown) => ({
    filters: [{ key: 'mark', operator, ...(value === undefined ? {} : { value }) }],
  });
  return random.pick<object>([
    {},
    {},
    {},
    { tags: [...tags.keys()] },
    { tag_ids: [...tags.values()] },
    { file_types: ['txt'], source_types: ['local_file'] },
    { domains: ['example'] },
    { source_metadata: on('exists', undefined) },
    { source_metadata: on('ne', shown) },
    { chunk_metadata: on('nin', [hidden]) },
    { metadata: on('starts_with', '') },
    { metadata_filter: on('not_exists', undefined) },
    { metadata_filter: on('in', [shown, hidden]) },
    { date_from: 1_735_639_200 },
  ]);
}

async function makeOwner(random: Random): Promise<Owner> {
  const tenant = await t.secondTenant();
  const put = async (path: string, body: object) => assert.equal((await t.put(path, body, tenant.key)).status, 200);
  await put('/authz/policies/default', POLICY);
  await put('/authz/subjects/someone/attributes', { attributes: { team: 'red' } });
  const column = await t.post('/metadata-columns', { key: 'mark', type: 'string' }, tenant.key);
  assert.equal(column.status, 201);
  const [shown, hidden] = [`shown${random.word(12)}`, `hidden${random.word(12)}`];
  const tags: TagIds = new Map();
  const texts = new Map<string, string>();
  const sources: string[] = [];
  const typed = (mark: string, team: string): TypedMetadata => ({
    mark: { val: mark, type: 'string' },
    team: { val: team, type: 'string' },
  });
  const group = (team: string, chunkTeam: string, mark: string): SeedGroup => ({
    metadata: { mark },
    tags: [`tag ${mark}`],
    sources: Array.from({ length: 3 }, (_, i) => {
      const id = newId();
      sources.push(id);
      return {
        ...{ id, name: `${mark} ${i}.txt`, url: `https://example.org/${mark}`, metadata: { team, mark } },
        originMetadata: { title: { val: mark, type: 'string' as const } },
        chunks: Array.from({ length: 3 }, (_, k) => {
          const chunkId = newId();
          // Hidden chunks lie between visible chunks.
          const isHidden = chunkTeam === 'mixed' && k === 1;
          const word = isHidden ? hidden : mark;
          const content = `${Array.from({ length: 8 }, () => random.pick(WORDS)).join(' ')} ${word} ${random.word(7)}.`;
          texts.set(chunkId, content);
          const own = isHidden ? 'blue' : chunkTeam === 'mixed' ? 'red' : chunkTeam;
          return { id: chunkId, content, context: word, metadata: typed(word, own) };
        }),
      };
    }),
  });
  const seeds = [
    group('red', 'red', shown),
    group('red', 'mixed', shown),
    group('blue', 'red', hidden),
    group('blue', 'blue', hidden),
  ];
  const groups = await seed(t.deps.db, tenant.tenantId, seeds, tags);
  await storeVectors(t.deps.db, tenant.tenantId, texts);
  return { key: tenant.key, shown, hidden, groups, sources, chunks: [...texts.keys()], tags };
}
