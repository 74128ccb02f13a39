/** Routes of tags and their links, and the chunks that tags select. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Scope } from '../../../src/access/caller.ts';
import { sql } from '../../../src/db/sql.ts';
import { TAGS_MAX } from '../../../src/features/tags/tags.ts';
import { newId } from '../../../src/util/ids.ts';
import { seed, type TagIds } from '../../retrieval/corpus.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';

const WRITE: Scope[] = ['knowledge:read', 'knowledge:write'];
let t: TestApp;
let groups: string[];

before(async () => {
  t = await openTestApp();
  groups = await seed(
    t.deps.db,
    t.tenantId,
    ['one', 'two', 'three', 'four'].map((name) => ({ sources: [{ name, chunks: [`The heron of number ${name}.`] }] })),
  );
});
after(() => t.close());

async function createTag(name: string, key = t.key): Promise<string> {
  const answer = await t.post('/tags', { name }, key);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const link = (tag_id: string, source_group_id: string | undefined, key?: string): Promise<TestAnswer> =>
  t.post('/tag-source-groups', { tag_id, source_group_id }, key);
const unlink = (tag_id: string, source_group_id: string | undefined, key = t.key): Promise<TestAnswer> =>
  t.request({ method: 'DELETE', path: '/tag-source-groups', body: { tag_id, source_group_id }, key });

const clear = () => t.deps.db.query(t.tenantId, sql`delete from tag where tenant_id = ${t.tenantId}`);

test('a tag can be created, read, renamed and deleted', async () => {
  const created = await t.post('/tags', { name: 'policy', description: 'Rules' });
  assert.equal(created.status, 201);
  const { id } = created.body;
  assert.deepEqual(created.body, { id, name: 'policy', description: 'Rules' });
  assert.deepEqual((await t.get(`/tags/${id}`)).body, created.body);
  assert.deepEqual((await t.get('/tags')).body, { tags: [created.body] });

  const renamed = await t.put(`/tags/${id}`, { name: 'rules' });
  assert.equal(renamed.status, 200);
  assert.deepEqual(renamed.body, { id, name: 'rules', description: 'Rules' });
  assert.equal((await t.put(`/tags/${id}`, { name: 'rules', description: '' })).body.description, '');

  const deleted = await t.delete(`/tags/${id}`);
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body, { id, name: 'rules', description: '' });
  assert.equal((await t.get(`/tags/${id}`)).status, 404);
  assert.equal((await t.delete(`/tags/${id}`)).status, 404);
  assert.deepEqual((await t.get('/tags')).body, { tags: [] });
});

test('GET /tags accepts no parameters, and lists tags oldest first', async () => {
  const names = ['z', 'a', 'm'];
  for (const name of names) await createTag(name);
  assert.deepEqual(
    (await t.get('/tags')).body.tags.map((tag: { name: string }) => tag.name),
    names,
  );
  for (const query of ['limit=10', 'after_id=x', 'q=1']) assert.equal((await t.get(`/tags?${query}`)).status, 400);
  await clear();
});

test('names of tags are unique within a tenant, even after a rename', async () => {
  const first = await createTag('unique');
  const second = await createTag('other');
  assert.equal((await t.post('/tags', { name: 'unique' })).status, 409);
  assert.equal((await t.put(`/tags/${second}`, { name: 'unique' })).status, 409);
  assert.equal((await t.put(`/tags/${first}`, { name: 'unique' })).status, 200, 'its own name is no conflict');
  await createTag('Unique');
  await createTag('unique', (await t.secondTenant()).key);
  const answers = await Promise.all(Array.from({ length: 8 }, () => t.post('/tags', { name: 'raced' })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)]);
  await clear();
});

test('the limits of names and descriptions of tags are counted in code points', async () => {
  await createTag('😀'.repeat(200));
  const bad: [unknown, RegExp][] = [
    [{ name: '😀'.repeat(201) }, /\/name/],
    [{ name: '' }, /\/name/],
    [{ name: 'a\u0000b' }, /U\+0000/],
    [{}, /^Missing member "name"/],
    [{ name: 7 }, /\/name/],
    [{ name: 'x', description: 'd'.repeat(1001) }, /\/description/],
    [{ name: 'x', color: 'red' }, /color/],
  ];
  const id = await createTag('x0');
  for (const [body, message] of bad) {
    for (const answer of [await t.post('/tags', body), await t.put(`/tags/${id}`, body)]) {
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.error.message, message);
    }
  }
  assert.equal((await t.post('/tags', { name: 'x1', description: 'd'.repeat(1000) })).status, 201);
  await clear();
});

test(`a tenant has at most ${TAGS_MAX} tags, even if they are created at the same time`, async () => {
  const { key, tenantId } = await t.secondTenant();
  await t.deps.db.query(
    tenantId,
    sql`insert into tag (tenant_id, id, name) select ${tenantId}::uuid, gen_random_uuid(), 'n' || i from generate_series(1, ${TAGS_MAX - 1}) i`,
  );
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => t.post('/tags', { name }, key)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409]);
  assert.equal((await t.get('/tags', key)).body.tags.length, TAGS_MAX);
});

test('links between tags and source groups are created, listed in pages, filtered and removed', async () => {
  const [a, b] = [await createTag('a'), await createTag('b')];
  const wanted = [
    { tag_id: a, source_group_id: groups[0] },
    { tag_id: a, source_group_id: groups[1] },
    { tag_id: b, source_group_id: groups[0] },
  ];
  for (const one of wanted) {
    const answer = await link(one.tag_id, one.source_group_id);
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, one);
  }
  assert.equal((await link(a, groups[0])).status, 201, 'linking again changes nothing');

  const listed: unknown[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await t.get(`/tag-source-groups?limit=2${after === '' ? '' : `&after_id=${after}`}`);
    assert.equal(body.pagination.total, 3);
    listed.push(...body.tag_source_groups);
    after = body.pagination.next_id;
  }
  assert.deepEqual(listed, wanted);
  const select = async (query: string) => (await t.get(`/tag-source-groups?${query}`)).body;
  assert.deepEqual((await select(`tag_id=${b}`)).tag_source_groups, [wanted[2]]);
  assert.deepEqual((await select(`source_group_id=${groups[0]}`)).tag_source_groups, [wanted[0], wanted[2]]);
  assert.deepEqual((await select(`tag_id=${a}&source_group_id=${groups[2]}`)).tag_source_groups, []);
  assert.equal((await select(`tag_id=${a}&limit=1`)).pagination.total, 2);
  assert.deepEqual((await select('tag_id=x')).pagination, { limit: 20, has_more: false, total: 0, next_id: null });

  const removed = await unlink(a, groups[0]);
  assert.equal(removed.status, 200);
  assert.deepEqual(removed.body, wanted[0]);
  assert.equal((await unlink(a, groups[0])).status, 404);
  assert.equal((await unlink(newId(), groups[1])).status, 404);
  assert.equal((await t.delete(`/tags/${a}`)).status, 200);
  assert.deepEqual((await select('')).tag_source_groups, [wanted[2]], 'links go with their tag');
  await clear();
});

test('a group that is being deleted has no tags and cannot get any', async () => {
  const tag = await createTag('gone');
  const [group] = await seed(t.deps.db, t.tenantId, [{ sources: [] }]);
  await link(tag, group);
  await t.deps.db.query(
    t.tenantId,
    sql`update source_group set deleted_at = now() where tenant_id = ${t.tenantId} and id = ${group}`,
  );
  assert.equal((await t.get('/tag-source-groups')).body.pagination.total, 0);
  assert.equal((await link(tag, group)).status, 404);
  assert.equal((await unlink(tag, group)).status, 404);
  await clear();
});

test('a key that is limited to tags sees only these tags', async () => {
  const [mine, other] = [await createTag('mine'), await createTag('other')];
  await link(mine, groups[0]);
  await link(other, groups[0]);
  await link(other, groups[1]);
  const key = await t.issueKey(WRITE, { tagIds: [mine] });
  assert.deepEqual(
    (await t.get('/tags', key)).body.tags.map((tag: { id: string }) => tag.id),
    [mine],
  );
  assert.equal((await t.get(`/tags/${mine}`, key)).status, 200);
  assert.equal((await t.get(`/tags/${other}`, key)).status, 404);
  const { body } = await t.get('/tag-source-groups', key);
  assert.deepEqual(body.tag_source_groups, [{ tag_id: mine, source_group_id: groups[0] }]);
  assert.equal(body.pagination.total, 1);
  await clear();
});

test('a key that is limited to tags does not see the other tags of its source groups', async () => {
  const [mine, other] = [await createTag('mine'), await createTag('other')];
  await link(mine, groups[0]);
  await link(other, groups[0]);
  const key = await t.issueKey(WRITE, { tagIds: [mine] });
  const found = async (filter: object) => (await t.post('/search', { query: 'heron', ...filter }, key)).body.results;
  const [result] = await found({});
  assert.deepEqual(result.tags, ['mine']);
  assert.deepEqual((await t.get(`/contents/${result.id}`, key)).body.tags, ['mine']);
  assert.deepEqual((await t.get(`/contents/${result.id}`)).body.tags, ['mine', 'other']);
  for (const use_postfilter of [false, true]) {
    assert.equal((await found({ tags: ['mine'], use_postfilter })).length, 1);
    assert.equal((await found({ tag_ids: [mine], use_postfilter })).length, 1);
    assert.equal((await found({ tags: ['other'], use_postfilter })).length, 0);
    assert.equal((await found({ tag_ids: [other], use_postfilter })).length, 0);
    assert.equal((await found({ tag_ids: [mine, other], tag_filter_logic: 'and', use_postfilter })).length, 0);
  }
  await clear();
});

test('a key that is limited to source groups can link only these groups', async () => {
  const tag = await createTag('mine');
  await link(tag, groups[1]);
  const key = await t.issueKey(WRITE, { sourceGroupIds: [groups[0]!] });
  assert.equal((await t.get(`/tags/${tag}`, key)).body.name, 'mine', 'tags are common to the tenant');
  assert.equal((await t.get('/tag-source-groups', key)).body.pagination.total, 0);
  assert.equal((await link(tag, groups[1], key)).status, 404);
  assert.equal((await unlink(tag, groups[1], key)).status, 404);
  assert.equal((await link(tag, groups[0], key)).status, 201);
  assert.equal((await t.get('/tag-source-groups', key)).body.pagination.total, 1);
  assert.equal((await unlink(tag, groups[0], key)).status, 200);
  assert.equal((await t.post('/tags', { name: 'new' }, key)).status, 201);
  assert.equal((await t.put(`/tags/${tag}`, { name: 'renamed' }, key)).status, 403);
  assert.equal((await t.delete(`/tags/${tag}`, key)).status, 403);
  assert.equal((await t.get(`/tags/${tag}`)).body.name, 'mine');
  await clear();
});

test('a repeated request with an Idempotency-Key creates one tag', async () => {
  const headers = { 'idempotency-key': 'tag-1' };
  const request = { method: 'POST', path: '/tags', body: { name: 'once' }, headers } as const;
  const [first, second] = [await t.request(request), await t.request(request)];
  assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
  assert.equal(second.headers['idempotent-replayed'], 'true');
  await clear();
});

test('tags, tag_ids and tag_filter_logic select chunks in search and completions', async () => {
  const [a, b] = [await createTag('100% _'), await createTag("b'; --")];
  const unknown = newId();
  for (const group of [groups[0], groups[1]]) await link(a, group);
  for (const group of [groups[1], groups[2]]) await link(b, group);
  const [A, B] = ['100% _', "b'; --"];
  const cases: [object, string[]][] = [
    [{ tags: [A] }, ['one', 'two']],
    [{ tags: [A, B] }, ['one', 'three', 'two']],
    [{ tags: [A, B], tag_filter_logic: 'or' }, ['one', 'three', 'two']],
    [{ tags: [A, B], tag_filter_logic: 'and' }, ['two']],
    [{ tags: [A, A], tag_filter_logic: 'and' }, ['one', 'two']],
    [{ tags: [A, 'unknown'], tag_filter_logic: 'and' }, []],
    [{ tags: [A, 'unknown'] }, ['one', 'two']],
    [{ tags: ['%', '100%', '__proto__'] }, []],
    [{ tag_ids: [a] }, ['one', 'two']],
    [{ tag_ids: [a, b] }, ['one', 'three', 'two']],
    [{ tag_ids: [a, b], tag_filter_logic: 'and' }, ['two']],
    [{ tag_ids: [a, unknown], tag_filter_logic: 'and' }, []],
    [{ tag_ids: [a, 'not-an-id'], tag_filter_logic: 'and' }, []],
    [{ tag_ids: [unknown, 'not-an-id'] }, []],
    [{ tags: [A], tag_ids: [b] }, ['two']],
    [{ tags: [A, B], tag_ids: [a, b], tag_filter_logic: 'and' }, ['two']],
  ];
  const names = (records: { name: string }[]): string[] => [...new Set(records.map(({ name }) => name))].toSorted();
  for (const [filter, expected] of cases) {
    for (const use_postfilter of [false, true]) {
      const found = await t.post('/search', { query: 'heron', use_postfilter, ...filter });
      assert.equal(found.status, 200, found.text);
      assert.deepEqual(names(found.body.results), expected, JSON.stringify(filter));
    }
    const messages = [{ role: 'user', content: 'Which number has the heron?' }];
    const { body } = await t.post('/completions', { messages, ...filter });
    const cited = names(body.choices[0].citations);
    assert.ok(
      cited.every((name) => expected.includes(name)),
      JSON.stringify(filter),
    );
    assert.equal(cited.length > 0, expected.length > 0, JSON.stringify(filter));
  }
  for (const bad of [{ tags: [] }, { tag_ids: [] }, { tags: ['a'], tag_filter_logic: 'xor' }, { tags: ['a\u0000'] }]) {
    assert.equal((await t.post('/search', { query: 'heron', ...bad })).status, 400, JSON.stringify(bad));
  }
  assert.equal((await t.get(`/source-groups?tag_id=${b}`)).body.pagination.total, 2);
  await clear();
});

test('search and completions return a warning if a postfilter leaves too few chunks', async () => {
  const { key, tenantId } = await t.secondTenant();
  const tags: TagIds = new Map();
  const many = Array.from({ length: 250 }, (_, i) => ({ name: `n${i}`, chunks: [`newt newt newt ${i}`] }));
  const chunks = ['A newt lives beside very many other animals in a pond of the old garden.'];
  await seed(t.deps.db, tenantId, [{ sources: many }, { tags: ['rare'], sources: [{ name: 'rare', chunks }] }], tags);
  const messages = [{ role: 'user', content: 'newt' }];
  const types = (answer: TestAnswer) => answer.body.warnings.map((warning: { type: string }) => warning.type);
  for (const filter of [{ tags: ['rare'] }, { tag_ids: [...tags.values()] }]) {
    const prefiltered = await t.post('/search', { query: 'newt', ...filter }, key);
    assert.deepEqual([prefiltered.body.results.length, types(prefiltered)], [1, []]);
    const searched = await t.post('/search', { query: 'newt', ...filter, use_postfilter: true }, key);
    assert.deepEqual([searched.body.results.length, types(searched)], [0, ['postfilter_underfilled']]);
    const answered = await t.post('/completions', { messages, ...filter }, key);
    assert.deepEqual([answered.body.choices[0].citations.length > 0, types(answered)], [true, []]);
    const short = await t.post('/completions', { messages, ...filter, use_postfilter: true }, key);
    assert.deepEqual(types(short), ['postfilter_underfilled']);
    assert.equal(short.body.choices[0].finish_reason, 'no_answer');
  }
});
