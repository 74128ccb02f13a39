/** PINAKES_AUTHORIZATION=on: every route that returns content shows what the policy allows the principal, and nothing else. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { type SeedSource, seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';

const level = (val: string) => ({ metadata: { level: { val, type: 'string' as const } } });
const IDS = Object.fromEntries(
  ['open', 'sales', 'legal', 'mixed', 'low', 'high', 'last', 'alone'].map((name) => [name, newId()]),
);
const id = (name: string): string => IDS[name]!;

/** `mixed` has a chunk for everybody, one for the cleared, and one more for everybody. */
const SOURCES: SeedSource[] = [
  { id: id('open'), name: 'open', metadata: { shown: 'all', kind: 'a' }, chunks: ['heron nests in the open oak'] },
  { id: id('sales'), name: 'sales', metadata: { department: 'sales', kind: 'b' }, chunks: ['heron sales in spring'] },
  {
    id: id('legal'),
    name: 'legal',
    metadata: { department: 'legal', kind: 'c' },
    chunks: ['heron lawyers litigation'],
  },
  {
    id: id('mixed'),
    name: 'mixed',
    metadata: { kind: 'd' },
    chunks: [
      { id: id('low'), content: 'heron low water', ...level('low') },
      { id: id('high'), content: 'heron high secret', ...level('high') },
      { id: id('last'), content: 'heron last word', ...level('low') },
    ],
  },
  { id: id('alone'), name: 'alone', metadata: { department: 'nobody' }, chunks: ['heron alone zebras'] },
];

const POLICY = {
  operator: 'or',
  filters: [
    { key: 'shown', operator: 'eq', value: 'all' },
    { key: 'department', operator: 'eq', value: { subject: 'department' } },
    { target: 'chunk_metadata', key: 'level', operator: 'eq', value: 'low', trust_content: true },
    { target: 'chunk_metadata', key: 'level', operator: 'eq', value: { subject: 'clearance' }, trust_content: true },
  ],
};
const BY_DEPARTMENT = { filters: [{ key: 'department', operator: 'eq', value: { subject: 'department' } }] };

let t: TestApp;
let fake: FakeOpenAi;
let now = new Date();
/** While a rerank model is at work. */
let meanwhile: () => Promise<void> = async () => {};
before(async () => {
  fake = await openFakeOpenAi();
  t = await openTestApp({
    env: {
      PINAKES_AUTHORIZATION: 'on',
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CHAT_API_KEY: 'sk',
    },
    given: {
      clock: { now: () => now },
      reranker: {
        name: 'same',
        async rerank(_query, texts) {
          await meanwhile();
          return texts.map(() => null);
        },
      },
    },
  });
  await seed(t.deps.db, t.tenantId, [{ sources: SOURCES }]);
});
after(async () => {
  await t.close();
  await fake.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  meanwhile = async () => {};
  fake.respond({ deltas: ['The heron nests [1].'] });
  await put('/authz/policies/default', POLICY);
  await put('/authz/policies/department', BY_DEPARTMENT);
  await attributes('seller', { department: 'sales' });
  await attributes('lawyer', { department: 'legal' });
  await attributes('guard', { clearance: 'high' });
});

async function put(path: string, body: unknown): Promise<void> {
  const answer = await t.put(path, body);
  assert.equal(answer.status, 200, answer.text);
}
const attributes = (principal: string, given: object, more: object = {}): Promise<void> =>
  put(`/authz/subjects/${principal}/attributes`, { attributes: given, ...more });

const as = (principal: string | undefined) => (principal === undefined ? {} : { principal_id: principal });
async function search(principal: string | undefined, more: object = {}, query = 'heron') {
  const { status, body, text } = await t.post('/search', {
    query,
    mode: 'lexical',
    limit: 50,
    ...as(principal),
    ...more,
  });
  assert.equal(status, 200, text);
  return body;
}
async function found(principal: string | undefined, more: object = {}, query = 'heron'): Promise<string[]> {
  const { results } = await search(principal, more, query);
  return results.map(({ content }: { content: string }) => content.split(' ')[1]).toSorted();
}
const FOR_ALL = ['last', 'low', 'nests'];

test('search finds only chunks that the policy allows the principal', async () => {
  assert.deepEqual(await found('seller'), [...FOR_ALL, 'sales']);
  assert.deepEqual(await found('lawyer'), ['last', 'lawyers', 'low', 'nests']);
  assert.deepEqual(await found('guard'), ['high', ...FOR_ALL]);
  assert.deepEqual(await found(undefined), FOR_ALL, 'without a principal there are no attributes');
  assert.deepEqual(await found('nobody'), FOR_ALL);
  assert.deepEqual(await found('seller', { authz_policy: 'department' }), ['sales']);
  assert.deepEqual(await found('seller', { authz_policy: 'unknown' }), [], 'an unknown policy shows nothing');
});

test('filters, pages, postfilter and the limits of the key apply within the policy', async () => {
  const source = { source_metadata: { filters: [{ key: 'kind', operator: 'in', value: ['b', 'c', 'd'] }] } };
  assert.deepEqual(await found('seller', source), ['last', 'low', 'sales']);
  assert.deepEqual(await found('seller', { ...source, use_postfilter: true }), ['last', 'low', 'sales']);
  const high = { chunk_metadata: { filters: [{ key: 'level', operator: 'eq', value: 'high' }] } };
  assert.deepEqual([await found('seller', high), await found('guard', high)], [[], ['high']]);
  assert.deepEqual(await found('seller', { ...high, use_postfilter: true }), []);
  const pages = [];
  for (let offset = 0; offset < 6; offset += 2) pages.push(...(await found('seller', { limit: 2, offset })));
  assert.deepEqual(pages.toSorted(), [...FOR_ALL, 'sales']);
  const key = await t.issueKey(['knowledge:read'], { sourceGroupIds: [newId()] });
  assert.deepEqual((await t.post('/search', { query: 'heron', principal_id: 'seller' }, key)).body.results, []);
});

test('a changed policy or attribute applies to the next request', async () => {
  await attributes('seller', { department: 'legal' });
  assert.deepEqual(await found('seller'), ['last', 'lawyers', 'low', 'nests']);
  await t.delete('/authz/subjects/seller/attributes');
  assert.deepEqual(await found('seller'), FOR_ALL);
  await put('/authz/policies/default', { filters: [{ key: 'department', operator: 'not_exists' }] });
  assert.deepEqual(await found('seller'), ['high', ...FOR_ALL]);
  await t.delete('/authz/policies/default');
  assert.deepEqual(await found('seller'), []);
});

test('a chunk that becomes forbidden while a model reranks the results is not returned', async () => {
  meanwhile = () => attributes('seller', { department: 'other' });
  assert.deepEqual(await found('seller'), FOR_ALL);
  meanwhile = () => attributes('guard', { clearance: 'none' });
  assert.deepEqual(await found('guard'), FOR_ALL);
});

test('attributes count until they expire', async () => {
  await attributes('seller', { department: 'sales' }, { expires_time: Math.floor(now.getTime() / 1000) + 60 });
  assert.deepEqual(await found('seller'), [...FOR_ALL, 'sales']);
  now = new Date(now.getTime() + 61_000);
  assert.deepEqual(await found('seller'), FOR_ALL);
});

test('the neighbours of a result are shown only if the policy allows them', async () => {
  const contextOf = async (principal: string) => {
    const { results } = await search(principal, { context: { before: 2, after: 2 } }, 'low');
    return results[0].context.after.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await contextOf('seller'), [id('last')]);
  assert.deepEqual(await contextOf('guard'), [id('high'), id('last')]);
});

test('a misspelled word is not corrected to a word that only hidden chunks contain', async () => {
  assert.deepEqual(await search('seller', {}, 'zebraz'), { results: [], warnings: [] });
  assert.deepEqual((await search('seller', {}, 'litigatiom')).warnings, []);
  assert.equal((await search('lawyer', {}, 'litigatiom')).warnings[0].type, 'fuzzy_match');
});

test('a chunk, the chunks of a source and its text are shown only if the policy allows them', async () => {
  const get = (path: string, principal: string) =>
    t.get(`${path}${path.includes('?') ? '&' : '?'}principal_id=${principal}`);
  assert.equal((await get(`/contents/${id('high')}`, 'seller')).status, 404);
  assert.equal((await get(`/contents/${id('high')}`, 'guard')).status, 200);
  const [hidden, unknown] = [
    await get(`/contents/${id('high')}`, 'seller'),
    await get(`/contents/${newId()}`, 'seller'),
  ];
  assert.equal(hidden.text, unknown.text);
  const chunks = (await get(`/sources/${id('mixed')}/chunks`, 'seller')).body;
  assert.deepEqual(
    [chunks.chunks.map(({ id }: { id: string }) => id), chunks.pagination.total],
    [[id('low'), id('last')], 2],
  );
  assert.equal((await get(`/sources/${id('mixed')}/chunks`, 'guard')).body.pagination.total, 3);
  const behind = async (after: string, principal: string) =>
    (await get(`/sources/${id('mixed')}/chunks?after_id=${after}`, principal)).body.chunks.length;
  assert.equal(await behind(id('high'), 'guard'), 1);
  assert.equal(await behind(id('high'), 'seller'), 0, 'a hidden chunk is no position');
  assert.equal(
    (await get(`/sources/${id('mixed')}/text`, 'seller')).status,
    404,
    'not without the chunk that is hidden',
  );
  assert.equal((await get(`/sources/${id('mixed')}/text`, 'guard')).status, 200);
  for (const path of ['chunks', 'text']) {
    assert.equal((await get(`/sources/${id('legal')}/${path}`, 'seller')).status, 404);
    assert.equal((await get(`/sources/${id('legal')}/${path}`, 'lawyer')).status, 200);
    assert.equal((await t.get(`/sources/${id('legal')}/${path}?principal_id=lawyer&authz_policy=unknown`)).status, 404);
  }
});

test('a metadata column lists only values of allowed sources and chunks', async () => {
  await t.post('/metadata-columns', { key: 'kind', type: 'string' });
  const values = async (principal: string) =>
    (await t.get(`/metadata-columns/kind/values?principal_id=${principal}`)).body.values.map(
      ({ value }: { value: string }) => value,
    );
  assert.deepEqual(await values('seller'), ['a', 'b', 'd']);
  assert.deepEqual(await values('lawyer'), ['a', 'c', 'd']);
  assert.deepEqual(await values('lawyer&authz_policy=department'), ['c']);
});

const ask = (principal: string | undefined, more: object = {}, question = 'heron sales in spring?') =>
  t.post('/completions', { messages: [{ role: 'user', content: question }], ...as(principal), ...more });

test('a model receives only allowed chunks', async () => {
  await ask('lawyer');
  const prompt = JSON.stringify(fake.calls.at(-1)!.messages);
  assert.ok(
    prompt.includes('lawyers litigation') && !prompt.includes('sales in spring\\n') && !prompt.includes('high secret'),
  );
  const { body } = await ask('lawyer', { authz_policy: 'unknown' });
  assert.equal(body.choices[0].finish_reason, 'no_answer');
});

test('a conversation belongs to its principal', async () => {
  const mine = (await ask('seller')).body;
  const path = `/conversations/${mine.conversation_id}`;
  const texts = new Set<string>();
  for (const other of ['lawyer', undefined]) {
    const query = other ? `?principal_id=${other}` : '';
    const body = { ...as(other), title: 'taken' };
    const answers = [
      await t.get(path + query),
      await t.put(path, body),
      await t.delete(path + query),
      await ask(other, { conversation_id: mine.conversation_id }),
      await ask(other, {
        conversation_id: mine.conversation_id,
        parent_message_id: mine.user_message_id,
        regenerate: true,
      }),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 404);
      texts.add(text);
    }
    const listed = (await t.get(`/conversations${query}`)).body;
    assert.ok(listed.conversations.every((one: { id: string }) => one.id !== mine.conversation_id));
    assert.equal(listed.pagination.total, listed.conversations.length);
  }
  assert.equal(texts.size, 1);
  assert.equal((await t.get(`${path}?principal_id=seller`)).status, 200);
  assert.equal((await ask('seller', { conversation_id: mine.conversation_id })).status, 200);
  assert.equal((await t.delete(`${path}?principal_id=seller`)).status, 200);
});

test('two principals may use the same conversation id', async () => {
  const thread = async (principal: string): Promise<string> => {
    const headers = { accept: 'text/event-stream' };
    const body = {
      threadId: 'main',
      runId: 'r',
      ...as(principal),
      messages: [{ role: 'user', content: 'heron sales?' }],
    };
    return (await t.request({ method: 'POST', path: '/completions', headers, body })).headers[
      'x-conversation-id'
    ] as string;
  };
  const [sellers, lawyers] = [await thread('seller'), await thread('lawyer')];
  assert.notEqual(sellers, lawyers);
  assert.deepEqual([await thread('seller'), await thread('lawyer')], [sellers, lawyers]);
});

test('history shows, and sends to the model, only what the principal may still see', async () => {
  fake.respond({ deltas: ['Sales are in spring [1].'] });
  const first = (await ask('seller', { limit: 1 })).body;
  const conversation = { conversation_id: first.conversation_id, limit: 1 };
  const read = async () => {
    const { body } = await t.get(`/conversations/${first.conversation_id}?principal_id=seller`);
    return body.messages.map(({ content, citations }: { content: string; citations: unknown[] }) => [
      content,
      citations.length,
    ]);
  };
  assert.deepEqual((await read())[1], ['Sales are in spring.', 1]);
  await ask('seller', conversation, 'heron nests in the open oak?');
  assert.ok(JSON.stringify(fake.calls.at(-1)!.messages).includes('Sales are in spring'), 'it is part of the history');
  await attributes('seller', { department: 'other' });
  const now_ = await read();
  assert.deepEqual(now_[0], ['heron sales in spring?', 0], 'the question is its own');
  assert.deepEqual(now_[1], ['[removed]', 0]);
  assert.deepEqual(now_[3], ['[removed]', 0], 'the model was given the first answer too');
  await ask('seller', conversation, 'heron nests in the open oak?');
  const prompt = JSON.stringify(fake.calls.at(-1)!.messages);
  assert.ok(!prompt.includes('Sales are in spring') && !prompt.includes('[removed]'));
  assert.equal((await read())[5][0], 'Sales are in spring.', 'the new answer rests on what may be seen');
  await attributes('seller', { department: 'sales' });
  assert.deepEqual((await read())[1], ['Sales are in spring.', 1]);
});

test('an answer about a hidden or deleted chunk reads [removed]', async () => {
  const { body } = await ask('guard', { limit: 2 }, 'heron high secret?');
  const read = async () =>
    (await t.get(`/conversations/${body.conversation_id}?principal_id=guard`)).body.messages[1].content;
  assert.equal(await read(), 'The heron nests.');
  await attributes('guard', { clearance: 'low' });
  assert.equal(await read(), '[removed]');
  await attributes('guard', { clearance: 'high' });
  const rename = (from: string, to: string) =>
    t.deps.db.query(t.tenantId, sql`update chunk set id = ${to} where tenant_id = ${t.tenantId} and id = ${from}`);
  const elsewhere = newId();
  await rename(id('high'), elsewhere);
  assert.equal(await read(), '[removed]', 'of what is gone nobody knows who may see it');
  await rename(elsewhere, id('high'));
  assert.equal(await read(), 'The heron nests.');
});

test('an answer is hidden with its source even if the policy also has conditions about chunks', async () => {
  const anyLevel = { target: 'chunk_metadata', key: 'level', operator: 'exists', trust_content: true };
  await put('/authz/policies/both', {
    filters: [{ key: 'kind', operator: 'eq', value: { subject: 'kind' } }, anyLevel],
  });
  await attributes('keeper', { kind: 'd' });
  const { body } = await ask('keeper', { authz_policy: 'both' }, 'heron low water?');
  const read = async () =>
    (await t.get(`/conversations/${body.conversation_id}?principal_id=keeper&authz_policy=both`)).body.messages[1]
      .content;
  assert.equal(await read(), 'The heron nests.');
  await attributes('keeper', { kind: 'x' });
  assert.equal(await read(), '[removed]');
});

test('a request fails if the attributes of its principal cannot be read: nothing is shown, and nothing is reported as missing', async () => {
  await t.deps.db.system.execute('alter table subject rename to subject_away');
  try {
    const answers = [
      await t.post('/search', { query: 'heron', principal_id: 'seller' }),
      await ask('seller'),
      await t.get(`/contents/${id('open')}?principal_id=seller`),
      await t.get(`/sources/${id('open')}/chunks?principal_id=seller`),
      await t.get('/metadata-columns/kind/values?principal_id=seller'),
    ];
    for (const { status, text } of answers) assert.equal(status, 500, text);
  } finally {
    await t.deps.db.system.execute('alter table subject_away rename to subject');
  }
});
