/** `POST /v1/responses` with the official client of the OpenAI API and the default model of the AI SDK. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import type { ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { responseBody } from '../../../src/features/completions/openai/responses/request.ts';
import { seed } from '../../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';

const QUESTION = 'How many days of leave do staff get?';
const ANSWER = 'Staff get 25 days of leave per year.';
const USED = { prompt_tokens: 70, completion_tokens: 9 };
const PRESETS = { notes: { footnotes: true }, nothing: { tags: ['no such tag'] } };
const URL_CITATION = { type: 'url_citation', url: 'https://a.example/leave', title: 'leave.md', verified: true };

let t: TestApp;
let fake: FakeOpenAi;
let client: OpenAI;
let baseURL: string;
before(async () => {
  fake = await openFakeOpenAi();
  t = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:fake',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_PRESETS: JSON.stringify(PRESETS),
    },
  });
  const sources = [
    { name: 'leave.md', fileType: 'md', url: 'https://a.example/leave', chunks: [`${ANSWER} Unused days lapse.`] },
    { name: 'ropes.txt', chunks: ['Ropes of hemp are 12 m long. Ropes of hemp float.'] },
  ];
  await seed(t.deps.db, t.tenantId, [{ sources }]);
  baseURL = `${await t.url()}/v1`;
  client = new OpenAI({ apiKey: t.key, maxRetries: 0, baseURL });
});
after(async () => {
  await t.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond({ deltas: ['Staff get 25 days ', 'of leave per year [1].'], usage: USED });
});

// biome-ignore lint/suspicious/noExplicitAny: members that the types of the client do not know
const own = (value: object): any => value;
const create = (more: object = {}) => client.responses.create({ model: 'pinakes', input: QUESTION, ...more } as never);
const failure = (promise: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
  Promise.resolve(promise).then(
    () => assert.fail('no failure'),
    (error) => error,
  );
async function eventsOf(more: object): Promise<ResponseStreamEvent[]> {
  return Array.fromAsync(await client.responses.create({ model: 'pinakes', input: QUESTION, ...more, stream: true }));
}
const partOf = (response: { output: object[] }) => own(response.output[0]!).content[0];

describe('answers', () => {
  test('a response has one message, whose text cites a source with an address as a URL', async () => {
    const response = await client.responses.create({
      model: 'pinakes',
      input: QUESTION,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.2,
      max_output_tokens: 99,
    });
    assert.equal(response.output_text, ANSWER);
    assert.deepEqual([response.status, response.error, response.incomplete_details], ['completed', null, null]);
    assert.deepEqual(partOf(response).annotations, [{ ...URL_CITATION, start_index: 0, end_index: 36 }]);
    assert.deepEqual([response.instructions, response.metadata], ['Be brief.', { a: 'b' }]);
    const { input_tokens, output_tokens, total_tokens } = response.usage!;
    assert.deepEqual([input_tokens, output_tokens, total_tokens], [70, 9, 79]);
    assert.deepEqual([own(response).citations[0].name, own(response).native_finish_reason], ['leave.md', 'stop']);
    assert.match(JSON.stringify(fake.calls.at(-1)!.messages[0]), /"system".*Be brief\./);
  });

  test('a source without an address is cited as a file, once for sentences that follow one another', async () => {
    fake.respond({ deltas: ['Ropes of hemp are 12 m long [1]. Ropes of hemp float [1].'] });
    const response = await create({ input: 'How long are ropes of hemp?' });
    const { source_id, citation } = own(response).citations[0];
    const expected = { type: 'file_citation', file_id: source_id, filename: 'ropes.txt', index: 49, verified: true };
    assert.deepEqual(partOf(response).annotations, [expected]);
    assert.deepEqual([citation.spans.length, (await t.get(`/sources/${source_id}`)).body.name], [2, 'ropes.txt']);
  });

  test('a cited sentence that is not verified says so, and its offsets count code points', async () => {
    fake.respond({ deltas: ['Well 😀. Staff get 26 days of leave per year [1].'] });
    const [annotation] = partOf(await create()).annotations;
    assert.deepEqual(annotation, { ...URL_CITATION, verified: false, start_index: 8, end_index: 44 });
  });

  test('without an answer in the sources the response is complete, and a cut answer is incomplete', async () => {
    const none = await create({ model: 'nothing' });
    assert.deepEqual([none.status, own(none).native_finish_reason], ['completed', 'no_answer']);
    assert.equal(fake.calls.length, 0, 'without sources the model is not called');
    fake.respond({ deltas: ['Staff get 25 days'], finish: 'length' });
    const cut = await create();
    assert.deepEqual([cut.status, cut.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }]);
    assert.equal((await eventsOf({})).at(-1)!.type, 'response.incomplete');
  });

  test('items become the history: parts are joined, developers speak as the system, tools and thoughts are left out', async () => {
    const first = await create();
    const input: ResponseInput = [
      { role: 'developer', content: 'Speak plainly.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'tool text' },
      ...(first.output as ResponseInput),
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'And do unused' },
          { type: 'input_text', text: 'days lapse?' },
        ],
      },
    ];
    await create({ input, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }], store: false });
    const sent = fake.calls.at(-1)!.messages;
    assert.deepEqual(
      sent.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    assert.match(sent[0]!.content, /Speak plainly\./);
    assert.deepEqual([sent[1]!.content, sent[2]!.content], [QUESTION, ANSWER]);
    assert.match(sent[3]!.content, /And do unused\ndays lapse\?/);
    assert.ok(!JSON.stringify(sent).includes('tool text'));
  });

  test('a conversation is stored only if the request says so, and the response cannot be read again', async () => {
    const count = async () => (await t.get('/conversations')).body.pagination.total;
    const before = await count();
    const response = await create();
    assert.deepEqual([own(response).store, own(response).conversation_id, await count()], [false, null, before]);
    const stored = own(await create({ store: true }));
    assert.deepEqual([stored.store, await count()], [false, before + 1]);
    assert.equal((await t.get(`/conversations/${stored.conversation_id}`)).status, 200);
    assert.equal((await failure(client.responses.retrieve(stored.id))).status, 404);
  });
});

describe('streams', () => {
  test('the events come in the documented order with ascending numbers and their names', async () => {
    const events = await eventsOf({ model: 'notes' });
    assert.deepEqual(
      events.map(({ type }) => type.replace('response.', '')),
      [
        'created',
        'in_progress',
        'output_item.added',
        'content_part.added',
        ...['output_text.delta', 'output_text.delta', 'output_text.delta', 'output_text.annotation.added'],
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    );
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, i) => i),
    );
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : [])).join('');
    const last = own(events.at(-1)!).response;
    assert.equal(deltas, `${ANSWER}\n\n---\n\n1. leave.md (https://a.example/leave): “${ANSWER}”`);
    assert.equal(partOf(last).text, deltas);
    const { text } = await t.request({
      method: 'POST',
      path: '//v1/responses',
      body: { model: 'pinakes', input: QUESTION, stream: true },
    });
    assert.match(text, /^event: response\.created\ndata: \{"type":"response\.created",/);
    assert.doesNotMatch(text, /\[DONE\]/);
  });

  test('the stream that the client puts together is the response that it gets without a stream', async () => {
    const whole = own(await create());
    const final = own(await client.responses.stream({ model: 'pinakes', input: QUESTION }).finalResponse());
    const comparable = ({ id: _, created_at: __, ...response }: Record<string, unknown>) => ({
      ...response,
      output: JSON.stringify(response['output']).replace(/msg_[\w-]+/, ''),
      output_parsed: null,
    });
    const withoutParsed = JSON.parse(JSON.stringify(final, (key, value) => (key === 'parsed' ? undefined : value)));
    assert.deepEqual(comparable(withoutParsed), comparable(whole));
  });

  test('a model that fails at once is an error of the request, and one that fails later ends the stream with an error', async () => {
    fake.respond({ status: 400, body: '{}' });
    for (const stream of [false, true]) {
      const error = await failure(create({ stream }));
      assert.deepEqual([error.status, error.type], [502, 'upstream_error'], `stream ${stream}`);
    }
    fake.respond({ breakAfter: ['Staff get '] });
    assert.equal((await failure(eventsOf({}))).type, 'upstream_error');
    const { text } = await t.request({
      method: 'POST',
      path: '//v1/responses',
      body: { model: 'pinakes', input: QUESTION, stream: true },
    });
    const last = JSON.parse(text.trim().split('\n').at(-1)!.replace('data: ', ''));
    assert.deepEqual(
      [last.type, last.sequence_number, last.param, last.error.type],
      ['error', 5, null, 'upstream_error'],
    );
    assert.equal(last.message, last.error.message);
  });

  test('a stream ends with an error when its key is revoked', async () => {
    const apiKey = await t.issueKey(['inference:run']);
    const { apiKeyId: id } = await t.deps.auth.authenticate(apiKey);
    fake.respond({ stallAfter: ['Staff get 25 days of leave. '] });
    const other = new OpenAI({ apiKey, maxRetries: 0, baseURL });
    const stream = await other.responses.create({ model: 'pinakes', input: QUESTION, stream: true });
    const read = async () => {
      for await (const { type } of stream)
        if (type === 'response.output_text.delta') assert.equal((await t.delete(`/api-keys/${id}`)).status, 200);
    };
    assert.equal((await failure(read())).type, 'authentication_error');
    await fake.calls.at(-1)!.left;
  });
});

test('what is not kept or done is refused with the name of the member', async () => {
  const image = [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/a.png' }] }];
  for (const [more, param, words] of [
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', /not kept/],
    [{ conversation: { id: 'c' } }, 'conversation', /not kept/],
    [{ background: true }, 'background', /not possible/],
    [{ prompt: { id: 'p' } }, 'prompt', /instructions/],
    [{ truncation: 'disabled' }, 'truncation', /left out/],
    [{ tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }, 'tools.0.type', /function or custom/],
    [{ tool_choice: 'required' }, 'tool_choice', /none, auto/],
    [{ text: { format: { type: 'json_object' } } }, 'text.format.type', /text/],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input.0', /store: false/],
    [{ input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input.0', /"compaction", which is not supported/],
    [{ input: image }, 'input.0.content', /"input_image" is not supported/],
    [{ input: [{ type: 'reasoning' }, { role: 'user', content: 'x' }, { role: 'wizard' }] }, 'input.2.role', /one of/],
    [{ input: [{ type: 'reasoning' }, { role: 'user' }] }, 'input.1.content', /Missing member "content"/],
    [{ input: [] }, 'input', /at least 1/],
    [{ input: [{ role: 'assistant', content: 'x' }] }, 'input', /role "user"/],
    [{ input: undefined }, 'input', /Missing member "input"/],
    [{ temprature: 1 }, 'temprature', /Unknown member/],
  ] as const) {
    const error = await failure(create(more));
    assert.deepEqual([error.status, error.type, error.param], [400, 'invalid_request_error', param]);
    assert.match(error.message, words);
  }
  await create({ background: false, conversation: null, truncation: 'auto', tools: [], text: { verbosity: 'low' } });
  const unknown = await failure(create({ model: 'x' }));
  assert.deepEqual([unknown.status, unknown.code], [404, 'model_not_found']);
  const many = Array.from({ length: 200 }, () => ({ role: 'user', content: QUESTION }));
  assert.equal((await create({ input: many, instructions: 'Be brief.' })).status, 'completed');
});

test('the default model of the AI SDK answers, streams, names sources, and continues without stored responses', async () => {
  const model = createOpenAI({ baseURL, apiKey: t.key })('pinakes');
  const answer = await generateText({ model, prompt: QUESTION, maxRetries: 0 });
  const [source] = answer.sources;
  assert.deepEqual([answer.text, answer.finishReason, answer.usage.totalTokens], [ANSWER, 'stop', 79]);
  assert.deepEqual([source?.sourceType, source?.title], ['url', 'leave.md']);
  const streamed = streamText({ model, prompt: QUESTION, maxRetries: 0 });
  assert.deepEqual([await streamed.text, (await streamed.sources).length], [ANSWER, 1]);
  const messages = [
    { role: 'user' as const, content: QUESTION },
    ...answer.response.messages,
    { role: 'user' as const, content: 'And do unused days lapse?' },
  ];
  await assert.rejects(generateText({ model, messages, maxRetries: 0 }), /store: false/);
  const providerOptions = { openai: { store: false } };
  assert.equal((await generateText({ model, messages, providerOptions, maxRetries: 0 })).text, ANSWER);
  assert.equal(fake.calls.at(-1)!.messages.find(({ role }) => role === 'assistant')?.content, ANSWER);
});

test('every parameter of the official client is known: it has an effect, is ignored on purpose, or is refused with a reason', () => {
  const types = readFileSync(
    join(import.meta.dirname, '../../../node_modules/openai/resources/responses/responses.d.ts'),
    'utf8',
  );
  const declared = /interface ResponseCreateParamsBase \{([\s\S]*?)\n\}/.exec(types)![1]!;
  const names = [...declared.matchAll(/^ {4}(\w+)\??:/gm)].map((match) => match[1]!);
  assert.ok(names.length > 25, names.join());
  const unknown = names.filter((name) => {
    const result = responseBody.safeParse({ model: 'pinakes', input: QUESTION, [name]: name === 'input' ? 'x' : null });
    return result.error?.issues.some(({ code }) => code === 'unrecognized_keys');
  });
  assert.deepEqual(unknown, []);
});
