/** `/v1` with the official client of the OpenAI API, which does not know that it speaks to this service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import OpenAI from 'openai';
import { loadConfig } from '../../../src/config.ts';
import { chatBody } from '../../../src/features/completions/openai/chat/request.ts';
import { readPresets } from '../../../src/features/completions/openai/presets.ts';
import { openAiRoutes } from '../../../src/features/completions/openai/routes.ts';
import type { Deps } from '../../../src/http/deps.ts';
import { openApiDocument } from '../../../src/http/openapi/openapi.ts';
import { seed } from '../../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';

const QUESTION = 'How many days of leave do staff get?';
const messages = [{ role: 'user' as const, content: QUESTION }];
const ANSWER = 'Staff get 25 days of leave per year.';
const PRESETS = { leave: { file_types: ['md'], limit: 3, footnotes: true }, nothing: { tags: ['no such tag'] } };

let t: TestApp;
let fake: FakeOpenAi;
let client: OpenAI;
let url: string;
before(async () => {
  fake = await openFakeOpenAi();
  t = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:fake',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_PRESETS: JSON.stringify(PRESETS),
    },
  });
  const text = { chunks: [`${ANSWER} Unused days lapse.`] };
  await seed(t.deps.db, t.tenantId, [
    {
      sources: [
        { name: 'leave.md', fileType: 'md', url: 'https://a.example/leave', ...text },
        { name: 'ropes.txt', chunks: ['Ropes of hemp.'] },
      ],
    },
  ]);
  url = `${await t.url()}/v1`;
  client = open(t.key);
});
after(async () => {
  await t.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond({
    deltas: ['Staff get 25 days ', 'of leave per year [1].'],
    usage: { prompt_tokens: 70, completion_tokens: 9 },
  });
});

const open = (apiKey: string): OpenAI => new OpenAI({ apiKey, maxRetries: 0, baseURL: url });

// biome-ignore lint/suspicious/noExplicitAny: members that the types of the client do not know
const own = (value: object): any => value;
const failure = (promise: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
  Promise.resolve(promise).then(
    () => assert.fail('no failure'),
    (error) => error,
  );

describe('models', () => {
  test('the models are pinakes and the presets', async () => {
    const names: string[] = [];
    for await (const { id } of client.models.list()) names.push(id);
    assert.deepEqual(names, ['pinakes', 'leave', 'nothing']);
    assert.equal((await client.models.retrieve('leave')).owned_by, 'pinakes');
    assert.deepEqual([(await failure(client.models.retrieve('x'))).status], [404]);
  });

  test('a preset sets the parameters of the search', async () => {
    const { choices } = await client.chat.completions.create({ model: 'nothing', messages });
    assert.equal(choices[0]!.finish_reason, 'stop');
    assert.equal(own(choices[0]!).native_finish_reason, 'no_answer');
    assert.equal(fake.calls.length, 0, 'without sources the model is not called');
  });
});

describe('answers', () => {
  test('an answer has its citations in an added member, and the tokens that the model used', async () => {
    const answer = await client.chat.completions.create({ model: 'pinakes', messages, temperature: 0.2, user: 'ann' });
    const [choice] = answer.choices;
    assert.equal(choice!.message.content, ANSWER);
    assert.equal(choice!.finish_reason, 'stop');
    const { name, citation } = own(choice!).citations[0];
    assert.deepEqual([name, citation.verified, citation.spans], ['leave.md', true, [{ start: 0, end: 36 }]]);
    assert.deepEqual(answer.usage, { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 });
    assert.match(answer.id, /^chatcmpl-/);
  });

  test('a stream has the same text, citations and tokens', async () => {
    const stream = await client.chat.completions.create({
      model: 'pinakes',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let content = '';
    let last: unknown;
    let usage: unknown;
    for await (const chunk of stream) {
      content += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]?.finish_reason) last = chunk.choices[0];
      usage = chunk.usage ?? usage;
    }
    assert.equal(content, ANSWER);
    assert.equal(own(last as object).finish_reason, 'stop');
    assert.equal(own(last as object).citations[0].citation.verified, true);
    assert.deepEqual(usage, { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 });
    const final = await client.chat.completions.stream({ model: 'pinakes', messages }).finalChatCompletion();
    assert.equal(final.choices[0]!.message.content, ANSWER);
  });

  test('footnotes follow the answer, the same in a stream, and are not sent to the model again', async () => {
    const footnotes = '\n\n---\n\n1. leave.md (https://a.example/leave): “Staff get 25 days of leave per year.”';
    const { choices } = await client.chat.completions.create({ model: 'leave', messages });
    assert.equal(choices[0]!.message.content, ANSWER + footnotes);
    const final = await client.chat.completions.stream({ model: 'leave', messages }).finalChatCompletion();
    assert.equal(final.choices[0]!.message.content, ANSWER + footnotes);
    fake.calls.length = 0;
    const history = [...messages, choices[0]!.message, { role: 'user' as const, content: 'And do unused days lapse?' }];
    await client.chat.completions.create({ model: 'leave', messages: history });
    const sent = fake.calls.at(-1)!.messages.find(({ role }) => role === 'assistant');
    assert.equal(sent?.content, ANSWER);
  });

  test('a file cannot put links, pictures or HTML into footnotes', async () => {
    const name = '![x](https://evil.example/p.png) <img src=x> `a`.md';
    await seed(t.deps.db, t.tenantId, [
      { sources: [{ name, fileType: 'md', chunks: ['Otters hold hands when they sleep.'] }] },
    ]);
    fake.respond({ deltas: ['Otters hold hands when they sleep [1].'] });
    const { choices } = await client.chat.completions.create({
      model: 'leave',
      messages: [{ role: 'user', content: 'What do otters hold?' }],
    });
    const notes = choices[0]!.message.content!.split('---')[1]!;
    assert.match(notes, /!\\\[x\\\]\(https/);
    assert.doesNotMatch(notes, /(?<!\\)[[\]<>`]/);
  });

  test('a conversation is stored only if the request says so', async () => {
    const count = async () => (await t.get('/conversations')).body.pagination.total;
    const before = await count();
    const answer = await client.chat.completions.create({ model: 'pinakes', messages });
    assert.deepEqual([own(answer).conversation_id, own(answer).warnings], [null, []]);
    assert.equal(await count(), before);
    const stored = await client.chat.completions.create({ model: 'pinakes', messages, store: true });
    assert.equal(await count(), before + 1);
    assert.equal((await t.get(`/conversations/${own(stored).conversation_id}`)).status, 200);
  });

  test('messages of tools are left out, text parts are joined, and developers speak as the system', async () => {
    await client.chat.completions.create({
      model: 'pinakes',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'tool text' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How many days' },
            { type: 'text', text: 'of leave do staff get?' },
          ],
        },
      ],
    });
    const sent = JSON.stringify(fake.calls.at(-1)!.messages);
    assert.ok(!sent.includes('tool text') && sent.includes('Be brief.') && sent.includes('Hi.'), sent);
    assert.match(sent, /How many days\\+nof leave do staff get\?/);
  });
});

describe('errors', () => {
  test('the client throws its own errors for wrong requests', async () => {
    const create = (more: object) => client.chat.completions.create({ model: 'pinakes', messages, ...more } as never);
    const codeOf = async (promise: PromiseLike<unknown>) => {
      const { status, code, param, type } = await failure(promise);
      return [status, code, param, type];
    };
    const invalid = 'invalid_request_error';
    assert.deepEqual(await codeOf(create({ model: 'x' })), [404, 'model_not_found', null, 'not_found_error']);
    assert.deepEqual(await codeOf(create({ messages: [] })), [400, null, 'messages', invalid]);
    assert.deepEqual(await codeOf(create({ n: 2 })), [400, null, 'n', invalid]);
    assert.deepEqual(await codeOf(create({ tool_choice: 'required' })), [400, null, 'tool_choice', invalid]);
    assert.deepEqual(await codeOf(create({ temprature: 1 })), [400, null, 'temprature', invalid]);
    assert.deepEqual(await codeOf(create({ response_format: { type: 'json_object' } })), [
      400,
      null,
      'response_format.type',
      invalid,
    ]);
    const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }] }];
    assert.deepEqual(await codeOf(create({ messages: image })), [400, null, 'messages.0.content', invalid]);
    assert.deepEqual(await codeOf(open('sk-wrong').models.list()), [
      401,
      'invalid_api_key',
      null,
      'authentication_error',
    ]);
    const reader = open(await t.issueKey(['knowledge:read']));
    assert.deepEqual(await codeOf(reader.models.list()), [403, null, null, 'permission_error']);
    const unknown = await failure(client.embeddings.create({ model: 'pinakes', input: 'x' }));
    assert.equal(unknown.status, 404);
    assert.match(
      unknown.message,
      /only POST \/responses, POST \/chat\/completions and GET \/models\..* no completions or embeddings/,
    );
  });

  test('errors about models, addresses and methods have the members that the description declares', async () => {
    const { components } = openApiDocument(openAiRoutes({} as Deps)) as {
      components: { schemas: { OpenAiError: { properties: { error: { properties: object; required: string[] } } } } };
    };
    const { properties, required } = components.schemas.OpenAiError.properties.error;
    assert.deepEqual(required, ['message', 'type']);
    for (const [method, path, status, code] of [
      ['GET', '/models/x', 404, 'model_not_found'],
      ['GET', '/models?a=1', 400, null],
      ['GET', '/responses/resp_1', 404, null],
      ['GET', '/responses', 405, null],
      ['GET', '/embeddings/x', 404, null],
      ['DELETE', '/models', 405, null],
    ] as const) {
      const answer = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${t.key}` } });
      const { error } = own((await answer.json()) as object);
      assert.deepEqual([answer.status, error.code, error.param], [status, code, null], `${method} ${path}`);
      assert.deepEqual(Object.keys(error).sort(), Object.keys(properties).sort());
    }
  });

  test('a model that fails at once is an error of the request, and one that fails later ends the stream with an error', async () => {
    fake.respond({ status: 400, body: '{}' });
    for (const stream of [false, true]) {
      const error = await failure(client.chat.completions.create({ model: 'pinakes', messages, stream }));
      assert.deepEqual([error.status, error.type], [502, 'upstream_error'], `stream ${stream}`);
    }
    fake.respond({ breakAfter: ['Staff get '] });
    const stream = await client.chat.completions.create({ model: 'pinakes', messages, stream: true });
    let content = '';
    const read = async () => {
      for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? '';
    };
    const error = await failure(read());
    assert.equal(content, 'Staff get');
    assert.equal(error.type, 'upstream_error');
  });

  test('a stream ends with an error when its key is revoked', async () => {
    const key = await t.issueKey(['inference:run']);
    const { apiKeyId: id } = await t.deps.auth.authenticate(key);
    fake.respond({ stallAfter: ['Staff get 25 days of leave. '] });
    const stream = await open(key).chat.completions.create({ model: 'pinakes', messages, stream: true });
    const read = async () => {
      for await (const chunk of stream)
        if (chunk.choices[0]?.delta.content) assert.equal((await t.delete(`/api-keys/${id}`)).status, 200);
    };
    assert.equal((await failure(read())).type, 'authentication_error');
    await fake.calls.at(-1)!.left;
  });

  test('a client that leaves a stream ends the call of the model', async () => {
    fake.respond({ stallAfter: ['Staff get '] });
    const stream = await client.chat.completions.create({ model: 'pinakes', messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await fake.calls.at(-1)!.left;
  });
});

test('every parameter of the official client is known: it has an effect, or is ignored on purpose', () => {
  const types = readFileSync(
    join(import.meta.dirname, '../../../node_modules/openai/resources/chat/completions/completions.d.ts'),
    'utf8',
  );
  const declared = /interface ChatCompletionCreateParamsBase \{([\s\S]*?)\n\}/.exec(types)![1]!;
  const names = [...declared.matchAll(/^ {4}(\w+)\??:/gm)].map((match) => match[1]!);
  assert.ok(names.length > 25, names.join());
  const unknown = names.filter((name) => {
    const result = chatBody.safeParse({ model: 'pinakes', messages, [name]: name === 'messages' ? messages : null });
    return result.error?.issues.some(({ code }) => code === 'unrecognized_keys');
  });
  assert.deepEqual(unknown, []);
});

test('without a chat model the answers are quotations', async () => {
  const plain = await openTestApp();
  try {
    await seed(plain.deps.db, plain.tenantId, [
      { sources: [{ name: 'leave.md', chunks: [`${ANSWER} Unused days lapse.`] }] },
    ]);
    const { status, body } = await plain.request({
      method: 'POST',
      path: '//v1/chat/completions',
      body: { model: 'pinakes', messages },
    });
    assert.equal(status, 200);
    assert.match(body.choices[0].message.content, /25 days of leave/);
    assert.equal(body.choices[0].citations[0].citation.quoted, true);
    assert.equal(body.usage.total_tokens, 0);
  } finally {
    await plain.close();
  }
});

test('a wrong preset stops the start with one line that names it', () => {
  const start = (presets: string) => readPresets(loadConfig({ PINAKES_PRESETS: presets }).doors.presets);
  for (const [presets, words] of [
    ['{"a": {"limt": 3}}', /^PINAKES_PRESETS has a wrong preset "a": Unknown member "limt" in the request preset/],
    ['{"a": 3}', /wrong preset "a"/],
    ['{"pinakes": {}}', /may not be called "pinakes"/],
    ['{"A b": {}}', /may not be called "A b"/],
    ['[]', /must be a JSON object/],
    ['{', /must be a JSON object/],
  ] as const)
    assert.throws(() => start(presets), { name: 'ConfigError', message: words });
  assert.deepEqual([...start('{"a": {"limit": 3}}').keys()], ['pinakes', 'a']);
});
