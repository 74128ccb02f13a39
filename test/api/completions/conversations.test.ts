/** Tests conversations over HTTP: which history a completion uses, and the stored tree. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { CONVERSATION_BYTES_MAX } from '../../../src/features/completions/conversation.ts';
import { CONVERSATION_MESSAGES_MAX } from '../../../src/features/completions/request.ts';
import { newId } from '../../../src/util/ids.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { ingest } from '../../support/upload.ts';

const PARALLEL_TURNS = 50;
const QUESTION = 'How many days of leave do staff get?';
const ANSWER = 'Staff get 25 days of leave per year.';

interface Node {
  id: string;
  parent_id: string | null;
  role: string;
  content: string;
  citations: {
    source_group_id: string;
    citation: { quote: string; verified_by: string; reason: string | null; quoted: boolean };
  }[];
  finish_reason: string | null;
  creation_time: number;
}

let service: TestApp;
let worker: Worker;
let fake: FakeOpenAi;
let group: string;

before(async () => {
  fake = await openFakeOpenAi();
  service = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CHAT_API_KEY: 'sk',
      PINAKES_CHAT_CONTEXT_TOKENS: '4096',
    },
  });
  worker = buildWorker(service.deps);
  await worker.start();
  group = await ingest(service, [
    { name: 'leave.md', content: `# Leave\n\n${ANSWER} Unused days of leave are not paid out.` },
  ]);
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond({ deltas: [ANSWER.slice(0, -1), ' [1].'] });
});

const ask = (question: string, more: object = {}, key?: string): Promise<TestAnswer> =>
  service.post('/completions', { messages: [{ role: 'user', content: question }], ...more }, key);

async function begin(question = QUESTION): Promise<Record<string, string>> {
  const { status, body, text } = await ask(question);
  assert.equal(status, 200, text);
  return body;
}

async function tagged(groupId: string): Promise<string> {
  const tag = (await service.post('/tags', { name: `tag ${newId()}` })).body.id;
  assert.equal((await service.post('/tag-source-groups', { tag_id: tag, source_group_id: groupId })).status, 201);
  return tag;
}

async function nodes(id: string, key?: string): Promise<Node[]> {
  const { status, body } = await service.get(`/conversations/${id}`, key);
  assert.equal(status, 200);
  return body.messages;
}

/** Checks the tree: one root, every parent exists and is earlier, roles alternate, the active message belongs to the tree. */
async function assertValidTree(id: string): Promise<Node[]> {
  const { body } = await service.get(`/conversations/${id}`);
  const seen = new Map<string, Node>();
  for (const node of body.messages as Node[]) {
    const parent = node.parent_id === null ? undefined : seen.get(node.parent_id);
    if (node.parent_id === null) assert.equal(seen.size, 0, 'one root');
    else assert.ok(parent, 'the parent comes before its child');
    if (node.role === 'assistant') assert.equal(parent?.role, 'user');
    assert.ok(!seen.has(node.id));
    seen.set(node.id, node);
  }
  assert.ok(seen.has(body.active_message_id));
  return body.messages;
}

test('without conversation_id a conversation is created and its id is in the body, or in a header', async () => {
  const first = await begin();
  const [user, assistant, ...rest] = await nodes(first['conversation_id']!);
  assert.deepEqual(rest, []);
  assert.deepEqual([user?.role, user?.content, user?.parent_id, user?.finish_reason], ['user', QUESTION, null, null]);
  assert.deepEqual([assistant?.content, assistant?.parent_id, assistant?.finish_reason], [ANSWER, user?.id, 'stop']);
  assert.equal(assistant?.citations[0]?.source_group_id, group);
  const { quote, verified_by: by, reason, quoted } = assistant!.citations[0]!.citation;
  assert.deepEqual([quote, by, reason, quoted], [ANSWER, 'rules', null, false]);
  assert.deepEqual([user?.id, assistant?.id], [first['user_message_id'], first['assistant_message_id']]);
  const streamed = await ask(QUESTION, { stream: true });
  assert.equal((await nodes(String(streamed.headers['x-conversation-id']))).length, 2);
});

test('the history comes from the stored tree, and only the latest user message of the request counts', async () => {
  const { conversation_id } = await begin();
  await service.post('/completions', {
    conversation_id,
    messages: [
      { role: 'user', content: 'forged question' },
      { role: 'assistant', content: 'forged answer' },
      { role: 'user', content: 'Are unused days of leave paid out?' },
    ],
  });
  const sent = fake.calls.at(-1)!.messages;
  assert.deepEqual(
    sent.slice(1, -1).map(({ content }) => content),
    [QUESTION, ANSWER],
  );
  assert.doesNotMatch(JSON.stringify(sent), /forged/);
  const tree = await assertValidTree(conversation_id!);
  assert.deepEqual(
    tree.map(({ content }) => content),
    [QUESTION, ANSWER, 'Are unused days of leave paid out?', ANSWER],
  );
});

test('a turn continues at the active message, and parent_message_id starts a branch', async () => {
  const first = await begin();
  const { conversation_id } = first;
  const second = (await ask('Leave, second?', { conversation_id })).body;
  const fork = (await ask('Leave, fork?', { conversation_id, parent_message_id: first['assistant_message_id'] })).body;
  const next = (await ask('Leave, after the fork?', { conversation_id })).body;
  const parents = new Map((await assertValidTree(conversation_id!)).map(({ id, parent_id }) => [id, parent_id]));
  assert.equal(parents.get(second.user_message_id), first['assistant_message_id']);
  assert.equal(parents.get(fork.user_message_id), first['assistant_message_id']);
  assert.equal(parents.get(next.user_message_id), fork.assistant_message_id);
  assert.doesNotMatch(JSON.stringify(fake.calls.at(-1)!.messages), /second/);
});

test('regenerate writes a sibling answer and no user message', async () => {
  const first = await begin();
  const { conversation_id } = first;
  const parent_message_id = first['user_message_id'];
  const again = (await ask('not this', { conversation_id, parent_message_id, regenerate: true })).body;
  const tree = await assertValidTree(conversation_id!);
  assert.deepEqual(
    tree.filter(({ parent_id }) => parent_id === parent_message_id).map(({ id }) => id),
    [first['assistant_message_id'], again.assistant_message_id],
  );
  assert.equal(tree.length, 3);
  assert.doesNotMatch(JSON.stringify(fake.calls.at(-1)!.messages), /not this/);
});

test('truncation auto drops the oldest turns, and disabled gives 400 when conversation_id is set', async () => {
  fake.respond({ deltas: [`Staff get 25 days of leave [1]. ${'And more of it. '.repeat(60)}`] });
  const { conversation_id } = await begin(`${QUESTION} 0`);
  for (let i = 1; i < 8; i++) assert.equal((await ask(`${QUESTION} ${i}`, { conversation_id })).status, 200);
  const sent = JSON.stringify(fake.calls.at(-1)!.messages);
  assert.doesNotMatch(sent, /staff get\? 0/);
  assert.match(sent, /staff get\? 6/);
  assert.match(fake.calls.at(-1)!.messages.at(-1)!.content, /staff get\? 7$/);
  const before = (await nodes(conversation_id!)).length;
  const refused = await ask(QUESTION, { conversation_id, truncation: 'disabled' });
  assert.deepEqual([refused.status, refused.body.error.type], [400, 'invalid_request_error']);
  assert.equal((await nodes(conversation_id!)).length, before);
  assert.equal((await ask(QUESTION, { truncation: 'disabled' })).status, 200);
});

test('when a turn is not stored, the answer has the id of an existing conversation and null for a new one', async () => {
  const { conversation_id, assistant_message_id } = await begin();
  const nothing = (await ask('Dinosaurs in Patagonia?', { conversation_id })).body;
  const expected = { conversation_id, user_message_id: null, assistant_message_id: null };
  const { user_message_id, ...ids } = nothing;
  assert.deepEqual(
    { conversation_id: ids.conversation_id, user_message_id, assistant_message_id: ids.assistant_message_id },
    expected,
  );
  assert.equal((await nodes(conversation_id!)).length, 2);
  assert.equal((await service.get(`/conversations/${conversation_id}`)).body.active_message_id, assistant_message_id);
  assert.equal((await ask('Dinosaurs in Patagonia?')).body.conversation_id, null);
});

test('50 parallel turns after one message are all stored, and the tree stays valid', async () => {
  const first = await begin();
  const { conversation_id } = first;
  const turns = await Promise.all(
    Array.from({ length: PARALLEL_TURNS }, (_, i) => ask(`Leave of staff, turn ${i}?`, { conversation_id })),
  );
  for (const turn of turns) assert.equal(turn.status, 200, turn.text);
  const tree = await assertValidTree(conversation_id!);
  assert.equal(tree.length, 2 + 2 * PARALLEL_TURNS);
  const byId = new Map(tree.map((node) => [node.id, node]));
  for (const [i, { body }] of turns.entries()) {
    assert.equal(byId.get(body.user_message_id)?.content, `Leave of staff, turn ${i}?`);
    assert.equal(byId.get(body.assistant_message_id)?.parent_id, body.user_message_id);
  }
  const { body } = await service.get(`/conversations/${conversation_id}`);
  assert.ok(turns.some((turn) => turn.body.assistant_message_id === body.active_message_id));
});

test('PUT renames a conversation, and chooses any of its messages as the active one', async () => {
  const first = await begin();
  const { conversation_id } = first;
  const path = `/conversations/${conversation_id}`;
  await ask('Leave, second?', { conversation_id });
  const chosen = await service.put(path, { title: 'Leave rules', active_message_id: first['assistant_message_id'] });
  assert.equal(chosen.status, 200);
  assert.deepEqual([chosen.body.title, chosen.body.active_message_id], ['Leave rules', first['assistant_message_id']]);
  const third = (await ask('Leave, third?', { conversation_id })).body;
  const tree = await assertValidTree(conversation_id!);
  assert.equal(tree.find(({ id }) => id === third.user_message_id)?.parent_id, first['assistant_message_id']);
  const onQuestion = await service.put(path, { active_message_id: first['user_message_id'] });
  assert.deepEqual(
    [onQuestion.body.title, onQuestion.body.active_message_id],
    ['Leave rules', first['user_message_id']],
  );
  const below = (await ask('Leave, once more?', { conversation_id })).body;
  const all = await assertValidTree(conversation_id!);
  assert.equal(all.find(({ id }) => id === below.user_message_id)?.parent_id, first['user_message_id']);
  for (const body of [
    { title: '' },
    { title: 'x'.repeat(201) },
    { title: null },
    { active_message_id: null },
    { name: 'x' },
  ])
    assert.equal((await service.put(path, body)).status, 400, JSON.stringify(body));
  assert.equal((await service.put(path, { title: '😀'.repeat(200) })).status, 200);
});

test('a refused PUT of a conversation changes nothing', async () => {
  const { conversation_id } = await begin();
  const before = (await service.get(`/conversations/${conversation_id}`)).body;
  const other = await begin();
  const answer = await service.put(`/conversations/${conversation_id}`, {
    title: 'changed',
    active_message_id: other['assistant_message_id'],
  });
  assert.equal(answer.status, 404);
  assert.deepEqual((await service.get(`/conversations/${conversation_id}`)).body, before);
});

test('DELETE of a conversation deletes its messages', async () => {
  const { conversation_id } = await begin();
  const deleted = await service.delete(`/conversations/${conversation_id}`);
  assert.deepEqual([deleted.status, deleted.body.id, deleted.body.title], [200, conversation_id, QUESTION]);
  for (const answer of [
    await service.get(`/conversations/${conversation_id}`),
    await service.delete(`/conversations/${conversation_id}`),
    await ask(QUESTION, { conversation_id }),
  ])
    assert.equal(answer.status, 404);
  const [left] = await service.deps.db.query<{ n: number }>(
    service.tenantId,
    sql`select count(*) as n from message where tenant_id = ${service.tenantId} and conversation_id = ${conversation_id!}`,
  );
  assert.equal(left?.n, 0);
});

test('a limited key reads [removed] for answers outside its limits, and may not delete their conversation', async () => {
  const cited = await begin();
  const uncited = (await ask(QUESTION, { citation: false })).body;
  const other = await ingest(service, [{ name: 'other.md', content: 'The canteen opens at 11.' }]);
  const outside = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [other] });
  const inside = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [group] });
  for (const id of [cited['conversation_id']!, uncited.conversation_id]) {
    const [user, assistant] = await nodes(id, outside);
    assert.deepEqual([user?.content, assistant?.content, assistant?.citations], [QUESTION, '[removed]', []]);
    assert.equal((await service.delete(`/conversations/${id}`, outside)).status, 403);
    assert.equal((await nodes(id, inside))[1]?.content, ANSWER);
  }
  assert.equal((await service.delete(`/conversations/${cited['conversation_id']}`, inside)).status, 200);
});

test('an answer is hidden from keys whose limits exclude a chunk that the model received, cited or not', async () => {
  const rules = await ingest(service, [{ name: 'crew.md', content: 'The lighthouse crew has its own leave rules.' }]);
  const { conversation_id: id } = await begin('How many days of leave does the lighthouse crew get?');
  assert.match(fake.calls.at(-1)!.messages.at(-1)!.content, /lighthouse crew has its own/);
  const [, answer] = await nodes(id!);
  assert.deepEqual(new Set(answer?.citations.map((one) => one.source_group_id)).size, 1, 'one of the two is not cited');
  for (const limits of [{ sourceGroupIds: [group] }, { sourceGroupIds: [rules] }, { tagIds: [await tagged(rules)] }]) {
    const key = await service.issueKey(['inference:run', 'conversations:all'], limits);
    assert.equal((await nodes(id!, key))[1]?.content, '[removed]', JSON.stringify(limits));
    fake.calls.length = 0;
    await ask('Lighthouse crew leave?', { conversation_id: id, parent_message_id: answer!.id }, key);
    assert.doesNotMatch(JSON.stringify(fake.calls[0]!.messages.slice(0, -1)), /25 days/);
  }
  const all = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [group, rules] });
  assert.equal((await nodes(id!, all))[1]?.content, ANSWER);
});

test('an answer also rests on the chunks of the earlier answers in its history', async () => {
  const secret = await ingest(service, [{ name: 'vault.md', content: 'The vault opens with the word heliotrope.' }]);
  fake.respond({ deltas: ['The word is heliotrope [1].'] });
  const { conversation_id } = (await ask('Which word opens the vault?', { tag_ids: [await tagged(secret)] })).body;
  fake.respond({ deltas: ['Staff get 25 days, and the word was heliotrope [1].'] });
  assert.equal((await ask(QUESTION, { conversation_id, tag_ids: [await tagged(group)] })).status, 200);
  const inside = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [group] });
  const contents = async (key: string): Promise<string[]> =>
    (await nodes(conversation_id!, key)).filter(({ role }) => role === 'assistant').map(({ content }) => content);
  assert.deepEqual(await contents(inside), ['[removed]', '[removed]']);
  // The limited key does not get them as history either, so that its own answer rests only on chunks that it may see.
  fake.respond({ deltas: [ANSWER] });
  assert.equal((await ask(QUESTION, { conversation_id }, inside)).status, 200);
  assert.doesNotMatch(JSON.stringify(fake.calls.at(-1)!.messages), /heliotrope/);
  assert.deepEqual(await contents(inside), ['[removed]', '[removed]', ANSWER]);
  const all = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [group, secret] });
  assert.doesNotMatch((await contents(all)).join(), /removed/);
});

test('answers without a record of their chunks are hidden from limited keys', async () => {
  const { conversation_id } = await begin();
  await service.deps.db.query(
    service.tenantId,
    sql`update message set context_group_ids = null where tenant_id = ${service.tenantId} and conversation_id = ${conversation_id!}`,
  );
  const inside = await service.issueKey(['inference:run', 'conversations:all'], { sourceGroupIds: [group] });
  await ask(QUESTION, { conversation_id });
  const read = await nodes(conversation_id!, inside);
  assert.deepEqual([read[1]?.content, read[3]?.content], ['[removed]', '[removed]']);
});

test('a full conversation refuses a further turn and says why', async () => {
  const { conversation_id } = await begin();
  const { tenantId, deps } = service;
  const row = sql`where tenant_id = ${tenantId} and id = ${conversation_id!}`;
  const set = (messages: number, bytes: number): Promise<unknown> =>
    deps.db.query(tenantId, sql`update conversation set message_count = ${messages}, stored_bytes = ${bytes} ${row}`);
  const [size] = await deps.db.query<{ messages: number; bytes: number }>(
    tenantId,
    sql`select message_count as messages, stored_bytes as bytes from conversation ${row}`,
  );
  const stored = QUESTION.length + ANSWER.length + JSON.stringify((await nodes(conversation_id!))[1]!.citations).length;
  assert.deepEqual(size, { messages: 2, bytes: stored + '[]'.length });
  await set(CONVERSATION_MESSAGES_MAX - 2, 0);
  const last = await ask(QUESTION, { conversation_id });
  assert.equal(last.status, 200);
  const full = await ask(QUESTION, { conversation_id });
  assert.deepEqual([full.status, full.body.error.type], [400, 'invalid_request_error']);
  assert.match(full.body.error.message, /holds 2000 messages.*start a new conversation/);
  await set(CONVERSATION_MESSAGES_MAX - 1, 0);
  const again = { conversation_id, parent_message_id: last.body.user_message_id, regenerate: true };
  assert.equal((await ask(QUESTION, again)).status, 200, 'an answer alone still fits');
  assert.equal((await ask(QUESTION, again)).status, 400);

  await set(2, CONVERSATION_BYTES_MAX - Buffer.byteLength(QUESTION));
  assert.equal((await ask(QUESTION, { conversation_id })).status, 200);
  assert.match((await ask(QUESTION, { conversation_id })).body.error.message, /holds 8 MiB/);
  // When a conversation becomes full during an answer, the turn is not stored, and the caller still gets the answer.
  await set(2, 0);
  fake.respond(async () => {
    await set(CONVERSATION_MESSAGES_MAX, 0);
    return { deltas: [ANSWER] };
  });
  const late = (await ask(QUESTION, { conversation_id })).body;
  assert.equal(late.choices[0].message.content, ANSWER);
  assert.deepEqual([late.assistant_message_id, late.warnings[0].type], [null, 'history_not_stored']);
});

test('principal_id of a conversation is ignored while authorization is off', async () => {
  const first = await ask(QUESTION, { principal_id: 'ann' });
  const id = first.body.conversation_id;
  for (const query of ['', '?principal_id=ann', '?principal_id=bob&authz_policy=other'])
    assert.equal((await service.get(`/conversations/${id}${query}`)).status, 200);
  assert.equal((await ask(QUESTION, { conversation_id: id, principal_id: 'bob' })).status, 200);
  assert.equal((await service.put(`/conversations/${id}`, { title: 'x', principal_id: 'bob' })).status, 200);
  assert.equal((await service.get(`/conversations/${id}?principal_id=${'x'.repeat(257)}`)).status, 400);
  assert.equal((await service.get(`/conversations/${id}?authz_policy=Bad`)).status, 400);
  assert.equal((await service.delete(`/conversations/${id}?principal_id=bob`)).status, 200);
});
