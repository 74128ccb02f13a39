/** The files of a run by what happened to them, the filters of the list of runs, and reading single files again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertRunFiles, RUN_FILES_MAX, RUN_SKIPPED_MAX } from '../../../src/corpus/runs/run-file-store.ts';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ingest, waitForRun } from '../../support/upload.ts';
import { SOURCE_FORMS, scriptedConnectors } from '../../support/worlds/connector-sources.ts';

const script = scriptedConnectors();
const web = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true, given: { connectors: script.connectors } });
});
after(() => t.close());

const ended = (id: string) => waitForRun(t, id);
const filesOf = async (id: string, query = '') =>
  (await t.get(`/runs/${id}/files${query}`)).body.files.map((file: { name: string; change: string }) => [
    file.name,
    file.change,
  ]);

test('a run says by name what it added, updated, deleted and could not read', async () => {
  script.files = { 'a.md': 'One.', 'b.md': 'Two.', 'bad.pdf': '%PDF-1.4 broken' };
  const created = await t.post(web.path, { name: 'site', ...web.origin });
  assert.equal(created.status, 201, created.text);
  const { runs } = (await t.get(`/runs?source_group_id=${created.body.id}`)).body;
  const first = await ended(runs[0].id);
  assert.deepEqual((await filesOf(first.id)).toSorted(), [
    ['a.md', 'added'],
    ['b.md', 'added'],
    ['bad.pdf', 'failed'],
  ]);
  const { files } = (await t.get(`/runs/${first.id}/files?change=added`)).body;
  assert.ok(files.every((file: { read_ms: unknown }) => Number.isInteger(file.read_ms)));
  const failed = (await t.get(`/runs/${first.id}/files?change=failed`)).body.files[0];
  assert.deepEqual([failed.stage, failed.read_ms], ['parse', null]);
  assert.ok(failed.title.length > 0);

  script.files = { 'a.md': 'One, changed.', 'c.md': 'Three.' };
  const started = await t.post(`/source-groups/${created.body.id}/runs`, {});
  const second = await ended(started.body.id);
  assert.deepEqual((await filesOf(second.id)).toSorted(), [
    ['a.md', 'updated'],
    ['b.md', 'deleted'],
    ['bad.pdf', 'deleted'],
    ['c.md', 'added'],
  ]);
  assert.deepEqual(await filesOf(second.id, '?change=updated'), [['a.md', 'updated']]);

  const page = (await t.get(`/runs/${second.id}/files?limit=3`)).body;
  assert.deepEqual([page.files.length, page.pagination.has_more, page.pagination.total], [3, true, 4]);
  assert.equal((await filesOf(second.id, `?limit=3&after_id=${page.pagination.next_id}`)).length, 1);
  // The names of the first run stay as they were.
  assert.equal((await filesOf(first.id)).length, 3);
});

test('a run says by name what it skipped and why, and keeps a bounded number of these names', async () => {
  script.files = { 'a.md': 'One.', 'empty.md': '', 'big.md': 'Big.' };
  script.skipped = { 'film.mp4': 'Films are not read.' };
  const created = await t.post(web.path, { name: 'skips', ...web.origin });
  const first = await ended((await t.get(`/runs?source_group_id=${created.body.id}`)).body.runs[0].id);
  const skippedOf = async (id: string) => (await t.get(`/runs/${id}/files?change=skipped&limit=100`)).body;
  const { files } = await skippedOf(first.id);
  assert.deepEqual(
    files
      .map((file: Record<string, unknown>) => [file['name'], file['message'], file['source_id'], file['title']])
      .toSorted(),
    [
      ['empty.md', 'an empty file', null, null],
      ['film.mp4', 'Films are not read.', null, null],
    ],
  );
  assert.equal(first.statistics.skipped, 2);
  assert.deepEqual(await filesOf(first.id, '?change=failed'), []);
  assert.equal((await t.get(`/runs/${first.id}/errors`)).body.pagination.total, 0);

  // A stored file is excluded now, and the origin has more excluded files than a run keeps.
  script.files = { 'a.md': 'One.' };
  const many = Array.from({ length: RUN_SKIPPED_MAX }, (_, i) => [`film-${i}.mp4`, 'Films are not read.']);
  script.skipped = { 'big.md': 'The file is too large.', ...Object.fromEntries(many) };
  const second = await ended((await t.post(`/source-groups/${created.body.id}/runs`, {})).body.id);
  assert.equal(second.statistics.skipped, RUN_SKIPPED_MAX + 1);
  assert.equal((await skippedOf(second.id)).pagination.total, RUN_SKIPPED_MAX);
  const big = (await t.get(`/runs/${second.id}/files?limit=100`)).body.files.filter(
    (file: { name: string }) => file.name === 'big.md',
  );
  assert.deepEqual(big.map((file: { change: string }) => file.change).toSorted(), ['deleted', 'skipped']);
  script.skipped = {};
});

test('a run keeps a bounded number of names of changed files, however many changes it counts', async () => {
  script.files = { 'a.md': 'One.' };
  const created = await t.post(web.path, { name: 'many', ...web.origin });
  const run = await ended((await t.get(`/runs?source_group_id=${created.body.id}`)).body.runs[0].id);
  const [a] = (await t.get(`/runs/${run.id}/files`)).body.files;
  const save = () =>
    t.deps.db.transaction(t.tenantId, async (tx) => {
      await tx.query(sql`delete from run_file where tenant_id = ${t.tenantId} and source_id = ${a.source_id}`);
      await insertRunFiles(tx, run.id, [{ sourceId: a.source_id, change: 'added' }]);
    });
  // Most changes that this run counts have no name in the list.
  await t.deps.db.query(
    t.tenantId,
    sql`
    update run set added = ${RUN_FILES_MAX} where tenant_id = ${t.tenantId} and id = ${run.id}`,
  );
  await save();
  assert.deepEqual(await filesOf(run.id), [['a.md', 'added']]);
  await t.deps.db.query(
    t.tenantId,
    sql`
    insert into run_file (tenant_id, run_id, source_id, change, name)
    select ${t.tenantId}::uuid, ${run.id}::uuid, gen_random_uuid(), 'added', 'b.md' from generate_series(1, ${RUN_FILES_MAX}::int)`,
  );
  await save();
  assert.equal((await t.get(`/runs/${run.id}/files`)).body.pagination.total, RUN_FILES_MAX);
});

test('a file of a repository has its path in lists of sources, a page of a web site has none', async () => {
  script.files = { 'docs/README.md': 'Read me.' };
  for (const form of SOURCE_FORMS.filter(({ kind }) => kind === 'repo' || kind === 'web')) {
    const created = await t.post(form.path, { name: form.kind, ...form.origin });
    assert.equal(created.status, 201, created.text);
    await ended((await t.get(`/runs?source_group_id=${created.body.id}`)).body.runs[0].id);
    const [listed] = (await t.get(`/source-list?source_group_id=${created.body.id}`)).body.sources;
    const [ofGroup] = (await t.get(`/source-groups/${created.body.id}/sources`)).body.sources;
    const expected = form.kind === 'repo' ? 'docs/README.md' : null;
    const [run] = (await t.get(`/runs?source_group_id=${created.body.id}`)).body.runs;
    const [ofRun] = (await t.get(`/runs/${run.id}/files`)).body.files;
    assert.deepEqual([listed.path, ofGroup.path, ofRun.path], [expected, expected, expected]);
  }
});

test('a run says where each file is, also those that it deleted, skipped or could not read', async () => {
  const repo = SOURCE_FORMS.find(({ kind }) => kind === 'repo')!;
  for (const form of [repo, web]) {
    const at = (path: string) => (form === repo ? path : `https://help.example.com/${path}`);
    script.files = { [at('a/index.md')]: 'One.', [at('b/index.md')]: 'Two.', [at('c/bad.pdf')]: '%PDF-1.4 broken' };
    script.skipped = { [at('d/film.mp4')]: 'Films are not read.' };
    script.failed = new Set([at('e/away.md')]);
    const created = await t.post(form.path, { name: `places of a ${form.kind}`, ...form.origin });
    const first = await ended((await t.get(`/runs?source_group_id=${created.body.id}`)).body.runs[0].id);
    const member = form === repo ? 'path' : 'url';
    const placesOf = async (id: string, list: string) =>
      Object.fromEntries(
        (await t.get(`/runs/${id}/${list}`)).body[list].map((file: Record<string, string>) => [
          file[member],
          file['change'],
        ]),
      );
    assert.deepEqual(await placesOf(first.id, 'files'), {
      [at('a/index.md')]: 'added',
      [at('b/index.md')]: 'added',
      [at('c/bad.pdf')]: 'failed',
      [at('d/film.mp4')]: 'skipped',
      [at('e/away.md')]: 'failed',
    });
    assert.deepEqual(Object.keys(await placesOf(first.id, 'errors')).sort(), [at('c/bad.pdf'), at('e/away.md')]);
    script.files = { [at('a/index.md')]: 'One.' };
    script.skipped = {};
    script.failed.clear();
    const second = await ended((await t.post(`/source-groups/${created.body.id}/runs`, {})).body.id);
    assert.deepEqual(await placesOf(second.id, 'files'), {
      [at('b/index.md')]: 'deleted',
      [at('c/bad.pdf')]: 'deleted',
    });
  }
});

test('runs are selected by group and time', async () => {
  const group = await ingest(t, [{ name: 'x.md', content: 'x' }]);
  const [run] = (await t.get(`/runs?source_group_id=${group}`)).body.runs;
  assert.equal(run.source_group_id, group);
  const total = async (query: string) => (await t.get(`/runs?source_group_id=${group}&${query}`)).body.pagination.total;
  assert.equal(await total(`from_time=${run.creation_time}&to_time=${run.creation_time}`), 1);
  assert.equal(await total(`from_time=${run.creation_time + 1}`), 0);
  assert.equal(await total(`to_time=${run.creation_time - 1}`), 0);
  assert.equal(await total('to_time=253402300799'), 1, 'the last second of the year 9999');
  assert.equal((await t.get('/runs?from_time=2&to_time=1')).status, 400);
  assert.equal((await t.get('/runs?source_group_id=nothing')).body.pagination.total, 0);
});

test('single files that failed are read again, and the other failed files are not', async () => {
  const group = await ingest(t, [
    { name: 'good.md', content: 'Good.' },
    { name: 'one.pdf', content: '%PDF-1.4 broken' },
    { name: 'two.pdf', content: '%PDF-1.4 broken too' },
  ]);
  const { sources } = (await t.get(`/source-groups/${group}/sources`)).body;
  const idOf = (name: string): string => sources.find((source: { name: string }) => source.name === name).id;
  const start = (ids: string[]) => t.post(`/source-groups/${group}/runs`, { source_ids: ids });
  const run = await start([idOf('one.pdf')]);
  assert.equal(run.status, 201, run.text);
  const { statistics } = await ended(run.body.id);
  assert.deepEqual([statistics.scanned, statistics.failed], [1, 1]);
  assert.deepEqual(await filesOf(run.body.id), [['one.pdf', 'failed']]);
  const inUpperCase = await start([idOf('two.pdf').toUpperCase()]);
  assert.equal(inUpperCase.status, 201, inUpperCase.text);
  await ended(inUpperCase.body.id);
  assert.deepEqual(await filesOf(inUpperCase.body.id), [['two.pdf', 'failed']]);

  assert.equal((await start([idOf('good.md')])).status, 409);
  assert.equal((await start(['nothing'])).status, 404);
  assert.equal((await start([])).status, 400);
  const others = [
    { name: 'fine.md', content: 'Fine.' },
    { name: 'other.pdf', content: '%PDF-1.4 broken' },
  ];
  const elsewhere = await ingest(t, others);
  const other = (await t.get(`/source-groups/${elsewhere}/sources`)).body.sources.at(-1);
  assert.equal((await start([idOf('one.pdf'), other.id])).status, 404);
  const rows = await t.deps.db.query<{ status: string }>(
    t.tenantId,
    sql`select status from source where tenant_id = ${t.tenantId} and id = ${other.id}`,
  );
  assert.equal(rows[0]?.status, 'failed');
});
