/** Highlights of search results: where a result has words of the query, as it is shown. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { ingest } from '../support/upload.ts';

interface Result {
  content: string;
  highlights?: { words: Span[]; sentence: Span | null };
}
interface Span {
  start: number;
  end: number;
}

let t: TestApp;

before(async () => {
  t = await openTestApp({ runsJobs: true });
  await ingest(t, [
    {
      name: 'birds.md',
      content: '# Birds 😀\n\nAn oak grows here. The herons of anna@example.com nest in the old oak.\n',
    },
    { name: 'voegel.md', content: '# Vögel\n\nDie Reiher nisten in den alten Häusern am Fluss, sagt das Amt.\n' },
  ]);
});
after(() => t.close());

async function search(body: object): Promise<Result[]> {
  const answer = await t.post('/search', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.results;
}

const cut = (content: string, { start, end }: Span): string => [...content].slice(start, end).join('');

test('results have highlights only if the request asks for them', async () => {
  assert.equal('highlights' in (await search({ query: 'heron' }))[0]!, false);
  const [{ content, highlights } = assert.fail()] = await search({ query: 'Where do herons nest?', highlights: true });
  assert.deepEqual(
    highlights!.words.map((word) => cut(content, word)),
    ['herons', 'nest'],
  );
  assert.equal(cut(content, highlights!.sentence!), 'The herons of anna@example.com nest in the old oak.');
});

test('each result is marked by the rules of its own language', async () => {
  const [{ content, highlights } = assert.fail()] = await search({ query: 'Haus der Reiher', highlights: true });
  assert.deepEqual(
    highlights!.words.map((word) => cut(content, word)),
    ['Reiher', 'Häusern'],
  );
});

test('a word that replaces a misspelled word of the query is marked', async () => {
  const [{ content, highlights } = assert.fail()] = await search({ query: 'hernos nests', highlights: true });
  assert.deepEqual(
    highlights!.words.map((word) => cut(content, word)),
    ['herons', 'nest'],
  );
});

test('what a redaction rule hides is not marked, and the ranges fit the shown text', async () => {
  const rule = { name: 'contact', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['retrieval'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const [{ content, highlights } = assert.fail()] = await search({ query: 'anna example oak', highlights: true });
  assert.ok(!content.includes('anna'));
  assert.deepEqual(
    highlights!.words.map((word) => cut(content, word)),
    ['oak', 'oak'],
  );
});
