/** Tests to whom conversations belong. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ingest } from '../../support/upload.ts';

const QUESTION = 'How many days of leave do staff get?';

let service: TestApp;
let worker: Worker;

before(async () => {
  service = await openTestApp();
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [{ name: 'leave.md', content: '# Leave\n\nStaff get 25 days of leave per year.' }]);
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
});

test('a conversation does not exist for other keys, unless they see all; it stays with the successors of its key', async () => {
  const question = { messages: [{ role: 'user', content: QUESTION }] };
  const { key: own, id: ownId } = (await service.post('/api-keys', { name: 'own', scopes: ['inference:run'] })).body;
  const other = await service.issueKey(['inference:run']);
  const first = await service.post('/completions', question, own);
  assert.equal(first.status, 200, first.text);
  const { conversation_id: id } = first.body;
  assert.equal((await service.get(`/conversations/${id}`, own)).status, 200);
  assert.equal((await service.get(`/conversations/${id}`, other)).status, 404);
  assert.equal((await service.put(`/conversations/${id}`, { title: 'taken' }, other)).status, 404);
  assert.equal((await service.delete(`/conversations/${id}`, other)).status, 404);
  assert.equal((await service.post('/completions', { ...question, conversation_id: id }, other)).status, 404);
  assert.deepEqual((await service.get('/conversations', other)).body.conversations, []);
  const all = await service.issueKey(['inference:run', 'conversations:all']);
  assert.equal((await service.get(`/conversations/${id}`, all)).status, 200);
  const rotated = await service.post(`/api-keys/${ownId}/rotate`, {});
  assert.equal(rotated.status, 201, rotated.text);
  assert.equal((await service.get(`/conversations/${id}`, rotated.body.key)).status, 200);
});
