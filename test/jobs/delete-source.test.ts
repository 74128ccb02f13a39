/** Deletion of one source: hidden with the answer, removed by a job, and never restored by a run in flight. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { findViolations } from '../../src/corpus/invariants.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { deleteGroup } from '../../src/ingest/removal/delete-group.ts';
import { deleteFiles, removeDeletedSource } from '../../src/ingest/removal/delete-source.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { buildTables } from '../../src/ingest/tables/build-tables.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, uploadFiles } from '../support/upload.ts';
import { type GatedProcessor, gateProcessor } from '../support/worlds/gated-processor.ts';

/** There is no worker: each test runs the jobs itself, so that it sees the states between them. */
let service: TestApp;
let gate: GatedProcessor;

before(async () => {
  gate = gateProcessor(openProcessPool({ children: 1 }));
  service = await openTestApp({ given: { processor: gate } });
});
after(async () => {
  await service.close();
  await gate.close();
});
afterEach(async () => {
  gate.setOpen(true);
  await assertSound();
});

async function assertSound(): Promise<void> {
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
}

const context = () => ({ signal: new AbortController().signal, lastAttempt: false });
const searchNames = async (query: string): Promise<string[]> =>
  (await service.post('/search', { query, mode: 'lexical' })).body.results.map((hit: { name: string }) => hit.name);
const storedBlobs = async () => (await Array.fromAsync(service.deps.blobs.list())).length;

async function lastRun(groupId: string) {
  return (await service.get(`/source-groups/${groupId}/runs`)).body.runs.at(-1);
}

async function run(groupId: string): Promise<void> {
  await ingestRun(service.deps)({ tenantId: service.tenantId, runId: (await lastRun(groupId)).id }, context());
}

async function ingested(files: Record<string, string | Uint8Array>): Promise<{ group: string; ids: string[] }> {
  const group = await uploadFiles(service, files);
  await run(group);
  return { group, ids: await sourceIds(group) };
}

async function sourceIds(group: string): Promise<string[]> {
  return (await service.get(`/source-groups/${group}/sources?limit=100`)).body.sources.map(
    (one: { id: string }) => one.id,
  );
}

async function remove(sourceId: string, db: Database = service.deps.db): Promise<void> {
  await removeDeletedSource({ ...service.deps, db }, service.tenantId, sourceId, context().signal);
}

/** Counts the rows of a source in all tables. */
async function rowsOf(sourceId: string): Promise<number> {
  const [row] = await service.deps.db.query<{ n: number }>(
    service.tenantId,
    sql`select (select count(*) from source where tenant_id = ${service.tenantId} and id = ${sourceId})
      + (select count(*) from source_text where tenant_id = ${service.tenantId} and source_id = ${sourceId})
      + (select count(*) from chunk where tenant_id = ${service.tenantId} and source_id = ${sourceId}) as n`,
  );
  return row!.n;
}

async function cleanUp(group: string): Promise<void> {
  await service.delete(`/source-groups/${group}`);
  await deleteGroup(service.deps)({ tenantId: service.tenantId, groupId: group }, context());
  assert.equal(await storedBlobs(), 0);
}

test('the files of the tables of a source are removed with it', async () => {
  const { group, ids } = await ingested({ 'birds.csv': 'bird,year\nheron,2024\nstork,2023\n' });
  const [gone = ''] = ids;
  await buildTables(service.deps)({ tenantId: service.tenantId, sourceId: gone }, context());
  assert.equal(await storedBlobs(), 2);
  await service.delete(`/sources/${gone}`);
  await remove(gone);
  assert.equal(await storedBlobs(), 0);
  await cleanUp(group);
});

test('a deleted source is not found anywhere from the answer on, and the job removes its rows and blob', async () => {
  const { group, ids } = await ingested({
    'kept.csv': 'bird,year\nheron,2024\n',
    'gone.txt': 'The okapi lives in the forest.',
  });
  const [, gone = ''] = ids;
  await service.put(`/sources/${gone}/metadata`, { metadata: { records: [{ key: 'k', val: 'v' }] } });
  const chunk = (await service.get(`/sources/${gone}/chunks`)).body.chunks[0].id;
  const question = { messages: [{ role: 'user', content: 'Where does the okapi live?' }] };
  assert.equal((await service.post('/completions', question)).body.choices[0].citations.length, 1);

  const answer = await service.delete(`/sources/${gone}`);
  assert.deepEqual([answer.status, answer.body], [202, { source_id: gone }]);
  const check = async (): Promise<void> => {
    assert.deepEqual(await searchNames('okapi'), []);
    const { choices } = (await service.post('/completions', question)).body;
    assert.deepEqual([choices[0].citations, choices[0].finish_reason], [[], 'no_answer']);
    for (const path of [
      `/contents/${chunk}`,
      ...['', '/chunks', '/text', '/raw'].map((end) => `/sources/${gone}${end}`),
    ])
      assert.equal((await service.get(path)).status, 404, path);
    const patch = { metadata: { records: [] } };
    assert.equal((await service.put(`/sources/${gone}/metadata`, patch)).status, 404);
    assert.equal((await service.delete(`/sources/${gone}/metadata`)).status, 404);
    const batch = await service.post('/sources/metadata/batch', { items: [{ source_id: gone, ...patch }] });
    assert.equal(
      batch.body.results[0].error,
      'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
    );
    assert.equal((await service.get('/sources')).body.pagination.total, 0);
    assert.deepEqual(await sourceIds(group), ids.slice(0, 1));
  };
  await check();
  assert.ok((await rowsOf(gone)) > 0);
  const again = await service.delete(`/sources/${gone}`);
  assert.deepEqual([again.status, again.body], [202, { source_id: gone }]);

  await remove(gone);
  await check();
  assert.equal(await rowsOf(gone), 0);
  assert.equal(await storedBlobs(), 1);
  assert.equal((await service.delete(`/sources/${gone}`)).status, 404);
  await remove(gone);
  assert.deepEqual(await searchNames('heron'), ['kept.csv']);
  await cleanUp(group);
});

test('the removal job is enqueued once, in the transaction of the tombstone', async () => {
  const { group, ids } = await ingested({ 'a.txt': 'A.' });
  await Promise.all([1, 2, 3].map(() => service.delete(`/sources/${ids[0]}`)));
  const [jobs] = await service.deps.db.system.query<{ n: number }>(sql`
    select count(*) as n from pgboss.job where name = 'delete-files' and data ->> 'groupId' = ${group}`);
  assert.equal(jobs!.n, 1);
  await cleanUp(group);
  await remove(ids[0]!);
});

test('a deleted source is subtracted from the counter of chunk metadata', async () => {
  const form = new FormData();
  for (const name of ['a.csv', 'b.csv']) form.append('files', new Blob([`bird,year\n${name},2024\nx,2025\n`]), name);
  for (const _ of 'ab') form.append('last_modified', '1700000000000');
  form.append('chunk_metadata_keys', JSON.stringify([{ key: 'year', type: 'integer' }]));
  const encoded = new Response(form);
  const { body } = await service.request({
    method: 'POST',
    path: '/local-file-groups',
    headers: { 'content-type': encoded.headers.get('content-type')! },
    body: await encoded.text(),
  });
  const group = body.source_group_id;
  await run(group);
  const counted = async () => (await service.get(`/local-file-groups/${group}`)).body.chunk_metadatas_count;
  assert.equal(await counted(), 4);
  await service.delete(`/sources/${(await sourceIds(group))[0]}`);
  assert.equal(await counted(), 2);
  await assertSound();
  await cleanUp(group);
});

test('a blob that another source needs is kept', async () => {
  const { group, ids } = await ingested({ 'one.txt': 'Same bytes.', 'two.txt': 'Same bytes.' });
  await service.delete(`/sources/${ids[0]}`);
  await remove(ids[0]!);
  assert.equal(await storedBlobs(), 1);
  assert.deepEqual(await searchNames('same bytes'), ['two.txt']);
  await cleanUp(group);
});

test('a run that is reading the file does not restore a deleted source, and its statistics are right', async () => {
  const large = `id,value\n${Array.from({ length: 200 }, (_, i) => `${i},zebra ${i}`).join('\n')}\n`;
  for (const [name, content] of [
    ['small.txt', 'The zebra runs.'],
    ['large.csv', large],
  ] as const) {
    gate.setOpen(false);
    const group = await uploadFiles(service, { [name]: content, 'other.txt': 'The heron nests.' });
    const doomed = (await sourceIds(group))[0]!;
    const running = run(group);
    await eventually(async () => gate.inHand.has(name));
    assert.equal((await service.delete(`/sources/${doomed}`)).status, 202);
    // The job runs once after the run and once before it.
    if (name === 'small.txt') await remove(doomed);
    gate.setOpen(true);
    await running;
    assert.deepEqual(await searchNames('zebra'), []);
    await assertSound();
    const { status, files_done, files_total, statistics } = await lastRun(group);
    assert.deepEqual([status, files_done, files_total, statistics.added, statistics.skipped], ['success', 2, 2, 1, 1]);
    assert.equal((await service.get(`/source-groups/${group}`)).body.status, 'success');
    await remove(doomed);
    assert.equal(await rowsOf(doomed), 0);
    await cleanUp(group);
  }
});

test('a source that is deleted between two parts of a large file leaves no rows', async () => {
  const large = `id,value\n${Array.from({ length: 200 }, (_, i) => `${i},quagga ${i}`).join('\n')}\n`;
  const group = await uploadFiles(service, { 'large.csv': large });
  const [doomed = ''] = await sourceIds(group);
  const chunks = async (): Promise<number> => {
    const [row] = await service.deps.db.query<{ n: number }>(
      service.tenantId,
      sql`select count(*) as n from chunk where tenant_id = ${service.tenantId} and source_id = ${doomed}`,
    );
    return row!.n;
  };
  let hidden = 0;
  const db: Database = {
    ...service.deps.db,
    async transaction(tenantId, fn, options) {
      const result = await service.deps.db.transaction(tenantId, fn, options);
      if (hidden === 0) hidden = await chunks();
      if (hidden > 0) assert.equal((await service.delete(`/sources/${doomed}`)).status, 202);
      return result;
    },
  };
  await ingestRun({ ...service.deps, db })({ tenantId: service.tenantId, runId: (await lastRun(group)).id }, context());
  assert.ok(hidden > 0 && hidden < 200, 'the deletion happened between two parts');
  assert.equal(await chunks(), hidden, 'no part was stored after the deletion');
  assert.deepEqual(await searchNames('quagga'), []);
  await remove(doomed);
  assert.equal(await rowsOf(doomed), 0);
  assert.deepEqual([(await lastRun(group)).status, (await lastRun(group)).statistics.skipped], ['success', 1]);
  await cleanUp(group);
});

test('the counters are right after deletions during a run, in any order', async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}.txt`, `The tapir number ${i}.`]));
  const group = await uploadFiles(service, files);
  const ids = await sourceIds(group);
  const doomed = ids.filter((_, i) => i % 2 === 0);
  const [answers] = await Promise.all([Promise.all(doomed.map((id) => service.delete(`/sources/${id}`))), run(group)]);
  assert.ok(answers.every((answer) => answer.status === 202));
  await assertSound();
  const { files_done, files_total, statistics } = await lastRun(group);
  assert.deepEqual([files_done, files_total, statistics.failed], [30, 30, 0]);
  assert.ok(statistics.added >= 15);
  await Promise.all(doomed.map((id) => remove(id)));
  assert.equal((await searchNames('tapir')).length, 10, 'a page of the remaining sources');
  assert.equal((await sourceIds(group)).length, 15);
  await cleanUp(group);
});

test('another run does not restore a deleted source', async () => {
  const { group, ids } = await ingested({ 'a.txt': 'The ibis wades.', 'b.txt': 'The stork stands.' });
  await service.delete(`/sources/${ids[0]}`);
  const again = await service.post(`/source-groups/${group}/runs`, {});
  assert.equal(again.body.statistics.scanned, 1);
  await run(group);
  assert.deepEqual(await searchNames('ibis'), []);
  await remove(ids[0]!);
  await service.delete(`/sources/${ids[1]}`);
  await remove(ids[1]!);
  assert.equal((await service.post(`/source-groups/${group}/runs`, {})).body.statistics.scanned, 0);
  await run(group);
  assert.equal((await lastRun(group)).status, 'success');
  await cleanUp(group);
});

test('an attempt finishes a removal that was interrupted at any step', async () => {
  for (let failAt = 1; ; failAt++) {
    const { group, ids } = await ingested({ 'doomed.txt': `Doomed ${failAt}.` });
    await service.delete(`/sources/${ids[0]}`);
    let steps = 0;
    const db: Database = {
      ...service.deps.db,
      transaction: (tenantId, fn, options) => {
        if (++steps === failAt) return Promise.reject(new Error('the fault'));
        return service.deps.db.transaction(tenantId, fn, options);
      },
    };
    const failure = await remove(ids[0]!, db).then(
      () => undefined,
      (error: Error) => error.message,
    );
    await remove(ids[0]!);
    assert.deepEqual([await rowsOf(ids[0]!), await storedBlobs()], [0, 0], `failed at step ${failAt}`);
    await cleanUp(group);
    if (failure === undefined) {
      assert.ok(failAt > 4, 'several steps were made to fail');
      return;
    }
    assert.equal(failure, 'the fault');
  }
});

test('a source whose blob cannot be removed stays hidden until the collector removes it', async () => {
  const { group, ids } = await ingested({ 'stuck.txt': 'Stuck.' });
  await service.delete(`/sources/${ids[0]}`);
  const broken = { ...service.deps.blobs, delete: () => Promise.reject(new Error('the disk is broken')) };
  const job = deleteFiles({ ...service.deps, blobs: broken })(
    { tenantId: service.tenantId, groupId: group },
    context(),
  );
  await assert.rejects(job, /the disk is broken/);
  assert.deepEqual(await searchNames('stuck'), []);
  assert.equal((await service.delete(`/sources/${ids[0]}`)).status, 202);
  await collectGarbage(service.deps)({}, context());
  assert.ok((await rowsOf(ids[0]!)) > 0, 'the removal job of the source may be in flight');
  const later = { now: () => new Date(Date.now() + 20 * 60_000) };
  await collectGarbage({ ...service.deps, clock: later })({}, context());
  assert.deepEqual([await rowsOf(ids[0]!), await storedBlobs()], [0, 0]);
  await cleanUp(group);
});

test('a group can be deleted during the removal of its source', async () => {
  const { group, ids } = await ingested({ 'a.txt': 'A.', 'b.txt': 'B.' });
  await service.delete(`/sources/${ids[0]}`);
  await service.delete(`/source-groups/${group}`);
  assert.equal((await service.delete(`/sources/${ids[0]}`)).status, 202, 'the source is not removed yet');
  assert.equal((await service.delete(`/sources/${ids[1]}`)).status, 404, 'the source was removed with its group');
  await Promise.all([
    remove(ids[0]!),
    deleteGroup(service.deps)({ tenantId: service.tenantId, groupId: group }, context()),
  ]);
  assert.equal((await service.delete(`/sources/${ids[0]}`)).status, 404);
  assert.equal(await storedBlobs(), 0);
});

test('a removal job for a source without a tombstone removes nothing', async () => {
  const { group, ids } = await ingested({ 'alive.txt': 'Alive.' });
  await remove(ids[0]!);
  await remove(newId());
  assert.deepEqual(await searchNames('alive'), ['alive.txt']);
  await cleanUp(group);
});

const NEST = zipSync({
  'a.csv': strToU8('bird,year\nquokka,2024\n'),
  'inner.zip': zipSync({ 'deep.txt': strToU8('The quokka smiles.') }),
});

test('a deleted archive takes its members with it', async () => {
  const { group, ids } = await ingested({ 'nest.zip': NEST, 'other.txt': 'The wombat digs.' });
  const sources = await Promise.all(ids.map(async (id) => (await service.get(`/sources/${id}`)).body));
  const byName = new Map(sources.map((source) => [source.name, source]));
  assert.deepEqual(
    ['nest.zip', 'a.csv', 'inner.zip', 'deep.txt'].map((name) => byName.get(name).parent_source_id),
    [null, byName.get('nest.zip').id, byName.get('nest.zip').id, byName.get('inner.zip').id],
  );
  const listed = (await service.get(`/source-groups/${group}/sources?limit=100`)).body.sources;
  assert.deepEqual(
    listed.map((source: { parent_source_id: string | null }) => source.parent_source_id),
    sources.map((source) => source.parent_source_id),
  );
  const gone = byName.get('nest.zip').id;
  assert.equal((await service.delete(`/sources/${gone}`)).status, 202);
  assert.deepEqual(await searchNames('quokka'), []);
  assert.deepEqual(await sourceIds(group), [byName.get('other.txt').id]);
  await assertSound();
  await remove(gone);
  for (const { id, name } of sources) assert.equal((await rowsOf(id)) > 0, name === 'other.txt', name);
  assert.equal(await storedBlobs(), 1);
  await cleanUp(group);
});

test('a run that is reading a member of a deleted archive does not restore the member', async () => {
  const group = await uploadFiles(service, { 'nest.zip': NEST });
  gate.script = (name) => {
    if (name === 'deep.txt') gate.setOpen(false);
    return undefined;
  };
  const running = run(group);
  await eventually(async () => gate.inHand.has('deep.txt'));
  const [archive = ''] = await sourceIds(group);
  assert.equal((await service.delete(`/sources/${archive}`)).status, 202);
  gate.script = () => undefined;
  gate.setOpen(true);
  await running;
  assert.deepEqual([await searchNames('quokka'), await sourceIds(group)], [[], []]);
  const { status, files_done, files_total, statistics } = await lastRun(group);
  assert.deepEqual([status, files_done, files_total, statistics.skipped >= 1], ['success', 4, 4, true]);
  await remove(archive);
  assert.equal(await storedBlobs(), 0);
  await cleanUp(group);
});
