/** The fence: a worker that lost its run writes nothing more. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { type ActiveRun, checkFence, RunLost } from '../../src/ingest/fence.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { uploadFiles } from '../support/upload.ts';

let service: TestApp;
let active: ActiveRun;

before(async () => {
  service = await openTestApp();
});
after(() => service.close());
beforeEach(async () => {
  const groupId = await uploadFiles(service, { 'a.txt': 'text' });
  const runId = (await service.get(`/source-groups/${groupId}/runs`)).body.runs[0].id;
  active = {
    tenantId: service.tenantId,
    runId,
    groupId,
    sourceType: 'local_file',
    reads: 'origin',
    attempt: 0,
    generation: 1,
    chunkMetadataKeys: [],
  };
  await setStatus('starting');
});

const check = (run = active) => service.deps.db.transaction(service.tenantId, (tx) => checkFence(tx, run));

async function setStatus(status: string): Promise<void> {
  await service.deps.db.query(
    service.tenantId,
    sql`update source_group set status = ${status} where tenant_id = ${service.tenantId} and id = ${active.groupId}`,
  );
}

async function assertLost(reason: RunLost['reason'], run = active): Promise<void> {
  await assert.rejects(check(run), (error) => error instanceof RunLost && error.reason === reason);
}

test('a worker that holds its run passes the fence', async () => {
  await check();
  await setStatus('started');
  await check();
});

test('a run that another attempt or generation took over is lost', async () => {
  await assertLost('taken over', { ...active, attempt: 1 });
  await assertLost('taken over', { ...active, generation: 2 });
  await setStatus('unknown');
  await assertLost('taken over');
});

test('a canceled run is lost', async () => {
  await setStatus('canceling');
  await assertLost('canceling');
});

test('the run of a deleted group is lost, with the tombstone and after the row is removed', async () => {
  await service.deps.db.query(
    service.tenantId,
    sql`update source_group set deleted_at = now() where tenant_id = ${service.tenantId} and id = ${active.groupId}`,
  );
  await assertLost('deleted');
  await service.deps.db.query(
    service.tenantId,
    sql`delete from source_group where tenant_id = ${service.tenantId} and id = ${active.groupId}`,
  );
  await assertLost('deleted');
});
