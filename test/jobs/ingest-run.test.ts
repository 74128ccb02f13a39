/** Ingestion runs from the upload to their end: progress, failures, retries, cancellation, deletion during a run, lost workers. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { sql } from '../../src/db/sql.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, uploadFiles, waitForGroup } from '../support/upload.ts';
import { type GatedProcessor, gateProcessor } from '../support/worlds/gated-processor.ts';

let service: TestApp;
let worker: Worker;
let gate: GatedProcessor;

before(async () => {
  gate = gateProcessor(openProcessPool({ children: 1 }));
  service = await openTestApp({ given: { processor: gate } });
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  gate.setOpen(true);
  await worker.stop(1_000);
  await service.close();
  await gate.close();
});
afterEach(async () => {
  gate.setOpen(true);
  gate.script = () => undefined;
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
});

async function lastRun(groupId: string) {
  const { body } = await service.get(`/source-groups/${groupId}/runs`);
  return body.runs.at(-1);
}

async function chunkRows(groupId: string) {
  return service.deps.db.query<{ id: string; content: string; sourceId: string }>(
    service.tenantId,
    sql`select id, content, source_id from chunk where tenant_id = ${service.tenantId} and source_group_id = ${groupId} order by id`,
  );
}

const failed = (retryable: boolean) =>
  ({ ok: false, failure: { stage: 'parse', title: 'Broken', message: 'It broke.', retryable } }) as const;

test('a run has statistics, and its sources have their type and status', async () => {
  const id = await uploadFiles(service, {
    'a.txt': 'Alexandria had a library.',
    'b.csv': 'year,name\n2024,Ada\n2025,Bob\n',
    'c.md': '# Title\n\nSome text.',
  });
  assert.equal(await waitForGroup(service, id), 'success');
  const run = await lastRun(id);
  const chunks = await chunkRows(id);
  assert.equal(run.status, 'success');
  assert.equal(run.error, null);
  assert.deepEqual([run.files_done, run.files_total, run.chunks_done], [3, 3, chunks.length]);
  assert.deepEqual(run.statistics, {
    scanned: 3,
    added: 3,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    deleted: 0,
    failed: 0,
  });
  assert.ok(run.creation_time <= run.start_time && run.start_time <= run.end_time);
  const { body } = await service.get(`/source-groups/${id}/sources`);
  assert.deepEqual(
    body.sources.map((source: { file_type: string }) => source.file_type),
    ['txt', 'csv', 'md'],
  );
  assert.ok(
    body.sources.every(
      (source: { status: string; chunk_count: number }) => source.status === 'ready' && source.chunk_count > 0,
    ),
  );
});

test('a bad file fails with its reason, and the other files succeed', async () => {
  gate.script = (name) => (name === 'bad.txt' ? failed(false) : undefined);
  const id = await uploadFiles(service, { 'good.txt': 'Good text.', 'bad.txt': 'Bad text.' });
  assert.equal(await waitForGroup(service, id), 'success');
  const run = await lastRun(id);
  assert.equal(run.error.title, '1 of 2 files failed');
  const { body } = await service.get(`/runs/${run.id}/errors`);
  assert.equal(body.pagination.total, 1);
  const { name, stage, title, message, retryable } = body.errors[0];
  assert.deepEqual([name, stage, title, message, retryable], ['bad.txt', 'parse', 'Broken', 'It broke.', false]);
  assert.equal((await service.get(`/local-file-groups/${id}`)).body.error.title, '1 of 2 files failed');
});

test('a run whose files all fail is a failure, and a second run can succeed', async () => {
  gate.script = () => failed(false);
  const id = await uploadFiles(service, { 'one.txt': 'One.', 'two.txt': 'Two.' });
  assert.equal(await waitForGroup(service, id), 'failure');
  gate.script = () => undefined;
  const answer = await service.post(`/source-groups/${id}/runs`, { only_failed: true });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.status, 'queued');
  assert.equal(await waitForGroup(service, id), 'success');
  const run = await lastRun(id);
  assert.equal(run.id, answer.body.id);
  assert.deepEqual([run.statistics.scanned, run.statistics.added, run.statistics.failed], [2, 2, 0]);
  assert.equal((await service.get(`/local-file-groups/${id}`)).body.error, null);
  // The third run finds all files unchanged and reads none.
  const calls = [...gate.calls.values()].reduce((a, b) => a + b);
  await service.post(`/source-groups/${id}/runs`, {});
  assert.equal(await waitForGroup(service, id), 'success');
  assert.equal((await lastRun(id)).statistics.unchanged, 2);
  assert.equal(
    [...gate.calls.values()].reduce((a, b) => a + b),
    calls,
  );
});

test('a temporary failure is tried three times', async () => {
  gate.script = (name, call) =>
    (name === 'second-try.txt' && call === 1) || name === 'never.txt' ? failed(true) : undefined;
  const id = await uploadFiles(service, { 'second-try.txt': 'Second.', 'never.txt': 'Never.' });
  assert.equal(await waitForGroup(service, id), 'success');
  assert.equal(gate.calls.get('second-try.txt'), 2);
  assert.equal(gate.calls.get('never.txt'), 3);
  assert.equal((await lastRun(id)).error.title, '1 of 2 files failed');
});

test('a canceled run keeps the stored sources and drops the others', async () => {
  gate.setOpen(false);
  const id = await uploadFiles(service, { 'wait.txt': 'Waiting.' });
  await eventually(async () => gate.inHand.has('wait.txt'));
  const run = await lastRun(id);
  assert.equal((await service.post(`/source-groups/${id}/runs`, {})).status, 409, 'runs of a group never overlap');
  const answer = await service.post(`/runs/${run.id}/cancel`, undefined);
  assert.equal(answer.status, 202);
  assert.equal(answer.body.status, 'canceling');
  assert.equal(await waitForGroup(service, id), 'canceled');
  assert.equal((await lastRun(id)).status, 'canceled');
  assert.deepEqual(await chunkRows(id), []);
  assert.equal(
    (await service.post(`/runs/${run.id}/cancel`, undefined)).status,
    202,
    'a second cancellation has the same answer',
  );
  gate.setOpen(true);
  assert.equal((await service.post(`/source-groups/${id}/runs`, {})).status, 201);
  assert.equal(await waitForGroup(service, id), 'success');
  assert.equal((await chunkRows(id)).length, 1);
  assert.equal((await service.post(`/runs/${(await lastRun(id)).id}/cancel`, undefined)).status, 409);
});

test('a run does not restore a group that is deleted during the run', async () => {
  gate.setOpen(false);
  const id = await uploadFiles(service, { 'doomed.txt': 'Unique word: quetzalcoatlus.' });
  await eventually(async () => gate.inHand.has('doomed.txt'));
  assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 202);
  gate.setOpen(true);
  await eventually(async () => (await service.get(`/local-file-groups/${id}`)).status === 404);
  assert.deepEqual(await chunkRows(id), []);
});

test('the same job on two workers stores every chunk once', async () => {
  gate.setOpen(false);
  const id = await uploadFiles(service, { 'twice.txt': 'Twice told tale.', 'other.txt': 'Another tale.' });
  await eventually(async () => gate.inHand.size === 2);
  const run = await lastRun(id);
  // The queue delivers the job again while the first worker runs it: the fence stops the first worker.
  const second = ingestRun(service.deps)(
    { tenantId: service.tenantId, runId: run.id },
    { signal: new AbortController().signal, lastAttempt: false },
  );
  await eventually(async () => (gate.calls.get('twice.txt') ?? 0) === 2);
  gate.setOpen(true);
  await second;
  assert.equal(await waitForGroup(service, id), 'success');
  const chunks = await chunkRows(id);
  assert.deepEqual(chunks.map((chunk) => chunk.content).sort(), ['Another tale.', 'Twice told tale.']);
  assert.equal((await lastRun(id)).files_done, 2);
});

test('a large file is stored in several transactions and becomes visible in one step', async () => {
  const rows = Array.from({ length: 500 }, (_, i) => `${i},value ${i}`).join('\n');
  const id = await uploadFiles(service, { 'large.csv': `id,value\n${rows}\n`, 'small.txt': 'Small.' });
  assert.equal(await waitForGroup(service, id), 'success');
  const chunks = await chunkRows(id);
  const { body } = await service.get(`/source-groups/${id}/sources`);
  const counts = body.sources.map((source: { chunk_count: number }) => source.chunk_count);
  assert.ok(counts[0] > 48, 'the file needs more than one transaction');
  assert.equal(counts[0] + counts[1], chunks.length);
});

test('a worker that stops releases its run, and the next worker finishes it', async () => {
  gate.setOpen(false);
  const id = await uploadFiles(service, { 'handed-back.txt': 'Handed back.' });
  await eventually(async () => gate.inHand.has('handed-back.txt'));
  const stop = new AbortController();
  const run = await lastRun(id);
  const handler = ingestRun(service.deps)(
    { tenantId: service.tenantId, runId: run.id },
    { signal: stop.signal, lastAttempt: false },
  );
  await eventually(async () => gate.calls.get('handed-back.txt') === 2);
  stop.abort(new Error('the worker stops'));
  await assert.rejects(handler, /the worker stops/);
  const [source] = await service.deps.db.query<{ attempts: number; status: string }>(
    service.tenantId,
    sql`select attempts, status from source where tenant_id = ${service.tenantId} and source_group_id = ${id}`,
  );
  assert.deepEqual(
    source,
    { attempts: 1, status: 'pending' },
    'the attempt that was not the file’s fault is taken back',
  );
  gate.setOpen(true);
  await ingestRun(service.deps)(
    { tenantId: service.tenantId, runId: run.id },
    { signal: new AbortController().signal, lastAttempt: false },
  );
  assert.equal(await waitForGroup(service, id), 'success');
});

test('a file that was read each time the worker died fails, and the other files succeed', async () => {
  gate.setOpen(false);
  const id = await uploadFiles(service, { 'poison.txt': 'Poison.', 'near.txt': 'Near it.' });
  await eventually(async () => gate.inHand.size === 2);
  await service.deps.db.query(
    service.tenantId,
    sql`update source set attempts = case name when 'poison.txt' then 6 else 4 end
        where tenant_id = ${service.tenantId} and source_group_id = ${id}`,
  );
  const run = await lastRun(id);
  const next = ingestRun(service.deps)(
    { tenantId: service.tenantId, runId: run.id },
    { signal: new AbortController().signal, lastAttempt: false },
  );
  await eventually(async () => gate.calls.get('near.txt') === 2);
  gate.setOpen(true);
  await next;
  assert.equal(gate.calls.get('poison.txt'), 1, 'the file is not read again');
  assert.equal(await waitForGroup(service, id), 'success');
  const { body } = await service.get(`/runs/${run.id}/errors`);
  assert.deepEqual(
    body.errors.map((error: { name: string; title: string }) => [error.name, error.title]),
    [['poison.txt', 'The worker stopped while reading this file']],
  );
});
