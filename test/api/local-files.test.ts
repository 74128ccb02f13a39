import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, multipartBody, type UploadFile } from '../support/upload.ts';

let service: TestApp;
let worker: Worker;

before(async () => {
  service = await openTestApp({ given: {} });
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
});

async function upload(
  files: readonly UploadFile[],
  fields: readonly (readonly [string, string])[] = [],
  key = service.key,
) {
  const { headers, body } = multipartBody(files, fields);
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { ...headers, 'x-api-key': key },
    payload: body,
  });
  return { status: response.statusCode, body: response.json() };
}

test('an upload becomes chunks, and its run says so', async () => {
  const answer = await upload([
    { name: 'a.txt', content: 'Alexandria had a library.' },
    { name: 'b.md', content: '# Title\n\nText.' },
  ]);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const id = answer.body.source_group_id;
  const group = await eventually(async () => {
    const { body } = await service.get(`/local-file-groups/${id}`);
    return ['success', 'failure'].includes(body.status) && body;
  });
  assert.equal(group.status, 'success');
  const { body } = await service.get(`/source-groups/${id}/sources`);
});
