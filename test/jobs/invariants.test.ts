/** The checks of stored data report damaged data. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { appendAudit } from '../../src/corpus/audit-store.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { examine } from '../../src/doctor.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { uploadFiles } from '../support/upload.ts';

let service: TestApp;
let tenantId: string;
let groupId: string;

before(async () => {
  service = await openTestApp();
});
after(() => service.close());

/** Each test damages the data of its own tenant. */
beforeEach(async () => {
  const tenant = await service.secondTenant();
  tenantId = tenant.tenantId;
  groupId = await uploadFiles(service, { 'a.txt': `Some text of ${tenantId}.` }, tenant.key);
  const runId = (await service.get(`/source-groups/${groupId}/runs`, tenant.key)).body.runs[0].id;
  await ingestRun(service.deps)({ tenantId, runId }, { signal: new AbortController().signal, lastAttempt: false });
  assert.deepEqual(await violations(), []);
});

async function violations(): Promise<string[]> {
  const { db, blobs } = service.deps;
  const now = new Date(Date.now() + 1_000);
  const found = await findViolations(db, blobs, { now, graceSeconds: 0 });
  return found
    .filter(({ message }) => !seen.has(message))
    .map(({ invariant, message }) => {
      seen.add(message);
      return `${invariant} ${message.replace(/[0-9a-f]{8,}[0-9a-f-]*/g, 'ID')}`;
    });
}
const seen = new Set<string>();

const damage = (statement: Sql) => service.deps.db.query(tenantId, statement);

test('files that nothing needs, which a restored backup may have, are leftovers and no failure', async () => {
  async function* bytes() {
    yield Buffer.from('stored after the dump');
  }
  const { blobs } = service.deps;
  const unknown = newId();
  const extra = await blobs.stage(tenantId, bytes());
  await blobs.commit([extra, await blobs.stage(unknown, bytes())]);
  await damage(sql`insert into blob (tenant_id, hash, size) values (${tenantId}, ${'0'.repeat(64)}, 1)`);
  const { checks: atOnce } = await examine(service.deps, { thorough: true });
  assert.deepEqual(
    atOnce.filter(({ name }) => name === 'leftovers'),
    [],
    'an upload may have stored them a moment ago',
  );
  const later = { now: () => new Date(Date.now() + 3 * 3_600_000) };
  const { checks } = await examine({ ...service.deps, clock: later }, { thorough: true });
  const found = checks.filter(({ name }) => /^(stored data|leftovers)/.test(name));
  assert.deepEqual(
    found.map(({ name, ok, detail }) => `${name} ${ok} ${detail.replace(/[0-9a-f]{64}|[0-9a-f-]{36}/g, 'ID')}`),
    [
      'stored data true rows, blobs and counters are consistent',
      'leftovers true 1 blob rows that nothing needs: ID',
      'leftovers true 1 stored blobs without a row: ID',
      'leftovers true blobs of an unknown tenant ID',
    ],
  );
  await blobs.deleteTenant(unknown);
  await blobs.delete(tenantId, extra.hash);
  await damage(sql`delete from blob where tenant_id = ${tenantId} and hash = ${'0'.repeat(64)}`);
});

test('doctor says when the folder for temporary files cannot be used', async () => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/dev/null/folder';
  try {
    const { checks } = await examine(service.deps, { thorough: false });
    const found = checks.find(({ name }) => name === 'temporary files');
    assert.equal(found?.ok, false);
    assert.match(found.detail, /ENOTDIR.*\/dev\/null\/folder/);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

test('a missing blob, a blob without a row and a row that nothing needs are reported', async () => {
  const [blob] = await damage(sql`select hash from blob where tenant_id = ${tenantId}`);
  await service.deps.blobs.delete(tenantId, String(blob!['hash']));
  assert.deepEqual(await violations(), ['I1 blob ID is missing']);
  async function* bytes() {
    yield Buffer.from(`orphan of ${tenantId}`);
  }
  const staged = await service.deps.blobs.stage(tenantId, bytes());
  await service.deps.blobs.commit([staged]);
  assert.deepEqual(await violations(), ['I3 1 stored blobs without a row: ID']);
  await damage(sql`insert into blob (tenant_id, hash, size) values (${tenantId}, ${staged.hash}, ${staged.size})`);
  assert.deepEqual(await violations(), ['I3 1 blob rows that nothing needs: ID']);
});

test('chunks without a source and wrong counters are reported', async () => {
  await damage(sql`update chunk set source_id = ${newId()} where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), [
    'I3 1 chunks without their source: ID',
    'I10 1 sources whose counters differ from their chunks: ID',
  ]);
  await damage(sql`update source_text set content = content || '!' where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I10 1 sources whose text differs from its length: ID']);
  await damage(sql`update source_group set chunk_metadatas_count = 7 where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I10 1 source groups whose counter differs from their sources: ID']);
  await damage(sql`update run set added = added + 1 where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I10 1 runs whose figures do not add up: ID']);
});

test('stuck runs and times in wrong order are reported', async () => {
  await damage(sql`update run set status = 'started' where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I6 1 active runs without a heartbeat: ID']);
  await damage(
    sql`update run set status = 'success', ended_at = started_at - interval '1 hour' where tenant_id = ${tenantId}`,
  );
  assert.deepEqual(await violations(), ['I12 1 runs that end before they start or start before they are made: ID']);
  await damage(sql`update source set deleted_at = now() where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I6 1 deletions of sources that do not end: ID']);
  await damage(sql`update source set status = 'pending', deleted_at = null where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I6 1 sources left pending by a run that has ended: ID']);
  await damage(sql`update source_group set deleted_at = now() where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I7 1 deleted groups with another status, or the reverse: ID']);
  await damage(sql`update source_group set status = 'deleting' where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I6 1 deletions of source groups that do not end: ID']);
});

test('a setting and a one-time credential that outlive their purpose are reported', async () => {
  await damage(sql`insert into secret (tenant_id, id, name, type, sealed, wrapped_key, key_id, created_at, updated_at, source_group_id)
    values (${tenantId}, ${newId()}, 'n', 'repo', '', '', '', now(), now(), ${groupId})`);
  assert.deepEqual(await violations(), ['I6 1 one-time credentials that outlived their first run: ID']);
  await damage(sql`insert into connector_setting (tenant_id, id, source_group_id, kind, origin, needs_credential, created_at)
    values (${tenantId}, ${newId()}, ${groupId}, 'web', '{}', false, now())`);
  await damage(sql`update source_group set status = 'deleting', deleted_at = now() where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), [
    'I6 1 deletions of source groups that do not end: ID',
    'I7 1 settings of deleted groups: ID',
  ]);
});

test('leftover generations and wrong names at an origin are reported', async () => {
  const [source] = await damage(sql`select id from source where tenant_id = ${tenantId}`);
  const name = (originId: string, sourceId: unknown) =>
    damage(sql`insert into source_origin (tenant_id, source_id, source_group_id, origin_id)
      values (${tenantId}, ${sourceId}, ${groupId}, ${originId})`);
  await damage(sql`insert into source_update (tenant_id, source_id, source_group_id, blob_hash, file_size)
    values (${tenantId}, ${source!['id']}, ${groupId}, 'unknown', 1)`);
  assert.deepEqual(await violations(), [
    'I3 1 new versions of sources without their blob row, or of sources that are not ready: ID',
    'I6 1 new versions left waiting by a run that has ended: ID',
  ]);
  await damage(sql`update chunk set generation = 2 where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), [
    'I3 1 chunks of an old version of a source that is not marked for their removal: ID',
    'I10 1 sources whose counters differ from their chunks: ID',
  ]);
  await damage(sql`update source set deleted_at = now() where tenant_id = ${tenantId}`);
  assert.deepEqual(
    await violations(),
    ['I6 1 deletions of sources that do not end: ID'],
    'its new version is forgotten',
  );
  await name('a', source!['id']);
  assert.deepEqual(await violations(), ['I3 1 hidden sources that still have a name at their origin: ID']);
  const other = newId();
  await damage(sql`insert into source (tenant_id, id, source_group_id, source_type, name, path, file_type, file_size, blob_hash, status,
    content_at, created_at) select tenant_id, ${other}, source_group_id, source_type, name, path, file_type, file_size, blob_hash, 'failed',
    content_at, created_at from source where tenant_id = ${tenantId}`);
  await assert.rejects(name('a', other), /source_origin_tenant_id_source_group_id_origin_id_key/);
});

test('an uploaded file without its path is reported', async () => {
  await damage(sql`update source set path = null where tenant_id = ${tenantId}`);
  assert.deepEqual(await violations(), ['I3 1 uploaded files without a path, or other sources that have one: ID']);
});

test('a changed audit log is reported', async () => {
  for (const objectId of ['one', 'two', 'three']) {
    const event = { tenantId, actor: null, action: 'delete', objectKind: 'tag', objectId } as const;
    await service.deps.db.transaction(tenantId, (tx) => appendAudit(tx, event));
  }
  assert.deepEqual(await violations(), []);
  const { system } = service.deps.db;
  await system.query(
    sql`update audit_event set object_id = 'other' where tenant_id = ${tenantId} and object_id = 'two'`,
  );
  assert.deepEqual(await violations(), ['I13 audit event 3 (ID) was altered (tenant ID)']);
});

test('the check of many stored files takes little more for each file', { timeout: 60_000 }, async () => {
  // Compared with each other, these files took minutes.
  const files = 8_000;
  await damage(sql`insert into blob (tenant_id, hash, size)
    select ${tenantId}, lpad(i::text, 64, '0'), 1 from generate_series(1, ${files}::int) i`);
  await damage(sql`
    insert into source (tenant_id, id, source_group_id, source_type, name, path, file_type, file_size, blob_hash, status, content_at, created_at)
    select ${tenantId}, gen_random_uuid(), ${groupId}, 'local_file', 'many.txt', 'many.txt', 'txt', 1, lpad(i::text, 64, '0'), 'ready', now(), now()
    from generate_series(1, ${files}::int) i`);
  assert.equal((await violations()).filter((line) => line === 'I1 blob ID is missing').length, files);
});
