/** What a redaction policy keeps from embedding and rerank models, and what is shown beside a hit. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { type FakeRerank, openFakeRerank } from '../../support/fakes/rerank.ts';
import { eventually, ingest } from '../../support/upload.ts';

const EMAIL = 'jane.doe@example.com';

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
  const content = `bird,keeper\nheron,nobody\negret,${EMAIL}\nstork of ${EMAIL},somebody\n`;
  await ingest(t, [{ name: 'birds.csv', content }]);
  await eventually(async () => (await search()).body.results[0]?.scores.semantic !== null);
});
after(async () => {
  await t.close();
  await embeddings.close();
  await reranker.close();
});

const search = (query = 'heron', more: object = {}) => t.post('/search', { query, limit: 1, ...more });
async function setPolicy(action: string, ...steps: string[]): Promise<void> {
  const rule = { name: 'mail', kind: 'entity', entities: ['email'], action, apply_at: steps };
  const { status, text } = await t.put('/redaction-policy', { enabled: true, rules: [rule] });
  assert.equal(status, 200, text);
}

test('embedding and rerank models are told neither the query nor the candidates as they are', async () => {
  embeddings.calls.length = 0;
  reranker.calls.length = 0;
  const asked = `Which birds has ${EMAIL}?`;
  await search(asked);
  const told = () => JSON.stringify([embeddings.calls, reranker.calls]);
  assert.equal(told().split(EMAIL).length > 4, true, 'without a policy they are');
  await setPolicy('mask', 'llm_input');
  embeddings.calls.length = 0;
  reranker.calls.length = 0;
  // Its vector of before is remembered.
  assert.ok((await search(asked, { limit: 3 })).text.includes(EMAIL));
  assert.ok(embeddings.calls.length > 0 && reranker.calls.length > 0);
  assert.ok(!told().includes(EMAIL), told());
  assert.ok(JSON.stringify(embeddings.calls).includes('Which birds has [EMAIL]?'));
  await setPolicy('block', 'llm_input');
  reranker.calls.length = 0;
  assert.equal((await search(`Is it ${EMAIL}?`)).status, 400);
  assert.equal((await search(asked, { rerank: false })).status, 400);
  assert.equal((await search(`Is it ${EMAIL}?`, { mode: 'lexical' })).status, 400, 'the rerank model is a model, too');
  assert.equal((await search('egret stork')).status, 200);
  assert.ok(!told().includes(EMAIL));
});

test('what stands beside a hit is shown as the rules leave it, or not at all', async () => {
  const around = async () => {
    const [hit] = (await search('heron', { mode: 'lexical', rerank: false, context: { before: 0, after: 2 } })).body
      .results;
    return hit.context.after.map(({ content }: { content: string }) => content);
  };
  await setPolicy('mask', 'output');
  assert.equal((await around()).join().split(EMAIL).length, 3);
  await setPolicy('mask', 'retrieval');
  assert.equal((await around()).join().split('[EMAIL]').length, 3);
  assert.ok(!(await around()).join().includes(EMAIL));
  await setPolicy('block', 'retrieval');
  assert.deepEqual(await around(), []);
});

test('words of the corpus in a warning', async () => {
  assert.equal((await t.delete('/redaction-policy')).status, 200);
  for (const none of [await t.get('/redaction-policy'), await t.delete('/redaction-policy')])
    assert.deepEqual([none.status, none.body.error.message], [404, 'There is no redaction policy.']);
  const open = (await search('somebdy', { mode: 'lexical' })).body.warnings;
  const rule = {
    name: 'word',
    kind: 'dictionary',
    // The warning names the word as it is compared, which is not as it is written.
    terms: ['SOMEBODY'],
    ignore_case: false,
    action: 'mask',
    apply_at: ['retrieval'],
  };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const masked = (await search('somebdy', { mode: 'lexical' })).body.warnings;
  assert.equal(masked.length, open.length);
  assert.ok(
    JSON.stringify(open).includes('somebody') && !JSON.stringify(masked).includes('some'),
    JSON.stringify(masked),
  );
});
