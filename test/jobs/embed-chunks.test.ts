/** The embedding job stores the vectors of chunks, and embeds no text twice, whatever the provider does. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { copyDatabase } from '../../src/copy-database.ts';
import { countWaiting } from '../../src/corpus/embedding-queue-store.ts';
import { findServingVectors, vectorColumn, vectorOrder, vectorType } from '../../src/corpus/vector-store.ts';
import { identifier, sql } from '../../src/db/sql.ts';
import { examine, examineModels } from '../../src/doctor.ts';
import type { Check } from '../../src/features/console/checks.ts';
import { deleteFiles } from '../../src/ingest/removal/delete-source.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { openTestDatabase } from '../support/database.ts';
import { FAKE_DIMENSION, hashVector } from '../support/fakes/embeddings.ts';
import { uploadFiles } from '../support/upload.ts';
import {
  context,
  type EmbeddingWorld,
  expectedVectors,
  openEmbeddingWorld,
} from '../support/worlds/embedding-world.ts';

let w: EmbeddingWorld;

before(async () => {
  w = await openEmbeddingWorld();
});
after(() => w.close());
beforeEach(() => w.reset());

async function uploaded(files: Record<string, string>): Promise<string> {
  const id = await uploadFiles(w.t, files, w.tenant.key);
  const { body } = await w.t.get(`/source-groups/${id}/runs`, w.tenant.key);
  await ingestRun(w.t.deps)({ tenantId: w.tenant.tenantId, runId: body.runs[0].id }, context());
  return id;
}

test('the job stores the vectors of all chunks, and searches use them', async () => {
  await w.seedChunks('red apples', 'green pears', 'blue plums');
  assert.equal(await w.serving(), undefined);
  await w.embed();
  assert.deepEqual(await w.vectors(), expectedVectors('first', 'red apples', 'green pears', 'blue plums'));
  assert.partialDeepStrictEqual(await w.serving(), { generation: 1, model: 'first', dimension: FAKE_DIMENSION });
  assert.equal(await w.count('embedding_waiting'), 0);
  assert.deepEqual(await w.violations(), []);
});

test('a copied database gets its vectors without the model', async () => {
  await w.seedChunks('red apples', 'green pears', 'green pears');
  await w.embed();
  const copy = await openTestDatabase();
  try {
    const { config, log } = w.t.deps;
    await copyDatabase(w.t.deps.db, copy.db, config, log);
    w.fake.calls.length = 0;
    await w.embed({ ...w.t.deps, db: copy.db });
    const { tenantId } = w.tenant;
    const { table, ...kind } = (await findServingVectors(copy.db.system, tenantId))!;
    const stored = await copy.db.system.query<{ hash: string; embedding: string }>(
      sql`select ${vectorColumn(kind)}::text as embedding from ${identifier(table)}`,
    );
    const expected = ['red apples', 'green pears', 'green pears'].map((text) => hashVector(text, 'first'));
    const sorted = (vectors: number[][]): string[] => vectors.map((vector) => String(vector)).sort();
    assert.deepEqual(sorted(stored.map(({ embedding }) => JSON.parse(embedding))), sorted(expected));
    assert.deepEqual(w.requested(), []);
  } finally {
    await copy.close();
  }
});

test('the nearest chunks are found through the index of the generation', async () => {
  await w.seedChunks(...Array.from({ length: 50 }, (_, i) => `word${i} word${i + 1}`));
  await w.embed();
  const serving = (await w.serving())!;
  const { table } = serving;
  const query = JSON.stringify(hashVector('word7 word8', 'first'));
  const plan = await w.t.deps.db.transaction(w.tenant.tenantId, async (tx) => {
    await tx.query(sql`set local enable_seqscan = off`);
    await tx.query(sql`set local enable_sort = off`);
    const { rows } = await tx.execute(
      `explain select chunk_id from ${table} order by ${vectorOrder(serving).text} <=> '${query}'::${vectorType(serving).text} limit 1`,
    );
    return JSON.stringify(rows);
  });
  assert.match(plan, new RegExp(`Index Scan using ${table}_hnsw`));
});

test('a tenant without chunks causes no request to the model', async () => {
  await w.embed();
  assert.equal(w.fake.calls.length, 0);
});

describe('ingestion', () => {
  test('stores chunks that are found at once, and enqueues the embedding job in the same transaction', async () => {
    w.fake.respond(() => ({ status: 500 }));
    const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.' });
    const { body } = await w.t.get(`/local-file-groups/${groupId}`, w.tenant.key);
    assert.equal(body.status, 'success');
    const found = await w.t.post('/search', { query: 'heron', mode: 'lexical' }, w.tenant.key);
    assert.equal(found.body.results.length, 1);
    assert.equal(await w.jobs(), 1);
    w.fake.respond(() => undefined);
    await w.embed();
    assert.equal((await w.vectors()).size, 1);
  });

  test('enqueues one job, however many transactions store chunks', async () => {
    await uploaded(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.txt`, `file number ${i}`])));
    await uploaded({ 'b.txt': 'one more' });
    assert.equal(await w.jobs(), 1);
    await w.embed();
    assert.equal((await w.vectors()).size, 61);
    await uploaded({ 'c.txt': 'another' });
    assert.equal(await w.count('embedding_waiting'), 1);
    await w.embed();
    assert.equal((await w.vectors()).size, 62);
  });
});

describe('the model is asked only once for', () => {
  test('chunks with equal texts', async () => {
    await w.seedChunks('same words', 'same words', 'other words');
    await w.embed();
    await w.seedChunks('same words');
    await w.embed();
    assert.deepEqual(w.requested().sort(), ['other words', 'same words']);
    assert.equal(await w.count('chunk_vector'), 4);
  });

  test('chunks that are replaced by equal chunks', async () => {
    const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.', 'b.txt': 'The stork is away.' });
    await w.embed();
    const before = w.requested().length;
    await w.t.deps.db.query(
      w.tenant.tenantId,
      sql`update source set status = 'pending' where tenant_id = ${w.tenant.tenantId} and source_group_id = ${groupId}`,
    );
    const { body } = await w.t.post(`/source-groups/${groupId}/runs`, {}, w.tenant.key);
    await ingestRun(w.t.deps)({ tenantId: w.tenant.tenantId, runId: body.id ?? body.run?.id }, context());
    assert.equal(await w.count('chunk_vector'), 0);
    assert.equal(await w.count('embedding_cache'), 2);
    await w.embed();
    assert.equal(await w.count('chunk_vector'), 2);
    assert.equal(w.requested().length, before);
    w.pass(2 * 24 * 3_600);
    await collectGarbage(w.t.deps)({}, context());
    assert.equal(await w.count('embedding_cache'), 0, 'the cache is pruned');
  });

  test('the chunks of a job that runs twice', async () => {
    await w.seedChunks('a b', 'c d');
    await Promise.all([w.embed(), w.embed()]);
    await w.embed();
    assert.equal(w.requested().length, 2);
    assert.equal(await w.count('chunk_vector'), 2);
  });
});

test('vectors are deleted with their chunks, and deleted content is not sent to the model', async () => {
  const groupId = await uploaded({ 'a.txt': 'The heron stands in the reeds.', 'b.txt': 'The stork is away.' });
  assert.equal((await countWaiting(w.t.deps.db.system)).waiting, 2, 'chunks wait before the first generation exists');
  const { db } = w.t.deps;
  const own = (id: string) => db.transaction(id, (tx) => countWaiting(tx, id));
  assert.equal((await own(w.tenant.tenantId)).waiting, 2);
  assert.equal((await own(w.t.tenantId)).waiting, 0);
  await w.embed();
  assert.equal((await countWaiting(w.t.deps.db.system)).waiting, 0);
  assert.equal(await w.count('chunk_vector'), 2);
  const { body } = await w.t.get(`/source-groups/${groupId}/sources`, w.tenant.key);
  await w.t.delete(`/sources/${body.sources[0].id}`, w.tenant.key);
  const wide = w.withModel('wide');
  await w.embed(wide);
  assert.equal(w.fake.calls.filter((call) => call.model === 'wide').flatMap((call) => call.texts).length, 2);
  await deleteFiles(w.t.deps)({ tenantId: w.tenant.tenantId, groupId }, context());
  assert.equal(await w.count('chunk_vector'), 2, 'one chunk, in the vectors of both models');
  assert.equal(await w.count('embedding_waiting'), 0);
  assert.deepEqual(await w.violations(), []);
});

describe('a provider that fails', () => {
  test('leaves chunks waiting, which the service shows, until the provider works again', async () => {
    await w.seedChunks('red apples');
    await w.embed();
    await w.seedChunks('green pears');
    w.fake.respond(() => ({ status: 401 }));
    await assert.rejects(w.embed(), /status 401/);
    assert.deepEqual(await countWaiting(w.t.deps.db.system), { waiting: 1, refused: 0 });
    const { text } = await w.t.request({ path: '//metrics' });
    assert.match(text, /pinakes_embedding_chunks_waiting 1\n/);
    assert.match(text, /pinakes_embedded_total\{what="failed_jobs"\} [1-9]/);
    w.fake.respond(() => undefined);
    await w.embed();
    assert.deepEqual(await w.vectors(), expectedVectors('first', 'red apples', 'green pears'));
    assert.deepEqual(await countWaiting(w.t.deps.db.system), { waiting: 0, refused: 0 });
  });

  test('in every attempt is asked again by a job of the collector', async () => {
    await w.seedChunks('red apples');
    w.fake.respond(() => ({ status: 401 }));
    await assert.rejects(w.embed(w.t.deps, { lastAttempt: true }));
    assert.equal(await w.jobs(), 1);
    await collectGarbage(w.t.deps)({}, context());
    assert.equal(await w.jobs(), 2);
    await collectGarbage(w.t.deps)({}, context());
    assert.equal(await w.jobs(), 2, 'no second job is enqueued while one waits');
    w.pass(3_600);
    await collectGarbage(w.t.deps)({}, context());
    assert.equal(await w.jobs(), 3, 'a lost job is replaced');
  });

  test('for a single text is not asked for this text again', async () => {
    w.fake.respond(({ texts }) => (texts.some((one) => one.includes('bad')) ? { status: 400 } : undefined));
    await w.seedChunks('good', 'bad', 'fine');
    await w.embed();
    assert.deepEqual([...(await w.vectors()).keys()], ['fine', 'good']);
    const asked = w.fake.calls.length;
    await w.embed();
    assert.equal(w.fake.calls.length, asked);
    assert.equal((await countWaiting(w.t.deps.db.system)).refused, 1);
  });

  test('by another dimension than before causes a clear error, and no vector is stored', async () => {
    await w.seedChunks('red apples');
    await w.embed();
    await w.seedChunks('green pears');
    w.fake.respond(({ texts }) => ({ answer: { data: texts.map(() => ({ embedding: [1, 2, 3] })) } }));
    await assert.rejects(w.embed(), /first returned 3 dimensions; its stored vectors have 64/);
    assert.deepEqual(await w.vectors(), expectedVectors('first', 'red apples'));
  });
});

test('doctor tries the model and reports the number of waiting chunks', async () => {
  await w.seedChunks('red apples');
  await w.embed();
  await w.seedChunks('green pears');
  const of = (checks: Check[], name: string) => checks.find((check) => check.name === name)!;
  const { checks } = await examine(w.t.deps, { thorough: false });
  assert.match(of(checks, 'embedding model').detail, /^first answers with 64 dimensions in \d+ ms$/);
  assert.match(of(checks, 'vectors').detail, /first \(64 dimensions\) used by \d+ tenants?, .*\d+ chunks wait/);
  w.fake.respond(() => ({ status: 401 }));
  const refused = of(await examineModels(w.t.deps), 'embedding model');
  assert.equal(refused.ok, false);
  assert.match(refused.detail, /^the key is refused \(status 401\): check PINAKES_EMBEDDING_API_KEY/);
  const off = await examineModels({ ...w.t.deps, embedding: null });
  const { ok, detail, fix } = of(off, 'embedding model');
  assert.deepEqual([ok, detail], [true, 'none: search is by words, not by meaning']);
  assert.match(fix ?? '', /^pinakes models pull \S+$/);
  w.fake.respond(() => undefined);
  await w.embed();
});
