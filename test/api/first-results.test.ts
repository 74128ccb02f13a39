/** The order of the first results: what has the words in quotes, one behind the other, comes before all others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { ingest } from '../support/upload.ts';

let t: TestApp;

/** Texts in which all words of the phrase are more frequent than in the text that has the phrase. */
const OTHERS = Array.from({ length: 30 }, (_, i) => ({
  name: `tide-${i}.md`,
  content: `# High tide ${i}\n\nThe tide table. A high tide, a high water, a table ${i}: the tide is high at the water.\n`,
}));

before(async () => {
  t = await openTestApp({ runsJobs: true });
  const filler = Array.from({ length: 40 }, (_, i) => `harbour${i}`).join(' ');
  await ingest(t, [
    ...OTHERS,
    { name: 'steps.md', content: `Boats. ${filler} A high-water table hangs here. ${filler}\n` },
  ]);
});
after(() => t.close());

async function names(body: object): Promise<string[]> {
  const answer = await t.post('/search', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.results.map(({ name }: { name: string }) => name);
}

test('a text with the phrase in quotes comes first, and only because of the quotes', async () => {
  assert.equal((await names({ query: '"high water table"' }))[0], 'steps.md');
  assert.notEqual((await names({ query: 'table water high' }))[0], 'steps.md');
  assert.notEqual((await names({ query: '"high water table"', rerank: false }))[0], 'steps.md');
});

test('pages of a search for a phrase have no result twice and leave none out', async () => {
  const all = await names({ query: '"high water table"', limit: 40 });
  const pages = [];
  for (let offset = 0; offset < 40; offset += 8)
    pages.push(...(await names({ query: '"high water table"', limit: 8, offset })));
  assert.deepEqual(pages, all);
  assert.equal(new Set(all).size, 31);
});

test('signs of a phrase count, and the address of a link does not', async () => {
  await ingest(t, [
    { name: 'vitamins.md', content: '# C\n\nVitamin C, a C vitamin, C and C.\n' },
    {
      name: 'lang.md',
      content: `# Languages\n\n${Array.from({ length: 60 }, (_, i) => `tongue${i}`).join(' ')} C++\n`,
    },
    { name: 'hats.md', content: '# Guides\n\nRead the [red hat](https://hats.example/red.html) guide.\n' },
    {
      name: 'guide.md',
      content: '# Red hat: a guide\n\nA guide to a red hat, a red guide to hats.\n',
    },
  ]);
  assert.equal((await names({ query: '"C++"' }))[0], 'lang.md');
  assert.equal((await names({ query: '"red hat guide"' }))[0], 'hats.md');
});

test('a question without quotes finds the text that answers it before the one that repeats it', async () => {
  const run = 'To rotate the keys of a tenant, run the command rotate. The old keys are valid for one more hour.';
  await ingest(t, [
    { name: 'keys.md', content: `# Rotating keys\n\n${run}\n` },
    {
      name: 'support.md',
      content:
        '# Support\n\nQuestions that we are often asked: how to rotate keys, how to install, how to pay a bill.\n',
    },
  ]);
  assert.deepEqual((await names({ query: 'how to rotate keys' })).slice(0, 2), ['keys.md', 'support.md']);
  assert.deepEqual((await names({ query: '"how to rotate keys"' })).slice(0, 2), ['support.md', 'keys.md']);
});
