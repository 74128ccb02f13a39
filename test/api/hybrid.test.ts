/** Hybrid and semantic search over HTTP, with an embedding model behind a real endpoint. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { addWaiting, refuseWaiting } from '../../src/corpus/embedding-queue-store.ts';
import { findServingVectors } from '../../src/corpus/vector-store.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { seedVectors } from '../retrieval/vectors.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type FakeEmbeddings, hashVector, openFakeEmbeddings } from '../support/fakes/embeddings.ts';

const MODEL = 'words-1';
const CHUNKS = 240;

let fake: FakeEmbeddings;
let app: TestApp;
let groups: string[];
/** Content by chunk id. */
const contents = new Map<string, string>();

/** Says "ferry" the less, and "harbour" the more, the higher its number: the two kinds of search disagree. */
const text = (n: number): string => `${'ferry '.repeat(CHUNKS - n)} number${n} ${`pier${n % 7} `.repeat(3)}`;

before(async () => {
  fake = await openFakeEmbeddings();
  app = await openTestApp({
    env: { PINAKES_EMBEDDING_MODEL: `openai-compatible:${MODEL}`, PINAKES_EMBEDDING_BASE_URL: fake.url },
  });
  const chunk = (content: string) => {
    const id = newId();
    contents.set(id, content);
    return { id, content };
  };
  const sources = Array.from({ length: CHUNKS / 2 }, (_, n) => ({
    metadata: { parity: n % 2 === 0 ? 'even' : 'odd' },
    chunks: [chunk(text(2 * n)), chunk(text(2 * n + 1))],
  }));
  groups = await seed(app.deps.db, app.tenantId, [
    { sources: sources.slice(0, 60) },
    { sources: sources.slice(60) },
    { sources: [{ deleted: true, chunks: [chunk('pier3 pier3 pier3 deleted')] }] },
  ]);
  await embedAll(app.tenantId, contents);
});
after(async () => {
  await app.close();
  await fake.close();
});
beforeEach(() => fake.respond(() => undefined));

async function embedAll(tenantId: string, texts: ReadonlyMap<string, string>, model = MODEL): Promise<void> {
  const vectors = new Map([...texts].map(([id, content]) => [id, hashVector(content, model)]));
  await seedVectors(app.deps.db, tenantId, model, vectors);
}

// biome-ignore lint/suspicious/noExplicitAny: answers whose shape the tests assert
type Result = any;
const search = (changes: object = {}, key?: string) => app.post('/search', { query: 'ferry pier3', ...changes }, key);
const ids = (answer: { body: { results: Result[] } }): string[] => answer.body.results.map(({ id }) => id);

function similarity(query: string, content: string): number {
  const [a, b] = [hashVector(query, MODEL), hashVector(content, MODEL)];
  const dot = (x: number[], y: number[]): number => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('modes', () => {
  test('semantic search orders by similarity, and the score is the similarity', async () => {
    const answer = await search({ mode: 'semantic', query: 'pier3' });
    assert.equal(answer.status, 200, answer.text);
    const best = [...contents.values()]
      .filter((content) => !content.includes('deleted'))
      .map((content) => similarity('pier3', content))
      .sort((a, b) => b - a);
    assert.equal(answer.body.results.length, 10);
    for (const [i, { content, score, scores }] of answer.body.results.entries()) {
      assert.ok(Math.abs(score - similarity('pier3', content)) < 0.002);
      assert.ok(Math.abs(score - best[i]!) < 0.002);
      assert.deepEqual(scores, { lexical: null, semantic: score, rerank: null });
    }
  });

  test('hybrid search mixes lexical and semantic results and reports both scores', async () => {
    const answer = await search();
    assert.equal(answer.status, 200, answer.text);
    const scores = answer.body.results.map((result: Result) => result.score);
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    );
    assert.ok(scores.every((score: number) => score >= 0 && score <= 1));
    assert.ok(answer.body.results.every((result: Result) => result.scores.lexical > 0 || result.scores.semantic > 0));
    assert.ok(answer.body.results.some((result: Result) => result.scores.lexical > 0 && result.scores.semantic > 0));
    assert.deepEqual(answer.body.warnings, []);
    assert.match(
      String(answer.headers['server-timing']),
      /^embed;dur=[\d.]+;start=[\d.]+, analyze;dur=[\d.]+;start=[\d.]+, hybrid;dur=/,
    );
  });

  test('hybrid search finds chunks that contain no word of the query', async () => {
    const query = 'harbour';
    fake.respond(() => ({ answer: { data: [{ index: 0, embedding: hashVector('pier5', MODEL) }] } }));
    assert.equal((await search({ query, mode: 'lexical' })).body.results.length, 0);
    const { body } = await search({ query });
    assert.equal(body.results.length, 10);
    assert.match(body.results[0].content, /pier5/);
    assert.equal(body.results[0].scores.lexical, null);
  });

  test('lexical search calls no model', async () => {
    const before = fake.calls.length;
    const answer = await search({ mode: 'lexical', query: 'ferry number7' });
    assert.ok(answer.body.results.every((result: Result) => result.scores.semantic === null));
    assert.equal(fake.calls.length, before);
  });

  test('completions use hybrid search', async () => {
    fake.respond(() => ({ answer: { data: [{ index: 0, embedding: hashVector('pier2', MODEL) }] } }));
    const messages = [{ role: 'user', content: 'Which ferry leaves from pier2?' }];
    const answer = await app.post('/completions', { messages });
    assert.match(String(answer.headers['server-timing']), /hybrid;dur=/);
  });
});

describe('order', () => {
  for (const mode of ['hybrid', 'semantic']) {
    test(`${mode}: pages neither repeat nor miss a chunk, to the end`, async () => {
      const paged: string[] = [];
      const scores: number[] = [];
      for (let offset = 0; ; offset += 35) {
        const page = await search({ mode, limit: 35, offset });
        paged.push(...ids(page));
        scores.push(...page.body.results.map((result: Result) => result.score));
        if (page.body.results.length < 35) break;
      }
      assert.equal(new Set(paged).size, paged.length);
      assert.equal(paged.length, CHUNKS);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
    });
  }

  test('max_chunks_per_source limits the results of each source', async () => {
    const { body } = await search({ limit: 100, max_chunks_per_source: 1 });
    const sources = body.results.map((result: Result) => result.source_id);
    assert.equal(new Set(sources).size, 100);
  });
});

describe('walls', () => {
  const odd = { source_metadata: { filters: [{ key: 'parity', operator: 'eq', value: 'odd' }] } };

  for (const mode of ['hybrid', 'semantic']) {
    test(`${mode}: filters apply to lexical and semantic results, before or after the search`, async () => {
      for (const use_postfilter of [false, true]) {
        const { body } = await search({ mode, ...odd, use_postfilter, limit: 100 });
        assert.ok(body.results.length > 10);
        for (const { metadata } of body.results) {
          assert.deepEqual(metadata.records, [{ key: 'parity', val: 'odd', type: 'string' }]);
        }
      }
    });

    test(`${mode}: sources outside the limits of a key are never found`, async () => {
      const key = await app.issueKey(['knowledge:read'], { sourceGroupIds: [groups[1]!] });
      for (const use_postfilter of [false, true]) {
        const answer = await search({ mode, limit: 100, use_postfilter }, key);
        assert.equal(answer.body.results.length, 100);
        assert.ok(answer.body.results.every((result: Result) => result.source_group_id === groups[1]));
      }
    });

    test(`${mode}: nothing of a deleted source is found`, async () => {
      const answer = await search({ mode, query: 'deleted pier3', limit: 100 });
      assert.ok(answer.body.results.every((result: Result) => !result.content.includes('deleted')));
    });

    test(`${mode}: a postfilter that leaves too few results adds a warning`, async () => {
      const none = { source_metadata: { filters: [{ key: 'parity', operator: 'eq', value: 'none' }] } };
      const { body } = await search({ mode, ...none, use_postfilter: true });
      assert.deepEqual(body.results, []);
      assert.equal(body.warnings[0].type, 'postfilter_underfilled');
    });
  }

  test('another tenant sees its own vectors only', async () => {
    const other: TestTenant = await app.secondTenant();
    const empty = await search({ mode: 'semantic' }, other.key);
    assert.deepEqual(empty.body.results, []);
    assert.equal(empty.body.warnings[0].type, 'no_vectors');
    const asked = { messages: [{ role: 'user', content: 'Where is the ferry?' }] };
    for (const { body } of [await search({}, other.key), await app.post('/completions', asked, other.key)])
      assert.deepEqual(body.warnings, [
        { type: 'no_vectors', message: 'No chunk has a vector yet. The search was lexical.' },
      ]);
    const id = newId();
    await seed(app.deps.db, other.tenantId, [{ sources: [{ chunks: [{ id, content: 'pier3' }] }] }]);
    await embedAll(other.tenantId, new Map([[id, 'pier3']]));
    assert.deepEqual(ids(await search({ mode: 'semantic' }, other.key)), [id]);
    assert.ok(!ids(await search({ mode: 'semantic', limit: 100 })).includes(id));
  });
});

test('a search says that chunks wait for their vectors, but not that the model refused some', async () => {
  const tenant: TestTenant = await app.secondTenant();
  const [first, second] = [newId(), newId()];
  const chunks = [first, second].map((id) => ({ id, content: 'pier3' }));
  await seed(app.deps.db, tenant.tenantId, [{ sources: [{ chunks }] }]);
  await embedAll(tenant.tenantId, new Map([[first, 'pier3']]));
  const warnings = async () => (await search({}, tenant.key)).body.warnings.map(({ type }: Result) => type);
  assert.deepEqual(await warnings(), []);
  await app.deps.db.transaction(tenant.tenantId, (tx) => addWaiting(tx, [second]));
  assert.deepEqual(await warnings(), ['vectors_incomplete']);
  const { generation } = (await findServingVectors(app.deps.db.system, tenant.tenantId))!;
  await app.deps.db.transaction(tenant.tenantId, (tx) => refuseWaiting(tx, generation, [second], 'too long'));
  assert.deepEqual(await warnings(), []);
});

describe('models that fail', () => {
  test('if the model fails, hybrid search becomes lexical search with a warning, and semantic search fails', async () => {
    fake.respond(() => ({ status: 500 }));
    const query = 'ferry pier3 failing';
    const hybrid = await search({ query });
    assert.equal(hybrid.status, 200);
    assert.equal(hybrid.body.results.length, 10);
    assert.equal(hybrid.body.warnings[0].type, 'embedding_failed');
    const completion = await app.post('/completions', {
      messages: [{ role: 'user', content: 'ferry pier3 failing?' }],
    });
    assert.equal(completion.body.warnings[0].type, 'embedding_failed');
    assert.match((await app.get('//metrics', null)).text, /pinakes_embedded_total\{what="failed_queries"\} [1-9]/);
    assert.deepEqual(ids(hybrid), ids(await search({ query, mode: 'lexical' })));
    const semantic = await search({ query, mode: 'semantic' });
    assert.equal(semantic.status, 502, semantic.text);
    assert.doesNotMatch(hybrid.text + semantic.text, /secret detail/);
  });

  test('a model that does not answer is given up at its deadline', async () => {
    fake.respond(() => ({ stall: true }));
    const [hybrid, semantic] = await Promise.all([
      search({ query: 'ferry silent' }),
      search({ query: 'ferry silent', mode: 'semantic' }),
    ]);
    assert.equal(hybrid.body.warnings[0].type, 'embedding_failed');
    assert.equal(semantic.status, 504);
  });

  test('a vector of another dimension counts as a failure of the model', async () => {
    fake.respond(() => ({ answer: { data: [{ index: 0, embedding: [1, 2, 3] }] } }));
    assert.equal((await search({ query: 'ferry dimension' })).body.warnings[0].type, 'embedding_failed');
  });

  test('the query is embedded by the model of the serving vectors, not by the configured model', async () => {
    const other = await app.secondTenant();
    const id = newId();
    await seed(app.deps.db, other.tenantId, [{ sources: [{ chunks: [{ id, content: 'pier1' }] }] }]);
    await embedAll(other.tenantId, new Map([[id, 'pier1']]), 'older-model');
    assert.deepEqual(ids(await search({ query: 'pier1 older', mode: 'semantic' }, other.key)), [id]);
    assert.equal(fake.calls.at(-1)!.model, 'older-model');
  });

  test('a text with a zero vector is not found by semantic search', async () => {
    const other = await app.secondTenant();
    const [zero, id] = [newId(), newId()];
    const chunks = [zero, id].map((one) => ({ id: one, content: `pier1 ${one}` }));
    await seed(app.deps.db, other.tenantId, [{ sources: [{ chunks }] }]);
    const vectors = new Map([
      [zero, hashVector('', MODEL).map(() => 0)],
      [id, hashVector('pier1', MODEL)],
    ]);
    await seedVectors(app.deps.db, other.tenantId, MODEL, vectors);
    assert.deepEqual(ids(await search({ query: 'pier1', mode: 'semantic' }, other.key)), [id]);
    assert.deepEqual(ids(await search({ query: 'pier1' }, other.key)).toSorted(), [zero, id].toSorted());
  });
});

test('the vectors of deleted chunks are deleted', async () => {
  const rows = await app.deps.db.query<{ count: number }>(
    app.tenantId,
    sql`select count(*) as count from chunk_vector v where v.tenant_id = ${app.tenantId}
      and not exists (select from chunk c where c.tenant_id = v.tenant_id and c.id = v.chunk_id)`,
  );
  assert.equal(rows[0]!.count, 0);
});
