/** Chat endpoints that differ from others of the same protocol: no stream, another name for the limit of tokens. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import { openProviderModel } from '../../../src/llm/registry.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';

let service: TestApp;
let fake: FakeOpenAi;

before(async () => {
  fake = await openFakeOpenAi();
  service = await openTestApp({
    env: { PINAKES_CHAT_MODEL: 'openai-compatible:test-model', PINAKES_CHAT_BASE_URL: fake.url },
  });
});
after(async () => {
  await service.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
});

test('an answer of a model in JSON in place of a stream is explained, and the log has the error in it', async () => {
  const refusals: [object, RegExp, RegExp][] = [
    [{ error: { message: 'model not loaded' } }, /^The chat model reported an error\.$/, /model not loaded/],
    [{ error: 'model not loaded' }, /^The chat model reported an error\.$/, /model not loaded/],
    [{ error: { message: 'no such model', code: 404 } }, /answered with status 404\.$/, /no such model/],
    [{ choices: [{ message: { content: 'Staff' } }] }, /^The chat model answered without a stream\.$/, /./],
  ];
  const model = openProviderModel(service.deps.config.chat, service.deps.http);
  const asked = {
    messages: [{ role: 'user' as const, content: 'Why?' }],
    question: 'Why?',
    chunks: [],
    citation: true,
  };
  for (const [body, message, logged] of refusals) {
    fake.respond({ status: 200, body: JSON.stringify(body) });
    await assert.rejects(Array.fromAsync(model.stream(asked, new AbortController().signal)), (error: Error) => {
      assert.match(error.message, message);
      assert.match(inspect(error, { depth: null }), logged);
      return true;
    });
  }
});

test('a model that takes only max_completion_tokens gets this member from its first refusal on', async () => {
  const { config, http } = service.deps;
  const model = openProviderModel(config.chat, http);
  const refusal = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
  const members = () =>
    fake.calls.map(({ body }) => [body['max_tokens'] ?? null, body['max_completion_tokens'] ?? null]);
  fake.respond(({ body }) =>
    'max_tokens' in body ? { status: 400, body: JSON.stringify({ error: { message: refusal } }) } : { deltas: ['ok'] },
  );
  const { signal } = new AbortController();
  const question = 'What is "max_tokens":5?';
  const asked = { messages: [{ role: 'user' as const, content: question }], question, chunks: [], citation: true };
  const task = {
    use: 'table' as const,
    system: 's',
    text: question,
    outputTokensMax: 7,
    timeoutMs: 5_000,
    onUsage: () => {},
  };
  assert.deepEqual((await Array.fromAsync(model.stream(asked, signal))).at(-1), { type: 'finish', reason: 'stop' });
  assert.equal(await model.ask!(task, signal), 'ok');
  const limit = members()[0]![0];
  assert.deepEqual(members(), [
    [limit, null],
    [null, limit],
    [null, 7],
  ]);
  assert.ok(fake.calls.every(({ messages }) => messages.at(-1)!.content.includes(question)));
  fake.respond({ status: 400, body: JSON.stringify({ error: { message: 'no such model' } }) });
  await assert.rejects(model.ask!(task, signal), (error: Error) =>
    /no such model/.test(inspect(error, { depth: null })),
  );
});
