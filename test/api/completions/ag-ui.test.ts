import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client1 from '@ag-ui/client';
import * as client0 from 'ag-ui-client-0';
import { newId } from '../../../src/util/ids.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ingest } from '../../support/upload.ts';

let service: TestApp;
let worker: Worker;
let url: string;

const QUESTION = 'Who approves trips abroad?';

before(async () => {
  service = await openTestApp();
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [
    {
      name: 'travel.md',
      content: '# Travel\n\nTrips abroad are approved by Alice Meyer [7].\n\nHotels cost 140 euros 😀 per night.',
    },
  ]);
  url = `${await service.url()}/api/v1/completions`;
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
});

const CLIENTS = [
  ['1.0.0', client1],
  ['0.0.59', client0 as unknown as typeof client1],
] as const;

interface Seen {
  types: string[];
  custom: { name: string; value: { message_id: string; citations: Record<string, unknown>[] } }[];
  threadId: string;
  result: Record<string, unknown>;
}

function watch(): { seen: Seen; subscriber: client1.AgentSubscriber } {
  const seen: Seen = { types: [], custom: [], threadId: '', result: {} };
  const subscriber: client1.AgentSubscriber = {
    onEvent: ({ event }) => void seen.types.push(event.type),
    onRunStartedEvent: ({ event }) => {
      seen.threadId = event.threadId;
    },
    onCustomEvent: ({ event }) => void seen.custom.push(event as never),
    onRunFinishedEvent: ({ event }) => {
      seen.result = (event as { result: Record<string, unknown> }).result;
    },
  };
  return { seen, subscriber };
}

for (const [version, { HttpAgent }] of CLIENTS) {
  const agentWith = (messages: client1.Message[], threadId?: string) =>
    new HttpAgent({
      url,
      headers: { 'x-api-key': service.key },
      initialMessages: messages,
      ...(threadId === undefined ? {} : { threadId }),
    });

  test(`the official ag-ui client ${version} receives the same text as in JSON, and the citations`, async () => {
    const json = (await service.post('/completions', { messages: [{ role: 'user', content: QUESTION }] })).body;
    const agent = agentWith([{ id: newId(), role: 'user', content: QUESTION }]);
    const { seen, subscriber } = watch();
    await agent.runAgent({ runId: 'run-1', forwardedProps: { limit: 5 } }, subscriber);
    assert.equal(agent.messages.at(-1)!.content, json.choices[0].message.content);
    assert.match(String(agent.messages.at(-1)!.content), /\[7\]\.$/m, 'brackets of the source stay');
    assert.equal(agent.messages.at(-1)!.id, seen.result['assistant_message_id']);
    const [custom] = seen.custom;
    assert.equal(custom?.name, 'citations');
    const withoutScores = (citations: Record<string, unknown>[]) =>
      citations.map(({ score: _, scores: _s, ...rest }) => rest);
    assert.deepEqual(withoutScores(custom!.value.citations), withoutScores(json.choices[0].citations));
    assert.equal(seen.result['finish_reason'], 'stop');
    assert.equal(seen.result['conversation_id'], seen.threadId);
    assert.deepEqual(
      [seen.types[0], seen.types[1], seen.types.at(-1)],
      ['RUN_STARTED', 'TEXT_MESSAGE_START', 'RUN_FINISHED'],
    );
  });

  test(`ag-ui client ${version}: a thread name of the client is one conversation, and the conversation id works too`, async () => {
    const agent = agentWith([{ id: newId(), role: 'user', content: QUESTION }]);
    const first = watch();
    await agent.runAgent({}, first.subscriber);
    agent.addMessage({ id: newId(), role: 'user', content: 'How much do hotels cost?' });
    const second = watch();
    await agent.runAgent({}, second.subscriber);
    assert.equal(second.seen.threadId, first.seen.threadId);
    assert.match(String(agent.messages.at(-1)!.content), /140 euros/);
    const third = watch();
    await agentWith([{ id: newId(), role: 'user', content: QUESTION }], first.seen.threadId).runAgent(
      {},
      third.subscriber,
    );
    assert.equal(third.seen.threadId, first.seen.threadId);
    const { rows } = await service.deps.db.system.execute('select id from message where conversation_id = $1', [
      first.seen.threadId,
    ]);
    assert.equal(rows.length, 6);
  });

  test(`ag-ui client ${version}: a completion without an answer is a message without citations`, async () => {
    const agent = agentWith([{ id: newId(), role: 'user', content: 'Which dinosaurs lived in Patagonia?' }]);
    const { seen, subscriber } = watch();
    await agent.runAgent({}, subscriber);
    assert.match(String(agent.messages.at(-1)!.content), /do not contain an answer/);
    assert.equal(seen.result['finish_reason'], 'no_answer');
    assert.deepEqual([seen.result['conversation_id'], seen.result['assistant_message_id']], [null, null]);
    assert.deepEqual(seen.custom[0]!.value.citations, []);
  });

  test(`ag-ui client ${version}: tool messages are ignored, and text parts of a message are joined`, async () => {
    const agent = agentWith([
      { id: newId(), role: 'developer', content: 'Be brief.' },
      {
        id: newId(),
        role: 'assistant',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      } as client1.Message,
      { id: newId(), role: 'tool', toolCallId: 'c', content: 'done' } as client1.Message,
      { id: newId(), role: 'user', content: [{ type: 'text', text: QUESTION }] } as client1.Message,
    ]);
    await agent.runAgent({ tools: [{ name: 'f', description: 'd', parameters: {} }] }, watch().subscriber);
    assert.match(String(agent.messages.at(-1)!.content), /Alice Meyer/);
  });

  test(`ag-ui client ${version}: an unknown parameter is refused`, async () => {
    const agent = agentWith([{ id: newId(), role: 'user', content: QUESTION }]);
    await assert.rejects(agent.runAgent({ forwardedProps: { limitt: 3 } }, watch().subscriber));
  });
}

test('the event stream has the documented events in their order', async () => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': service.key, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ messages: [{ role: 'user', content: QUESTION }] }),
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/);
  const text = await response.text();
  assert.equal(text.includes('\r'), false);
  const frames = text.trimEnd().split('\n\n');
  for (const frame of frames) assert.match(frame, /^data: \{.*\}$/);
  const events = frames.map((frame) => JSON.parse(frame.slice(6)));
  const [started] = events;
  assert.equal(started.threadId, response.headers.get('x-conversation-id'));
  assert.equal(started.metadata.conversation_id, started.threadId);
  assert.equal(events.at(-1).result.user_message_id, started.metadata.user_message_id);
  assert.match(started.runId, /^[0-9a-f-]{36}$/);
  for (const event of events.slice(0, -1)) assert.equal(Object.values(event).includes(null), false);
});

test('stream: false takes precedence over the Accept header, and errors before the stream have an HTTP status', async () => {
  const headers = { accept: 'text/event-stream' };
  const json = await service.request({
    method: 'POST',
    path: '/completions',
    headers,
    body: { messages: [{ role: 'user', content: QUESTION }], stream: false },
  });
  assert.match(String(json.headers['content-type']), /^application\/json/);
  const missing = await service.request({
    method: 'POST',
    path: '/completions',
    headers,
    body: { messages: [{ role: 'user', content: QUESTION }], conversation_id: newId() },
  });
  assert.equal(missing.status, 404);
  const plain = await service.request({
    method: 'POST',
    path: '/completions',
    headers: { accept: 'text/event-stream;q=0, */*' },
    body: { messages: [{ role: 'user', content: QUESTION }] },
  });
  assert.match(String(plain.headers['content-type']), /^application\/json/);
});
