/** Rules that need an analyzer of names, in a whole service: every step, and what is answered when the analyzer is down. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeDrive, openFakeDrive } from '../../support/fakes/drive.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { type FakePresidio, openFakePresidio } from '../../support/fakes/presidio.ts';
import { readEvents, textOfRun } from '../../support/stream-client.ts';
import { eventually, ingest } from '../../support/upload.ts';

const NAMES = { 'Jane Doe': 'PERSON', 'Jane Doe Miller': 'PERSON', 'Port Ellen': 'LOCATION', Acme: 'ORGANIZATION' };
const QUESTION = 'Who feeds the herons?';

let t: TestApp;
let chat: FakeOpenAi;
let presidio: FakePresidio;
let drive: FakeDrive;
let sourceId: string;
let groupId: string;

before(async () => {
  [chat, presidio, drive] = await Promise.all([
    openFakeOpenAi(),
    openFakePresidio(NAMES),
    openFakeDrive({ now: () => new Date() }),
  ]);
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: chat.url,
      PINAKES_CHAT_API_KEY: 'sk-secret',
      PINAKES_PRESIDIO_URL: `${presidio.url}/`,
      PINAKES_PRESIDIO_TIMEOUT_MS: '2000',
      PINAKES_GOOGLE_API_URL: drive.url,
    },
  });
  const content = '# Herons\n\nJane Doe Miller feeds the herons at Port Ellen 😀 every day, says Jane Doe.\n';
  groupId = await ingest(t, [{ name: 'Herons of Jane Doe.md', content }]);
  [{ id: sourceId }] = (await t.get(`/source-groups/${groupId}/sources`)).body.sources;
});
after(async () => {
  await t.close();
  await Promise.all([chat.close(), presidio.close(), drive.close()]);
});
beforeEach(() => {
  chat.calls.length = 0;
  presidio.calls.length = 0;
  presidio.respond('names');
  chat.respond({ deltas: ['Jane Doe Miller feeds the herons at Port Ellen [1].'] });
});

type Rule = { apply_at: string[]; entities?: string[]; action?: string };
const setPolicy = (rule: Rule) =>
  t.put('/redaction-policy', {
    enabled: true,
    rules: [{ name: 'names', kind: 'entity', entities: ['person', 'location'], action: 'mask', ...rule }],
  });
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  t.request({
    method: 'POST',
    path: '/completions',
    body: { messages: [{ role: 'user', content: QUESTION }], ...more },
    headers,
  });
const reads = async () => ({
  search: await t.post('/search', { query: 'herons', context: { before: 1, after: 1 } }),
  chunks: await t.get(`/sources/${sourceId}/chunks`),
  text: await t.get(`/sources/${sourceId}/text`),
  source: await t.get(`/sources/${sourceId}`),
  sources: await t.get(`/source-groups/${groupId}/sources`),
  completion: await ask(),
});

test('a rule is refused where nobody would look for what it names', async () => {
  presidio.supported = ['PERSON', 'LOCATION', 'NRP'];
  const refused = await setPolicy({ apply_at: ['output'], entities: ['email', 'organization'] });
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /^\/rules\/0\/entities\/1: organization .* does not support it\.$/);
  presidio.supported = ['PERSON', 'LOCATION', 'NRP', 'ORGANIZATION'];
  assert.equal((await setPolicy({ apply_at: ['output'], entities: ['email', 'organization'] })).status, 200);
});

test('retrieval: every read masks names', async () => {
  assert.equal((await setPolicy({ apply_at: ['retrieval'] })).status, 200);
  for (const [name, { status, text }] of Object.entries(await reads())) {
    assert.equal(status, 200, name);
    if (name !== 'completion') assert.doesNotMatch(text, /Jane|Doe|Miller|Port Ellen/, name);
    if (name !== 'completion') assert.match(text, /\[PERSON\]/, name);
  }
  const told = JSON.stringify(chat.calls[0]!.body);
  assert.doesNotMatch(told, /Jane|Port Ellen/, 'the model gets what was retrieved');
});

test('retrieval: the name, metadata and error of a source that follows an origin are masked', async () => {
  const folder = drive.state.addFolder(drive.state.root, 'Birds');
  drive.state.addFile(folder, 'Jane Doe.pdf', '%PDF-1.4 broken');
  const { status, body } = await t.post('/drive-sources', {
    name: 'Herons of Jane Doe',
    folder_url: `https://drive.google.com/drive/folders/${folder}`,
    service_account_key: drive.key,
    metadata: { records: [{ key: 'by', val: 'Jane Doe' }] },
  });
  assert.equal(status, 201);
  await eventually(async () => (await t.get(`/drive-sources/${body.id}`)).body.status === 'failure');
  await setPolicy({ apply_at: ['retrieval'] });
  const [one] = (await t.get('/drive-sources')).body.drive_sources;
  for (const source of [one, (await t.get(`/drive-sources/${body.id}`)).body]) {
    assert.deepEqual([source.name, source.metadata.records[0].val], ['Herons of [PERSON]', '[PERSON]']);
    assert.match(source.error.message, /^\[PERSON\]/);
  }
  assert.equal((await t.delete(`/drive-sources/${body.id}`)).status, 202);
});

test('POST /redaction-policy/test looks for names, too', async () => {
  await setPolicy({ apply_at: ['output'], action: 'hash' });
  const { body } = await t.post('/redaction-policy/test', { text: '😀 Jane Doe and Jane Doe' });
  assert.match(body.text, /^😀 (\[PERSON:[0-9a-f]{16}\]) and \1$/);
  assert.deepEqual(
    body.matches.map(({ entity, start, end }: { entity: string; start: number; end: number }) => [entity, start, end]),
    [
      ['person', 2, 10],
      ['person', 15, 23],
    ],
  );
});

test('output: a streamed answer leaks no name, however the model cuts it', async () => {
  await setPolicy({ apply_at: ['output'] });
  const said = 'So Jane Doe Miller feeds the herons at Port Ellen [1].';
  for (const size of [1, 3, 7, 200]) {
    chat.respond({ deltas: said.match(new RegExp(`.{1,${size}}`, 'g'))! });
    const { status, text } = await ask({}, { accept: 'text/event-stream' });
    assert.equal(status, 200);
    assert.equal(textOfRun(readEvents(text)), 'So [PERSON] feeds the herons at [LOCATION].', `deltas of ${size}`);
    assert.doesNotMatch(text, /Jane|Miller|Port Ellen/);
  }
});

test('output: when the analyzer fails in the middle of an answer, the answer ends there', async () => {
  await setPolicy({ apply_at: ['output'], entities: ['person'] });
  const begins = 'Herons are fed by the lake every day. '.repeat(12);
  chat.respond({
    deltas: (async function* () {
      yield begins;
      await eventually(async () => presidio.calls.some(({ text }) => text.startsWith('Herons are')));
      presidio.respond({ status: 400 });
      yield `Jane Doe does it. ${begins}`;
    })(),
  });
  const { text } = await ask({}, { accept: 'text/event-stream' });
  const events = readEvents(text);
  assert.equal(events.at(-1)!.type, 'RUN_ERROR');
  assert.match(textOfRun(events), /^Herons are fed/);
  assert.doesNotMatch(text, /Jane|\[PERSON\]/);
});

test('with the analyzer down every read fails, and shows nothing; what was asked before is still known', async () => {
  const answers: [Parameters<FakePresidio['respond']>[0], number][] = [
    [{ status: 401 }, 502],
    [{ json: { error: 'x' } }, 502],
  ];
  for (const [i, [answer, status]] of answers.entries()) {
    // Entities that were not asked for before.
    const entities = [
      ['location', 'nrp'],
      ['person', 'organization'],
    ][i]!;
    assert.equal((await setPolicy({ apply_at: ['retrieval', 'output'], entities })).status, 200);
    presidio.respond(answer);
    for (const [name, read] of Object.entries(await reads())) {
      assert.equal(read.status, status, `${name}: ${read.text}`);
      assert.match(read.text, /upstream_error/);
    }
    assert.equal(chat.calls.length, 0, 'no model was told anything');
  }
  presidio.respond({ status: 429 });
  const busy = await t.get(`/sources/${sourceId}/text`);
  assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '10']);
  presidio.respond('names');
  assert.equal((await t.get(`/sources/${sourceId}/text`)).status, 200);
  presidio.respond({ status: 401 });
  assert.equal((await t.get(`/sources/${sourceId}/text`)).status, 200);
  assert.equal((await t.get('//healthz')).status, 200);
  const metrics = (await t.get('//metrics')).text;
  for (const outcome of ['answered', 'failed', 'remembered'])
    assert.match(metrics, new RegExp(`pinakes_redaction_analyzer_seconds_count\\{outcome="${outcome}"\\} [1-9]`));
});

test('a transaction does not wait for the analyzer', async () => {
  await setPolicy({ apply_at: ['retrieval'], entities: ['location', 'organization'] });
  presidio.respond('never');
  const reading = [
    t.post('/search', { query: 'herons' }),
    t.get(`/sources/${sourceId}/chunks`),
    t.get(`/sources/${sourceId}`),
  ];
  await eventually(async () => presidio.calls.length >= reading.length);
  // All of them wait for the analyzer, and the database has one connection.
  assert.equal((await t.get('/tags')).status, 200);
  const waiting = Symbol();
  const state = await Promise.race([Promise.any(reading), Promise.resolve(waiting)]);
  assert.equal(state, waiting);
  for (const { status } of await Promise.all(reading)) assert.equal(status, 504);
});

test('ingest: names are not stored; a file waits for the analyzer, and counts as one to try again', async () => {
  await setPolicy({ apply_at: ['ingest'] });
  const stored = async (group: string) => {
    const [{ id }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
    const rows = await t.deps.db.transaction(t.tenantId, (tx) =>
      tx.query<{ content: string }>(sql`
        select content from chunk where tenant_id = ${t.tenantId} and source_id = ${id} order by ordinal`),
    );
    return rows.map(({ content }) => content).join('\n');
  };
  presidio.respond({ status: 500 }, 2);
  const group = await ingest(t, [{ name: 'a.md', content: '# By Jane Doe\n\n😀 Jane Doe Miller is at Port Ellen.\n' }]);
  assert.ok(presidio.calls.length > 2);
  assert.equal(await stored(group), '# By [PERSON]\n\n😀 [PERSON] is at [LOCATION].');
  presidio.respond({ status: 401 });
  const redaction = await t.deps.db.transaction(t.tenantId, (tx) => t.deps.redactors.atIngest(tx));
  const path = fileURLToPath(import.meta.url);
  const request = { path, name: 'a.txt', size: 1, chunkMetadataKeys: [], redaction: redaction! };
  const outcome = await t.deps.processor.process(request, AbortSignal.timeout(20_000));
  assert.ok(!outcome.ok);
  assert.deepEqual([outcome.failure.title, outcome.failure.retryable], ['The search for names failed', true]);
});
