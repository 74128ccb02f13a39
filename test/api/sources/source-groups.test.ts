/** Routes of source groups and runs: filters, pages, limits of keys, unknown ids. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { ingestRun } from '../../../src/ingest/run-ingest.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { uploadFiles } from '../../support/upload.ts';

let service: TestApp;
/** Three groups: an ingested group, a group with a tag, and a queued group. */
let [ready, tagged, queued] = ['', '', ''];
const tagId = newId();

before(async () => {
  service = await openTestApp();
  ready = await uploadFiles(service, { 'ready.txt': 'Ready.', 'also.txt': 'Also.' });
  tagged = await uploadFiles(service, { 'tagged.txt': 'Tagged.' });
  queued = await uploadFiles(service, { 'queued.txt': 'Queued.' });
  const runId = (await service.get(`/source-groups/${ready}/runs`)).body.runs[0].id;
  const job = { tenantId: service.tenantId, runId };
  await ingestRun(service.deps)(job, { signal: new AbortController().signal, lastAttempt: false });
  await service.deps.db.transaction(service.tenantId, async (tx) => {
    await tx.query(sql`insert into tag (tenant_id, id, name) values (${service.tenantId}, ${tagId}, 'policy')`);
    await tx.query(sql`insert into tag_source_group (tenant_id, id, tag_id, source_group_id)
      values (${service.tenantId}, ${newId()}, ${tagId}, ${tagged})`);
  });
});
after(() => service.close());

async function listed(query: string, key?: string): Promise<string[]> {
  const { status, body } = await service.get(`/source-groups${query}`, key);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.pagination.total, body.source_groups.length);
  return body.source_groups.map((group: { id: string }) => group.id);
}

test('source groups are filtered by type, status and tag, and a group must match all filters', async () => {
  assert.deepEqual(await listed(''), [ready, tagged, queued]);
  assert.deepEqual(await listed('?status=success'), [ready]);
  assert.deepEqual(await listed('?source_type=local_file&status=queued'), [tagged, queued]);
  assert.deepEqual(await listed('?source_type=web'), []);
  assert.deepEqual(await listed(`?tag_id=${tagId}`), [tagged]);
  assert.deepEqual(await listed(`?tag_id=${tagId}&status=success`), []);
  assert.deepEqual(await listed(`?tag_id=${newId()}`), []);
  assert.deepEqual(await listed('?tag_id=nonsense'), []);
});

test('an unknown filter for source groups is refused', async () => {
  for (const query of ['?status=done', '?source_type=folder', '?colour=red', '?limit=0', '?after_id=1']) {
    assert.equal((await service.get(`/source-groups${query}`)).status, 400, query);
  }
});

test('a source group is returned with all its members', async () => {
  const { body } = await service.get(`/source-groups/${ready}`);
  const { id, source_type, name, status, error, metadata } = body;
  assert.deepEqual(
    { id, source_type, name, status, error, metadata },
    {
      id: ready,
      source_type: 'local_file',
      name: 'ready.txt and 1 more',
      status: 'success',
      error: null,
      metadata: { records: [] },
    },
  );
});

test('the sources and runs of a group are listed in pages', async () => {
  const first = (await service.get(`/source-groups/${ready}/sources?limit=1`)).body;
  assert.equal(first.sources[0].name, 'ready.txt');
  const second = (await service.get(`/source-groups/${ready}/sources?limit=1&after_id=${first.pagination.next_id}`))
    .body;
  assert.equal(second.sources[0].name, 'also.txt');
  assert.deepEqual(second.pagination, { limit: 1, has_more: false, total: 2, next_id: null });
  const { body } = await service.get(`/source-groups/${ready}/runs`);
  assert.equal(body.runs.length, 1);
  assert.deepEqual((await service.get(`/runs/${body.runs[0].id}`)).body, body.runs[0]);
});

test('order=desc lists groups newest first, and its next pages have older groups', async () => {
  assert.deepEqual(await listed('?order=desc'), [queued, tagged, ready]);
  const page = async (query: string) => (await service.get(`/source-groups?limit=2&${query}`)).body;
  const first = await page('order=desc');
  assert.deepEqual(first.pagination, { limit: 2, has_more: true, total: 3, next_id: tagged });
  const second = await page(`order=desc&after_id=${tagged}`);
  assert.deepEqual(
    [second.source_groups.map((group: { id: string }) => group.id), second.pagination],
    [[ready], { limit: 2, has_more: false, total: 3, next_id: null }],
  );
  const other = await page(`order=asc&after_id=${tagged}`);
  assert.deepEqual(other.source_groups[0].id, queued);
  const names = async (order: string) =>
    (await service.get(`/source-groups/${ready}/sources?order=${order}`)).body.sources.map(
      (source: { name: string }) => source.name,
    );
  assert.deepEqual(await names('desc'), (await names('asc')).toReversed());
});

test('q finds source groups by a part of their name, in upper or lower case', async () => {
  const id = await uploadFiles(service, { 'x.txt': 'x' });
  assert.equal((await service.put(`/source-groups/${id}`, { name: 'Überblick 100%_a' })).status, 200);
  for (const q of ['überBLICK', '100%_A', '  blick ']) {
    assert.deepEqual(await listed(`?q=${encodeURIComponent(q)}`), [id], q);
  }
  assert.deepEqual(await listed('?q=100__'), []);
  assert.deepEqual(await listed('?q=%25b'), []);
  assert.equal((await service.get(`/source-groups?q=${'x'.repeat(201)}`)).status, 400);
});

test('runs are listed in both orders and found by their status and error', async () => {
  const started = await service.post(`/source-groups/${ready}/runs`, {});
  assert.equal(started.status, 201);
  const runs = async (query: string): Promise<string[]> =>
    (await service.get(`/source-groups/${ready}/runs?${query}`)).body.runs.map((run: { id: string }) => run.id);
  const [oldest = '', newest] = await runs('order=asc');
  assert.equal(newest, started.body.id);
  assert.deepEqual(await runs('order=desc'), [newest, oldest]);
  assert.deepEqual(await runs(`order=desc&after_id=${newest}`), [oldest]);
  assert.deepEqual(await runs('q=SUCCESS'), [oldest]);
  assert.deepEqual(await runs('q=nonsense'), []);
  assert.equal((await service.get(`/source-groups/${ready}/runs?order=up`)).status, 400);
});

test('the runs of all source groups are in one list, within the limits of the key', async () => {
  const all = (await service.get('/runs?order=desc&limit=100')).body;
  const groups = new Set(all.runs.map((run: { source_group_id: string }) => run.source_group_id));
  for (const id of [ready, tagged, queued]) assert.ok(groups.has(id));
  const ids = all.runs.map((run: { id: string }) => run.id);
  assert.deepEqual(ids, [...ids].sort().reverse());
  assert.equal(all.pagination.total, ids.length);
  const limited = await service.issueKey(['knowledge:read'], { sourceGroupIds: [tagged] });
  const { runs, pagination } = (await service.get('/runs', limited)).body;
  assert.deepEqual([runs.length, runs[0].source_group_id, pagination.total], [1, tagged, 1]);
  assert.deepEqual((await service.get('/runs?status=success&q=succ')).body.pagination.total, 1);
  const { key } = await service.secondTenant();
  assert.deepEqual((await service.get('/runs', key)).body.runs, []);
});
