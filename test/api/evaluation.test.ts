/** Question sets: judgements that outlive a new version of a source, and measures of the search. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';

let t: TestApp;
let _group: string;
before(async () => {
  t = await openTestApp({ runsJobs: true });
  _group = await ingest(t, [
    { name: 'heron.md', content: 'The heron nests in the old oak by the river.' },
    { name: 'osprey.md', content: 'The osprey nests on a pylon by the river.' },
    { name: 'lamp.md', content: 'The lamp was lit in 1874.' },
  ]);
});
after(() => t.close());

const makeSet = async (name = 'birds') => (await t.post('/evaluation-sets', { name })).body.id;
const addTo = async (set: string, query: string) =>
  (await t.post(`/evaluation-sets/${set}/questions`, { query })).body.id;
const chunkOf = async (query: string): Promise<string> =>
  (await t.post('/search', { query, mode: 'lexical' })).body.results[0].id;
const judge = (question: string, chunk: string, relevant: boolean | null) =>
  t.put(`/evaluation-questions/${question}/judgements`, { chunk_id: chunk, relevant });

test('a set is measured: the right passage first is 1, and second is less', async () => {
  const set = await makeSet();
  const heron = await addTo(set, 'heron oak');
  const river = await addTo(set, 'river pylon osprey');
  await addTo(set, 'not judged');
  assert.equal((await t.post(`/evaluation-sets/${set}/runs`, {})).status, 409, 'nothing is judged');
  assert.equal((await judge(heron, await chunkOf('heron'), true)).status, 200);
  assert.equal((await judge(river, await chunkOf('heron'), true)).status, 200);
  assert.equal((await judge(river, await chunkOf('osprey'), false)).status, 200);
  const run = await t.post(`/evaluation-sets/${set}/runs`, { mode: 'lexical' });
  assert.equal(run.status, 201, run.text);
  assert.equal(run.body.questions_count, 2);
  const [first, second] = run.body.questions;
  assert.deepEqual([first.ndcg10, first.recall100, first.mrr10], [1, 1, 1]);
  assert.deepEqual([second.recall100, second.mrr10], [1, 0.5]);
  assert.ok(Math.abs(second.ndcg10 - 1 / Math.log2(3)) < 1e-9);
  assert.equal(run.body.mrr10, 0.75);
  assert.deepEqual((await t.get(`/evaluation-runs/${run.body.id}`)).body, run.body);
  const { evaluation_runs: runs } = (await t.get(`/evaluation-sets/${set}/runs?order=desc`)).body;
  assert.deepEqual([runs.length, runs[0].id, runs[0].ndcg10], [1, run.body.id, run.body.ndcg10]);
});

test('a set is renamed, and keeps its questions', async () => {
  const set = await makeSet();
  await addTo(set, 'lamp');
  const rename = (id: string, name: string | undefined) =>
    t.request({ method: 'PATCH', path: `/evaluation-sets/${id}`, body: { name } });
  const renamed = await rename(set, 'lamps');
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.questions_count], [200, 'lamps', 1]);
  assert.equal((await t.get(`/evaluation-sets/${set}`)).body.name, 'lamps');
  for (const name of ['', undefined]) assert.equal((await rename(set, name)).status, 400);
  assert.equal((await rename('x', 'lamps')).status, 404);
});

test('a judgement can be changed and taken back, and a question is added once', async () => {
  const set = await makeSet();
  const question = await addTo(set, 'lamp');
  assert.equal(await addTo(set, 'lamp'), question);
  const chunk = await chunkOf('lamp');
  await judge(question, chunk, true);
  const changed = (await judge(question, chunk, false)).body.judgements;
  assert.deepEqual(
    changed.map((one: { relevant: boolean; chunk_id: string }) => [one.relevant, one.chunk_id]),
    [[false, chunk]],
  );
  assert.deepEqual((await judge(question, chunk, null)).body.judgements, []);
  const { body } = await t.get(`/evaluation-sets/${set}`);
  assert.deepEqual([body.questions_count, body.questions[0].query], [1, 'lamp']);
  assert.equal((await t.delete(`/evaluation-questions/${question}`)).status, 200);
  assert.equal((await t.delete(`/evaluation-sets/${set}`)).status, 200);
  assert.equal((await t.get(`/evaluation-sets/${set}`)).status, 404);
});

test('a judgement is kept when the file is read again with the same text, and is deleted with the source', async () => {
  const id = await ingest(t, [{ name: 'rope.md', content: 'Ropes are dried in the loft.' }]);
  const set = await makeSet();
  const question = await addTo(set, 'ropes loft');
  const before = await chunkOf('ropes loft');
  await judge(question, before, true);
  const body =
    '--x\r\nContent-Disposition: form-data; name="files"; filename="rope.md"\r\n\r\nRopes are dried in the loft. \r\n--x--\r\n';
  const changed = await t.request({
    method: 'PUT',
    path: `/local-file-groups/${id}/files`,
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  assert.ok(changed.status < 300, changed.text);
  await eventually(async () => (await t.get(`/source-groups/${id}`)).body.status === 'success');
  const after = await eventually(async () => {
    const now = await chunkOf('ropes loft');
    return now !== before && now;
  });
  const judgements = async () => (await t.get(`/evaluation-sets/${set}`)).body.questions[0].judgements;
  assert.deepEqual(
    (await judgements()).map((one: { chunk_id: string }) => one.chunk_id),
    [after],
  );
  assert.equal((await t.post(`/evaluation-sets/${set}/runs`, { mode: 'lexical' })).body.ndcg10, 1);
  await t.delete(`/source-groups/${id}`);
  await eventually(async () => (await judgements()).length === 0);
});

test('names of sets and questions are redacted when they are returned, also in earlier runs', async () => {
  const set = await makeSet('Of jane@example.com');
  const question = await addTo(set, 'heron oak of jane@example.com');
  const chunk = await chunkOf('heron');
  assert.equal((await judge(question, chunk, true)).status, 200);
  const run = (await t.post(`/evaluation-sets/${set}/runs`, { mode: 'lexical' })).body.id;
  const rename = { method: 'PATCH' as const, path: `/evaluation-sets/${set}`, body: { name: 'To jane@example.com' } };
  const answers = async () => [
    await t.get('/evaluation-sets?limit=100'),
    await t.get(`/evaluation-sets/${set}`),
    await t.request(rename),
    await t.post(`/evaluation-sets/${set}/questions`, { query: 'heron oak of jane@example.com' }),
    await judge(question, chunk, true),
    await t.post(`/evaluation-sets/${set}/runs`, { mode: 'lexical' }),
    await t.get(`/evaluation-runs/${run}`),
  ];
  for (const { text } of await answers()) assert.match(text, /jane@example/);
  const redacted = async () => {
    const { body } = await t.get(`/evaluation-sets/${set}`);
    return [body.is_redacted, ...body.questions.map((one: { is_redacted: boolean }) => one.is_redacted)];
  };
  assert.deepEqual(await redacted(), [false, false]);
  for (const [action, shown] of [
    ['mask', /\[EMAIL\]/],
    ['block', /"(?:name|query)":""/],
  ] as const) {
    const rules = [{ name: 'mail', kind: 'entity', entities: ['email'], action, apply_at: ['retrieval'] }];
    assert.equal((await t.put('/redaction-policy', { enabled: true, rules })).status, 200);
    for (const { status, text } of await answers()) {
      assert.ok(status < 300, text);
      assert.doesNotMatch(text, /jane@example/);
      assert.match(text, shown);
    }
    assert.deepEqual(await redacted(), [true, true], action);
    assert.equal((await t.post('/evaluation-sets', { name: 'jane@example.com' })).text.includes('jane'), false);
  }
  await t.delete('/redaction-policy');
});

test('a long question is stored', async () => {
  const set = await makeSet();
  assert.equal((await t.post(`/evaluation-sets/${set}/questions`, { query: '灯'.repeat(4_000) })).status, 201);
});
