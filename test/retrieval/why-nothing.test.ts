/** A search says what the caller should know: without results unknown filters and who asks, and always files that are not read yet. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { seed, type TagIds } from './corpus.ts';

const open: TestApp[] = [];
after(() => Promise.all(open.map((t) => t.close())));

async function openSeeded(env: Record<string, string>) {
  const t = await openTestApp({ env });
  open.push(t);
  const tags: TagIds = new Map();
  const [group, other] = await seed(
    t.deps.db,
    t.tenantId,
    [
      { tags: ['birds'], sources: [{ chunks: ['The heron nests in old oaks.'] }] },
      { tags: ['fish'], sources: [{ chunks: ['The pike hunts.'] }] },
    ],
    tags,
  );
  const warnings = async (body: object, key = t.key): Promise<[string, string][]> => {
    const answer = await t.post('/search', { query: 'heron', ...body }, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.warnings.map(({ type, message }: { type: string; message: string }) => [type, message]);
  };
  return { t, group: group!, other: other!, tags, warnings };
}

let given: Awaited<ReturnType<typeof openSeeded>>;
before(async () => {
  given = await openSeeded({});
});

test('filters that name nothing are named, and filters that name something are not', async () => {
  const { t, warnings, group, tags } = given;
  const unknown = newId();
  assert.deepEqual(await warnings({ source_group_ids: ['birds', unknown] }), [
    ['unknown_filter', 'There is no source group with the id "birds".'],
    ['unknown_filter', `There is no source group with the id "${unknown}".`],
  ]);
  assert.deepEqual(await warnings({ tags: ['fish', 'bird'] }), [['unknown_filter', 'There is no tag "bird".']]);
  assert.deepEqual(await warnings({ tag_ids: ['birds'] }), [
    ['unknown_filter', 'There is no tag with the id "birds".'],
  ]);
  const known = { source_group_ids: [group], tags: ['birds'], tag_ids: [tags.get('birds')] };
  assert.deepEqual(await warnings({ query: 'zebra', ...known }), []);
  assert.deepEqual(await warnings({ source_group_ids: ['birds', group] }), [], 'the search found something');
  const answer = await t.post('/completions', { messages: [{ role: 'user', content: 'heron' }], tags: ['bird'] });
  assert.deepEqual(answer.body.warnings[0].message, 'There is no tag "bird".');
});

test('a group and a tag beyond the limits of the key count as unknown', async () => {
  const { t, warnings, group, other, tags } = given;
  const ofGroup = await t.issueKey(['knowledge:read'], { sourceGroupIds: [other] });
  assert.match((await warnings({ source_group_ids: [group] }, ofGroup))[0]![1], /^There is no source group/);
  const ofTag = await t.issueKey(['knowledge:read'], { tagIds: [tags.get('fish')!] });
  assert.deepEqual(await warnings({ tags: ['birds'] }, ofTag), [['unknown_filter', 'There is no tag "birds".']]);
});

test('files that are still being read are said, unless the key sees none of them', async () => {
  const { t, warnings, group, other } = given;
  const set = (status: string) =>
    t.deps.db.query(t.tenantId, sql`update source_group set status = ${status} where id = ${group}`);
  await set('queued');
  assert.deepEqual(await warnings({ query: 'zebra' }), [
    ['files_not_read', 'Files are still being read. They are found when their run has ended.'],
  ]);
  assert.deepEqual((await warnings({ query: '...' })).map(([type]) => type).sort(), ['files_not_read', 'no_words']);
  assert.deepEqual(await warnings({ query: 'zebra', source_group_ids: [other] }), [], 'they are of another group');
  assert.deepEqual(await warnings({ query: 'zebra', tags: ['fish'] }), [], 'they have another tag');
  const ofOther = await t.issueKey(['knowledge:read'], { sourceGroupIds: [other] });
  assert.deepEqual(await warnings({ query: 'zebra' }, ofOther), []);
  await t.deps.db.query(t.tenantId, sql`update source_group set deleted_at = now() where id = ${group}`);
  assert.deepEqual(await warnings({ query: 'zebra' }), []);
});

test('a search with results says that files of the searched groups are not read yet', async () => {
  const { t, warnings, group, other, tags } = await openSeeded({});
  const reading = ['files_not_read', 'Files are still being read. They are found when their run has ended.'];
  // A file that no run reads: whether the tenant has such files is asked first.
  await seed(t.deps.db, t.tenantId, [{ sources: [{ status: 'pending', chunks: [] }] }]);
  await t.deps.db.query(t.tenantId, sql`update source_group set status = 'queued' where id = ${other}`);
  assert.deepEqual(await warnings({}), [], 'a run that reads new versions');
  await t.deps.db.query(t.tenantId, sql`update source set status = 'pending' where source_group_id = ${other}`);
  assert.deepEqual(await warnings({}), [reading]);
  assert.deepEqual(await warnings({ source_group_ids: [group, other] }), [reading]);
  assert.deepEqual(await warnings({ source_group_ids: [group] }), [], 'they are of another group');
  assert.deepEqual(await warnings({ tags: ['birds', 'fish'] }), [reading]);
  assert.deepEqual(await warnings({ tags: ['birds'] }), [], 'they have another tag');
  assert.deepEqual(await warnings({ tag_ids: [tags.get('birds')] }), [], 'they have another tag');
  const ofGroup = await t.issueKey(['knowledge:read'], { sourceGroupIds: [group] });
  assert.deepEqual(await warnings({}, ofGroup), []);
  const deleted = (table: 'source' | 'source_group', id: string, at: Date | null) =>
    t.deps.db.query(
      t.tenantId,
      table === 'source'
        ? sql`update source set deleted_at = ${at} where source_group_id = ${id}`
        : sql`update source_group set deleted_at = ${at} where id = ${id}`,
    );
  for (const table of ['source', 'source_group'] as const) {
    await deleted(table, other, new Date());
    assert.deepEqual(await warnings({}), [], `deleted: ${table}`);
    await deleted(table, other, null);
  }
  assert.deepEqual(await warnings({}), [reading]);
  await t.deps.db.query(t.tenantId, sql`update source_group set status = 'canceling' where id = ${other}`);
  await t.deps.db.query(t.tenantId, sql`update source_group set status = 'canceled' where id = ${other}`);
  assert.deepEqual(await warnings({}), [], 'no run reads them');
});

test('with authorization, only what concerns the principal is said', async () => {
  const { t, warnings } = await openSeeded({ PINAKES_AUTHORIZATION: 'on' });
  const types = async (body: object) => (await warnings({ tags: ['bird'], ...body })).map(([type]) => type);
  assert.deepEqual(await warnings({ principal_id: 'ada' }), [
    ['no_policy', 'There is no policy "default", so nothing is visible.'],
  ]);
  const policy = { filters: [{ key: 'department', operator: 'eq', value: { subject: 'department' } }] };
  assert.equal((await t.request({ method: 'PUT', path: '/authz/policies/default', body: policy })).status, 200);
  assert.deepEqual(await types({}), ['no_principal']);
  assert.deepEqual(await types({ principal_id: 'ada' }), ['unknown_principal']);
  const setUntil = (expires_time: number | null) =>
    t.request({
      method: 'PUT',
      path: '/authz/subjects/ada/attributes',
      body: { attributes: { department: 'sales' }, expires_time },
    });
  await setUntil(null);
  assert.deepEqual(await types({ principal_id: 'ada' }), []);
  await t.deps.db.query(t.tenantId, sql`update subject set expires_at = now() - interval '1 second'`);
  assert.deepEqual(await types({ principal_id: 'ada' }), ['unknown_principal']);
});

test('with authorization, a search with results does not tell of files that are not read yet', async () => {
  const { t, warnings, other } = await openSeeded({ PINAKES_AUTHORIZATION: 'on' });
  const policy = { filters: [{ key: 'department', operator: 'not_exists' }] };
  const put = await t.request({ method: 'PUT', path: '/authz/policies/default', body: policy });
  assert.equal(put.status, 200, put.text);
  await t.deps.db.query(t.tenantId, sql`update source_group set status = 'queued' where id = ${other}`);
  await t.deps.db.query(t.tenantId, sql`update source set status = 'pending' where source_group_id = ${other}`);
  assert.deepEqual(await warnings({ principal_id: 'ada' }), []);
  assert.equal((await t.post('/search', { query: 'heron', principal_id: 'ada' })).body.results.length, 1);
});
