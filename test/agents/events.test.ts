/** The events of runs: the official ag-ui clients read them unmodified, and a stream can be resumed. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as client1 from '@ag-ui/client';
import * as client0 from 'ag-ui-client-0';
import { newId } from '../../src/util/ids.ts';
import { type AgentWorld, citing, isStep, openAgentWorld, QUESTION, scripted, search } from './world.ts';

let world: AgentWorld;
let url: string;
before(async () => {
  world = await openAgentWorld();
  url = `${await world.t.url()}/api/v1/agents/runs`;
});
after(() => world.close());
beforeEach(() => {
  world.fake.calls.length = 0;
  world.fake.respond(
    scripted([{ tools: [search('trips abroad')] }, { tools: [search('hotel cost'), { name: 'nothing', args: {} }] }]),
  );
});

interface Frame {
  id: string | null;
  event: Record<string, unknown> & { type: string };
}

/** Reads a stream to its end. */
async function read(response: Response): Promise<Frame[]> {
  assert.equal(response.status, 200);
  const frames = (await response.text()).split('\n\n').filter((frame) => /^(?:id|data):/m.test(frame));
  return frames.map((frame) => ({
    id: /^id: (.*)$/m.exec(frame)?.[1] ?? null,
    event: JSON.parse(/^data: (.*)$/m.exec(frame)![1]!),
  }));
}
const headers = () => ({ 'x-api-key': world.t.key, 'content-type': 'application/json' });
const begin = (body: object, more: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...headers(), ...more }, body: JSON.stringify(body) });
const follow = (id: string, query = '', more: Record<string, string> = {}) =>
  fetch(`${url}/${id}/events${query}`, { headers: { ...headers(), ...more } });

const CLIENTS = [
  ['1.0.0', client1],
  ['0.0.59', client0 as unknown as typeof client1],
] as const;

for (const [version, { HttpAgent }] of CLIENTS) {
  test(`the official ag-ui client ${version} reads a run, its calls of tools and its answer`, async () => {
    const agent = new HttpAgent({
      url,
      headers: { 'x-api-key': world.t.key },
      initialMessages: [{ id: newId(), role: 'user', content: QUESTION }],
    });
    const types: string[] = [];
    let result: Record<string, unknown> = {};
    await agent.runAgent(
      { forwardedProps: { max_steps: 5 } },
      {
        onEvent: ({ event }) => void types.push(event.type),
        onRunFinishedEvent: ({ event }) => {
          result = (event as { result: Record<string, unknown> }).result;
        },
      },
    );
    const calls = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT'];
    assert.deepEqual(
      types.filter((type) => type !== 'TEXT_MESSAGE_CONTENT'),
      [
        'RUN_STARTED',
        ...['STEP_STARTED', ...calls, 'STEP_FINISHED'],
        ...['STEP_STARTED', ...calls, ...calls, 'STEP_FINISHED'],
        ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'CUSTOM', 'RUN_FINISHED'],
      ],
    );
    const made = (await world.t.get(`/agents/runs/${result['run_id']}`)).body;
    const last = agent.messages.at(-1)!;
    assert.deepEqual([last.id, last.content], [made.assistant_message_id, made.answer.content]);
    const tools = agent.messages.filter(({ role }) => role === 'tool');
    assert.equal(tools.length, 3);
    assert.match(String(tools[0]!.content), /Alice Meyer/);
  });

  test(`ag-ui client ${version}: a thread goes on in one conversation`, async () => {
    const agent = new HttpAgent({
      url,
      headers: { 'x-api-key': world.t.key },
      initialMessages: [{ id: newId(), role: 'user', content: QUESTION }],
    });
    const threads = new Set<string>();
    const subscriber: client1.AgentSubscriber = { onRunStartedEvent: ({ event }) => void threads.add(event.threadId) };
    await agent.runAgent({}, subscriber);
    agent.addMessage({ id: newId(), role: 'user', content: 'And the hotel?' });
    world.fake.respond(scripted([{ tools: [search('hotel cost')] }]));
    await agent.runAgent({}, subscriber);
    assert.equal(threads.size, 1);
  });
}

test('the result of a search in the events is the answer of POST /search, byte for byte', async () => {
  const frames = await read(await begin({ input: QUESTION, stream: true }));
  const [result] = frames.filter(({ event }) => event.type === 'TOOL_CALL_RESULT');
  assert.equal(result!.event['content'], (await world.t.post('/search', { query: 'trips abroad' })).text);
});

test('every event has a number, without gaps, and a stream of the ended run has the same events', async () => {
  const live = await read(await begin({ input: QUESTION }, { accept: 'text/event-stream' }));
  const numbered = live.filter(({ id }) => id !== null);
  const { run_id: id } = live[0]!.event['metadata'] as { run_id: string };
  const replayed = await read(await follow(id));
  assert.deepEqual(
    replayed.map((frame) => frame.id),
    replayed.map((_, i) => String(i + 1)),
  );
  const withoutText = replayed.filter(({ event }) => event.type !== 'TEXT_MESSAGE_CONTENT');
  const citationIds = ({ event }: Frame) =>
    ((event['value'] as { citations: { id: string }[] }).citations ?? []).map((citation) => citation.id);
  for (const [i, frame] of numbered.entries()) {
    // Stored citations have no text of their chunks.
    if (frame.event.type === 'CUSTOM') assert.deepEqual(citationIds(frame), citationIds(withoutText[i]!));
    else assert.deepEqual(frame, withoutText[i]);
  }
  const textOf = (frames: Frame[]) =>
    frames.map(({ event }) => (event.type === 'TEXT_MESSAGE_CONTENT' ? event['delta'] : '')).join('');
  assert.equal(textOf(live), textOf(replayed));
  for (const after of [0, 1, 5, replayed.length - 1, replayed.length]) {
    const rest = replayed.slice(after);
    assert.deepEqual(await read(await follow(id, `?after_seq=${after}`)), rest);
    assert.deepEqual(await read(await follow(id, '', { 'last-event-id': String(after) })), rest);
  }
});

test('a run in the background is queued at once, and its events can be followed while it goes on', async () => {
  const gate = Promise.withResolvers<void>();
  const play = scripted([{ tools: [search('trips abroad')] }, { tools: [search('hotel cost')] }]);
  world.fake.respond(async (call) => {
    if (call.messages.length > 3) await gate.promise;
    return play(call);
  });
  const created = await begin({ input: QUESTION, background: true });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get('x-pinakes-experimental'), 'agents');
  const queued = (await created.json()) as { id: string; status: string; answer: null };
  assert.ok(['queued', 'running'].includes(queued.status));
  const first = await follow(queued.id);
  const reading = read(first);
  gate.resolve();
  const frames = await reading;
  assert.deepEqual(
    frames.map(({ id }) => id),
    frames.map((_, i) => String(i + 1)),
  );
  assert.equal(frames.at(-1)!.event.type, 'RUN_FINISHED');
  const made = (await world.t.get(`/agents/runs/${queued.id}`)).body;
  assert.deepEqual([made.status, made.finish_reason, made.steps.length], ['success', 'stop', 2]);
  assert.match(made.answer.content, /Alice Meyer/);
  assert.deepEqual(await read(await follow(queued.id)), frames);
});

test('a run is canceled while its model is silent, and cannot be canceled twice', async () => {
  world.fake.respond({ stallAfter: [] });
  const created = (await (await begin({ input: QUESTION, background: true })).json()) as { id: string };
  await waitFor(created.id, 'running');
  const canceled = await world.t.post(`/agents/runs/${created.id}/cancel`, undefined);
  assert.equal(canceled.status, 202, canceled.text);
  await waitFor(created.id, 'canceled');
  const again = await world.t.post(`/agents/runs/${created.id}/cancel`, undefined);
  assert.equal(again.status, 409);
  const frames = await read(await follow(created.id));
  assert.deepEqual(frames.at(-1)!.event['outcome'], { type: 'cancelled' });
  assert.equal((await world.t.get(`/agents/runs/${created.id}`)).body.finish_reason, 'canceled');
});

test('an attached run is canceled when its client leaves', async () => {
  world.fake.respond({ stallAfter: [] });
  const leave = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers(), accept: 'text/event-stream' },
    body: JSON.stringify({ input: QUESTION }),
    signal: leave.signal,
  });
  const { value } = await response.body!.getReader().read();
  const { run_id: id } = JSON.parse(/^data: (.*)$/m.exec(Buffer.from(value!).toString())![1]!).metadata;
  leave.abort();
  await waitFor(id, 'canceled');
});

test('a key that is revoked ends its run, attached or in the background', async () => {
  for (const background of [false, true]) {
    const { id: keyId, key } = (
      await world.t.post('/api-keys', { name: 'k', scopes: ['inference:run', 'knowledge:read'] })
    ).body;
    const stalled = Promise.withResolvers<void>();
    world.fake.respond(() => {
      stalled.resolve();
      return { stallAfter: [] };
    });
    const response = begin({ input: QUESTION, background }, { 'x-api-key': key });
    await stalled.promise;
    assert.equal((await world.t.delete(`/api-keys/${keyId}`)).status, 200);
    if (!background) assert.equal((await response).status, 401);
    await response;
    const { runs } = (await world.t.get('/agents/runs?order=desc&limit=1')).body;
    await waitFor(runs[0].id, 'failure');
    assert.equal((await world.t.get(`/agents/runs/${runs[0].id}`)).body.error.type, 'authentication_error');
  }
});

test('a key may have four runs at once, and the list shows them, the newest first', async () => {
  const key = await world.t.issueKey(['inference:run', 'knowledge:read']);
  world.fake.respond({ stallAfter: [] });
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const { status, body } = await world.t.post('/agents/runs', { input: QUESTION, background: true }, key);
    assert.equal(status, 201);
    ids.unshift(body.id);
  }
  const refused = await world.t.post('/agents/runs', { input: QUESTION, background: true }, key);
  assert.equal(refused.status, 503);
  assert.match(refused.body.error.message, /4 agent runs/);
  const listed = (await world.t.get('/agents/runs?order=desc', key)).body;
  assert.deepEqual(
    listed.runs.map(({ id }: { id: string }) => id),
    ids,
  );
  for (const id of ids) await world.t.post(`/agents/runs/${id}/cancel`, undefined, key);
  for (const id of ids) await waitFor(id, 'canceled');
  world.fake.respond((call) => (isStep(call) ? { deltas: ['DONE'] } : citing(call)));
  assert.equal((await world.t.post('/agents/runs', { input: QUESTION }, key)).status, 201);
});

test('runs with a connection of one tenant leave a place for another tenant', async () => {
  world.fake.respond({ stallAfter: [] });
  const stop = new AbortController();
  const other = await world.t.secondTenant();
  const keys = [await world.t.issueKey(['inference:run', 'knowledge:read']), world.t.key];
  const start = (key: string) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers(), 'x-api-key': key },
      body: JSON.stringify({ input: QUESTION, stream: true }),
      signal: stop.signal,
    });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => start(keys[i % 2]!)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(7).fill(200), 429]);
  const refused = answers.find(({ status }) => status === 429)!;
  assert.equal(refused.headers.get('retry-after'), '10');
  assert.equal((await start(other.key)).status, 200);
  stop.abort();
  await Promise.allSettled(answers.map((answer) => answer.text()));
  for (const key of keys)
    while ((await world.t.get('/agents/runs?status=running', key)).body.runs.length > 0) await pause(50);
});

test('a run that lost its process is a failure after a minute, and old runs are deleted', async () => {
  world.fake.respond(scripted([{ tools: [search('trips abroad')] }]));
  const { id } = (await world.t.post('/agents/runs', { input: QUESTION })).body;
  const set = (columns: string) => world.t.deps.db.system.execute(`update agent_run set ${columns} where id = '${id}'`);
  const { collectAgentRuns } = await import('../../src/features/agents/background.ts');
  const collect = () =>
    collectAgentRuns({ deps: world.t.deps })({}, { signal: new AbortController().signal, lastAttempt: false });
  const statusOf = async () => (await world.t.get(`/agents/runs/${id}`)).body;
  await set(`status = 'running', ended_at = null, heartbeat_at = now() - interval '50 s'`);
  await collect();
  assert.equal((await statusOf()).status, 'running');
  await set(`heartbeat_at = now() - interval '61 s'`);
  await collect();
  const lost = await statusOf();
  assert.deepEqual([lost.status, lost.finish_reason], ['failure', 'error']);
  assert.match(lost.error.message, /was lost/);
  await set(`ended_at = now() - interval '29 days'`);
  await collect();
  assert.equal((await world.t.get(`/agents/runs/${id}`)).status, 200);
  await set(`ended_at = now() - interval '31 days'`);
  await collect();
  assert.equal((await world.t.get(`/agents/runs/${id}`)).status, 404);
});

async function waitFor(id: string, status: string): Promise<void> {
  for (;;) {
    const run = (await world.t.get(`/agents/runs/${id}`)).body;
    if (run.status === status) return;
    assert.ok(['queued', 'running'].includes(run.status), `the run is ${run.status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
