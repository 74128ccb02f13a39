/** What an operator sees of the service: metrics with samples, and log lines for runs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countWaitingJobs, WAITING_JOBS_MAX } from '../../src/jobs/job-counts.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, uploadFiles, waitForGroup } from '../support/upload.ts';

let t: TestApp;
let worker: Worker;
before(async () => {
  t = await openTestApp();
  worker = buildWorker(t.deps);
});
after(async () => {
  await worker.stop(0);
  await t.close();
});

/** The sample with this name and these labels, as written. */
async function sample(name: string): Promise<number | undefined> {
  const { text } = await t.get('//metrics', null);
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test('every metric has a sample from the first request on, and none names a tenant', async () => {
  const { text } = await t.get('//metrics', null);
  const names = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  assert.ok(names.length > 20);
  for (const [, name, type] of names) {
    const sampled = type === 'histogram' ? `${name}_count` : name;
    assert.ok(new RegExp(`^${sampled}[ {]`, 'm').test(text), name);
  }
  assert.ok(!text.includes(t.tenantId));
});

test('metrics report the database, its size and the disks', async () => {
  assert.equal(await sample('pinakes_database_up'), 1);
  assert.ok((await sample('pinakes_database_bytes'))! > 1_000_000);
  for (const folder of ['data', 'blobs']) {
    const total = (await sample(`pinakes_disk_bytes{of="${folder}"}`))!;
    const free = (await sample(`pinakes_disk_free_bytes{of="${folder}"}`))!;
    assert.ok(free > 0 && free <= total, folder);
  }
});

test('metrics report a database that does not answer as down, and still report the rest', async () => {
  const other = await openTestApp();
  const { query } = other.deps.db.system;
  try {
    other.deps.db.system.query = () => Promise.reject(new Error('gone'));
    const { status, text } = await other.get('//metrics', null);
    assert.equal(status, 200);
    assert.match(text, /^pinakes_database_up 0$/m);
    assert.doesNotMatch(text, /^pinakes_(?:jobs_waiting|database_bytes)[ {]/m);
    assert.match(text, /^pinakes_disk_free_bytes\{/m);
  } finally {
    other.deps.db.system.query = query;
    await other.close();
  }
});

test('waiting jobs are counted by kind, up to a limit', async () => {
  await uploadFiles(t, { 'first.txt': 'Herons nest in tall trees.' });
  assert.equal(await sample('pinakes_jobs_waiting{kind="ingest-run"}'), 1);
  assert.equal(await sample('pinakes_jobs_waiting{kind="delete-group"}'), 0);
  await t.deps.db.system.execute(
    `insert into pgboss.job (name, data) select 'table-build', '{}' from generate_series(1, ${WAITING_JOBS_MAX + 5})`,
  );
  const counted = await countWaitingJobs(t.deps.db.system);
  assert.equal(counted.find(({ kind }) => kind === 'table-build')!.waiting, WAITING_JOBS_MAX);
  await t.deps.db.system.execute(`delete from pgboss.job where name = 'table-build'`);
});

test('metrics count files, chunks and jobs, and the log has a line for the start and the end of a run', async () => {
  await worker.start();
  const group = await uploadFiles(t, { 'secret-name.txt': 'Herons eat fish.', 'broken.pdf': '%PDF-1.7 broken' });
  await waitForGroup(t, group);
  assert.ok((await sample('pinakes_ingested_total{what="files"}'))! >= 1);
  assert.equal(await sample('pinakes_ingested_total{what="failed_files"}'), 1);
  assert.ok((await sample('pinakes_ingested_total{what="chunks"}'))! >= 1);
  await eventually(async () => (await sample('pinakes_job_seconds_count{kind="ingest-run",outcome="done"}'))! >= 1);
  const lines = t.logs.filter(({ groupId }) => groupId === group);
  const [began, ended] = lines as [Record<string, unknown>, Record<string, unknown>];
  assert.deepEqual([began['msg'], began['source'], began['attempt']], ['a run began', 'local_file', 1]);
  assert.equal(ended['msg'], 'a run ended');
  assert.equal(ended['runId'], began['runId']);
  const { status, files, added, failed } = ended;
  assert.deepEqual({ status, files, added, failed }, { status: 'success', files: 2, added: 1, failed: 1 });
  assert.ok(Number(ended['seconds']) >= 0 && Number(ended['chunks']) >= 1);
  assert.ok(!JSON.stringify(t.logs).includes('secret-name'), 'names of files are content');
});
