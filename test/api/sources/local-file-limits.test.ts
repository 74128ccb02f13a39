/** Counters, redaction and limits of groups when their files change. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from '../../../src/corpus/source-lookup.ts';
import { sql } from '../../../src/db/sql.ts';
import { openProcessPool } from '../../../src/files/sandbox/process-pool.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { fileChanges } from '../../support/file-changes.ts';
import { multipartBody, waitForGroup } from '../../support/upload.ts';

let service: TestApp;
let worker: Worker;
const { change, changeAndWait, removal, sources, make } = fileChanges(() => service);

before(async () => {
  service = await openTestApp({ given: { processor: openProcessPool({ children: 1 }) } });
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(1_000);
  await service.deps.processor.close();
  await service.close();
});

test('the counter of chunk metadata is correct after files were replaced and deleted', async () => {
  const csv = (rows: number): string =>
    `id,year\n${Array.from({ length: rows }, (_, i) => `${i},${1900 + i}`).join('\n')}\n`;
  const form = multipartBody(
    [
      { name: 'a.csv', content: csv(3) },
      { name: 'b.csv', content: csv(4) },
    ],
    [['chunk_metadata_keys', '[{"key":"year","type":"integer"}]']],
  );
  const headers = { ...form.headers, 'x-api-key': service.key };
  const url = '/api/v1/local-file-groups';
  const made = await service.app.inject({ method: 'POST', url, headers, payload: form.body });
  const id = made.json().source_group_id;
  await waitForGroup(service, id);
  const count = async (): Promise<number> => (await service.get(`/local-file-groups/${id}`)).body.chunk_metadatas_count;
  assert.equal(await count(), 7);
  await changeAndWait(id, { 'a.csv': csv(1) });
  assert.equal(await count(), 5);
  await removal(id, ['b.csv']);
  assert.equal(await count(), 1);
});

test('a path that a redaction rule would change is not returned', async () => {
  const id = await make({ 'plain.txt': 'one', 'anna@example.com.txt': 'two' });
  const rule = {
    name: 'mail',
    kind: 'regex',
    pattern: '[a-z]+@example\\.com',
    action: 'mask',
    apply_at: ['retrieval'],
  };
  const policy = await service.put('/redaction-policy', { enabled: true, rules: [rule] });
  assert.equal(policy.status, 200, policy.text);
  try {
    assert.deepEqual([...(await sources(id)).keys()], ['plain.txt', null]);
  } finally {
    await service.delete('/redaction-policy');
  }
  const { counts: told } = await changeAndWait(id, { 'anna@example.com.txt': 'two' });
  assert.deepEqual(told, { unchanged: 1 }, 'the service itself compares what is stored');
});

test('changes that exceed the limits of a group are refused', async () => {
  const id = await make({ 'a.txt': 'The dyke is called yarmond.' });
  const { tenantId } = service;
  const { db } = service.deps;
  const setSize = (bytes: number) =>
    db.query(
      tenantId,
      sql`update source set file_size = ${bytes} where tenant_id = ${tenantId} and source_group_id = ${id}`,
    );
  await setSize(GROUP_BYTES_MAX);
  const heavy = await change(id, { 'b.txt': 'one more' });
  assert.deepEqual([heavy.status, heavy.body.error.message], [413, 'A source group has at most 20 GiB of files.']);
  await setSize(27);
  await db.query(
    tenantId,
    sql`insert into source (tenant_id, id, source_group_id, source_type, name, file_type, file_size, blob_hash, status, content_at, created_at)
      select s.tenant_id, gen_random_uuid(), s.source_group_id, s.source_type, 'n', 'txt', 1, s.blob_hash, 'ready', s.content_at, s.created_at
      from source s, generate_series(2, ${GROUP_SOURCES_MAX}) where s.tenant_id = ${tenantId} and s.source_group_id = ${id}`,
  );
  const many = await change(id, { 'b.txt': 'one more' });
  assert.deepEqual([many.status, many.body.error.message], [400, 'A source group has at most 50000 files.']);
  const replaced = await changeAndWait(id, { 'a.txt': 'The dyke is called zelland.' });
  assert.deepEqual(replaced.counts, { updated: 1 });
  await db.query(
    tenantId,
    sql`delete from source where tenant_id = ${tenantId} and source_group_id = ${id} and name = 'n'`,
  );
});
