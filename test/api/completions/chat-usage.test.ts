/** Tests the cost of chat models: timeouts, retries, tokens by key, budgets, metrics. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AiSdkOptions, openAiSdkModel } from '../../../src/llm/chat/ai-sdk.ts';
import { RETRIES_MAX, RETRY_WAIT_SECONDS_MAX, retryDelay } from '../../../src/llm/chat/retries.ts';
import type { ChatRequest, Usage } from '../../../src/llm/models.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi, type Script } from '../../support/fakes/openai.ts';
import { withLongerLimits } from '../../support/time-limits.ts';
import { ingest } from '../../support/upload.ts';

let fake: FakeOpenAi;
let service: TestApp;
let worker: Worker;
const BUDGET = 1000;
/** Usage and budgets are counted by day, so the clock of the service is not near midnight. */
const startedMs = Date.now();
const noonMs = new Date(startedMs).setUTCHours(12, 0, 0, 0);
const clock = { now: () => new Date(noonMs + Date.now() - startedMs) };

before(async () => {
  fake = await openFakeOpenAi();
  service = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CHAT_TOKENS_PER_DAY: String(BUDGET),
    },
    given: { clock },
  });
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [{ name: 'leave.md', content: 'Staff get 25 days of leave per year.' }]);
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
});

const QUESTION = 'How many days of leave do staff get?';
const BODY = { messages: [{ role: 'user', content: QUESTION }] };
const ANSWER = { deltas: ['Staff get ', '25 days.'], usage: { prompt_tokens: 300, completion_tokens: 7 } };

/** Issues a new key and returns it with its id. */
async function newKey(): Promise<{ key: string; id: string }> {
  const { body } = await service.post('/api-keys', { name: 'asker', scopes: ['inference:run'] });
  return { key: body.key, id: body.id };
}

function model(more: Partial<AiSdkOptions> = {}) {
  const { operatorFetch: fetch, operatorRequest: request } = service.deps.http;
  return openAiSdkModel({
    ...{ name: 'x', provider: 'openai-compatible', model: 'm', baseUrl: fake.url, apiKey: null, contextTokens: 4096 },
    ...{ fetch, request, retryBaseMs: 1 },
    ...more,
  });
}

const chatRequest = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  ...{ messages: [{ role: 'user', content: QUESTION }], question: QUESTION, chunks: [], citation: true },
  ...more,
});

async function textOf(more: Partial<AiSdkOptions> = {}, request: Partial<ChatRequest> = {}): Promise<string> {
  const events = await Array.fromAsync(model(more).stream(chatRequest(request), new AbortController().signal));
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
}

/** Gives these answers one after the other, and then always the last one. */
function respondInTurn(...scripts: Script[]): void {
  let calls = 0;
  fake.respond(() => scripts[Math.min(calls++, scripts.length - 1)]!);
}

test('a busy provider is retried a limited number of times, and not when it asks for a long wait', async () => {
  for (const status of [429, 503, 529]) {
    fake.calls.length = 0;
    respondInTurn({ status }, { status, headers: { 'retry-after': '0' } }, ANSWER);
    assert.equal(await textOf(), 'Staff get 25 days.');
    assert.equal(fake.calls.length, 3);
  }
  for (const [script, calls] of [
    [{ status: 429 }, 1 + RETRIES_MAX],
    [{ status: 429, headers: { 'retry-after': String(RETRY_WAIT_SECONDS_MAX + 1) } }, 1],
    [{ status: 500 }, 1],
    [{ status: 400 }, 1],
    [{ errorAfter: [], error: { message: 'busy', code: 429 } }, 1 + RETRIES_MAX],
    [{ errorAfter: ['Staff '], error: { message: 'busy', code: 429 } }, 1],
    [{ breakAfter: ['Staff '] }, 1],
  ] as const) {
    fake.calls.length = 0;
    fake.respond(script);
    await assert.rejects(textOf());
    assert.equal(fake.calls.length, calls, JSON.stringify(script));
  }
});

test('waits between retries grow, honour Retry-After and differ', () => {
  const busy = (seconds?: number) => ({
    statusCode: 429,
    ...(seconds !== undefined && { responseHeaders: { 'retry-after': String(seconds) } }),
  });
  const delays = Array.from({ length: 50 }, () => retryDelay(busy(3), 0, 100)!);
  assert.ok(delays.every((ms) => ms >= 3000 && ms <= 3100));
  assert.ok(new Set(delays).size > 1);
  assert.ok(retryDelay(busy(), 1, 100)! >= 200);
  assert.equal(retryDelay(busy(), RETRIES_MAX, 100), undefined);
});

test('a wait before a retry ends when the caller aborts', async () => {
  fake.respond({ status: 429, headers: { 'retry-after': '5' } });
  const controller = new AbortController();
  const answer = Array.fromAsync(model({ retryBaseMs: 60_000 }).stream(chatRequest(), controller.signal));
  while (fake.calls.length === 0) await sleep(5);
  controller.abort(new Error('gone'));
  await assert.rejects(answer, /gone/);
});

test('an endpoint that refuses stream_options is called without it from then on', async () => {
  const body = JSON.stringify({ error: { message: 'Unknown field: stream_options' } });
  fake.respond((call) => ('stream_options' in call.body ? { status: 400, body } : ANSWER));
  const one = model();
  for (let i = 0; i < 2; i++) await Array.fromAsync(one.stream(chatRequest(), new AbortController().signal));
  assert.deepEqual(
    fake.calls.map((call) => 'stream_options' in call.body),
    [true, false, false],
  );
});

test('a call ends when the model is silent before the first words, between words, or never ends its answer', async () => {
  const late = { code: 'upstream_timeout' };
  fake.respond({ stallAfter: [] });
  await assert.rejects(textOf({ firstDeltaTimeoutMs: 50, nextDeltaTimeoutMs: 60_000 }), late);
  fake.respond({ stallAfter: ['Staff '] });
  await assert.rejects(textOf({ firstDeltaTimeoutMs: 60_000, nextDeltaTimeoutMs: 50 }), late);
  await assert.rejects(textOf({ answerTimeoutMs: 50 }), late);
});

test('a slow reader does not count as a silent model', async () => {
  await withLongerLimits(500, async (nextDeltaTimeoutMs) => {
    async function* deltas(): AsyncGenerator<string> {
      yield 'Staff ';
      yield 'get ';
      await sleep(1.2 * nextDeltaTimeoutMs);
      yield '25 days.';
    }
    fake.respond({ deltas: deltas() });
    let text = '';
    for await (const event of model({ nextDeltaTimeoutMs }).stream(chatRequest(), new AbortController().signal)) {
      if (event.type === 'text') text += event.delta;
      if (event.type === 'text' && event.delta === 'get ') await sleep(1.6 * nextDeltaTimeoutMs);
    }
    assert.equal(text, 'Staff get 25 days.');
  });
});

test('impossible token numbers of a provider are replaced by an estimate', async () => {
  const usageOf = async (script: Script): Promise<Usage[]> => {
    fake.respond(script);
    const used: Usage[] = [];
    await textOf({}, { onUsage: (usage) => void used.push(usage) }).catch(() => undefined);
    return used;
  };
  assert.deepEqual(await usageOf(ANSWER), [{ inputTokens: 300, outputTokens: 7 }]);
  for (const completion_tokens of [-5, 1.5, 1e300]) {
    const [usage] = await usageOf({ ...ANSWER, usage: { prompt_tokens: 300, completion_tokens } });
    assert.ok(usage!.outputTokens > 0 && usage!.outputTokens < 100, JSON.stringify(usage));
  }
  const [estimated, ...others] = await usageOf({ breakAfter: ['Staff get'] });
  assert.ok(estimated!.inputTokens > 100 && estimated!.outputTokens > 1);
  assert.deepEqual(others, []);
  assert.deepEqual(await usageOf({ status: 500 }), [], 'a refused call costs nothing');
});

test('usage is counted for the key of the request, and can be read', async () => {
  const [asker, other] = [await newKey(), await newKey()];
  fake.respond(ANSWER);
  assert.equal((await service.post('/completions', BODY, asker.key)).status, 200);
  assert.equal((await service.post('/completions', { ...BODY, stream: true }, asker.key)).status, 200);
  const { status, body } = await service.get(`/api-keys/${asker.id}/usage`);
  assert.equal(status, 200);
  const counts = { requests: 2, input_tokens: 600, output_tokens: 14 };
  const today = clock.now().toISOString().slice(0, 10);
  assert.deepEqual(body, {
    api_key_id: asker.id,
    days: [{ date: today, ...counts }],
    total: counts,
    tokens_per_day: BUDGET,
  });
  assert.deepEqual((await service.get(`/api-keys/${other.id}/usage?days=1`)).body.days, []);
  await service.delete(`/api-keys/${asker.id}`);
  assert.deepEqual((await service.get(`/api-keys/${asker.id}/usage`)).body.total, counts);
});

test('usage is asked for 1 to 400 days', async () => {
  const { id } = await newKey();
  for (const days of ['0', '401', 'x'])
    assert.equal((await service.get(`/api-keys/${id}/usage?days=${days}`)).status, 400);
});

test('the tokens of an abandoned answer are counted', async () => {
  const { id, key } = await newKey();
  fake.respond({ stallAfter: ['Staff get '] });
  const controller = new AbortController();
  const response = await fetch(`${await service.url()}/api/v1/completions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...BODY, stream: true }),
    signal: controller.signal,
  });
  await response.body!.getReader().read();
  controller.abort();
  await fake.calls[0]!.left;
  let total = { requests: 0, input_tokens: 0, output_tokens: 0 };
  while (total.requests === 0) total = (await service.get(`/api-keys/${id}/usage`)).body.total;
  assert.equal(total.requests, 1);
  assert.ok(total.input_tokens > 100 && total.output_tokens > 0);
});

test('a used up budget gives 429 until midnight, before the body is read', async () => {
  const { key } = await newKey();
  fake.respond({ ...ANSWER, usage: { prompt_tokens: BUDGET - 1, completion_tokens: 1 } });
  assert.equal((await service.post('/completions', BODY, key)).status, 200);
  fake.calls.length = 0;
  for (const path of ['/completions', '//v1/chat/completions', '//v1/responses']) {
    const refused = await service.post(path, '{', key);
    assert.equal(refused.status, 429, path);
    assert.equal(refused.body.error.type, 'rate_limit_error');
    assert.match(refused.body.error.message, /1,000 tokens/);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 0 && wait <= 86_400);
  }
  assert.equal(fake.calls.length, 0);
  assert.equal((await service.post('/completions', BODY, (await newKey()).key)).status, 200, 'others go on');
});

test('metrics have totals, outcomes and the time to the first words, but no key', async () => {
  const { key, id } = await newKey();
  fake.respond(ANSWER);
  await service.post('/completions', BODY, key);
  fake.respond({ status: 429, headers: { 'retry-after': '60' } });
  await service.post('/completions', BODY, key);
  const { text } = await service.get('//metrics');
  assert.match(text, /pinakes_chat_requests_total\{use="answer",outcome="ok"\} \d/);
  assert.match(text, /pinakes_chat_requests_total\{use="answer",outcome="overloaded"\} \d/);
  assert.match(text, /pinakes_chat_requests_total\{use="answer",outcome="left"\} 1/);
  assert.match(text, /pinakes_chat_tokens_total\{direction="input"\} \d{3}/);
  assert.match(text, /pinakes_chat_first_token_seconds_count \d/);
  assert.doesNotMatch(text, new RegExp(`${id}|${service.tenantId}`));
});
