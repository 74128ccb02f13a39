/** Where a redaction policy is applied: what a reader, a model, a log and the history never see. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { json } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { ingest, uploadFiles, waitForGroup } from '../../support/upload.ts';

const EMAIL = 'jane.doe@example.com';
const CARD = '4111 1111 1111 1111';
const QUESTION = 'Who answers questions about the heron project?';

let t: TestApp;
let fake: FakeOpenAi;
let sourceId: string;

before(async () => {
  fake = await openFakeOpenAi();
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CHAT_API_KEY: 'sk-secret',
    },
  });
  const content = `# Heron project\n\nJane answers questions about the heron project under ${EMAIL} all day.\n`;
  const group = await ingest(t, [{ name: `heron of ${EMAIL}.md`, content }]);
  [{ id: sourceId }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
});
after(async () => {
  await t.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond({ deltas: ['Fine.'] });
});

type Rule = { action?: string; apply_at: string[]; entities?: string[] };
async function setPolicy(...rules: Rule[]): Promise<void> {
  const body = {
    enabled: true,
    rules: rules.map((rule, i) => ({
      name: `r${i}`,
      kind: 'entity',
      entities: ['email', 'credit_card'],
      action: 'mask',
      ...rule,
    })),
  };
  const { status, text } = await t.put('/redaction-policy', body);
  assert.equal(status, 200, text);
}
const ask = (more: object = {}) => t.post('/completions', { messages: [{ role: 'user', content: QUESTION }], ...more });
const search = (more: object = {}) => t.post('/search', { query: 'heron project', ...more });

/** Everything that reads content, as text. */
async function reads(): Promise<Record<string, string>> {
  const first = await search({ context: { before: 1, after: 1 } });
  assert.equal(first.status, 200, first.text);
  const found = first.body.results[0];
  const group = found ? found.source_group_id : '';
  return {
    search: (await search({ context: { before: 1, after: 1 } })).text,
    chunks: (await t.get(`/sources/${sourceId}/chunks`)).text,
    text: (await t.get(`/sources/${sourceId}/text`)).text,
    source: (await t.get(`/sources/${sourceId}`)).text,
    ...(found && { content: (await t.get(`/contents/${found.id}`)).text }),
    ...(found && { sources: (await t.get(`/source-groups/${group}/sources`)).text }),
    completion: (await ask()).text,
  };
}
const leaking = (texts: Record<string, string>, secret = EMAIL) =>
  Object.keys(texts).filter((name) => texts[name]!.includes(secret));

describe('retrieval', () => {
  test('without a rule every read shows the address; with one none does', async () => {
    fake.respond({ deltas: ['Jane answers questions about the heron project all day [1].'] });
    const open = await reads();
    assert.deepEqual(leaking(open), Object.keys(open));
    await setPolicy({ apply_at: ['retrieval'] });
    const masked = await reads();
    assert.deepEqual(leaking(masked), []);
    assert.equal(Object.keys(masked).length, Object.keys(open).length);
    for (const [name, text] of Object.entries(masked)) assert.match(text, /\[EMAIL\]/, name);
  });

  test('a quote is verified as it is seen', async () => {
    await setPolicy({ apply_at: ['retrieval', 'llm_input', 'output'] });
    fake.respond({ deltas: ['Jane answers questions about the heron project under [EMAIL] all day [1].'] });
    const [{ citations }] = (await ask()).body.choices;
    assert.equal(citations[0].citation.verified, true);
    assert.match(citations[0].citation.quote, /under \[EMAIL\] all day/);
  });

  test('what a rule withholds is not found', async () => {
    const { id } = (await search()).body.results[0];
    await setPolicy({ apply_at: ['retrieval'], action: 'block' });
    assert.deepEqual((await search()).body.results, []);
    assert.equal((await t.get(`/contents/${id}`)).status, 404);
    assert.deepEqual((await t.get(`/sources/${sourceId}/chunks`)).body.chunks, []);
    assert.equal((await t.get(`/sources/${sourceId}/text`)).status, 404);
    const { body } = await ask();
    assert.equal(body.choices[0].finish_reason, 'no_answer');
  });

  test('no range of the text shows a part of a match', async () => {
    await setPolicy({ apply_at: ['retrieval'] });
    const { text_length: length, text } = (await t.get(`/sources/${sourceId}/text`)).body;
    assert.ok(!text.includes('jane.doe') && text.includes('under [EMAIL] all day'));
    for (let start = 0; start < length; start += 3) {
      for (const end of [start + 1, start + 9]) {
        const part = (await t.get(`/sources/${sourceId}/text?start_offset=${start}&end_offset=${end}`)).body.text;
        assert.ok('…'.concat(text).includes(part), `${start}-${end}: ${part}`);
      }
    }
  });
});

test('llm_input: passages, question and history reach the model masked, and nothing else is', async () => {
  await setPolicy({ apply_at: ['llm_input'] });
  const history = [
    { role: 'system', content: `Be kind to ${EMAIL}.` },
    { role: 'user', content: `My card is ${CARD}.` },
    { role: 'assistant', content: `So it is ${CARD}.` },
  ];
  const { status, text } = await ask({
    messages: [...history, { role: 'user', content: `${QUESTION} I am ${EMAIL}` }],
  });
  assert.equal(status, 200, text);
  assert.equal(fake.calls.length, 1);
  const told = JSON.stringify(fake.calls[0]!.body);
  assert.ok(!told.includes(EMAIL) && !told.includes(CARD), told);
  assert.equal(told.match(/\[EMAIL\]/g)?.length, 3, 'system, question, text of the passage');
  assert.match(told, /file: heron of EMAIL \|/);
  assert.equal(told.match(/\[CREDIT_CARD\]/g)?.length, 2);
  fake.calls.length = 0;
  await ask({ messages: [...history, { role: 'user', content: `And who else answers them? I have ${CARD}.` }] });
  const calls = JSON.stringify(fake.calls.map(({ body }) => body));
  assert.ok(calls.includes('[CREDIT_CARD]') && !calls.includes(CARD), 'a question that leans on the conversation');
  assert.ok((await search()).text.includes(EMAIL));
  fake.calls.length = 0;
  await setPolicy({ apply_at: ['llm_input'], action: 'block' });
  const refused = await ask({ messages: [{ role: 'user', content: `Who is ${EMAIL}?` }] });
  assert.equal(refused.status, 400);
  assert.ok(!refused.text.includes(EMAIL));
  assert.equal((await ask()).body.choices[0].finish_reason, 'no_answer', 'the only passage is kept from the model');
  assert.equal(fake.calls.length, 0);
});

describe('output', () => {
  const ANSWER = `Write to ${EMAIL} or pay with ${CARD} now [1].`;
  const MASKED = 'Write to [EMAIL] or pay with [CREDIT_CARD] now.';

  test('an answer cut anywhere leaks nothing, as JSON, as text, as events, in the history and the log', async () => {
    await setPolicy({ apply_at: ['output'] });
    for (let cut = 0; cut <= ANSWER.length; cut += 1) {
      fake.respond({ deltas: [ANSWER.slice(0, cut), ANSWER.slice(cut)].filter((delta) => delta !== '') });
      const form = cut % 3;
      const accept: Record<string, string> = form === 2 ? { accept: 'text/event-stream' } : {};
      const body = { messages: [{ role: 'user', content: QUESTION }], ...(form === 1 ? { stream: true } : {}) };
      const answer = await t.request({ method: 'POST', path: '/completions', body, headers: accept });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.text.includes(EMAIL), answer.text.includes('4111 ')], [false, false], answer.text);
      const said =
        form === 0
          ? answer.body.choices[0].message.content
          : form === 1
            ? answer.text
            : [...answer.text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('');
      assert.equal(said, MASKED, `cut at ${cut}`);
      if (form !== 0) continue;
      assert.equal(answer.body.choices[0].citations.length, 1);
      const stored = await t.get(`/conversations/${answer.body.conversation_id}`);
      assert.equal(stored.body.messages[1].content, MASKED);
      assert.ok(!stored.text.includes(EMAIL));
    }
    const log = JSON.stringify(t.logs);
    assert.ok(!log.includes(EMAIL) && !log.includes(CARD));
  });

  test('a blocked answer ends there', async () => {
    await setPolicy({ apply_at: ['output'], action: 'block', entities: ['credit_card'] });
    fake.respond({ deltas: ['The card is ', CARD, ' and so on.'] });
    const { body, text } = await ask();
    assert.equal(body.choices[0].finish_reason, 'content_filter');
    assert.ok(!text.includes('4111 ') && !text.includes('so on'));
  });
});

test('history: stored as it may be shown, and shown under the rules of today', async () => {
  await t.delete('/redaction-policy');
  fake.respond({ deltas: [`Jane is ${EMAIL} [1]. She answers questions about the heron project [1]. Ask Bob.`] });
  const before = (await ask({ messages: [{ role: 'user', content: `${QUESTION} Not ${CARD}.` }] })).body;
  const path = `/conversations/${before.conversation_id}`;
  const open = (await t.get(path)).body;
  assert.ok(open.title.includes(CARD) && open.messages[1].content.includes(EMAIL));
  for (const step of ['retrieval', 'output', 'ingest']) {
    await setPolicy({ apply_at: [step] });
    const shown = await t.get(path);
    assert.ok(!shown.text.includes(EMAIL) && !shown.text.includes(CARD), step);
    assert.ok(!(await t.get('/conversations?limit=100')).text.includes(CARD), step);
    const [, { content, citations, unsupported_spans: unsupported }] = shown.body.messages;
    const cited = citations.flatMap(({ citation }: { citation: { spans: { start: number; end: number }[] } }) =>
      citation.spans.map(({ start, end }) => [...content].slice(start, end).join('')),
    );
    const sentences = ['Jane is [EMAIL].', 'She answers questions about the heron project.'];
    assert.deepEqual(cited.sort(), sentences, 'spans moved with the text');
    assert.equal([...content].slice(unsupported.at(-1).start, unsupported.at(-1).end).join(''), 'Ask Bob.');
  }
  await setPolicy({ apply_at: ['llm_input'] });
  await ask({ conversation_id: before.conversation_id, messages: [{ role: 'user', content: QUESTION }] });
  const told = JSON.stringify(fake.calls.at(-1)!.body);
  assert.ok(!told.includes(EMAIL) && !told.includes(CARD));
  for (const step of ['llm_input', 'output']) {
    await setPolicy({ apply_at: [step] });
    const asked = { messages: [{ role: 'user', content: `${QUESTION} I am ${CARD}.` }] };
    const { conversation_id: id } = (await ask(asked)).body;
    await t.delete('/redaction-policy');
    const stored = await t.get(`/conversations/${id}`);
    assert.ok(!stored.text.includes(CARD), 'not even without the policy');
  }
});

test('what a rule withholds is no neighbour, and where it withholds the name there is no text', async () => {
  await t.delete('/redaction-policy');
  const filler = (word: string) => `${word} stands by the water. `.repeat(120);
  const content = `# Open\n\n${filler('stork')}\n\n# Xylophone\n\n${filler('crane')}\n`;
  const group = await ingest(t, [{ name: 'Zebrano.md', content }]);
  const [{ id }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
  const around = async () => {
    const { results } = (await search({ query: 'stork', limit: 1, context: { before: 5, after: 5 } })).body;
    return JSON.stringify(results[0].context);
  };
  assert.ok((await around()).includes('crane'));
  const block = (...terms: string[]) => {
    const rule = { name: 'words', kind: 'dictionary', terms, action: 'block', apply_at: ['retrieval'] };
    return t.put('/redaction-policy', { enabled: true, rules: [rule] });
  };
  assert.equal((await block('Xylophone')).status, 200);
  assert.ok(!(await around()).includes('crane'));
  assert.equal((await block('absent')).status, 200);
  assert.equal((await t.get(`/sources/${id}/text?end_offset=10`)).status, 200);
  assert.equal((await block('Zebrano')).status, 200);
  assert.equal((await t.get(`/sources/${id}/text?end_offset=10`)).status, 404);
});

test('a file is not found by a word of its name that an ingest rule keeps out', async () => {
  const rule = { name: 'words', kind: 'dictionary', terms: ['Quexol'], apply_at: ['ingest'] };
  for (const action of ['mask', 'block']) {
    await t.put('/redaction-policy', { enabled: true, rules: [{ ...rule, action }] });
    await ingest(t, [
      { name: `quexol ${action}vimbor.txt`, content: `The bittern hides in the reeds, says ${action}.` },
    ]);
    assert.deepEqual((await search({ query: 'quexol' })).body.results, []);
    const byName = (await search({ query: `${action}vimbor` })).body.results;
    assert.equal(
      byName.length,
      action === 'mask' ? 1 : 0,
      'the rest of the name is found, unless the rule withholds it',
    );
  }
  await t.delete('/redaction-policy');
});

test('a file is not found by a folder that an ingest rule keeps out', async () => {
  const rule = { name: 'words', kind: 'dictionary', terms: ['Quexol'], apply_at: ['ingest'] };
  for (const action of ['mask', 'block']) {
    await t.put('/redaction-policy', { enabled: true, rules: [{ ...rule, action }] });
    const content = `The bittern hides in the reeds, says ${action}.`;
    await ingest(t, [{ name: `${action}.txt`, path: `quexol/${action}gramzo/${action}.txt`, content }]);
    assert.deepEqual((await search({ query: 'quexol' })).body.results, []);
    assert.equal((await search({ query: `${action}gramzo` })).body.results.length, action === 'mask' ? 1 : 0);
  }
  await t.delete('/redaction-policy');
});

test('metadata of sources, and the values of a column', async () => {
  await t.delete('/redaction-policy');
  const records = [
    { key: 'owner', val: EMAIL },
    { key: 'team', val: 'birds' },
    { key: EMAIL, val: 'x' },
  ];
  assert.equal((await t.put(`/sources/${sourceId}/metadata`, { metadata: { records } })).status, 200);
  for (const key of ['owner', 'team']) await t.post('/metadata-columns', { key, type: 'string' });
  const shown = async () => [
    await t.get('/sources'),
    await t.get(`/sources/${sourceId}`),
    await search(),
    await t.get('/metadata-columns/owner/values'),
  ];
  for (const { text } of await shown()) assert.ok(text.includes(EMAIL), text);
  const unchanged = () =>
    t.put(`/sources/${sourceId}/metadata`, { metadata: { records: [{ key: 'none', val: null }] } });
  assert.ok((await unchanged()).text.includes(EMAIL));
  await setPolicy({ apply_at: ['retrieval'] });
  for (const { text } of await shown()) assert.ok(!text.includes(EMAIL), text);
  assert.ok(!(await unchanged()).text.includes(EMAIL), 'a change is no way to read what was there');
  assert.deepEqual((await t.get('/metadata-columns/team/values')).body.values, [{ value: 'birds', count: 1 }]);
});

test('warnings and failures of files, which may quote them', async () => {
  await t.delete('/redaction-policy');
  const failed = await uploadFiles(t, { 'good.md': '# Good\n\nFine.', 'bad.pdf': '%PDF-1.4 no' });
  assert.equal(await waitForGroup(t, failed), 'success');
  const [{ id: runId }] = (await t.get(`/source-groups/${failed}/runs`)).body.runs;
  const { sources } = (await t.get(`/source-groups/${failed}/sources`)).body;
  const good = sources.find(({ name }: { name: string }) => name === 'good.md').id;
  await t.deps.db.transaction(t.tenantId, async (tx) => {
    await tx.query(
      sql`update source set warnings = ${json([`of ${EMAIL}`])} where tenant_id = ${t.tenantId} and id = ${good}`,
    );
    await tx.query(
      sql`update run_error set message = ${`at ${EMAIL}`} where tenant_id = ${t.tenantId} and run_id = ${runId}`,
    );
    await tx.query(
      sql`update run set error_title = 'A file', error_message = ${`at ${EMAIL}`} where tenant_id = ${t.tenantId} and id = ${runId}`,
    );
  });
  const reads = async () => [
    await t.get(`/sources/${good}`),
    await t.get(`/source-groups/${failed}/sources`),
    await t.get(`/runs/${runId}/errors`),
    await t.get(`/runs/${runId}`),
    await t.get('/runs?limit=100'),
    await t.get(`/source-groups/${failed}/runs`),
  ];
  const found = async (q: string) => [
    (await t.get(`/runs?q=${q}`)).body.pagination.total,
    (await t.get(`/source-groups/${failed}/runs?q=${q}`)).body.pagination.total,
  ];
  for (const { text } of await reads()) assert.ok(text.includes(EMAIL), text);
  assert.deepEqual(await found(EMAIL.slice(0, 5)), [1, 1]);
  await setPolicy({ apply_at: ['retrieval'] });
  for (const { text } of await reads()) {
    assert.ok(!text.includes(EMAIL), text);
    assert.ok(text.includes('[EMAIL]'), text);
  }
  assert.deepEqual(await found(EMAIL.slice(0, 5)), [0, 0], 'a filter must not tell what is hidden');
  assert.deepEqual(await found('A%20file'), [1, 1]);
});

test('values of a column are paged by those that are shown', async () => {
  await t.delete('/redaction-policy');
  const values = [
    'a0@example.com',
    'a1@example.com',
    'ant',
    'b0@example.com',
    'b1@example.com',
    'bee',
    'c@example.com',
  ];
  const files = values.map((_, i) => ({ name: `column ${i}.md`, content: `Page ${i} of the book.` }));
  const group = await ingest(t, files);
  const { sources } = (await t.get(`/source-groups/${group}/sources`)).body;
  for (const [i, { id }] of sources.entries())
    await t.put(`/sources/${id}/metadata`, { metadata: { records: [{ key: 'contact', val: values[i] }] } });
  await t.post('/metadata-columns', { key: 'contact', type: 'string' });
  const pages = async () => {
    const found: string[][] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { status, body } = await t.get(
        `/metadata-columns/contact/values?limit=1&after=${encodeURIComponent(after)}`,
      );
      assert.equal(status, 200);
      found.push(body.values.map(({ value }: { value: string }) => value));
      after = body.has_more ? found.at(-1)!.at(-1)! : undefined;
    }
    return found;
  };
  assert.deepEqual(
    await pages(),
    values.map((value) => [value]),
  );
  await setPolicy({ apply_at: ['retrieval'] });
  assert.deepEqual(await pages(), [['ant'], ['bee']]);
});
