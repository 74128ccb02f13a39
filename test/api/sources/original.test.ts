/** Download of original files: only for callers who may read the whole source, and never past redaction rules. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { buildWorker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { eventually, ingest, uploadFiles, waitForGroup } from '../../support/upload.ts';

let t: TestApp;
let stop: () => Promise<void>;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  const worker = buildWorker(t.deps);
  await worker.start();
  stop = () => worker.stop(5_000);
  await t.put('/authz/policies/default', { filters: [{ key: 'department', operator: 'not_exists' }] });
});
afterEach(async () => {
  await t.delete('/redaction-policy');
});
after(async () => {
  await stop();
  await t.close();
});

async function add(name: string, content: string | Uint8Array) {
  const group = await ingest(t, [{ name, content }]);
  const { sources } = (await t.get(`/source-groups/${group}/sources`)).body;
  const idOf = (wanted: string): string => {
    const found = sources.find((source: { name: string }) => source.name === wanted);
    assert.ok(found, JSON.stringify(sources.map((source: { name: string }) => source.name)));
    return found.id;
  };
  return { id: idOf(name), idOf };
}
const original = (id: string, query = '') =>
  t.app.inject({ url: `/api/v1/sources/${id}/original${query}`, headers: { 'x-api-key': t.key } });
const hide = (rule: object) =>
  t.put('/redaction-policy', {
    enabled: true,
    rules: [
      { name: 'secret', kind: 'dictionary', terms: ['nowhere'], action: 'mask', apply_at: ['retrieval'], ...rule },
    ],
  });
const restrict = (id: string) =>
  t.put(`/sources/${id}/metadata`, { metadata: { records: [{ key: 'department', val: 'hr' }] } });

test('an uploaded file is downloaded as it was sent, as an attachment with its name', async () => {
  const content = Buffer.from('\ufeff# Herons\r\n\r\nThey wade.\r\n');
  const { id } = await add('herons.md', content);
  const answer = await original(id);
  assert.deepEqual([answer.statusCode, answer.rawPayload], [200, content]);
  assert.equal(answer.headers['content-type'], 'application/octet-stream');
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="herons\.md"/);
  const part = await t.app.inject({
    url: `/api/v1/sources/${id}/original`,
    headers: { 'x-api-key': t.key, range: 'bytes=3-9' },
  });
  assert.deepEqual([part.statusCode, part.rawPayload], [206, content.subarray(3, 10)]);
});

test('a principal gets the original only of a source that it may read as a whole', async () => {
  const { id } = await add('pay.md', 'The pay of all.');
  assert.equal((await original(id)).statusCode, 200);
  assert.equal((await original(id, '?authz_policy=missing')).statusCode, 404);
  await restrict(id);
  const answers = [await original(id), await t.get(`/sources/${id}/text`)];
  assert.deepEqual(
    answers.map((answer) => ('statusCode' in answer ? answer.statusCode : answer.status)),
    [404, 404],
  );
});

test('while authorization is on, a file that could not be read is given to nobody', async () => {
  const group = await uploadFiles(t, { 'torn.pdf': '%PDF-1.4\nno PDF at all' });
  assert.equal(await waitForGroup(t, group), 'failure');
  const [{ id }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
  assert.equal((await t.get(`/sources/${id}`)).body.status, 'failed');
  assert.equal((await original(id)).statusCode, 404);
});

test('while authorization is on, the record of a source does not say what the file says of itself', async () => {
  const { id } = await add('front.md', '---\nauthor: Ann Lee\n---\n\nWords.');
  assert.equal((await t.get(`/sources/${id}`)).body.origin_metadata, null);
});

test('an archive is not given to a principal who may not read one of the files in it', async () => {
  const inner = zipSync({ 'plan.txt': strToU8('The plan of the board.') });
  const { id, idOf } = await add('all.zip', zipSync({ 'a.txt': strToU8('Open to all.'), 'inner.zip': inner }));
  assert.equal((await original(id)).statusCode, 200);
  await restrict(idOf('plan.txt'));
  assert.equal((await original(id)).statusCode, 404);
});

test('an archive is not given while a file in it that was deleted is still in its bytes', async () => {
  const inner = zipSync({ 'plan.txt': strToU8('The plan of the board.'), 'b.txt': strToU8('Open, too.') });
  const { id, idOf } = await add('all.zip', zipSync({ 'a.txt': strToU8('Open to all.'), 'inner.zip': inner }));
  const plan = idOf('plan.txt');
  await restrict(plan);
  assert.equal((await t.delete(`/sources/${plan}`)).status, 202);
  assert.equal((await original(id)).statusCode, 404);
  // The row of the file is removed in the background; a repeated deletion is 404 then.
  await eventually(async () => (await t.delete(`/sources/${plan}`)).status === 404);
  assert.equal((await original(id)).statusCode, 404);
  assert.equal((await original(idOf('inner.zip'))).statusCode, 404);
  await t.delete(`/sources/${idOf('inner.zip')}`);
  assert.equal((await original(id)).statusCode, 404);
});

test('an archive is not given while a file in it could not be read', async () => {
  const { id, idOf } = await add(
    'mixed.zip',
    zipSync({ 'a.txt': strToU8('Open.'), 'broken.pdf': strToU8('%PDF-1.4') }),
  );
  assert.equal((await t.get(`/sources/${idOf('broken.pdf')}`)).body.status, 'failed');
  assert.equal((await original(id)).statusCode, 404);
});

test('nobody gets the original while a rule may hide some of it', async () => {
  const { id } = await add('mail.md', 'Write to the harbour master.');
  for (const apply_at of [['ingest'], ['retrieval']]) {
    await hide({ apply_at });
    const answer = await original(id);
    assert.equal(answer.statusCode, 409, apply_at.join());
    assert.match(answer.json().error.message, /redaction rules apply/);
  }
  // These rules hide nothing from a reader of the text.
  await hide({ apply_at: ['llm_input', 'output'] });
  assert.equal((await original(id)).statusCode, 200);
});

test('after ingest rules were removed, a damaged file is given at once, and a file that a rule blocked when it was read again', async () => {
  const open = await openTestApp();
  try {
    const worker = buildWorker(open.deps);
    await worker.start();
    const rule = { name: 'secret', kind: 'dictionary', terms: ['nowhere'], action: 'block', apply_at: ['ingest'] };
    await open.put('/redaction-policy', { enabled: true, rules: [rule] });
    const group = await uploadFiles(open, {
      'torn.pdf': '%PDF-1.4\nno PDF at all',
      'b.txt': 'Nowhere.',
      'c.txt': 'Here.',
    });
    await waitForGroup(open, group);
    await worker.stop(5_000);
    const { sources } = (await open.get(`/source-groups/${group}/sources`)).body;
    const statuses = async () => {
      const found = sources.map(async ({ id, name, status }: { id: string; name: string; status: string }) => {
        const url = `/api/v1/sources/${id}/original`;
        return [name, status, (await open.app.inject({ url, headers: { 'x-api-key': open.key } })).statusCode];
      });
      return (await Promise.all(found)).map((each) => each.join(' ')).sort();
    };
    assert.deepEqual(await statuses(), ['b.txt failed 409', 'c.txt ready 409', 'torn.pdf failed 409']);
    await open.delete('/redaction-policy');
    assert.deepEqual(await statuses(), ['b.txt failed 409', 'c.txt ready 409', 'torn.pdf failed 200']);
  } finally {
    await open.close();
  }
});
