/** What `/v1` shows: exactly what POST /completions shows the same key, principal and policy. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChatModel } from '../../../src/llm/models.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import {
  askers,
  CANARIES,
  type CanaryWorld,
  headersOf,
  membersOf,
  openCanaryWorld,
} from '../../support/worlds/canary-world.ts';

const messages = [{ role: 'user', content: 'What is known about the heron?' }];

/** A model that repeats all that it gets. */
const quotesEverything: ChatModel = {
  name: 'parrot',
  contextTokens: 8_192,
  async *stream({ chunks }) {
    for (const { content, number } of chunks) {
      yield { type: 'quote', text: content, number };
      yield { type: 'text', delta: ' ' };
    }
    yield { type: 'finish', reason: 'stop' };
  },
};

let t: TestApp;
let world: CanaryWorld;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' }, given: { chatModel: quotesEverything } });
  world = await openCanaryWorld(t);
});
after(() => t.close());

type Ask = (more: object, headers: Record<string, string>, key: string) => Promise<TestAnswer>;
const asking =
  (path: string, question: object): Ask =>
  (more, headers, key) =>
    t.request({ method: 'POST', path, key, body: { model: 'pinakes', ...question, ...more }, headers });
const chat = asking('//v1/chat/completions', { messages });
const respond = asking('//v1/responses', { input: messages });
const canaries = (text: string) => [...new Set(text.match(CANARIES))].sort();

test('an answer shows exactly what POST /completions shows the same key, principal and policy', async () => {
  const seen = new Set<string>();
  for (const { key, principal, policy, what } of askers(world)) {
    const as = membersOf(principal, policy);
    const expected = await t.post('/completions', { messages, ...as }, key);
    const named = [await chat({}, headersOf(principal, policy), key), await chat(as, {}, key)];
    const streamed = await chat({ stream: true }, headersOf(principal, policy), key);
    for (const answer of named) {
      assert.equal(answer.status, expected.status, what);
      if (expected.status !== 200) continue;
      const [own, other] = [answer.body.choices[0], expected.body.choices[0]];
      assert.equal(own.message.content, other.message.content, what);
      assert.equal(JSON.stringify(own.citations), JSON.stringify(other.citations), what);
      assert.equal(own.native_finish_reason, other.finish_reason, what);
    }
    const response = await respond(as, {}, key);
    assert.equal(response.status, expected.status, what);
    if (response.status === 200) {
      const [own, other] = [response.body, expected.body.choices[0]];
      assert.equal(own.output[0].content[0].text, other.message.content, what);
      assert.equal(JSON.stringify(own.citations), JSON.stringify(other.citations), what);
    }
    const events = await respond({ stream: true }, headersOf(principal, policy), key);
    assert.deepEqual(canaries(streamed.text), canaries(expected.text), what);
    assert.deepEqual(canaries(events.text), canaries(expected.text), what);
    for (const canary of canaries(expected.text)) seen.add(canary);
  }
  // The matrix would prove nothing if nobody saw anything.
  assert.ok(seen.size >= 8, [...seen].join());
  assert.ok(!seen.has('canary-gone') && seen.has('canary-high') && seen.has('canary-legal'), [...seen].join());
});

test('a principal is named once: in the headers or in the body', async () => {
  for (const ask of [chat, respond]) {
    const both = await ask({ principal_id: 'seller' }, headersOf('lawyer'), t.key);
    assert.deepEqual([both.status, both.body.error.type], [400, 'invalid_request_error']);
    const wrong = await ask({}, { 'x-authz-policy': 'No Such!' }, t.key);
    assert.equal(wrong.status, 400);
  }
});

test('redaction rules apply to answers', async () => {
  const rule = { name: 'r', kind: 'dictionary', terms: ['canary-open'], action: 'mask', apply_at: ['output'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  for (const ask of [chat, respond])
    for (const stream of [false, true]) {
      const { text } = await ask({ stream }, {}, t.key);
      assert.match(text, /\[R\]/);
      assert.doesNotMatch(text, /canary-open/);
    }
  assert.equal((await t.delete('/redaction-policy')).status, 200);
});
