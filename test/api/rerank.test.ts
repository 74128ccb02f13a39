/** Searches with a rerank model behind a real endpoint, and what remains of them when it fails. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { RERANK_TEXT_UNITS_MAX } from '../../src/llm/rerank.ts';
import { RERANKED_MAX } from '../../src/retrieval/ranking/rerank.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeRerank, openFakeRerank, type RerankCall } from '../support/fakes/rerank.ts';

/** More than the model is given. */
const SOURCES = RERANKED_MAX + 10;
const DEADLINE_MS = 1_500;

let fake: FakeRerank;
let app: TestApp;
/** By number, ascending with how often they say "crane": the best lexical result is the last. */
const sourceIds = Array.from({ length: SOURCES }, () => newId());

before(async () => {
  fake = await openFakeRerank();
  app = await openTestApp({
    env: {
      PINAKES_RERANK_MODEL: 'judge-1',
      PINAKES_RERANK_BASE_URL: fake.url,
      PINAKES_RERANK_API_KEY: 'sk-rerank',
      PINAKES_RERANK_TIMEOUT_MS: String(DEADLINE_MS),
    },
  });
  const sources = sourceIds.map((id, n) => ({
    id,
    name: `${n}.txt`,
    chunks: [
      {
        content: `Entry number ${n}: ${'crane '.repeat(n + 1)}${'other '.repeat(SOURCES - n)}`,
        context: `context ${n}`,
      },
      `Entry ${n} goes on.`,
    ],
  }));
  await seed(app.deps.db, app.tenantId, [{ sources }]);
});
after(async () => {
  await app.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.form = 'documents';
  fake.onCall = undefined;
});

const numberIn = (text: string): number => Number(/Entry number (\d+)/.exec(text)![1]);
/** The worst lexical result first. */
const smallestFirst = (_: RerankCall, text: string): number => 1 - numberIn(text) / 100;
const names = (answer: { body: { results: { name: string }[] } }): number[] =>
  answer.body.results.map(({ name }) => Number.parseInt(name, 10));
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + Math.sign(to - from) * i);
const search = (changes: object = {}) => app.post('/search', { query: 'crane', ...changes });

describe('order', () => {
  test('the rerank model orders the best candidates, and results show its score', async () => {
    fake.respond(smallestFirst);
    const answer = await search();
    assert.equal(answer.status, 200, answer.text);
    const worst = SOURCES - RERANKED_MAX;
    assert.deepEqual(names(answer), range(worst, worst + 9));
    assert.deepEqual(answer.body.warnings, []);
    const [first] = answer.body.results;
    assert.equal(first.scores.rerank, 1 - worst / 100);
    assert.equal(first.score, first.scores.rerank);
    assert.ok(first.scores.lexical > 0);
    assert.match(String(answer.headers['server-timing']), /rerank;dur=/);
  });

  test('the model receives the query and the texts of the best candidates with their context', async () => {
    fake.respond(smallestFirst);
    await search({ limit: 1 });
    const [call] = fake.calls;
    assert.equal(call!.path, '/rerank');
    assert.equal(call!.query, 'crane');
    assert.equal(call!.authorization, 'Bearer sk-rerank');
    assert.equal(call!.body['model'], 'judge-1');
    assert.equal(call!.body['top_n'], RERANKED_MAX);
    assert.deepEqual(call!.texts.map(numberIn), range(SOURCES - 1, SOURCES - RERANKED_MAX));
    assert.match(call!.texts[0]!, new RegExp(`^context ${SOURCES - 1}\nEntry number`));
  });

  test('pages neither repeat nor miss a result, and scores keep falling after the last reranked result', async () => {
    fake.respond(smallestFirst);
    const whole = await search({ limit: SOURCES });
    assert.equal(whole.body.results.length, SOURCES);
    const scores = whole.body.results.map(({ score }: { score: number }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    );
    assert.equal(whole.body.results.at(-1).scores.rerank, null);
    const paged: number[] = [];
    for (let offset = 0; offset < SOURCES; offset += 7) paged.push(...names(await search({ limit: 7, offset })));
    assert.deepEqual(paged, names(whole));
  });

  test('a page after the reranked results calls no model, nor does `rerank: false`', async () => {
    fake.respond(smallestFirst);
    assert.equal(names(await search({ offset: RERANKED_MAX })).length, 10);
    assert.deepEqual(names(await search({ rerank: false })), range(SOURCES - 1, SOURCES - 10));
    assert.equal(fake.calls.length, 0);
  });

  test('reranked results include their neighbours', async () => {
    fake.respond(smallestFirst);
    const { body } = await search({ limit: 1, context: { before: 1, after: 1 } });
    assert.match(body.results[0].context.after[0].content, /goes on/);
  });

  test('completions rerank their results', async () => {
    fake.respond(smallestFirst);
    const answer = await app.post('/completions', { messages: [{ role: 'user', content: 'crane' }], limit: 2 });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(fake.calls.length, 1);
    assert.match(String(answer.headers['server-timing']), /rerank;dur=/);
  });

  test('the wire form of text-embeddings-inference is detected once and then used', async () => {
    const tei = await openFakeRerank();
    tei.form = 'texts';
    tei.respond(smallestFirst);
    const other = await openTestApp({
      env: { PINAKES_RERANK_MODEL: 'tei', PINAKES_RERANK_BASE_URL: `${tei.url}/rerank` },
    });
    try {
      await seed(other.deps.db, other.tenantId, [
        {
          sources: [
            { chunks: ['Entry number 1: crane', `Entry number 2: crane ${'x'.repeat(RERANK_TEXT_UNITS_MAX)}`] },
          ],
        },
      ]);
      for (let i = 0; i < 2; i += 1) {
        const answer = await other.post('/search', { query: 'crane' });
        assert.deepEqual(answer.body.warnings, []);
        assert.deepEqual(
          answer.body.results.map(({ content }: { content: string }) => numberIn(content)),
          [1, 2],
        );
      }
      assert.deepEqual(Object.keys(tei.calls[0]!.body).sort(), ['query', 'texts', 'truncate']);
      assert.equal(tei.calls[0]!.path, '/rerank');
      assert.ok(tei.calls[0]!.texts.every((text) => text.length <= RERANK_TEXT_UNITS_MAX));
    } finally {
      await other.close();
      await tei.close();
    }
  });
});

describe('failures', () => {
  const asBefore = range(SOURCES - 1, SOURCES - 10);

  test('search works without a model that does not answer by its deadline', async () => {
    fake.respond('never');
    const answer = await search();
    assert.equal(answer.status, 200);
    assert.deepEqual(names(answer), asBefore);
    assert.deepEqual(
      answer.body.warnings.map(({ type }: { type: string }) => type),
      ['rerank_timeout'],
    );
    assert.equal(answer.body.results[0].scores.rerank, null);
  });

  const unusable: [string, Parameters<FakeRerank['respond']>[0]][] = [
    ['refuses', { status: 401, body: 'sk-rerank is unknown' }],
    ['is overloaded', { status: 429 }],
    ['answers nonsense', { status: 200, body: 'not json' }],
    ['judges nothing', { json: { results: [] } }],
    ['judges what it was not given', { json: { results: [{ index: SOURCES, relevance_score: 1 }] } }],
    ['judges the same twice', { json: [0, 0].map((index) => ({ index, score: 1 })) }],
    ['gives no number', { json: { results: [{ index: 0, relevance_score: null }] } }],
  ];
  for (const [what, response] of unusable) {
    test(`search adds a warning when the model ${what}`, async () => {
      fake.respond(response);
      const answer = await search();
      assert.equal(answer.status, 200);
      assert.deepEqual(names(answer), asBefore);
      assert.equal(answer.body.warnings[0].type, 'rerank_failed');
      assert.doesNotMatch(answer.text, /sk-rerank/);
    });
  }

  test('results that the model left out follow in their previous order', async () => {
    fake.respond({ json: { results: [{ index: 3, relevance_score: -7 }] } });
    const answer = await search({ limit: 4 });
    const last = SOURCES - 1;
    assert.deepEqual(names(answer), [last - 3, last, last - 1, last - 2]);
    const scores = answer.body.results.map(({ score }: { score: number }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    );
  });

  test('a source that is deleted while the model works is not returned', async () => {
    fake.respond(smallestFirst);
    const [gone] = sourceIds.slice(SOURCES - RERANKED_MAX);
    fake.onCall = async () => {
      deleted = (await app.delete(`/sources/${gone}`)).status;
    };
    let deleted: number | undefined;
    const answer = await search();
    assert.equal(deleted, 202);
    assert.ok(!answer.body.results.some((result: { source_id: string }) => result.source_id === gone));
    assert.equal(answer.body.results.length, 10);
  });
});
