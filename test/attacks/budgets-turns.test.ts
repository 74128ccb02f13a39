/** Searches wait in the name of their tenant and key, at the database and at models. How turns are taken is tested at each queue. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { type FakeRerank, openFakeRerank } from '../support/fakes/rerank.ts';
import { eventually, ingest } from '../support/upload.ts';

let t: TestApp;
let embeddings: FakeEmbeddings;
let reranker: FakeRerank;
before(async () => {
  embeddings = await openFakeEmbeddings();
  reranker = await openFakeRerank();
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_EMBEDDING_MODEL: 'openai-compatible:m',
      PINAKES_EMBEDDING_BASE_URL: embeddings.url,
      PINAKES_RERANK_MODEL: 'judge',
      PINAKES_RERANK_BASE_URL: reranker.url,
    },
  });
  await ingest(t, [{ name: 'birds.txt', content: 'A heron waits.' }]);
  await eventually(async () => (await t.post('/search', { query: 'heron' })).body.results[0]?.scores.semantic !== null);
});
after(async () => {
  await t.close();
  await embeddings.close();
  await reranker.close();
});

for (const [name, path, body] of [
  ['a search', '/search', { query: 'heron waits' }],
  ['a completion', '/completions', { messages: [{ role: 'user', content: 'What waits?' }] }],
] as const) {
  test(`${name} takes its turn as its tenant and key at the database, the embedding model and the rerank model`, async () => {
    const { db, embedding, reranker: model } = t.deps;
    const [transaction, embedQuery, rerank] = [db.transaction, embedding!.embedQuery, model!.rerank];
    const owners = { database: new Set<string>(), embedding: new Set<string>(), rerank: new Set<string>() };
    db.transaction = (tenantId, fn, options) => {
      if (options?.readOnly) owners.database.add(`${tenantId} ${options.keyFamilyId}`);
      return transaction(tenantId, fn, options);
    };
    embedding!.embedQuery = (tenantId, model, query, signal, family) => {
      owners.embedding.add(`${tenantId} ${family}`);
      return embedQuery(tenantId, model, query, signal, family);
    };
    model!.rerank = (query, texts, signal, whose) => {
      owners.rerank.add(`${whose?.owner} ${whose?.part}`);
      return rerank(query, texts, signal, whose);
    };
    try {
      const { status, text } = await t.post(path, body);
      assert.equal(status, 200, text);
    } finally {
      db.transaction = transaction;
      embedding!.embedQuery = embedQuery;
      model!.rerank = rerank;
    }
    const [key] = await t.deps.db.system.execute('select tenant_id, family_id from api_key').then(({ rows }) => rows);
    const own = new Set([`${key!['tenant_id']} ${key!['family_id']}`]);
    assert.deepEqual(owners, { database: own, embedding: own, rerank: own });
  });
}
