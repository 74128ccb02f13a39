/** Runs that wait for their origin do not block other runs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JobWork } from '../../src/jobs/queue.ts';
import { buildWorker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';
import { createSource, SOURCE_FORMS, scriptedConnectors } from '../support/worlds/connector-sources.ts';

const script = scriptedConnectors();
let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true, given: { connectors: script.connectors } });
});
after(() => t.close());

const web = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;

test('uploads are read while slow origins block more runs than there are workers', async () => {
  const gate = Promise.withResolvers<void>();
  script.gate = gate.promise;
  const ids: string[] = [];
  for (let i = 0; i < t.deps.config.workerConcurrency + 1; i++) ids.push((await createSource(t, web)).id);
  const statusOf = async (id: string) => (await t.get(`${web.path}/${id}`)).body.status;
  await eventually(async () => (await statusOf(ids[0]!)) === 'started');
  assert.ok(await ingest(t, [{ name: 'a.txt', content: 'The bittern booms.' }]));
  assert.equal(await statusOf(ids[0]!), 'started');
  gate.resolve();
  for (const id of ids) await eventually(async () => (await statusOf(id)) === 'success');
});

test('slow origins of several tenants keep no other tenant waiting, and one tenant runs as many as uploads', async () => {
  const gate = Promise.withResolvers<void>();
  script.gate = gate.promise;
  const jobs = t.deps.config.workerConcurrency;
  const tenants = [];
  // As many tenants as would take all places if there were as many as for uploads.
  for (let i = 0; i < jobs + 1; i++) tenants.push(await t.secondTenant());
  const all: { id: string; key: string }[] = [];
  for (const { key } of tenants)
    for (let i = 0; i < jobs; i++) all.push({ id: (await createSource(t, web, {}, key)).id, key });
  const startedOf = async (key: string) => {
    const { body } = await t.get('/runs?status=started', key);
    return body.pagination.total as number;
  };
  for (const { key } of tenants) await eventually(async () => (await startedOf(key)) === jobs - 1);
  for (const { key } of tenants) assert.equal(await startedOf(key), jobs - 1);
  gate.resolve();
  for (const { id, key } of all)
    await eventually(async () => (await t.get(`${web.path}/${id}`, key)).body.status === 'success');
});

test('a worker with many places for jobs has few more for origins, and one tenant never takes all of them', async () => {
  const placesWith = async (workerConcurrency: number) => {
    const started = Promise.withResolvers<JobWork>();
    const queue = { ...t.deps.queue, work: async (work: JobWork) => started.resolve(work), stop: async () => {} };
    const worker = buildWorker({ ...t.deps, queue, config: { ...t.deps.config, workerConcurrency } });
    await worker.start();
    await worker.stop(0);
    const { concurrency, ofTenant } = (await started.promise)['origin-run'];
    return { concurrency, ofTenant };
  };
  assert.deepEqual(await placesWith(1), { concurrency: 5, ofTenant: 1 });
  assert.deepEqual(await placesWith(3), { concurrency: 15, ofTenant: 2 });
  assert.deepEqual(await placesWith(64), { concurrency: 76, ofTenant: 63 });
});
