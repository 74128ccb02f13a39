/** Deletion of a source group: hidden with the answer, removed by a job that may be interrupted, without loss for other groups. */
import assert from 'node:assert/strict';
import { existsSync, utimesSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { json } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { FileProcessor } from '../../src/files/sandbox/file-processor.ts';
import { deleteGroup } from '../../src/ingest/removal/delete-group.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { uploadFiles } from '../support/upload.ts';

/** There is no worker: each test runs the jobs itself, so that it sees the states between them. */
let service: TestApp;

before(async () => {
  service = await openTestApp();
});
after(() => service.close());
afterEach(async () => {
  const { db, blobs } = service.deps;
  const now = new Date();
  assert.deepEqual(await findViolations(db, blobs, { now, graceSeconds: 60 }), []);
});

const context = (lastAttempt = false) => ({ signal: new AbortController().signal, lastAttempt });

async function ingested(files: Record<string, string>): Promise<string> {
  const id = await uploadFiles(service, files);
  const { body } = await service.get(`/source-groups/${id}/runs`);
  await ingestRun(service.deps)({ tenantId: service.tenantId, runId: body.runs[0].id }, context());
  return id;
}

function runDeletion(groupId: string, lastAttempt = false): Promise<void> {
  return deleteGroup(service.deps)({ tenantId: service.tenantId, groupId }, context(lastAttempt));
}

async function count(table: 'chunk' | 'source' | 'source_group' | 'run' | 'blob'): Promise<number> {
  const counts = await service.deps.db.query<{ table: string; n: number }>(
    service.tenantId,
    sql`select 'chunk' as "table", count(*) as n from chunk where tenant_id = ${service.tenantId}
        union all select 'source', count(*) from source where tenant_id = ${service.tenantId}
        union all select 'source_group', count(*) from source_group where tenant_id = ${service.tenantId}
        union all select 'run', count(*) from run where tenant_id = ${service.tenantId}
        union all select 'blob', count(*) from blob where tenant_id = ${service.tenantId}`,
  );
  return counts.find((row) => row.table === table)!.n;
}

const storedHashes = async () => (await Array.fromAsync(service.deps.blobs.list())).map((blob) => blob.hash).sort();

async function searchNames(query: string): Promise<string[]> {
  const { body } = await service.post('/search', { query, mode: 'lexical' });
  return body.results.map((hit: { name: string }) => hit.name);
}

test('a deleted group is not found from the answer on, and the job removes its rows and blobs', async () => {
  const id = await ingested({ 'gone.txt': 'The okapi lives in the forest.' });
  assert.deepEqual(await searchNames('okapi'), ['gone.txt']);
  const answer = await service.delete(`/local-file-groups/${id}`);
  assert.deepEqual([answer.status, answer.body], [202, { source_group_id: id }]);
  assert.deepEqual(await searchNames('okapi'), []);
  assert.equal((await service.get(`/local-file-groups/${id}`)).body.status, 'deleting');
  assert.equal((await service.get(`/source-groups/${id}/sources`)).body.pagination.total, 0);
  const again = await service.delete(`/source-groups/${id}`);
  assert.deepEqual([again.status, again.body], [202, { source_group_id: id }]);

  await runDeletion(id);
  assert.equal((await service.get(`/local-file-groups/${id}`)).status, 404);
  assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 404);
  for (const table of ['chunk', 'source', 'source_group', 'run', 'blob'] as const)
    assert.equal(await count(table), 0, table);
  assert.deepEqual(await storedHashes(), []);
  await runDeletion(id);
});

test('a blob that another group needs is kept', async () => {
  const doomed = await ingested({ 'shared.txt': 'Shared bytes.', 'own.txt': 'Own bytes.' });
  const kept = await ingested({ 'copy.txt': 'Shared bytes.' });
  await service.delete(`/local-file-groups/${doomed}`);
  await runDeletion(doomed);
  assert.equal((await storedHashes()).length, 1);
  assert.deepEqual(await searchNames('shared bytes'), ['copy.txt']);
  await service.delete(`/local-file-groups/${kept}`);
  await runDeletion(kept);
  assert.deepEqual(await storedHashes(), []);
});

test('a missing blob is logged as an error, unless its group was deleted meanwhile', async () => {
  for (const deleted of [false, true]) {
    const id = await uploadFiles(service, { 'waiting.txt': 'The bongo waits.' });
    const { body } = await service.get(`/source-groups/${id}/runs`);
    const processor: FileProcessor = {
      process: async (request, signal) => {
        if (deleted) assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 202);
        return service.deps.processor.process({ ...request, path: `${request.path}-missing` }, signal);
      },
      close: async () => undefined,
    };
    service.logs.length = 0;
    await ingestRun({ ...service.deps, processor })({ tenantId: service.tenantId, runId: body.runs[0].id }, context());
    const errors = service.logs.filter((line) => Number(line['level']) >= 50);
    assert.equal(errors.length, deleted ? 0 : 1);
    if (!deleted) assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 202);
    await runDeletion(id);
  }
});

test('an attempt finishes a deletion that was interrupted at any step', async () => {
  for (let failAt = 1; ; failAt++) {
    const id = await ingested({ 'a.txt': `Text a ${failAt}.`, 'b.txt': `Text b ${failAt}.` });
    await service.delete(`/local-file-groups/${id}`);
    let steps = 0;
    const db = {
      ...service.deps.db,
      transaction: ((...args: Parameters<typeof service.deps.db.transaction>) => {
        if (++steps === failAt) return Promise.reject(new Error('the fault'));
        return service.deps.db.transaction(...args);
      }) as typeof service.deps.db.transaction,
    };
    const faulty = deleteGroup({ ...service.deps, db })({ tenantId: service.tenantId, groupId: id }, context());
    const failure = await faulty.then(
      () => undefined,
      (error: Error) => error.message,
    );
    await runDeletion(id);
    assert.equal((await service.get(`/local-file-groups/${id}`)).status, 404, `failed at step ${failAt}`);
    assert.deepEqual(await storedHashes(), [], `failed at step ${failAt}`);
    if (failure === undefined) {
      assert.ok(failAt > 5, 'several steps were made to fail');
      return;
    }
    assert.equal(failure, 'the fault');
  }
});

test('a deletion that is to stop removes no chunks, and the next attempt removes them', async () => {
  const id = await ingested({ 'stopped.txt': 'The tapir rests.' });
  await service.delete(`/local-file-groups/${id}`);
  const before = await count('chunk');
  assert.ok(before > 0);
  const aborted = { signal: AbortSignal.abort(), lastAttempt: false };
  const stopped = deleteGroup(service.deps)({ tenantId: service.tenantId, groupId: id }, aborted);
  await assert.rejects(stopped, { name: 'AbortError' });
  assert.equal(await count('chunk'), before);
  await runDeletion(id);
  assert.equal(await count('chunk'), 0);
});

test('a deletion whose last attempt failed has a failure status and can be requested again', async () => {
  const id = await ingested({ 'stuck.txt': 'Stuck.' });
  await service.delete(`/local-file-groups/${id}`);
  const blobs = { ...service.deps.blobs, delete: () => Promise.reject(new Error('the disk is broken')) };
  const job = deleteGroup({ ...service.deps, blobs })({ tenantId: service.tenantId, groupId: id }, context(true));
  await assert.rejects(job, /the disk is broken/);
  const { body } = await service.get(`/local-file-groups/${id}`);
  assert.equal(body.status, 'delete_job_failure');
  assert.equal(body.error.title, 'The deletion failed');
  assert.deepEqual(await searchNames('stuck'), []);
  assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 202);
  assert.equal((await service.get(`/local-file-groups/${id}`)).body.status, 'deleting');
  await runDeletion(id);
  assert.deepEqual(await storedHashes(), []);
});

test('the collector removes only blobs that crashed uploads left', async () => {
  const id = await ingested({ 'kept.txt': 'Kept.' });
  const { db, blobs } = service.deps;
  async function* bytes() {
    yield Buffer.from('left behind');
  }
  const staged = await blobs.stage(service.tenantId, bytes());
  await blobs.commit([staged]);
  const reserve = (createdAt: Date) =>
    db.transaction(service.tenantId, async (tx) => {
      await tx.query(sql`delete from upload where tenant_id = ${service.tenantId}`);
      await tx.query(sql`insert into upload (tenant_id, id, hashes, created_at)
        values (${service.tenantId}, ${id}, ${[staged.hash]}::text[], ${createdAt})`);
      await tx.query(sql`insert into blob (tenant_id, hash, size) values (${service.tenantId}, ${staged.hash}, ${staged.size})
        on conflict do nothing`);
    });
  await reserve(new Date());
  await collectGarbage(service.deps)({}, context());
  assert.equal((await storedHashes()).length, 2, 'the upload may be in flight');
  await reserve(new Date(Date.now() - 2 * 3_600_000));
  await collectGarbage(service.deps)({}, context());
  assert.equal((await storedHashes()).length, 1);
  assert.deepEqual(await searchNames('kept'), ['kept.txt']);
});

test('the collector enqueues a run again that has lost its worker and its job', async () => {
  const id = await uploadFiles(service, { 'sleeping.txt': 'Sleeping.' });
  const tenantId = service.tenantId;
  const { db } = service.deps;
  const runId = (await service.get(`/source-groups/${id}/runs`)).body.runs[0].id;
  const silentSince = new Date(Date.now() - 5 * 60_000);
  await db.transaction(tenantId, async (tx) => {
    for (const status of ['starting', 'started']) {
      await tx.query(sql`update source_group set status = ${status} where tenant_id = ${tenantId} and id = ${id}`);
    }
    await tx.query(
      sql`update run set status = 'started', heartbeat_at = ${silentSince} where tenant_id = ${tenantId} and id = ${runId}`,
    );
  });
  const jobs = async () =>
    (
      await db.system.query<{ n: number }>(sql`select count(*) as n from pgboss.job where name = 'ingest-run'
      and data = ${json({ tenantId, runId })}`)
    )[0]!.n;
  const setJob = (state: string) =>
    db.system.query(
      sql`update pgboss.job set state = ${state} where name = 'ingest-run' and data ->> 'runId' = ${runId}`,
    );
  const status = async () => (await service.get(`/runs/${runId}`)).body.status;
  const before = await jobs();
  await setJob('active');
  await collectGarbage(service.deps)({}, context());
  assert.deepEqual([await jobs(), await status()], [before, 'started'], 'a worker has its job');
  await setJob('retry');
  await collectGarbage(service.deps)({}, context());
  assert.deepEqual([await jobs(), await status()], [before, 'unknown'], 'its job waits');
  await setJob('failed');
  for (let i = 0; i < 3; i += 1) await collectGarbage(service.deps)({}, context());
  assert.deepEqual([await jobs(), await status()], [before + 1, 'unknown']);
  await ingestRun(service.deps)({ tenantId, runId }, context());
  assert.equal((await service.get(`/runs/${runId}`)).body.status, 'success');
});

test('the collector deletes folders for temporary files that killed processes left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinakes-work-'));
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(folder, yesterday, yesterday);
  await collectGarbage(service.deps)({}, context());
  assert.equal(existsSync(folder), false);
});
