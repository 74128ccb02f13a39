/** The list of all sources: search, filters, sort, counts, errors, and what a key may not see. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { sql } from '../../../src/db/sql.ts';
import { ingestRun } from '../../../src/ingest/run-ingest.ts';
import { collectGarbage } from '../../../src/ingest/upkeep/collect-garbage.ts';
import { newId } from '../../../src/util/ids.ts';
import { buildWorker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ingest, multipartBody, uploadFiles, waitForGroup } from '../../support/upload.ts';

interface Row {
  id: string;
  name: string;
  state: string;
  stage: string | null;
  status: string;
  update_status: string | null;
  file_type: string;
  file_size: number;
  chunk_count: number;
  source_group_id: string;
  source_group_name: string;
  parent_source_id: string | null;
  error: { title: string; message: string; stage: string; retryable: boolean } | null;
}

let t: TestApp;
let stop: () => Promise<void>;
let birds: string;
let mixed: string;
let waiting: string;

async function list(query = '', key?: string) {
  const { status, text, body } = await t.get(`/source-list${query}`, key);
  assert.equal(status, 200, text);
  return body as {
    sources: Row[];
    counts: {
      total: number;
      status: Record<string, number>;
      file_type: { file_type: string; count: number }[];
      source_group?: { id: string; name: string; count: number }[];
      tag?: { id: string; name: string; count: number }[];
    };
    pagination: { limit: number; has_more: boolean; next_cursor: string | null };
  };
}

const names = (answer: { sources: Row[] }): string[] => answer.sources.map(({ name }) => name);

before(async () => {
  t = await openTestApp();
  const worker = buildWorker(t.deps);
  await worker.start();
  birds = await ingest(t, [
    { name: 'heron.md', content: '# Birds\n\nThe heron nests in the old oak by the river.\n' },
    { name: 'Eagle.txt', content: 'Eagles nest on cliffs.\n' },
  ]);
  mixed = await uploadFiles(t, {
    'broken.pdf': '%PDF-1.4\nthis is not a document',
    'box.zip': zipSync({ 'inner.txt': strToU8('A letter that lay in the box.\n') }),
  });
  await waitForGroup(t, mixed);
  await worker.stop(5_000);
  stop = async () => {};
  waiting = await uploadFiles(t, { 'later.txt': 'Not read yet.\n' });
});
after(async () => {
  await stop();
  await t.close();
});

test('the list has the sources of all groups, newest first, with their groups', async () => {
  const { sources, counts, pagination } = await list();
  assert.deepEqual(names({ sources })[0], 'later.txt');
  assert.deepEqual(names({ sources }).sort(), [
    'Eagle.txt',
    'box.zip',
    'broken.pdf',
    'heron.md',
    'inner.txt',
    'later.txt',
  ]);
  assert.equal(sources.find(({ name }) => name === 'heron.md')!.source_group_id, birds);
  assert.ok(sources.every((row) => row.source_group_name !== ''));
  assert.deepEqual(pagination, { limit: 20, has_more: false, next_cursor: null });
  assert.equal(counts.total, 6);
  assert.deepEqual(counts.status, { pending: 1, ready: 4, failed: 1 });
});

test('a failed source says why, and a waiting source says what it waits for', async () => {
  const { sources } = await list();
  const at = (name: string): Row => sources.find((row) => row.name === name)!;
  assert.deepEqual([at('heron.md').state, at('heron.md').stage, at('heron.md').error], ['ready', null, null]);
  const { state, stage, error } = at('broken.pdf');
  assert.deepEqual([state, stage], ['failed', null]);
  assert.ok(error!.title.length > 3 && error!.message.length > 3);
  assert.equal(error!.stage, 'parse');
  assert.equal(error!.retryable, false);
  assert.deepEqual([at('later.txt').state, at('later.txt').stage], ['pending', 'queued']);
});

test('the stage follows the run of the group', async () => {
  const set = (status: string, attempts: number) =>
    t.deps.db.system.transaction(async (tx) => {
      await tx.query(sql`alter table source_group disable trigger source_group_status`);
      await tx.query(sql`update source_group set status = ${status} where id = ${waiting}`);
      await tx.query(sql`update source set attempts = ${attempts} where source_group_id = ${waiting}`);
      await tx.query(sql`alter table source_group enable trigger source_group_status`);
    });
  const stage = async () => (await list(`?source_group_id=${waiting}`)).sources[0]!.stage;
  await set('started', 0);
  assert.equal(await stage(), 'waiting');
  await set('started', 1);
  assert.equal(await stage(), 'reading');
  await set('canceled', 1);
  assert.equal(await stage(), 'stopped');
  await set('queued', 0);
  assert.equal(await stage(), 'queued');
});

test('a source whose vectors are missing says so', async () => {
  const { tenantId } = t;
  const stage = async () => (await list('?q=heron')).sources[0]!.stage;
  assert.equal(await stage(), null);
  const begin = (generation: number, status: string) =>
    t.deps.db.system.query(sql`
      insert into embedding_generation (tenant_id, generation, model, dimension, element, status, created_at)
      values (${tenantId}, ${generation}, 'first', 3, 'single', ${status}, now())`);
  const wait = (generation: number, refused: string | null) =>
    t.deps.db.system.query(sql`
      insert into embedding_waiting (tenant_id, generation, chunk_id, refused)
      select ${tenantId}::uuid, ${generation}::int, c.id, ${refused}::text from chunk c join source s on s.id = c.source_id
      where c.tenant_id = ${tenantId} and s.name = 'heron.md'
      on conflict (tenant_id, generation, chunk_id) do update set refused = excluded.refused`);
  await begin(1, 'serving');
  await begin(2, 'building');
  await wait(2, null);
  assert.equal(await stage(), null, 'a copy of the vectors in use');
  await t.deps.db.system.query(sql`
    update embedding_generation set model = 'second' where tenant_id = ${tenantId} and generation = 2`);
  assert.equal(await stage(), 'embedding', 'another model');
  await wait(2, 'too long');
  assert.equal(await stage(), null);
  await wait(1, null);
  assert.equal(await stage(), 'embedding');
  assert.equal((await list('?q=eagle')).sources[0]!.stage, null);
  await wait(1, 'too long');
  assert.equal(await stage(), null);
  await t.deps.db.system.query(sql`delete from embedding_generation where tenant_id = ${tenantId}`);
});

test('a new version that failed or waits decides the state of its source', async () => {
  const { tenantId } = t;
  const [source] = (await list('?q=Eagle')).sources;
  const set = (status: string) =>
    t.deps.db.system.query(sql`
      insert into source_update (tenant_id, source_id, source_group_id, blob_hash, file_size, status)
      values (${tenantId}, ${source!.id}, ${birds}, 'x', 1, ${status})
      on conflict (tenant_id, source_id) do update set status = excluded.status`);
  await set('failed');
  assert.deepEqual(names(await list('?status=failed')).sort(), ['Eagle.txt', 'broken.pdf']);
  assert.equal((await list()).counts.status['failed'], 2);
  await set('pending');
  const row = (await list('?q=Eagle')).sources[0]!;
  assert.deepEqual([row.status, row.state, row.stage], ['ready', 'pending', 'stopped']);
  await t.deps.db.system.query(sql`delete from source_update where tenant_id = ${tenantId}`);
});

test('filters work alone and together, and what is no id selects nothing', async () => {
  assert.deepEqual(names(await list('?q=EAGLE')), ['Eagle.txt']);
  assert.deepEqual(names(await list('?status=failed')), ['broken.pdf']);
  assert.deepEqual(names(await list('?file_type=md&file_type=unknown')).sort(), [
    'box.zip',
    'broken.pdf',
    'heron.md',
    'later.txt',
  ]);
  assert.deepEqual(names(await list(`?source_group_id=${birds}&sort=name&order=asc`)), ['Eagle.txt', 'heron.md']);
  assert.deepEqual(names(await list(`?source_group_id=${birds}&status=failed`)), []);
  const box = (await list('?q=box')).sources[0]!;
  assert.deepEqual(names(await list(`?parent_source_id=${box.id}`)), ['inner.txt']);
  const tag = (await t.post('/tags', { name: 'birds' })).body.id;
  await t.post('/tag-source-groups', { tag_id: tag, source_group_id: birds });
  assert.deepEqual(names(await list(`?tag_id=${tag}`)).sort(), ['Eagle.txt', 'heron.md']);
  for (const filter of ['source_group_id', 'tag_id', 'parent_source_id'])
    for (const id of ['x', newId(), '%27'])
      assert.equal((await list(`?${filter}=${id}`)).counts.total, 0, `${filter}=${id}`);
});

test('each count has all filters but its own', async () => {
  const { counts } = await list('?status=failed&file_type=unknown');
  assert.equal(counts.total, 1);
  assert.deepEqual(counts.status, { pending: 1, ready: 1, failed: 1 });
  assert.deepEqual(counts.file_type, [{ file_type: 'unknown', count: 1 }]);
  const ready = (await list('?status=ready')).counts;
  assert.equal(ready.total, 4);
  assert.deepEqual(ready.status, { pending: 1, ready: 4, failed: 1 });
  assert.deepEqual(
    ready.file_type.map(({ count }) => count).toSorted((a, b) => b - a),
    ready.file_type.map(({ count }) => count),
  );
});

test('facets count by group and by tag, each with all filters but its own, and only what the key may see', async () => {
  assert.deepEqual(Object.keys((await list()).counts), ['total', 'status', 'file_type']);
  const water = (await t.post('/tags', { name: 'water' })).body.id;
  for (const group of [birds, mixed]) await t.post('/tag-source-groups', { tag_id: water, source_group_id: group });
  const facets = async (query: string, key?: string) => {
    const { counts } = await list(`?facets=true${query}`, key);
    return {
      groups: new Map(counts.source_group!.map(({ id, count }) => [id, count])),
      tags: Object.fromEntries(counts.tag!.map(({ name, count }) => [name, count])),
    };
  };
  const all = await facets('');
  assert.deepEqual([...all.groups.values()].sort(), [1, 2, 3]);
  assert.deepEqual(all.tags, { water: 5, birds: 2 });
  const ofBirds = await facets(`&source_group_id=${birds}`);
  assert.deepEqual(ofBirds, { groups: all.groups, tags: { water: 2, birds: 2 } });
  const ofWater = await facets(`&tag_id=${water}&status=ready`);
  assert.deepEqual(
    [ofWater.groups.get(birds), ofWater.groups.get(mixed), ofWater.groups.get(waiting)],
    [2, 2, undefined],
  );
  assert.deepEqual(ofWater.tags, { water: 4, birds: 2 });
  const tagged = await t.issueKey(['knowledge:read'], { tagIds: [water] });
  assert.deepEqual(await facets('', tagged), {
    groups: new Map([
      [mixed, 3],
      [birds, 2],
    ]),
    tags: { water: 5 },
  });
  const grouped = await t.issueKey(['knowledge:read'], { sourceGroupIds: [birds] });
  assert.deepEqual((await facets('', grouped)).groups, new Map([[birds, 2]]));
  assert.equal((await t.get('/source-list?facets=maybe')).status, 400);
});

test('pages in every sort and order have each source once', async () => {
  for (const sort of ['time', 'content_time', 'name', 'size', 'chunks']) {
    for (const order of ['asc', 'desc']) {
      const seen: Row[] = [];
      let cursor: string | null = null;
      do {
        const answer = await list(`?sort=${sort}&order=${order}&limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
        seen.push(...answer.sources);
        assert.equal(answer.counts.total, 6);
        cursor = answer.pagination.next_cursor;
        assert.equal(answer.pagination.has_more, cursor !== null);
      } while (cursor !== null);
      assert.equal(new Set(seen.map(({ id }) => id)).size, 6, `${sort} ${order}`);
      const whole = await list(`?sort=${sort}&order=${order}&limit=100`);
      assert.deepEqual(names({ sources: seen }), names(whole), `${sort} ${order}`);
      if (sort === 'size') {
        const sizes = seen.map((row) => row.file_size);
        assert.deepEqual(
          sizes,
          sizes.toSorted((a, b) => (order === 'asc' ? a - b : b - a)),
        );
      }
    }
  }
  assert.equal(names(await list('?sort=name&order=asc'))[0], 'box.zip');
  assert.deepEqual(names(await list('?sort=name&order=asc')).slice(-2), ['inner.txt', 'later.txt']);
  await t.deps.db.query(t.tenantId, sql`update source set content_at = '2001-02-03' where name = 'box.zip'`);
  assert.equal(names(await list('?sort=content_time&order=asc'))[0], 'box.zip');
  assert.equal(names(await list('?sort=content_time')).at(-1), 'box.zip');
});

test('a cursor of another list is refused', async () => {
  const { pagination } = await list('?sort=name&limit=1');
  const bad = ['x', 'e30', Buffer.from('["name","desc",1,"x"]').toString('base64url')];
  for (const query of [
    `sort=size&cursor=${pagination.next_cursor}`,
    `sort=name&order=asc&cursor=${pagination.next_cursor}`,
  ])
    assert.equal((await t.get(`/source-list?${query}`)).status, 400, query);
  for (const cursor of bad) assert.equal((await t.get(`/source-list?sort=name&cursor=${cursor}`)).status, 400, cursor);
});

test('a limited key sees only its groups, also in the counts', async () => {
  const key = await t.issueKey(['knowledge:read'], { sourceGroupIds: [birds] });
  const answer = await list('', key);
  assert.deepEqual(names(answer).sort(), ['Eagle.txt', 'heron.md']);
  assert.equal(answer.counts.total, 2);
  assert.equal((await list(`?source_group_id=${mixed}`, key)).counts.total, 0);
  assert.equal((await t.get('/source-list', await t.issueKey(['inference:run']))).status, 403);
});

test('a redaction rule hides names, and neither search nor sort tells them', async () => {
  const rule = { name: 'bird', kind: 'dictionary', terms: ['heron'], action: 'mask', apply_at: ['retrieval'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const hidden = await list(`?source_group_id=${birds}&facets=true`);
  assert.ok(!JSON.stringify(hidden).includes('heron'));
  assert.equal((await list('?q=heron')).counts.total, 0);
  assert.deepEqual(names(await list('?q=eagle')), ['Eagle.txt']);
  const refused = await t.get('/source-list?sort=name');
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /cannot be sorted by name/);
  assert.equal((await t.delete('/redaction-policy')).status, 200);
});

test('the text of a filter is looked for in paths, too, except while rules may hide words of names', async () => {
  const content = 'Read me.';
  const files = [
    { name: 'README', content },
    { name: 'README', content },
  ];
  const { headers, body } = multipartBody(files, [
    ['paths', 'manuals/crane/README'],
    ['paths', 'manuals/stork/README'],
  ]);
  const made = await t.request({ method: 'POST', path: '/local-file-groups', headers, body: body.toString() });
  assert.equal(made.status, 201, made.text);
  const group = `source_group_id=${made.body.source_group_id}`;
  assert.equal((await list(`?${group}&q=readme`)).counts.total, 2);
  assert.equal((await list(`?${group}&q=CRANE/`)).counts.total, 1);
  const rule = { name: 'bird', kind: 'dictionary', terms: ['crane'], action: 'mask', apply_at: ['retrieval'] };
  await t.put('/redaction-policy', { enabled: true, rules: [rule] });
  assert.equal((await list(`?${group}&q=crane`)).counts.total, 0);
  await t.delete('/redaction-policy');
  await t.delete(`/source-groups/${made.body.source_group_id}`);
});

test('a deleted source and a deleted group leave the list at once', async () => {
  const [eagle] = (await list('?q=eagle')).sources;
  assert.equal((await t.delete(`/sources/${eagle!.id}`)).status, 202);
  assert.equal((await list('?q=eagle')).counts.total, 0);
  assert.equal((await t.delete(`/source-groups/${mixed}`)).status, 202);
  assert.equal((await list('?q=box')).counts.total, 0);
});

test('the reason of a failed file stays when its run is old enough to be deleted', async () => {
  const torn = await uploadFiles(t, { 'torn.pdf': '%PDF-1.4\nthis is not a document' });
  const job = { signal: new AbortController().signal, lastAttempt: false };
  const [run] = (await t.get(`/source-groups/${torn}/runs`)).body.runs;
  await ingestRun(t.deps)({ tenantId: t.tenantId, runId: run.id }, job);
  const { headers, body } = multipartBody([{ name: 'other.txt', content: 'Another file.\n' }]);
  const path = `/local-file-groups/${torn}/files`;
  const { status } = await t.request({ method: 'PUT', path, headers, body: body.toString() });
  assert.equal(status, 202, 'this run is newer than the run that failed');
  await t.deps.db.transaction(t.tenantId, (tx) =>
    tx.query(
      sql`update run set ended_at = now() - interval '100 days' where tenant_id = ${t.tenantId} and ended_at is not null`,
    ),
  );
  await collectGarbage(t.deps)({}, job);
  assert.match((await list(`?source_group_id=${torn}&status=failed`)).sources[0]!.error!.title, /Damaged/);
});
