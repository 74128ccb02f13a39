/** Pages of a search while a rule blocks many of its results: they are full, and no result is missing or there twice. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeRerank, openFakeRerank } from '../../support/fakes/rerank.ts';
import { ingest } from '../../support/upload.ts';

const FILES = 40;
const PAGE = 6;

let t: TestApp;
let reranker: FakeRerank;
before(async () => {
  reranker = await openFakeRerank();
  t = await openTestApp({
    runsJobs: true,
    env: { PINAKES_RERANK_MODEL: 'judge', PINAKES_RERANK_BASE_URL: reranker.url },
  });
  // Near copies would be left out.
  const words = (i: number) => createHash('sha256').update(`${i}`).digest('hex').match(/.{8}/g)!.join(' ');
  const files = Array.from({ length: FILES }, (_, i) => ({
    name: `${i}.txt`,
    content: `The crane ${words(i)} is kept by ${i % 4 === 3 ? 'nobody' : 'Secretname'}.`,
  }));
  await ingest(t, files);
});
after(async () => {
  await t.close();
  await reranker.close();
});

test('pages are filled with the results behind those that a rule blocks, with and without a rerank model', async () => {
  const rule = { name: 'n', kind: 'dictionary', terms: ['Secretname'], action: 'block', apply_at: ['retrieval'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  reranker.calls.length = 0;
  for (const rerank of [true, false]) {
    const pages: string[][] = [];
    for (let offset = 0; offset < FILES; offset += PAGE) {
      const { body } = await t.post('/search', { query: 'crane', limit: PAGE, offset, rerank });
      pages.push(body.results.map(({ name }: { name: string }) => name));
    }
    const found = pages.flat();
    assert.deepEqual(
      pages.map(({ length }) => length),
      [PAGE, 10 - PAGE, 0, 0, 0, 0, 0],
      `rerank ${rerank}`,
    );
    assert.equal(new Set(found).size, FILES / 4);
    for (const name of found) assert.equal(Number.parseInt(name, 10) % 4, 3);
  }
  assert.ok(reranker.calls.length > 0);
  for (const { texts } of reranker.calls) assert.equal(texts.length, FILES / 4, 'only what is shown is judged');
});

test('a blocked chunk takes neither the place of its copy nor that of other chunks of its source', async () => {
  const rule = { name: 'n', kind: 'dictionary', terms: ['Secretname'], action: 'block', apply_at: ['retrieval'] };
  const part = (i: number, words: string) => `# Part ${i}\n\n${`${words} `.repeat(300)}\n\n`;
  const copied = { content: 'The harbour of the town has a lighthouse from 1861.' };
  await ingest(t, [
    { name: 'Secretname harbour.txt', ...copied },
    { name: 'b.txt', ...copied },
    { name: 'c.txt', ...copied },
    {
      name: 'long.md',
      content: part(0, 'ferry ferry Secretname') + [1, 2, 3, 4, 5].map((i) => part(i, `ferry quay word${i}`)).join(''),
    },
  ]);
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  for (const rerank of [true, false]) {
    const { body } = await t.post('/search', { query: 'harbour', rerank });
    assert.equal(body.results.length, 1, 'of two visible copies, one is shown');
    assert.match(body.results[0].name, /^[bc]\.txt$/);
    const limited = await t.post('/search', { query: 'ferry', max_chunks_per_source: 1, rerank });
    assert.equal(limited.body.results.length, 1);
    assert.equal(
      (await t.post('/search', { query: 'ferry', max_chunks_per_source: 3, rerank })).body.results.length,
      3,
    );
  }
});
