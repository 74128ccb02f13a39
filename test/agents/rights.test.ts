/** What agent runs show: exactly what the same caller finds through the API, for every key, principal, policy and redaction rule. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { principalOf } from '../../src/access/access.ts';
import { agentHost } from '../../src/app.ts';
import { findKeyForJob } from '../../src/corpus/api-key-store.ts';
import { sql } from '../../src/db/sql.ts';
import { followRun } from '../../src/features/agents/read.ts';
import { findApiKeyOfRun } from '../../src/features/agents/store.ts';
import { callerOf } from '../../src/http/auth.ts';
import type { Exchange } from '../../src/http/tools/exchange.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi, type Script } from '../support/fakes/openai.ts';
import { postMcp, toolCall } from '../support/mcp.ts';
import {
  askers,
  CANARIES,
  type CanaryWorld,
  headersOf,
  membersOf,
  openCanaryWorld,
} from '../support/worlds/canary-world.ts';
import { citing, isStep } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events whose shape they assert
type Loose = any;

let t: TestApp;
let fake: FakeOpenAi;
let world: CanaryWorld;
before(async () => {
  fake = await openFakeOpenAi();
  t = await openTestApp({
    env: {
      PINAKES_AUTHORIZATION: 'on',
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
    },
  });
  world = await openCanaryWorld(t);
});
after(async () => {
  await t.close();
  await fake.close();
});

const SEARCH = { query: 'heron', limit: 50, context: { before: 1, after: 1 } };

/** Everything that a caller gets of a run, and everything that its model gets. */
interface Shown {
  status: number;
  /** Contents of TOOL_CALL_RESULT by tool, in their order. */
  results: { tool: string; content: string }[];
  text: string;
  model: string;
  runId: string;
}

/** Runs an agent that tries everything: it searches, lists, and reads what exists, also what the caller may not see. */
async function tryEverything(key: string, principal: string | undefined, policy: string | undefined): Promise<Shown> {
  const reads = [world.hidden.source, ...sourceIds].map((id) => ({ name: 'read_source', args: { source_id: id } }));
  const around = { name: 'read_source', args: { chunk_id: world.hidden.chunk, before: 5, after: 5 } };
  const steps: Script[] = [
    { tools: [{ name: 'search', args: SEARCH }, { name: 'list_sources', args: {} }, around] },
    { tools: reads.slice(0, 5) },
    { tools: reads.slice(5) },
  ];
  const said: string[] = [];
  fake.respond((call) => {
    said.push(JSON.stringify(call.messages));
    if (!isStep(call)) return citing(call);
    return steps[call.messages.filter(({ role }) => role === 'assistant').length] ?? { deltas: ['DONE'] };
  });
  const answer = await t.request({
    method: 'POST',
    path: '/agents/runs',
    key,
    headers: { accept: 'text/event-stream' },
    body: { input: 'What does the heron do?', ...membersOf(principal, policy) },
  });
  const events = [...answer.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Loose);
  const names = new Map(
    events.map((event) => [event.toolCallId as string, event.toolCallName as string]).filter(([, name]) => name) as [
      string,
      string,
    ][],
  );
  return {
    status: answer.status,
    results: events
      .filter(({ type }) => type === 'TOOL_CALL_RESULT')
      .map(({ toolCallId, content }) => ({ tool: names.get(toolCallId) ?? '', content: String(content) })),
    text: answer.text,
    model: said.join('\n'),
    runId: events[0]?.metadata?.run_id ?? '',
  };
}

/** All sources of the tenant. */
let sourceIds: string[] = [];

async function checkMatrix(choice: 'pairs' | 'few'): Promise<Set<string>> {
  sourceIds = (
    await t.deps.db.query<{ id: string }>(t.tenantId, sql`select id from source where tenant_id = ${t.tenantId}`)
  ).map(({ id }) => id);
  const seen = new Set<string>();
  for (const { name, key, principal, policy, what } of askers(world, choice)) {
    const as = membersOf(principal, policy);
    const headers = headersOf(principal, policy);
    const expected = await t.post('/search', { ...SEARCH, ...as }, key);
    const shown = await tryEverything(key, principal, policy);
    if (name === 'no reader' || name === 'no asker') {
      assert.equal(shown.status, 403, what);
      continue;
    }
    assert.equal(shown.status, 200, what);
    const [found, listed, around] = shown.results;
    assert.equal(found!.content, expected.text, `${what}: the search of the agent and POST /search`);
    const mcpListed = await postMcp(t, toolCall('list_sources', {}), headers, key);
    assert.equal(listed!.content, JSON.stringify(mcpListed.body.result.structuredContent), what);
    const visible = expected.body.results as { id: string; source_id: string; content: string }[];
    assert.equal(
      around!.content.includes(world.hidden.chunk) && !around!.content.includes('"error"'),
      visible.some(({ id }) => id === world.hidden.chunk),
      what,
    );
    const allowed = new Set(expected.text.match(CANARIES));
    for (const canary of `${shown.text}\n${shown.model}`.match(CANARIES) ?? [])
      assert.ok(allowed.has(canary), `${what}: ${canary} leaked to the caller or the model`);
    const replayed = await t.get(`/agents/runs/${shown.runId}/events?${new URLSearchParams(as)}`, key);
    for (const canary of replayed.text.match(CANARIES) ?? [])
      assert.ok(allowed.has(canary), `${what}: ${canary} replayed`);
    assert.ok(replayed.text.includes(JSON.stringify(expected.text)), `${what}: the replayed result of the search`);
    for (const canary of allowed) seen.add(canary);
  }
  return seen;
}
describe('key scopes × limits × principals × policies × tools over REST, agents and MCP', () => {
  test('without redaction', async () => {
    // The matrix would prove nothing if nobody saw anything.
    const seen = await checkMatrix('pairs');
    assert.ok(seen.size >= 6, [...seen].join());
  });

  test('with redaction rules for readers, models and answers', async () => {
    const rule = (name: string, terms: string[], step: string) => ({
      name,
      kind: 'dictionary',
      terms,
      action: 'mask',
      apply_at: [step],
    });
    const rules = [
      rule('r', ['canary-open', 'canary-name-sales'], 'retrieval'),
      rule('m', ['canary-low'], 'llm_input'),
      rule('o', ['canary-legal'], 'output'),
    ];
    assert.equal((await t.put('/redaction-policy', { enabled: true, rules })).status, 200);
    const seen = await checkMatrix('few');
    assert.ok(!seen.has('canary-open') && seen.has('canary-low'), [...seen].join());
    const shown = await tryEverything(t.key, 'guard', undefined);
    assert.doesNotMatch(
      shown.model,
      /canary-open|canary-low|canary-name-sales/,
      'the model reads what its rules allow',
    );
    assert.match(shown.model, /\[M\]/);
    const answer = [...shown.text.matchAll(/"TEXT_MESSAGE_CONTENT".*?"delta":"(.*?)"/g)]
      .map(([, delta]) => delta)
      .join('');
    assert.doesNotMatch(answer, /canary-open|canary-low|canary-legal/);
    assert.equal((await t.delete('/redaction-policy')).status, 200);
  });
});

test('a run hides from another principal, and from another key', async () => {
  const { runId } = await tryEverything(world.keys['all']!, 'guard', undefined);
  assert.equal((await t.get(`/agents/runs/${runId}?principal_id=guard`)).status, 200);
  assert.equal((await t.get(`/agents/runs/${runId}?principal_id=seller`)).status, 404);
  assert.equal((await t.get(`/agents/runs/${runId}?principal_id=guard`, world.keys['tag'])).status, 404);
});

test('after the attributes of a principal changed, neither results nor arguments nor the answer show what was seen before', async () => {
  const steps: Script[] = [
    { tools: [{ name: 'search', args: SEARCH }] },
    { tools: [{ name: 'search', args: { query: 'heron canary-high dives' } }] },
  ];
  fake.respond((call) =>
    isStep(call)
      ? (steps[call.messages.filter(({ role }) => role === 'assistant').length] ?? { deltas: ['DONE'] })
      : citing(call),
  );
  const { body: made } = await t.post('/agents/runs', { input: 'What does the heron do?', principal_id: 'guard' });
  assert.match(JSON.stringify(made), /canary-high/);
  const slowly = await followAs(made.id, 'guard');
  assert.equal((await slowly.next()).value?.event.type, 'RUN_STARTED');
  assert.equal((await slowly.next()).value?.event.type, 'STEP_STARTED');
  assert.equal((await t.put('/authz/subjects/guard/attributes', { attributes: {} })).status, 200);
  const later = await t.get(`/agents/runs/${made.id}?principal_id=guard`);
  assert.equal(later.status, 200);
  assert.doesNotMatch(later.text, /canary-high/);
  assert.equal(later.body.steps[1].input, null);
  assert.equal(later.body.answer.content, '[removed]');
  const replayed = await t.get(`/agents/runs/${made.id}/events?principal_id=guard`);
  assert.match(replayed.text, /RUN_FINISHED/);
  assert.doesNotMatch(replayed.text, /canary-high/);
  await pause(800); // a reader who takes the events slowly
  const rest = JSON.stringify(await Array.fromAsync(slowly));
  assert.match(rest, /RUN_FINISHED/);
  assert.doesNotMatch(rest, /canary-high/);
});

/** Follows a run as its key does for a principal, one event after the other. */
async function followAs(id: string, principalId: string) {
  const { deps, tenantId } = t;
  const apiKeyId = await deps.db.transaction(tenantId, (tx) => findApiKeyOfRun(tx, id));
  const caller = callerOf((await findKeyForJob(deps.db.system, tenantId, apiKeyId!))!, deps.clock.now());
  const principal = { principal_id: principalId };
  const rights = deps.rights.watch(caller, () => {});
  const { signal } = new AbortController();
  const exchange = { caller, principal, signal, rights, raw: { headers: {}, log: deps.log }, reply: {} } as unknown;
  const reader = { exchange: exchange as Exchange, principal: principalOf(deps, principal) };
  return followRun(agentHost(deps), reader, id, 0);
}

test('filters of a run bind every tool', async () => {
  const principal = { principal_id: 'guard' };
  const open = (await t.post('/search', { query: 'heron', limit: 50, ...principal, file_types: ['unknown'] })).body
    .results;
  assert.equal(open.length, 0, 'the filter selects nothing');
  fake.respond((call) =>
    isStep(call)
      ? call.messages.length > 3
        ? { deltas: ['DONE'] }
        : {
            tools: [
              { name: 'search', args: { ...SEARCH, file_types: ['txt', 'md'] } },
              { name: 'read_source', args: { chunk_id: world.hidden.chunk } },
              { name: 'list_sources', args: {} },
            ],
          }
      : citing(call),
  );
  const run = async (more: object) => (await t.post('/agents/runs', { input: 'heron', ...principal, ...more })).body;
  const filtered = await run({ file_types: ['unknown'] });
  assert.deepEqual(
    filtered.steps.map(({ found, notice, error }: Record<string, unknown>) => [found, notice ?? error]),
    [
      [0, null],
      [0, 'Only ids of earlier results can be read.'],
      [0, 'There is no such tool. Tools: search, read_source.'],
    ],
  );
  assert.deepEqual(filtered.steps[0].input, SEARCH, 'the file types of the model did not apply');
  const tagged = await run({ tags: ['no such tag'] });
  assert.deepEqual(tagged.steps[0].input, { ...SEARCH, file_types: ['txt', 'md'] });
  const foreignTag = await run({ tag_ids: ['01a20a39-4487-747f-8c66-2c4b30f9a0d3'] });
  assert.equal(foreignTag.finish_reason, 'no_answer');
  const refused = await t.post('/agents/runs', {
    input: 'x',
    file_types: ['md'],
    tools: ['list_sources'],
    ...principal,
  });
  assert.equal(refused.status, 400);
});
