/** An embedding model behind HTTP: what is sent, what is accepted, and what happens when the provider fails. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { retryAfterOf } from '../../src/llm/chat/provider-errors.ts';
import { type EmbeddingOptions, openEmbeddingProvider } from '../../src/llm/embedding/ai-sdk.ts';
import { BATCH_TEXTS_MAX } from '../../src/llm/embedding/batches.ts';
import { CACHED_QUERIES_PER_TENANT, openEmbedding, withQueryCache } from '../../src/llm/embedding/embedding.ts';
import type { EmbeddingModel } from '../../src/llm/models.ts';
import { type HttpClient, openHttpClient } from '../../src/net/http-client.ts';
import { FAKE_DIMENSION, type FakeEmbeddings, hashVector, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { withLongerLimits } from '../support/time-limits.ts';

let fake: FakeEmbeddings;
let http: HttpClient;
const never = new AbortController().signal;

before(async () => {
  http = openHttpClient({ allow: [] });
});
after(() => http.close());
beforeEach(async () => {
  fake = await openFakeEmbeddings();
});
afterEach(() => fake.close());

function open(options: Partial<EmbeddingOptions> = {}): EmbeddingModel {
  const defaults = { baseUrl: fake.url, apiKey: 'key-1', requestsMax: 2, fetch: http.operatorFetch, retryBaseMs: 1 };
  return openEmbeddingProvider({ ...defaults, ...options })('m');
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  return assert.fail('no failure');
}

test('texts are embedded in their order, in batches, with the key', async () => {
  const texts = Array.from({ length: BATCH_TEXTS_MAX * 2 + 3 }, (_, i) => `text number ${i}`);
  const vectors = await open().embed(texts, 'passage', never);
  assert.deepEqual(
    vectors.map((vector) => [...vector]),
    texts.map((text) => hashVector(text, 'm')),
  );
  assert.equal(fake.calls.length, 3);
  assert.ok(fake.calls.every((call) => call.texts.length <= BATCH_TEXTS_MAX && call.authorization === 'Bearer key-1'));
  assert.deepEqual(await open().embed([], 'passage', never), []);
});

test('requests for passages are limited in number, and a query does not wait for them', async () => {
  const model = open({ requestsMax: 2 });
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  fake.respond(async ({ texts }) => {
    if (texts[0] === 'a query') return undefined;
    running += 1;
    most = Math.max(most, running);
    if (running === 2) arrived.resolve();
    await held.promise;
    running -= 1;
    return undefined;
  });
  const texts = Array.from({ length: BATCH_TEXTS_MAX * 5 }, (_, i) => `t${i}`);
  const passages = model.embed(texts, 'passage', never);
  await arrived.promise;
  assert.equal((await model.embed(['a query'], 'query', never)).length, 1);
  held.resolve();
  await passages;
  assert.equal(most, 2);
});

describe('a provider that is busy', () => {
  for (const status of [429, 503, 500]) {
    test(`a request for passages is retried after status ${status}`, async () => {
      let left = 2;
      fake.respond(() => (left-- > 0 ? { status, headers: { 'retry-after': '0.001' } } : undefined));
      assert.equal((await open().embed(['a'], 'passage', never)).length, 1);
      assert.equal(fake.calls.length, 3);
    });
  }
  test('requests for passages are retried a limited number of times, and queries are not', async () => {
    fake.respond(() => ({ status: 429 }));
    const error = await failure(open().embed(['a'], 'query', never));
    assert.equal(error.code, 'overloaded');
    assert.equal(fake.calls.length, 1);
    assert.equal(
      (await failure(open({ retryBaseMs: 0 }).embed(['a'], 'passage', AbortSignal.timeout(60_000)))).code,
      'overloaded',
    );
    assert.equal(fake.calls.length, 7);
  });
  test('a Retry-After header says how long to wait, in seconds or by a date', () => {
    const now = Date.parse('2026-03-01T00:00:00Z');
    const said = (value: string) => retryAfterOf({ responseHeaders: { 'retry-after': value } }, now);
    assert.equal(said('12'), 12);
    assert.equal(said('Sun, 01 Mar 2026 00:00:30 GMT'), 30);
    assert.equal(said('soon'), undefined);
  });
});

describe('invalid responses of an embedding model', () => {
  const vector = (dimension: number, value: unknown = 1) => Array.from({ length: dimension }, () => value);
  const cases: [string, unknown, RegExp][] = [
    ['too few vectors', { data: [{ embedding: vector(3) }] }, /1 vectors for 2 texts/],
    ['two dimensions', { data: [{ embedding: vector(3) }, { embedding: vector(4) }] }, /of 3 and of 4 dimensions/],
    ['no dimension', { data: [{ embedding: [] }, { embedding: [] }] }, /0 dimensions/],
    ['too many dimensions', { data: [{ embedding: vector(4001) }, { embedding: vector(4001) }] }, /4001 dimensions/],
    ['NaN, which JSON writes as null', { data: [{ embedding: [1, null] }, { embedding: [1, 1] }] }, /unreadable/],
    ['numbers out of range', { data: [{ embedding: [1, 1e30] }, { embedding: [1, 1] }] }, /out of range/],
    ['one number twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }, /numbered/],
    ['a far number', { data: [0, 5].map((index) => ({ index, embedding: [1] })) }, /numbered/],
    ['something else', { hello: 'world' }, /unreadable/],
  ];
  for (const [name, answer, message] of cases) {
    test(`a response with ${name} is refused`, async () => {
      fake.respond(() => ({ answer }));
      const error = await failure(open().embed(['a', 'b'], 'passage', never));
      assert.equal(error.code, 'upstream_failed');
      assert.match(error.message, message);
      // The other request has a text of the client: it shows whether the model fails for these texts or for any.
      assert.ok(
        fake.calls.slice(1).every(({ texts }) => texts.join() === 'text'),
        'asked again',
      );
    });
  }
  test('vectors out of order are put in order', async () => {
    fake.respond(() => ({ answer: { data: [1, 0].map((index) => ({ index, embedding: [index + 1] })) } }));
    const vectors = await open().embed(['a', 'b'], 'passage', never);
    assert.deepEqual(
      vectors.map((one) => [...one]),
      [[1], [2]],
    );
  });
});

describe('texts that the model refuses', () => {
  test('a refused text becomes a vector of zeros and does not fail other texts', async () => {
    fake.respond(({ texts }) => (texts.some((text) => text.includes('bad')) ? { status: 400 } : undefined));
    const texts = Array.from({ length: 9 }, (_, i) => (i === 4 ? 'bad' : `good ${i}`));
    const vectors = await open().embed(texts, 'passage', never);
    assert.deepEqual(
      vectors.map((vector) => vector.some((value) => value !== 0)),
      texts.map((text) => text !== 'bad'),
    );
    assert.ok(vectors.every((vector) => vector.length === FAKE_DIMENSION));
  });
  test('a text that is too long is truncated and embedded', async () => {
    fake.respond(({ texts }) => (texts.some((text) => text.length > 1_000) ? { status: 413 } : undefined));
    const long = 'word '.repeat(600);
    const [vector] = await open().embed([long], 'passage', never);
    assert.deepEqual([...vector!], hashVector(long.slice(0, 750), 'm'));
  });
  test('a text that makes the model fail does not fail other texts', async () => {
    for (const broken of [{ status: 500 }, { answer: { data: [{ embedding: [1, null] }] } }]) {
      fake.respond(({ texts }) => (texts.some((text) => text.includes('bad')) ? broken : undefined));
      const texts = Array.from({ length: 5 }, (_, i) => (i === 3 ? 'bad' : `good ${i}`));
      const vectors = await open().embed(texts, 'passage', never);
      assert.deepEqual(
        vectors.map((vector) => vector.some((value) => value !== 0)),
        texts.map((text) => text !== 'bad'),
      );
      assert.equal((await failure(open().embed(['bad'], 'query', never))).code, 'upstream_failed');
    }
  });
  test('after a refusal of too many texts, later requests are smaller', async () => {
    fake.respond(({ texts }) => (texts.length > 10 ? { status: 422 } : undefined));
    const model = open();
    const texts = Array.from({ length: BATCH_TEXTS_MAX * 2 }, (_, i) => `text number ${i}`);
    const first = await model.embed(texts, 'passage', never);
    const before = fake.calls.length;
    assert.deepEqual(await model.embed(texts, 'passage', never), first);
    assert.deepEqual(
      fake.calls.slice(before).map((call) => call.texts.length),
      Array(8).fill(8),
    );
  });
  test('texts are not sent one by one if every text is refused', async () => {
    fake.respond(() => ({ status: 400 }));
    await failure(open().embed(Array(20).fill('fine '.repeat(500)), 'passage', never));
    assert.equal(fake.calls.length, 2);
  });
  test('a single refused text is distinguished from a provider that refuses everything', async () => {
    fake.respond(({ texts }) => (texts[0] === 'bad' ? { status: 422 } : undefined));
    const [vector] = await open().embed(['bad'], 'passage', never);
    assert.ok(vector!.every((value) => value === 0));
    fake.respond(() => ({ status: 400 }));
    const error = await failure(open().embed(['fine'], 'passage', never));
    assert.equal(error.code, 'upstream_failed');
    assert.match(error.message, /status 400/);
  });
});

test('a provider that is too slow for many texts gets smaller requests', async () => {
  fake.respond(({ texts }) => (texts.length > 4 ? { stall: true } : undefined));
  await withLongerLimits(300, async (passagesTimeoutMs) => {
    const model = open({ passagesTimeoutMs });
    const texts = Array.from({ length: BATCH_TEXTS_MAX }, (_, i) => `text number ${i}`);
    const embed = async () => (await model.embed(texts, 'passage', never)).map((vector) => [...vector]);
    const expected = texts.map((text) => hashVector(text, 'm'));
    assert.deepEqual(await embed(), expected);
    const before = fake.calls.length;
    assert.deepEqual(await embed(), expected);
    assert.ok(fake.calls.slice(before).every((call) => call.texts.length <= 8));
  });
});

test('a request to a silent provider ends at its timeout or when the caller aborts', async () => {
  fake.respond(() => ({ stall: true }));
  assert.equal((await failure(open({ queryTimeoutMs: 50 }).embed(['a'], 'query', never))).code, 'upstream_timeout');
  const leaving = new AbortController();
  const left = open().embed(['a'], 'passage', leaving.signal);
  leaving.abort(new Error('left'));
  await assert.rejects(left, /left/);
});

test("the provider's message and the texts do not appear in errors and in the log", async () => {
  fake.respond(() => ({ status: 500, body: 'key-1 was refused' }));
  const error = await failure(open().embed(['confidential text'], 'query', never));
  const logged = `${error.message}\n${(error.cause as Error).message}\n${(error.cause as Error).stack}\n${JSON.stringify(error.cause)}`;
  assert.ok(!logged.includes('key-1') && !logged.includes('confidential'), logged);
});

describe('queries', () => {
  const settings = {
    ...{ model: 'openai-compatible:m', baseUrl: '', apiKey: null, requestsMax: 1 },
    ...{ modelsDir: '/nowhere', dimensions: null, queryPrefix: null, passagePrefix: null },
  };
  test('queries and passages use the prefixes and dimensions of the settings, which are part of the recorded model name', async () => {
    const own = { ...settings, baseUrl: fake.url, dimensions: 8, queryPrefix: 'query: ', passagePrefix: 'passage: ' };
    const { model, named, embedQuery } = openEmbedding(own, http)!;
    assert.equal(model.name, 'm {"dimensions":8,"passage":"passage: "}');
    const [vector] = await model.embed(['a'], 'passage', never);
    assert.deepEqual([...vector!], hashVector('passage: a', 'm', 8));
    assert.equal((await embedQuery('t', model.name, 'q', never)).length, 8);
    // Vectors of other settings are queried with their own settings.
    await embedQuery('t', 'm', 'q', never);
    await named('m').embed(['b'], 'passage', never);
    assert.deepEqual(
      fake.calls.map((call) => [call.model, call.texts[0], call.dimensions]),
      [
        ['m', 'passage: a', 8],
        ['m', 'query: q', 8],
        ['m', 'q', undefined],
        ['m', 'b', undefined],
      ],
    );
    fake.respond(() => ({ answer: { data: [{ embedding: [1, 2, 3] }] } }));
    const error = await failure(model.embed(['a'], 'passage', never));
    assert.match(error.message, /3 dimensions where 8 were asked for/);
    // A prefix of queries does not change stored vectors.
    assert.equal(openEmbedding({ ...settings, baseUrl: fake.url, queryPrefix: 'query: ' }, http)!.model.name, 'm');
  });
  test('vectors of queries are cached per tenant and model, up to a limit', async () => {
    const embedding = openEmbedding({ ...settings, baseUrl: fake.url }, http)!;
    const ask = (tenant: string, model: string, query: string) => embedding.embedQuery(tenant, model, query, never);
    await ask('t1', 'm', 'q');
    await ask('t1', 'm', 'q');
    assert.equal(fake.calls.length, 1);
    await ask('t2', 'm', 'q');
    await ask('t1', 'older', 'q');
    assert.deepEqual(
      fake.calls.map((call) => call.model),
      ['m', 'm', 'older'],
    );
  });
  test('the oldest cached vector of a query is dropped first', async () => {
    const asked: string[] = [];
    const model: EmbeddingModel = {
      name: 'm',
      async embed([text]) {
        asked.push(text!);
        return [Float32Array.of(1)];
      },
    };
    const { embedQuery } = withQueryCache(() => model, 'm');
    for (let i = 0; i <= CACHED_QUERIES_PER_TENANT; i += 1) {
      await embedQuery('t', 'm', `q${i}`, never);
      await embedQuery('t', 'm', 'q1', never);
    }
    await embedQuery('t', 'm', 'q1', never);
    await embedQuery('t', 'm', 'q0', never);
    assert.equal(asked.filter((query) => query === 'q1').length, 1);
    assert.equal(asked.filter((query) => query === 'q0').length, 2);
  });
  test('a query with a vector of zeros is a failure', async () => {
    fake.respond(() => ({ answer: { data: [{ embedding: [0, 0] }] } }));
    const embedding = openEmbedding({ ...settings, baseUrl: fake.url }, http)!;
    assert.equal((await failure(embedding.embedQuery('t', 'm', '!', never))).code, 'upstream_failed');
  });
  test('no embedding model is configured by default', () =>
    assert.equal(openEmbedding({ ...settings, model: 'none' }, http), null));
});
