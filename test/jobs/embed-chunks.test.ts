/** Vectors follow the chunks in a job of their own: resumable, with nothing embedded twice, through a change of the model. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { countWaiting } from '../../src/corpus/embedding-queue-store.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { findServingVectors, listGenerations } from '../../src/corpus/vector-store.ts';
import { identifier, sql } from '../../src/db/sql.ts';
import type { Deps } from '../../src/deps.ts';
import { collectGarbage } from '../../src/ingest/collect-garbage.ts';
import { deleteSource } from '../../src/ingest/delete-source.ts';
import { embedChunks } from '../../src/ingest/embed-chunks.ts';
import { INDEX_LATER_CHUNKS_MIN } from '../../src/ingest/embed-generations.ts';
import { requestVectors } from '../../src/ingest/embed-queue.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import type { JobContext } from '../../src/jobs/queue.ts';
import { openEmbedding } from '../../src/llm/embedding.ts';
import { BATCH_TEXTS_MAX } from '../../src/llm/embedding-batches.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';
import { FAKE_DIMENSION, type FakeEmbeddings, hashVector, openFakeEmbeddings } from '../support/fake-embeddings.ts';
import { uploadFiles } from '../support/upload.ts';

let fake: FakeEmbeddings;
let t: TestApp;
let tenant: TestTenant;
let now = new Date('2026-03-01T00:00:00Z');

before(async () => {
  fake = await openFakeEmbeddings({ wide: 96 });
  const env = { PINAKES_EMBEDDING_MODEL: 'openai-compatible:first', PINAKES_EMBEDDING_BASE_URL: fake.url };
  t = await openTestApp({ env, given: { clock: { now: () => now } } });
});
after(async () => {
  await t.close();
  await fake.close();
});

beforeEach(async () => {
  fake.respond(() => undefined);
  fake.calls.length = 0;
  fake.embedded.clear();
  tenant = await t.secondTenant();
});

const context = (signal = new AbortController().signal): JobContext => ({ signal, lastAttempt: false });

/** The service with another model configured. */
function withModel(name: string): Deps {
  const settings = { model: `openai-compatible:${name}`, baseUrl: fake.url, apiKey: null, requestsMax: 2 };
  return { ...t.deps, embedding: openEmbedding(settings, t.deps.http) };
}

function embed(deps: Deps = t.deps, signal?: AbortSignal): Promise<void> {
  return embedChunks(deps)({ tenantId: tenant.tenantId }, context(signal));
}

/** Chunks as ingestion stores them. */
async function seedChunks(...texts: string[]): Promise<string> {
  const [groupId] = await seed(t.deps.db, tenant.tenantId, [{ sources: [{ chunks: texts }] }]);
  await t.deps.db.transaction(tenant.tenantId, async (tx) => {
    const rows = await tx.query<{ id: string }>(
      sql`select id from chunk where tenant_id = ${tenant.tenantId} and source_group_id = ${groupId}`,
    );
    const ids = rows.map(({ id }) => id);
    await requestVectors(t.deps, tx, tenant.tenantId, ids);
  });
  return groupId!;
}

const serving = () => findServingVectors(t.deps.db.system, tenant.tenantId);

/** Content -> the vector that serves. */
async function vectors(): Promise<Map<string, number[]>> {
  const found = await serving();
  if (!found) return new Map();
  const rows = await t.deps.db.query<{ content: string; embedding: string }>(
    tenant.tenantId,
    sql`select c.content, v.embedding::text as embedding from ${identifier(found.table)} v join chunk c on c.id = v.chunk_id
      where v.tenant_id = ${tenant.tenantId} and c.tenant_id = ${tenant.tenantId} order by c.content`,
  );
  return new Map(rows.map((row) => [row.content, JSON.parse(row.embedding)]));
}

function expected(model: string, ...texts: string[]): Map<string, number[]> {
  return new Map([...texts].sort().map((text) => [text, hashVector(text, model, model === 'wide' ? 96 : undefined)]));
}

/** Texts of chunks that the model was asked for; the question for its dimension is left out. */
const requested = () => fake.calls.flatMap((call) => call.texts).filter((text) => text !== 'text');

async function count(table: 'chunk_vector' | 'embedding_waiting' | 'embedding_cache'): Promise<number> {
  const [row] = await t.deps.db.query<{ n: number }>(
    tenant.tenantId,
    sql`select count(*) as n from ${identifier(table)} where tenant_id = ${tenant.tenantId}`,
  );
  return row!.n;
}

async function violations(): Promise<string[]> {
  const found = await findViolations(t.deps.db, t.deps.blobs, { now, graceSeconds: 0 });
  return found.map(({ message }) => message).filter((message) => message.includes('vector'));
}

async function uploaded(files: Record<string, string>): Promise<string> {
  const id = await uploadFiles(t, files, tenant.key);
  const { body } = await t.get(`/source-groups/${id}/runs`, tenant.key);
  await ingestRun(t.deps)({ tenantId: tenant.tenantId, runId: body.runs[0].id }, context());
  return id;
}

/** Ends as a killed process would: nothing after this is written. */
function dying(deps: Deps, point: string, times = 1): { deps: Deps; killed: () => boolean } {
  let left = times;
  let dead = false;
  const gone = new Error('killed');
  const db = {
    ...deps.db,
    transaction: ((tenantId, fn, options) => {
      if (dead) return Promise.reject(gone);
      return deps.db.transaction(tenantId, fn, options);
    }) as Deps['db']['transaction'],
  };
  const crash = {
    reach(reached: string) {
      if (reached === point && --left <= 0) dead = true;
      if (dead) throw gone;
    },
  };
  return { deps: { ...deps, db, crash }, killed: () => dead };
}

test('chunks get the vectors of their texts, and those serve', async () => {
  await seedChunks('red apples', 'green pears', 'blue plums');
  assert.equal(await serving(), undefined);
  await embed();
  assert.deepEqual(await vectors(), expected('first', 'red apples', 'green pears', 'blue plums'));
  assert.partialDeepStrictEqual(await serving(), { generation: 1, model: 'first', dimension: FAKE_DIMENSION });
  assert.equal(await count('embedding_waiting'), 0);
  assert.deepEqual(await violations(), []);
});

test('the nearest are found through the index of the generation', async () => {
  await seedChunks(...Array.from({ length: 50 }, (_, i) => `word${i} word${i + 1}`));
  await embed();
  const { table, dimension } = (await serving())!;
  const query = JSON.stringify(hashVector('word7 word8', 'first'));
  const plan = await t.deps.db.transaction(tenant.tenantId, async (tx) => {
    await tx.query(sql`set local enable_seqscan = off`);
    await tx.query(sql`set local enable_sort = off`);
    const { rows } = await tx.execute(
      `explain select chunk_id from ${table} order by (embedding::halfvec(${dimension})) <=> '${query}'::halfvec(${dimension}) limit 1`,
    );
    return JSON.stringify(rows);
  });
  assert.match(plan, new RegExp(`Index Scan using ${table}_hnsw`));
});

test('an empty tenant asks the model for nothing', async () => {
  await embed();
  assert.equal(fake.calls.length, 0);
});

describe('ingestion', () => {
  test('stores chunks that are found at once, and asks for their vectors in the same transaction', async () => {
    fake.respond(() => ({ status: 500 }));
    const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.' });
    const { body } = await t.get(`/local-file-groups/${groupId}`, tenant.key);
    assert.equal(body.status, 'success');
    const found = await t.post('/search', { query: 'heron', mode: 'lexical' }, tenant.key);
    assert.equal(found.body.results.length, 1);
    const [job] = await t.deps.db.system.query<{ n: number }>(
      sql`select count(*) as n from pgboss.job where name = 'embed-chunks' and data ->> 'tenantId' = ${tenant.tenantId}`,
    );
    assert.equal(job!.n, 1);
    fake.respond(() => undefined);
    await embed();
    assert.equal((await vectors()).size, 1);
  });

  test('one job is asked for, however many transactions store chunks', async () => {
    await uploaded(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.txt`, `file number ${i}`])));
    await uploaded({ 'b.txt': 'one more' });
    const [job] = await t.deps.db.system.query<{ n: number }>(
      sql`select count(*) as n from pgboss.job where name = 'embed-chunks' and data ->> 'tenantId' = ${tenant.tenantId}`,
    );
    assert.equal(job!.n, 1);
    await embed();
    assert.equal((await vectors()).size, 61);
    await uploaded({ 'c.txt': 'another' });
    assert.equal(await count('embedding_waiting'), 1);
    await embed();
    assert.equal((await vectors()).size, 62);
  });
});

describe('nothing is embedded twice', () => {
  test('equal texts', async () => {
    await seedChunks('same words', 'same words', 'other words');
    await embed();
    await seedChunks('same words');
    await embed();
    assert.deepEqual(requested().sort(), ['other words', 'same words']);
    assert.equal(await count('chunk_vector'), 4);
  });

  test('chunks that are replaced by equal ones', async () => {
    const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.', 'b.txt': 'The stork is away.' });
    await embed();
    const before = requested().length;
    await t.deps.db.query(
      tenant.tenantId,
      sql`update source set status = 'pending' where tenant_id = ${tenant.tenantId} and source_group_id = ${groupId}`,
    );
    const { body } = await t.post(`/source-groups/${groupId}/runs`, {}, tenant.key);
    await ingestRun(t.deps)({ tenantId: tenant.tenantId, runId: body.id ?? body.run?.id }, context());
    assert.equal(await count('chunk_vector'), 0);
    assert.equal(await count('embedding_cache'), 2);
    await embed();
    assert.equal(await count('chunk_vector'), 2);
    assert.equal(requested().length, before);
    now = new Date(now.getTime() + 2 * 24 * 3_600_000);
    await collectGarbage(t.deps)({}, context());
    assert.equal(await count('embedding_cache'), 0, 'the cache is pruned');
  });

  test('a job that runs twice', async () => {
    await seedChunks('a b', 'c d');
    await Promise.all([embed(), embed()]);
    await embed();
    assert.equal(requested().length, 2);
    assert.equal(await count('chunk_vector'), 2);
  });
});

test('vectors go with their chunks, and deleted content is not sent to the model', async () => {
  const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.', 'b.txt': 'The stork is away.' });
  await embed();
  assert.equal(await count('chunk_vector'), 2);
  const { body } = await t.get(`/source-groups/${groupId}/sources`, tenant.key);
  await t.delete(`/sources/${body.sources[0].id}`, tenant.key);
  const wide = withModel('wide');
  await embed(wide);
  assert.equal(fake.calls.filter((call) => call.model === 'wide').flatMap((call) => call.texts).length, 2);
  await deleteSource(t.deps)({ tenantId: tenant.tenantId, sourceId: body.sources[0].id }, context());
  assert.equal(await count('chunk_vector'), 2, 'one chunk, in the vectors of both models');
  assert.equal(await count('embedding_waiting'), 0);
  assert.deepEqual(await violations(), []);
});

describe('a provider that fails', () => {
  test('leaves the chunks waiting, visibly, until it works again', async () => {
    await seedChunks('red apples');
    await embed();
    await seedChunks('green pears');
    fake.respond(() => ({ status: 401 }));
    await assert.rejects(embed(), /status 401/);
    assert.deepEqual(await countWaiting(t.deps.db.system), { waiting: 1, refused: 0 });
    const { text } = await t.request({ path: '//metrics' });
    assert.match(text, /pinakes_embedding_chunks_waiting 1\n/);
    assert.match(text, /pinakes_embedded_total\{what="failed_jobs"\} [1-9]/);
    fake.respond(() => undefined);
    await embed();
    assert.deepEqual(await vectors(), expected('first', 'red apples', 'green pears'));
    assert.deepEqual(await countWaiting(t.deps.db.system), { waiting: 0, refused: 0 });
  });

  test('for good is asked again by the collector', async () => {
    await seedChunks('red apples');
    fake.respond(() => ({ status: 401 }));
    await assert.rejects(embedChunks(t.deps)({ tenantId: tenant.tenantId }, { ...context(), lastAttempt: true }));
    const jobs = async () => {
      const [row] = await t.deps.db.system.query<{ n: number }>(
        sql`select count(*) as n from pgboss.job where name = 'embed-chunks' and data ->> 'tenantId' = ${tenant.tenantId}`,
      );
      return row!.n;
    };
    assert.equal(await jobs(), 1);
    await collectGarbage(t.deps)({}, context());
    assert.equal(await jobs(), 2);
    await collectGarbage(t.deps)({}, context());
    assert.equal(await jobs(), 2, 'while one waits, no other is added');
    now = new Date(now.getTime() + 3_600_000);
    await collectGarbage(t.deps)({}, context());
    assert.equal(await jobs(), 3, 'a job that was lost is replaced');
  });

  test('for one text alone is not asked for it again', async () => {
    fake.respond(({ texts }) => (texts.some((one) => one.includes('bad')) ? { status: 400 } : undefined));
    await seedChunks('good', 'bad', 'fine');
    await embed();
    assert.deepEqual([...(await vectors()).keys()], ['fine', 'good']);
    const asked = fake.calls.length;
    await embed();
    assert.equal(fake.calls.length, asked);
    assert.equal((await countWaiting(t.deps.db.system)).refused, 1);
  });

  test('with another dimension than before fails clearly, and nothing is stored', async () => {
    await seedChunks('red apples');
    await embed();
    await seedChunks('green pears');
    fake.respond(({ texts }) => ({ answer: { data: texts.map(() => ({ embedding: [1, 2, 3] })) } }));
    await assert.rejects(embed(), /answered with 3 dimensions; its vectors here have 64/);
    assert.deepEqual(await vectors(), expected('first', 'red apples'));
  });
});

describe('another model', () => {
  const texts = Array.from({ length: 100 }, (_, i) => `chunk number ${i}`);

  test('is built while the one before serves, and takes its place at once', async () => {
    await seedChunks(...texts);
    await embed();
    const wide = withModel('wide');
    const seen = new Set<string>();
    fake.respond(async () => {
      seen.add((await serving())!.model);
      return undefined;
    });
    await embed(wide);
    assert.deepEqual([...seen], ['first']);
    assert.deepEqual(await vectors(), expected('wide', ...texts));
    assert.partialDeepStrictEqual(await serving(), { generation: 2, model: 'wide', dimension: 96 });
    assert.deepEqual(await violations(), []);
    const before = await listGenerations(t.deps.db.system, tenant.tenantId);
    assert.deepEqual(
      before.map(({ status }) => status),
      ['retired', 'serving'],
    );
    await collectGarbage(wide)({}, context());
    assert.equal(await count('chunk_vector'), 200, 'searches that began before may still read the old vectors');
    now = new Date(now.getTime() + 600_000);
    await collectGarbage(wide)({}, context());
    assert.equal(await count('chunk_vector'), 100);
    assert.equal((await listGenerations(t.deps.db.system, tenant.tenantId)).length, 1);
  });

  test('gives vectors of both to chunks that arrive meanwhile', async () => {
    await seedChunks(...texts);
    await embed();
    let arrived = false;
    fake.respond(async ({ model }) => {
      if (model === 'wide' && !arrived) {
        arrived = true;
        await seedChunks('a late chunk');
      }
      return undefined;
    });
    const { deps, killed } = dying(withModel('wide'), 'embed.indexed');
    await assert.rejects(embed(deps));
    assert.ok(killed());
    assert.deepEqual(await vectors(), expected('first', ...texts, 'a late chunk'));
    now = new Date(now.getTime() + 60_000);
    await embed(withModel('wide'));
    assert.deepEqual(await vectors(), expected('wide', ...texts, 'a late chunk'));
  });

  for (const [point, times] of [
    ['embed.generation_created', 1],
    ['embed.batch_embedded', 2],
    ['embed.batch_stored', 2],
    ['embed.indexed', 1],
    ['embed.served', 1],
  ] as const) {
    test(`goes on after a kill at ${point}`, async () => {
      await seedChunks(...texts);
      await embed();
      const { deps, killed } = dying(withModel('wide'), point, times);
      await assert.rejects(embed(deps));
      assert.ok(killed());
      assert.equal((await serving())!.model, point === 'embed.served' ? 'wide' : 'first');
      now = new Date(now.getTime() + 60_000);
      await embed(withModel('wide'));
      assert.deepEqual(await vectors(), expected('wide', ...texts));
      assert.deepEqual(await violations(), []);
      const again = texts.filter((text) => fake.embedded.get(`wide\0${text}`) !== 1);
      // Two lanes, each with a request in hand when it was killed.
      const most = point === 'embed.batch_embedded' || point === 'embed.batch_stored' ? 2 * BATCH_TEXTS_MAX : 0;
      assert.ok(again.length <= most, `${again.length} embedded again`);
    });
  }

  test('is built although the one before is gone from the provider', async () => {
    await seedChunks(...texts);
    await embed();
    await seedChunks('a late chunk');
    fake.respond(({ model }) => (model === 'first' ? { status: 404 } : undefined));
    await embed(withModel('wide'));
    assert.deepEqual(await vectors(), expected('wide', ...texts, 'a late chunk'));
  });

  test('is given up when a third one is configured, or the first one again', async () => {
    await seedChunks(...texts);
    await embed();
    await assert.rejects(embed(dying(withModel('wide'), 'embed.batch_stored').deps));
    now = new Date(now.getTime() + 60_000);
    const requests = fake.calls.length;
    await embed();
    assert.deepEqual(await vectors(), expected('first', ...texts));
    assert.equal(fake.calls.length, requests);
    await assert.rejects(embed(dying(withModel('wide'), 'embed.batch_stored').deps));
    now = new Date(now.getTime() + 60_000);
    await embed(withModel('third'));
    assert.deepEqual(await vectors(), expected('third', ...texts));
    now = new Date(now.getTime() + 600_000);
    await collectGarbage(withModel('third'))({}, context());
    assert.equal(await count('chunk_vector'), 100);
    assert.equal(await count('embedding_waiting'), 0);
  });

  test('with many chunks gets its index when the vectors are there', async () => {
    await seedChunks(...Array.from({ length: INDEX_LATER_CHUNKS_MIN + 1 }, (_, i) => `w${i % 40} v${i % 7}`));
    const { deps, killed } = dying(t.deps, 'embed.batch_stored', 5);
    await assert.rejects(embed(deps));
    assert.ok(killed());
    const [building] = await listGenerations(t.deps.db.system, tenant.tenantId);
    assert.partialDeepStrictEqual(building, { status: 'building', filled: true, indexed: false });
    now = new Date(now.getTime() + 60_000);
    await embed();
    const [served] = await listGenerations(t.deps.db.system, tenant.tenantId);
    assert.partialDeepStrictEqual(served, { status: 'serving', indexed: true });
    assert.equal(await count('chunk_vector'), INDEX_LATER_CHUNKS_MIN + 1);
    assert.equal(requested().length, 280);
  });
});

describe('two workers', () => {
  test('do not embed for one tenant at once; the slower one stores nothing any more', async () => {
    await seedChunks('red apples', 'green pears');
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    fake.respond(async ({ texts }) => {
      if (texts[0] === 'text') return undefined;
      asked.resolve();
      await held.promise;
      return undefined;
    });
    const slow = embed();
    await asked.promise;
    await embed();
    assert.equal(requested().length, 2, 'a second job leaves it to the first');
    now = new Date(now.getTime() + 60_000);
    fake.respond(() => undefined);
    await embed();
    assert.equal(requested().length, 4, 'taken over from a job that was silent');
    const stored = await count('chunk_vector');
    held.resolve();
    await slow;
    assert.equal(await count('chunk_vector'), stored);
    assert.deepEqual(await violations(), []);
  });
});
