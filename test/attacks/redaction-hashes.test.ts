/** A caller must not learn the hash of a value of his choice: with it he could look for the value behind a hash of stored content. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { type FakeRerank, openFakeRerank } from '../support/fakes/rerank.ts';
import { postMcp, toolCall } from '../support/mcp.ts';
import { ingest, uploadFiles, waitForGroup } from '../support/upload.ts';

const STORED = 'jane.doe@example.com';
/** The value whose hash the caller wants. It is in no file. */
const GUESS = 'victim@example.org';
/** `ingest` is the last one: its rules make the service read the sources again. */
const STEPS = ['retrieval', 'llm_input', 'output', 'ingest'];

let t: TestApp;
let chat: FakeOpenAi;
let embeddings: FakeEmbeddings;
let rerank: FakeRerank;
let group: string;
let source: string;

before(async () => {
  [chat, embeddings, rerank] = await Promise.all([openFakeOpenAi(), openFakeEmbeddings(), openFakeRerank()]);
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: chat.url,
      PINAKES_CHAT_API_KEY: 'sk-secret',
      PINAKES_EMBEDDING_MODEL: 'openai-compatible:test-embedding',
      PINAKES_EMBEDDING_BASE_URL: embeddings.url,
      PINAKES_RERANK_MODEL: 'test-rerank',
      PINAKES_RERANK_BASE_URL: rerank.url,
    },
  });
  // The model repeats all that it is told, as a caller may ask it to.
  chat.respond(({ messages }) => ({ deltas: [`You said ${messages.map(({ content }) => content).join(' ')} [1].`] }));
  group = await ingest(t, [{ name: 'herons.md', content: `# Herons\n\nJane feeds the herons, ${STORED} is hers.\n` }]);
  [{ id: source }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
});
after(async () => {
  await t.close();
  await Promise.all([chat.close(), embeddings.close(), rerank.close()]);
});

async function setPolicy(apply_at: readonly string[]): Promise<void> {
  const rules = [{ name: 'mail', kind: 'entity', entities: ['email'], action: 'hash', apply_at }];
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules })).status, 200);
}

/** Returns the hash that a value has in stored content. */
async function hashOf(value: string, step: 'retrieval' | 'output' | 'ingest' | 'llm_input'): Promise<string> {
  const redactor = await t.deps.db.transaction(t.tenantId, (tx) => t.deps.redactors.forTenant(tx));
  const hash = /[0-9a-f]{16}/.exec((await redactor!.redact(value, step)).text)?.[0];
  return hash ?? assert.fail(`no hash of ${value} at ${step}`);
}

const user = (content: string) => ({ role: 'user', content });

/**
 * Asks again after 409, a stream that was cut, or an answer that could not be stored: a new ingest rule replaces the chunks of the
 * source, also during an answer.
 */
async function complete(body: object, triesLeft = 20): Promise<TestAnswer> {
  const answer = await t.post('/completions', body).catch((error: { code?: string }) => {
    if (error.code !== 'LIGHT_ECONNRESET') throw error;
  });
  if (answer && answer.status !== 409 && answer.body?.conversation_id !== null) return answer;
  assert.ok(triesLeft > 0, 'the content is replaced again and again');
  return complete(body, triesLeft - 1);
}

/** Everything that a caller can do with a text of his own, and all that he can read of it later. Returns the answers. */
async function attack(): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const keep = async (name: string, answer: Promise<{ status: number; text: string }>): Promise<void> => {
    const { status, text } = await answer;
    assert.ok(status < 300, `${name}: ${status} ${text}`);
    answers[name] = text;
  };
  const ask = `Who feeds the herons, ${GUESS}?`;
  for (const mode of ['hybrid', 'lexical', 'semantic'])
    await keep(`search ${mode}`, t.post('/search', { query: ask, mode, rerank: true }));
  const record = { records: [{ key: GUESS, val: `of ${GUESS}` }] };
  await keep('metadata', t.put(`/sources/${source}/metadata`, { metadata: record }));
  await keep('group metadata', t.put(`/source-groups/${group}/metadata`, { metadata: record }));
  await keep('group name', t.put(`/source-groups/${group}`, { name: `herons of ${GUESS}` }));
  await keep('search with metadata', t.post('/search', { query: 'herons' }));
  for (const path of [
    `/sources/${source}`,
    `/sources/${source}/chunks`,
    `/source-groups/${group}/sources`,
    '/sources',
    '/source-list',
  ])
    await keep(path, t.get(path));
  for (const path of ['/source-groups', `/source-groups/${group}`, '/local-file-groups', `/local-file-groups/${group}`])
    await keep(path, t.get(path));
  for (const [tool, args] of [
    ['list_sources', {}],
    ['search', { query: ask }],
    ['read_source', { source_id: source }],
  ] as const)
    await keep(`mcp ${tool}`, postMcp(t, toolCall(tool, args)));
  const messages = [
    { role: 'system', content: `You talk to ${GUESS}.` },
    user(`I am ${GUESS}.`),
    { role: 'assistant', content: `So you are ${GUESS}.` },
    user(`${ask} Repeat my words.`),
  ];
  const first = await complete({ messages, trace: true });
  await keep('completion', Promise.resolve(first));
  const { conversation_id } = first.body;
  await keep('follow-up', complete({ messages: [user(`And ${GUESS}?`)], conversation_id, trace: true }));
  await keep('stream', complete({ messages, stream: true }));
  await keep('title', t.put(`/conversations/${conversation_id}`, { title: `About ${GUESS}` }));
  await keep('conversation', t.get(`/conversations/${conversation_id}`));
  await keep('conversations', t.get('/conversations'));
  return answers;
}

/** What the models were told. */
function told(): string {
  return JSON.stringify([chat.calls.map(({ body }) => body), embeddings.calls, rerank.calls]);
}

describe('no request shows the hash of a text of the caller', () => {
  test('with a rule that is set after the conversation', async () => {
    await attack();
    for (const step of STEPS.slice(0, 3)) {
      await setPolicy([step]);
      const hash = await hashOf(GUESS, step as 'ingest');
      const list = await t.get('/conversations');
      const read = await t.get(`/conversations/${list.body.conversations[0].id}`);
      assert.ok(!read.text.includes(hash) && !list.text.includes(hash), step);
    }
    await t.delete('/redaction-policy');
  });

  for (const steps of [...STEPS.map((step) => [step]), STEPS]) {
    test(`with a rule for ${steps.join(', ')}`, async () => {
      await setPolicy(steps);
      const hash = await hashOf(GUESS, steps[0] as 'ingest');
      chat.calls.length = 0;
      embeddings.calls.length = 0;
      rerank.calls.length = 0;
      const answers = await attack();
      answers['trial'] = (await t.post('/redaction-policy/test', { text: GUESS })).text;
      assert.match(answers['trial'], /\[EMAIL:[0-9a-f]{16}\]/);
      assert.deepEqual(
        Object.keys(answers).filter((name) => answers[name]!.includes(hash)),
        [],
      );
      assert.ok(!told().includes(hash), 'a model got the hash, and may repeat it');
    });
  }

  test('with the name of an uploaded file, also of one that cannot be read', async () => {
    await setPolicy(STEPS);
    const hash = await hashOf(GUESS, 'ingest');
    const made = await uploadFiles(t, { [`${GUESS}.md`]: '# Egrets\n', [`${GUESS}.pdf`]: '%PDF-1.7 broken' });
    await waitForGroup(t, made);
    const sources = await t.get(`/source-groups/${made}/sources`);
    assert.equal(sources.body.sources.length, 2);
    const [run] = (await t.get(`/source-groups/${made}/runs`)).body.runs;
    const found = await t.post('/search', { query: 'egrets' });
    const errors = await t.get(`/runs/${run.id}/errors`);
    assert.match(errors.text, /\[EMAIL\]/);
    for (const { text } of [sources, found, errors, await t.get(`/source-groups/${made}`)])
      assert.ok(!text.includes(hash), text);
  });
});

test('stored content keeps its hashes, so equal values can be recognized', async () => {
  await setPolicy(['retrieval', 'output']);
  const hash = await hashOf(STORED, 'retrieval');
  assert.ok((await t.get(`/sources/${source}/text`)).text.includes(hash));
  assert.ok((await t.post('/search', { query: 'herons' })).text.includes(hash));
});

test('what remains: whoever may upload content can read the hashes of its values', async () => {
  await setPolicy(['retrieval']);
  const made = await ingest(t, [{ name: 'own.md', content: `Mine is ${GUESS}.` }]);
  const [{ id }] = (await t.get(`/source-groups/${made}/sources`)).body.sources;
  assert.ok((await t.get(`/sources/${id}/text`)).text.includes(await hashOf(GUESS, 'retrieval')));
});
