/** Tests the list of conversations, its order and its search, and conversations that older versions stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ingest } from '../../support/upload.ts';

const QUESTION = 'How many days of leave does a new member of staff get?';
const ANSWER = 'A new member of staff gets 28 days of leave.';

let service: TestApp;
let worker: Worker;

before(async () => {
  service = await openTestApp();
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [{ name: 'leave.md', content: ANSWER }]);
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
});

async function converse(title: string, key = service.key): Promise<string> {
  const asked = await service.post('/completions', { messages: [{ role: 'user', content: QUESTION }] }, key);
  const id = asked.body.conversation_id;
  if (title !== QUESTION) assert.equal((await service.put(`/conversations/${id}`, { title }, key)).status, 200);
  return id;
}

test('conversations are listed newest first on request, and found by their redacted title', async () => {
  const titles = ['Leave of ada@example.com', 'Leave in May', 'Parking'];
  const ids: string[] = [];
  for (const title of titles) ids.push(await converse(title));
  const listed = async (query: string): Promise<string[]> =>
    (await service.get(`/conversations?${query}`)).body.conversations.map((one: { id: string }) => one.id);
  assert.deepEqual(await listed('order=desc'), ids.toReversed());
  assert.deepEqual(await listed(`order=desc&limit=1&after_id=${ids[2]}`), [ids[1]]);
  assert.deepEqual(await listed('q=LEAVE'), [ids[0], ids[1]]);
  assert.deepEqual(await listed('q=ada%40'), [ids[0]]);

  const rule = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['output'] };
  const policy = await service.put('/redaction-policy', { enabled: true, rules: [rule] });
  assert.equal(policy.status, 200, JSON.stringify(policy.body));
  assert.deepEqual(await listed('q=ada%40'), [], 'q reveals what redaction hides');
  const { body } = await service.get('/conversations?q=leave&order=desc&limit=1');
  assert.deepEqual(body.pagination, { limit: 1, has_more: true, total: 2, next_id: ids[1] });
  assert.deepEqual(await listed(`q=leave&order=desc&after_id=${ids[1]}`), [ids[0]]);
});

test('the list pages through every conversation of the tenant, oldest first', async () => {
  const { tenantId, key } = await service.secondTenant();
  await ingest(service, [{ name: 'leave.md', content: ANSWER }], key);
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await converse(QUESTION, key));
  const first = (await service.get('/conversations?limit=2', key)).body;
  assert.deepEqual(first.pagination, { limit: 2, has_more: true, total: 3, next_id: ids[1] });
  const second = (await service.get(`/conversations?limit=2&after_id=${first.pagination.next_id}`, key)).body;
  assert.deepEqual(second.pagination, { limit: 2, has_more: false, total: 3, next_id: null });
  const listed = [...first.conversations, ...second.conversations] as { id: string; title: string }[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    ids,
  );
  assert.equal(listed[0]?.title, QUESTION);
  assert.notEqual(tenantId, service.tenantId);
});

test('an answer of an older version, whose citations lack members, is read with defaults', async () => {
  const { tenantId, key } = await service.secondTenant();
  await ingest(service, [{ name: 'leave.md', content: ANSWER }], key);
  const id = await converse(QUESTION, key);
  const citationOf = async (): Promise<Record<string, unknown>> => {
    const { status, body, text } = await service.get(`/conversations/${id}`, key);
    assert.equal(status, 200, text);
    return body.messages[1].citations[0].citation;
  };
  const { verified_by: by, reason, quoted, ...older } = await citationOf();
  assert.deepEqual([by, reason, typeof quoted], ['rules', null, 'boolean']);
  await service.deps.db.query(
    tenantId,
    sql`update message set citations = jsonb_set(citations, '{0,citation}',
      (citations #> '{0,citation}') - array['verified_by', 'reason', 'quoted']) where role = 'assistant'`,
  );
  assert.deepEqual(await citationOf(), { ...older, verified_by: 'rules', reason: null, quoted: false });
});
