/** Routes of metadata columns: declaration, list, values, and the sources that metadata_filter selects with them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Scope } from '../../../src/access/caller.ts';
import { json } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql.ts';
import { COLUMNS_MAX } from '../../../src/features/metadata-columns/columns.ts';
import { newId } from '../../../src/util/ids.ts';
import { type SeedSource, seed, type TagIds } from '../../retrieval/corpus.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';

const WRITE: Scope[] = ['knowledge:read', 'knowledge:write'];
let t: TestApp;

before(async () => {
  t = await openTestApp();
});
after(() => t.close());

const text = (val: string) => ({ val, type: 'string' as const });
/** The texts differ, because search returns equal chunks only once. */
const withChunk = (source: Omit<SeedSource, 'chunks'>): SeedSource => ({
  ...source,
  chunks: [`A heron of ${Buffer.from(source.name ?? '').toString('hex')}.`],
});
const SOURCES = [
  { name: 'old', metadata: { year: '1999', status: 'final' } },
  { name: 'new', metadata: { year: '2025', status: 'draft' } },
  { name: 'plus', originMetadata: { year: text('+0500'), status: text('final') } },
  { name: 'both', metadata: { year: '7' }, originMetadata: { year: text('8'), status: text('Final') } },
  { name: 'words', metadata: { year: 'MMXX', status: '' } },
  { name: 'part', originMetadata: { year: text('2025.5') } },
  { name: 'none' },
].map(withChunk);

interface Corpus {
  tenantId: string;
  key: string;
  groups: string[];
  tags: TagIds;
}

async function corpus(): Promise<Corpus> {
  const { tenantId, key } = await t.secondTenant();
  const tags: TagIds = new Map();
  const groups = await seed(
    t.deps.db,
    tenantId,
    [
      { tags: ['first'], sources: SOURCES.slice(0, 3) },
      { sources: [...SOURCES.slice(3), withChunk({ name: 'dead', deleted: true, metadata: { year: 'x' } })] },
    ],
    tags,
  );
  return { tenantId, key, groups, tags };
}

const declare = (body: unknown, key: string): Promise<TestAnswer> => t.post('/metadata-columns', body, key);

/** Returns the names of the sources that prefilter and postfilter find, which must be the same. */
async function found(key: string, filters: unknown[], operator = 'and'): Promise<string[]> {
  const answers = [];
  for (const use_postfilter of [false, true]) {
    const body = { query: 'heron', limit: 100, metadata_filter: { operator, filters }, use_postfilter };
    const answer = await t.post('/search', body, key);
    assert.equal(answer.status, 200, answer.text);
    answers.push(answer.body.results.map((result: { name: string }) => result.name).toSorted());
  }
  assert.deepEqual(answers[0], answers[1]);
  return answers[0];
}

test('a metadata column can be declared, listed and deleted', async () => {
  const { key } = await t.secondTenant();
  const declared = await declare({ key: 'a/b %', type: 'string', description: 'of the thing' }, key);
  assert.equal(declared.status, 201, declared.text);
  const { id, ...rest } = declared.body;
  assert.deepEqual(rest, {
    key: 'a/b %',
    type: 'string',
    description: 'of the thing',
    status: 'ready',
    coercion_failures: 0,
  });
  assert.equal((await declare({ key: 'b', type: 'integer' }, key)).body.description, '');
  const list = (await t.get('/metadata-columns?limit=1', key)).body;
  assert.deepEqual(list.metadata_columns, [declared.body]);
  assert.deepEqual(list.pagination, { limit: 1, has_more: true, total: 2, next_id: id });
  assert.equal((await t.get(`/metadata-columns?after_id=${id}`, key)).body.metadata_columns[0].key, 'b');

  const path = `/metadata-columns/${encodeURIComponent('a/b %')}`;
  assert.equal((await t.delete(path, t.key)).status, 404, 'of another tenant');
  const deleted = await t.delete(path, key);
  assert.equal(deleted.status, 200, deleted.text);
  assert.deepEqual(deleted.body, declared.body);
  assert.equal((await t.delete(path, key)).status, 404);
  assert.equal((await t.get(`${path}/values`, key)).status, 404);
  assert.equal((await t.get('/metadata-columns', key)).body.pagination.total, 1);
});

test('a malformed declaration of a column is 400, and an impossible key in the path is 404', async () => {
  const bad: [unknown, RegExp][] = [
    [{}, /^Missing member "key"/],
    [{ key: '', type: 'string' }, /\/key/],
    [{ key: 'k'.repeat(257), type: 'string' }, /\/key/],
    [{ key: '..', type: 'string' }, /\/key/],
    [{ key: 'a\u0000', type: 'string' }, /U\+0000/],
    [{ key: 'k' }, /\/type/],
    [{ key: 'k', type: 'float' }, /\/type/],
    [{ key: 'k', type: 'string', description: 'd'.repeat(1001) }, /\/description/],
    [{ key: 'k', type: 'string', unique: true }, /unique/],
  ];
  for (const [body, message] of bad) {
    const answer = await declare(body, t.key);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.error.message, message);
  }
  for (const key of ['%00', '%ED%A0%80', 'x'.repeat(257), '__proto__', "'%20or%201=1--"]) {
    assert.equal((await t.delete(`/metadata-columns/${key}`)).status, 404, key);
    assert.equal((await t.get(`/metadata-columns/${key}/values`)).status, 404, key);
  }
  assert.equal((await declare({ key: '😀'.repeat(256), type: 'string' }, t.key)).status, 201);
});

test('keys of columns are unique and their number is limited, even if they are declared at the same time', async () => {
  const { key, tenantId } = await t.secondTenant();
  const raced = await Promise.all(Array.from({ length: 5 }, () => declare({ key: 'raced', type: 'string' }, key)));
  assert.deepEqual(raced.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
  assert.equal((await declare({ key: 'raced', type: 'integer' }, key)).status, 409);
  await t.deps.db.query(
    tenantId,
    sql`insert into metadata_column (tenant_id, id, key, type, created_at)
      select ${tenantId}::uuid, gen_random_uuid(), 'k' || i, 'string', now() from generate_series(1, ${COLUMNS_MAX - 2}) i`,
  );
  const last = await Promise.all(['a', 'b', 'c'].map((name) => declare({ key: name, type: 'string' }, key)));
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [201, 409, 409]);
});

test('metadata_filter accepts declared columns only', async () => {
  const { key } = await corpus();
  const ask = (name: string) =>
    t.post('/search', { query: 'heron', metadata_filter: { filters: [{ key: name, operator: 'exists' }] } }, key);
  assert.equal((await ask('year')).status, 400);
  await declare({ key: 'year', type: 'integer' }, key);
  assert.equal((await ask('year')).status, 200);
  for (const name of ['Year', 'year ', 'yea_', '%', '__proto__', 'constructor', "year' or '1'='1"]) {
    const answer = await ask(name);
    assert.equal(answer.status, 400, name);
    assert.match(
      answer.body.error.message,
      /^\/metadata_filter\/filters\/0\/key: .* is not a declared metadata column\.$/,
    );
  }
  const deep = { filters: [{ key: 'year', operator: 'exists' }, { filters: [{ key: 'no', operator: 'exists' }] }] };
  const nested = await t.post('/search', { query: 'heron', metadata_filter: deep }, key);
  assert.match(nested.body.error.message, /^\/metadata_filter\/filters\/1\/filters\/0\/key: /);
  const messages = [{ role: 'user', content: 'What about the heron?' }];
  assert.equal((await t.post('/completions', { messages, metadata_filter: deep }, key)).status, 400);
  await t.delete('/metadata-columns/year', key);
  assert.equal((await ask('year')).status, 400, 'from the deletion on');
});

const CASES: [object, string[]][] = [
  [{ key: 'year', operator: 'eq', value: 500 }, ['plus']],
  [{ key: 'year', operator: 'eq', value: '2025.0' }, ['new']],
  [{ key: 'year', operator: 'gt', value: 7 }, ['new', 'old', 'plus']],
  [{ key: 'year', operator: 'gte', value: '7' }, ['both', 'new', 'old', 'plus']],
  [{ key: 'year', operator: 'lt', value: 500.5 }, ['both', 'plus']],
  [{ key: 'year', operator: 'lte', value: 1e3 }, ['both', 'plus']],
  [{ key: 'year', operator: 'in', value: [7, '1999', '+2e1'] }, ['both', 'old']],
  [{ key: 'year', operator: 'nin', value: [7, '1999'] }, ['new', 'none', 'part', 'plus', 'words']],
  [{ key: 'year', operator: 'ne', value: 7 }, ['new', 'none', 'old', 'part', 'plus', 'words']],
  [{ key: 'year', operator: 'exists' }, ['both', 'new', 'old', 'plus']],
  [{ key: 'year', operator: 'not_exists' }, ['none', 'part', 'words']],
  [{ key: 'year', operator: 'starts_with', value: '2' }, ['new']],
  [{ key: 'year', operator: 'contains', value: '0' }, ['new', 'plus']],
  [{ key: 'status', operator: 'eq', value: 'final' }, ['old', 'plus']],
  [{ key: 'status', operator: 'in', value: ['final', 'Final'] }, ['both', 'old', 'plus']],
  [{ key: 'status', operator: 'ne', value: 'final' }, ['both', 'new', 'none', 'part', 'words']],
  [{ key: 'status', operator: 'exists' }, ['both', 'new', 'old', 'plus', 'words']],
  [{ key: 'status', operator: 'eq', value: '' }, ['words']],
  [{ key: 'status', operator: 'contains', value: 'fin%' }, []],
];

test('filters on columns select sources by the type of the column', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'integer' }, all.key);
  await declare({ key: 'status', type: 'string' }, all.key);
  for (const [filter, expected] of CASES) {
    assert.deepEqual(await found(all.key, [filter]), expected, JSON.stringify(filter));
  }
  const either = [
    { key: 'year', operator: 'eq', value: 7 },
    {
      filters: [
        { key: 'status', operator: 'eq', value: 'final' },
        { key: 'year', operator: 'lt', value: 1000 },
      ],
    },
  ];
  assert.deepEqual(await found(all.key, either, 'or'), ['both', 'plus']);
});

test('a filter that compares a column of integers with a value that is no number is refused at this value', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'integer' }, all.key);
  await declare({ key: 'status', type: 'string' }, all.key);
  const wrong: [string, unknown, string][] = [
    ['gte', 'abc', '/value'],
    ['lt', 'x', '/value'],
    ['gt', '2023-12-31', '/value'],
    ['eq', true, '/value'],
    ['ne', '', '/value'],
    ['in', [7, '1999', 'MMXX'], '/value/2'],
    ['nin', ['MMXX'], '/value/0'],
  ];
  for (const [operator, value, place] of wrong) {
    const filters = [{ key: 'status', operator: 'eq', value: 'x' }, { filters: [{ key: 'year', operator, value }] }];
    const answer = await t.post('/search', { query: 'heron', metadata_filter: { filters } }, all.key);
    assert.equal(answer.status, 400, `${operator} ${JSON.stringify(value)}`);
    assert.equal(answer.body.error.pointer, `/metadata_filter/filters/1/filters/0${place}`);
    assert.match(answer.body.error.message, /must be a number, because the column "year" is of type integer\.$/);
  }
});

test('values of an integer column that are not whole numbers are counted, and the other values are listed in order', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'integer' }, all.key);
  await declare({ key: 'status', type: 'string' }, all.key);
  const values = async (query: string) => (await t.get(`/metadata-columns/${query}`, all.key)).body;
  assert.deepEqual(await values('year/values'), {
    values: ['7', '500', '1999', '2025'].map((value) => ({ value, count: 1 })),
    has_more: false,
  });
  assert.deepEqual((await values('status/values')).values, [
    { value: '', count: 1 },
    { value: 'Final', count: 1 },
    { value: 'draft', count: 1 },
    { value: 'final', count: 2 },
  ]);
  assert.deepEqual((await values('status/values?prefix=f')).values, [{ value: 'final', count: 2 }]);
  assert.deepEqual((await values('status/values?prefix=%25')).values, []);
  assert.deepEqual((await values('year/values?prefix=2')).values, [{ value: '2025', count: 1 }]);
  assert.deepEqual(await values('year/values?limit=1&after=7'), {
    values: [{ value: '500', count: 1 }],
    has_more: true,
  });
  assert.deepEqual((await values('status/values?after=Final')).values.length, 2);
  const [year, status] = (await t.get('/metadata-columns', all.key)).body.metadata_columns;
  assert.equal(year.coercion_failures, 2);
  assert.equal(status.coercion_failures, 0);
  for (const query of ['after=x', 'after=1.5', 'limit=0', 'limit=101', 'after_id=x', 'prefix=%00']) {
    assert.equal((await t.get(`/metadata-columns/year/values?${query}`, all.key)).status, 400, query);
  }
});

test('columns have the current metadata after every kind of change', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'integer' }, all.key);
  const set = (name: string, column: 'metadata' | 'origin_metadata', value: unknown) =>
    t.deps.db.query(
      all.tenantId,
      column === 'metadata'
        ? sql`update source set metadata = ${json(value)} where tenant_id = ${all.tenantId} and name = ${name}`
        : sql`update source set origin_metadata = ${json(value)} where tenant_id = ${all.tenantId} and name = ${name}`,
    );
  const eq = (value: number) => found(all.key, [{ key: 'year', operator: 'eq', value }]);
  await set('none', 'metadata', { year: '1' });
  assert.deepEqual(await eq(1), ['none']);
  await set('both', 'metadata', {});
  assert.deepEqual(await eq(8), ['both'], 'the origin record shows again');
  await set('both', 'origin_metadata', { year: text('x') });
  assert.deepEqual(await eq(8), []);
  assert.equal((await t.get('/metadata-columns', all.key)).body.metadata_columns[0].coercion_failures, 3);
  await set('both', 'origin_metadata', {});
  assert.equal((await t.get('/metadata-columns', all.key)).body.metadata_columns[0].coercion_failures, 2);
  await seed(t.deps.db, all.tenantId, [{ sources: [withChunk({ name: 'later', metadata: { year: '3000' } })] }]);
  assert.deepEqual(await eq(3000), ['later']);
});

test('a limited key sees only values and failures within its limits', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'integer' }, all.key);
  const { tenantId } = all;
  const byGroup = await t.issueKey(WRITE, { tenantId, sourceGroupIds: [all.groups[0]!] });
  const byTag = await t.issueKey(WRITE, { tenantId, tagIds: [all.tags.get('first')!] });
  for (const key of [byGroup, byTag]) {
    assert.deepEqual(
      (await t.get('/metadata-columns/year/values', key)).body.values.map((one: { value: string }) => one.value),
      ['500', '1999', '2025'],
    );
    assert.equal((await t.get('/metadata-columns', key)).body.metadata_columns[0].coercion_failures, 0);
    assert.deepEqual(await found(key, [{ key: 'year', operator: 'exists' }]), ['new', 'old', 'plus']);
  }
});

test('a column that is deleted and declared again has its new type', async () => {
  const all = await corpus();
  await declare({ key: 'year', type: 'string' }, all.key);
  assert.deepEqual(await found(all.key, [{ key: 'year', operator: 'eq', value: 'MMXX' }]), ['words']);
  await t.delete('/metadata-columns/year', all.key);
  assert.equal((await declare({ key: 'year', type: 'integer' }, all.key)).status, 201);
  const { metadata_columns } = (await t.get('/metadata-columns', all.key)).body;
  assert.deepEqual([metadata_columns.length, metadata_columns[0].status], [1, 'ready']);
  assert.deepEqual(await found(all.key, [{ key: 'year', operator: 'not_exists' }]), ['none', 'part', 'words']);
});

test('keys, operators and values with special characters are taken literally or are 400', async () => {
  const { tenantId, key } = await t.secondTenant();
  const odd = ["'; drop table chunk; --", '%', '_', '\\', '$1', '__proto__', 'constructor', 'a.b', '"', '🗝', 'e\u0301'];
  await seed(t.deps.db, tenantId, [
    {
      sources: odd.map((one) =>
        withChunk({ name: one, metadata: JSON.parse(`{${JSON.stringify(one)}: ${JSON.stringify(one)}}`) }),
      ),
    },
  ]);
  for (const one of odd) assert.equal((await declare({ key: one, type: 'string' }, key)).status, 201, one);
  for (const one of odd) {
    for (const operator of ['eq', 'contains', 'starts_with']) {
      assert.deepEqual(await found(key, [{ key: one, operator, value: one }]), [one], `${operator} ${one}`);
    }
    const values = await t.get(`/metadata-columns/${encodeURIComponent(one)}/values`, key);
    assert.deepEqual(values.body.values, [{ value: one.normalize('NFC'), count: 1 }]);
    const places = [{ source_metadata: { filters: [{ key: one, operator: 'eq', value: one }] } }];
    for (const place of places) {
      const { body } = await t.post('/search', { query: 'heron', ...place }, key);
      assert.deepEqual(
        body.results.map((result: { name: string }) => result.name),
        [one],
      );
    }
  }
  const bad = [
    { key: '%', operator: 'eq', value: 'a\u0000b' },
    { key: '%\u0000', operator: 'eq', value: 'a' },
    { key: '%', operator: '= any', value: 'a' },
    { key: '%', operator: '__proto__', value: 'a' },
    { key: '%', operator: 'toString', value: 'a' },
    { key: '%', operator: 'eq', value: { $gt: '' } },
    { key: '%', operator: 'eq', value: null },
    { key: '%', operator: 'in', value: [['a']] },
  ];
  for (const filter of bad) {
    for (const place of ['metadata', 'source_metadata', 'chunk_metadata', 'metadata_filter']) {
      const answer = await t.post('/search', { query: 'heron', [place]: { filters: [filter] } }, key);
      assert.equal(answer.status, 400, `${place} ${JSON.stringify(filter)}`);
    }
  }
  const proto = '{"query":"heron","metadata_filter":{"filters":[{"key":"%","operator":"exists","__proto__":{}}]}}';
  assert.equal((await t.post('/search', proto, key)).status, 400);
  const lone = '{"query":"heron","metadata_filter":{"filters":[{"key":"%","operator":"eq","value":"\\ud800"}]}}';
  assert.equal((await t.post('/search', lone, key)).status, 400);
  assert.equal((await t.get(`/metadata-columns/${newId()}/values`, key)).status, 404);
});
