import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { checkModelKeys, loadConfig } from '../../../src/config.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeChatWire, openFakeChatWire, type WireCall } from '../../support/fakes/chat-wire.ts';
import { ingest } from '../../support/upload.ts';

let fake: FakeChatWire;
before(async () => {
  fake = await openFakeChatWire();
});
after(() => fake.close());
beforeEach(() => {
  fake.calls.length = 0;
});

const QUESTION = 'How many days of leave do staff get?';

const PROVIDERS = [
  {
    model: 'anthropic:claude-test',
    url: () => fake.anthropicUrl,
    cut: 'max_tokens',
    filtered: 'refusal',
    keyOf: (call: WireCall) => call.headers['x-api-key'],
    promptOf: (call: WireCall) => JSON.stringify(call.body['messages']),
  },
  {
    model: 'google:gemini-test',
    url: () => fake.googleUrl,
    cut: 'MAX_TOKENS',
    filtered: 'SAFETY',
    keyOf: (call: WireCall) => call.headers['x-goog-api-key'],
    promptOf: (call: WireCall) => JSON.stringify(call.body['contents']),
  },
] as const;

for (const provider of PROVIDERS) {
  describe(provider.model, () => {
    let service: TestApp;
    let worker: Worker;
    before(async () => {
      service = await openTestApp({
        env: {
          PINAKES_CHAT_MODEL: provider.model,
          PINAKES_CHAT_BASE_URL: provider.url(),
          PINAKES_CHAT_API_KEY: 'secret-key',
        },
      });
      worker = buildWorker(service.deps);
      await worker.start();
      await ingest(service, [{ name: 'leave.md', content: 'Staff get 25 days of leave per year.' }]);
    });
    after(async () => {
      await worker.stop(1_000);
      await service.close();
    });

    const ask = () => service.post('/completions', { messages: [{ role: 'user', content: QUESTION }] });

    test('answers in its own protocol, and the citations are checked', async () => {
      fake.respond(() => ({ deltas: ['Staff get ', '25 days', ' [1].'] }));
      const answer = await ask();
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const [choice] = answer.body.choices;
      assert.equal(choice.message.content, 'Staff get 25 days.');
      assert.equal(choice.finish_reason, 'stop');
      assert.equal(choice.citations[0].citation.verified, true);
      assert.equal(provider.keyOf(fake.calls[0]!), 'secret-key');
      assert.match(provider.promptOf(fake.calls[0]!), /Staff get 25 days of leave/);
      assert.match(fake.calls[0]!.path, provider.model.startsWith('google') ? /gemini-test/ : /messages/);
    });

    test('gives its reason for the end of an answer', async () => {
      fake.respond(() => ({ deltas: ['Staff get'], finish: provider.cut }));
      assert.equal((await ask()).body.choices[0].finish_reason, 'length');
      fake.respond(() => ({ deltas: ['Staff get'], finish: provider.filtered }));
      assert.equal((await ask()).body.choices[0].finish_reason, 'content_filter');
    });

    test('can be overloaded or broken, and the caller sees no details', async () => {
      fake.respond(() => ({ status: 429 }));
      const busy = await ask();
      assert.equal(busy.status, 503);
      assert.equal(busy.body.error.type, 'overloaded_error');
      assert.equal(busy.headers['retry-after'], '7');
      fake.respond(() => ({ status: 500 }));
      const broken = await ask();
      assert.equal(broken.status, 502);
      assert.doesNotMatch(JSON.stringify([busy.body, broken.body]), /secret/);
    });

    test('gets its call aborted when the client disconnects', async () => {
      fake.respond(() => ({ deltas: ['Staff get '], stall: true }));
      const controller = new AbortController();
      const stream = service.deps.chatModel.stream(
        { messages: [{ role: 'user', content: QUESTION }], question: QUESTION, chunks: [], citation: true },
        controller.signal,
      );
      await assert.rejects(async () => {
        for await (const _ of stream) controller.abort(new Error('gone'));
      }, /gone/);
      await fake.calls[0]!.left;
    });
  });
}

test('a model at the address of its provider needs a configured key', () => {
  for (const [kind, model, key] of [
    ['CHAT', 'openai:x', 'sk-…'],
    ['CHAT', 'anthropic:x', 'sk-ant-…'],
    ['CHAT', 'google:x', 'AIza…'],
    ['EMBEDDING', 'openai:x', 'sk-…'],
  ]) {
    const env = { [`PINAKES_${kind}_MODEL`]: model };
    const message = `PINAKES_${kind}_API_KEY is not set, but [^\n]* for example PINAKES_${kind}_API_KEY=${key}$`;
    assert.throws(() => checkModelKeys(loadConfig(env)), new RegExp(message));
    checkModelKeys(loadConfig({ ...env, [`PINAKES_${kind}_API_KEY`]: 'k' }));
    checkModelKeys(loadConfig({ ...env, [`PINAKES_${kind}_BASE_URL`]: 'http://127.0.0.1:1/v1' }));
  }
});
