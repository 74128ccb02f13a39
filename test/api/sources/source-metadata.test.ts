/** Metadata of sources and source groups: merging, limits, batches, the layers of API and origin, concurrency. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { json } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql.ts';
import { METADATA_ERRORS } from '../../../src/filters/metadata.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { uploadFiles, waitForGroup } from '../../support/upload.ts';

type Patch = { key: unknown; val?: unknown }[];

let t: TestApp;
let group: string;
let source: string;

before(async () => {
  t = await openTestApp({ runsJobs: true });
  group = await uploadFiles(t, { 'heron.html': '<title>Heron</title><p>The heron nests in the old oak.</p>' });
  assert.equal(await waitForGroup(t, group), 'success');
  source = (await t.get(`/source-groups/${group}/sources`)).body.sources[0].id;
});
after(() => t.close());
beforeEach(async () => {
  assert.equal((await t.delete(`/sources/${source}/metadata`)).status, 200);
});

const put = (records: Patch, id = source) => t.put(`/sources/${id}/metadata`, { metadata: { records } });
const batch = (items: unknown[]) => t.post('/sources/metadata/batch', { items });
const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ key: `k${String(from + i).padStart(3, '0')}`, val: `v${from + i}` }));
const typed = (list: { key: string; val: string }[]) => list.map((record) => ({ ...record, type: 'string' }));

test('the record of a source says what the file says of itself, redacted, beside the records that were set', async () => {
  await put([{ key: 'title', val: 'Set' }]);
  const list = `/source-groups/${group}/sources`;
  const read = async () => [(await t.get(`/sources/${source}`)).body, (await t.get(list)).body.sources[0]];
  for (const { metadata, origin_metadata: origin } of await read()) {
    assert.deepEqual(metadata.records, [{ key: 'title', val: 'Set', type: 'string' }]);
    assert.deepEqual(origin.records.at(-1), { key: 'title', val: 'Heron', type: 'string' });
  }
  const manager = await t.issueKey(['ingestion:manage']);
  for (const path of [list, '/source-list']) {
    const [shown] = (await t.get(path, manager)).body.sources;
    assert.deepEqual([shown.id, shown.name, shown.origin_metadata], [source, 'heron.html', null]);
  }
  const rule = { name: 'bird', kind: 'dictionary', terms: ['Heron'], action: 'mask', apply_at: ['retrieval'] };
  await t.put('/redaction-policy', { enabled: true, rules: [rule] });
  for (const { origin_metadata: origin } of await read()) assert.equal(origin.records.at(-1).val, '[BIRD]');
  await t.delete('/redaction-policy');
});

describe('PUT /sources/{source_id}/metadata', () => {
  test('merges records by key, deletes keys with null, and returns all records sorted by key', async () => {
    const first = await put([
      { key: 'b', val: '2' },
      { key: 'a', val: '1' },
    ]);
    assert.equal(first.status, 200);
    assert.deepEqual(first.body, {
      records: typed([
        { key: 'a', val: '1' },
        { key: 'b', val: '2' },
      ]),
    });
    const second = await put([
      { key: 'a', val: null },
      { key: 'b', val: '' },
      { key: 'never', val: null },
      { key: '__proto__', val: 'p' },
    ]);
    const expected = typed([
      { key: '__proto__', val: 'p' },
      { key: 'b', val: '' },
    ]);
    assert.deepEqual(second.body.records, expected);
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, expected);
    assert.deepEqual((await put([])).body.records, expected);
  });

  test('accepts at most 40 records in a patch and 20 records after it', async () => {
    assert.deepEqual((await put(records(0, 20))).body.records, typed(records(0, 20)));
    const full = await put(records(20, 21));
    assert.deepEqual(
      [full.status, full.body],
      [400, { error: { message: METADATA_ERRORS.full, type: 'invalid_request_error' } }],
    );
    const exchange = [...records(0, 20).map(({ key }) => ({ key, val: null })), ...records(20, 40)];
    assert.deepEqual((await put(exchange)).body.records, typed(records(20, 40)));
    const tooMany = await put([...exchange, { key: 'one more', val: null }]);
    assert.deepEqual([tooMany.status, tooMany.body.error.message], [400, METADATA_ERRORS.patchTooLarge]);
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, typed(records(20, 40)));
  });

  test('limits the length of keys and values, counted in code points', async () => {
    assert.equal((await put([{ key: '😀'.repeat(256), val: '😀'.repeat(4096) }])).status, 200);
    const refused: [Patch, string][] = [
      [[{ key: '', val: 'v' }], METADATA_ERRORS.key],
      [[{ key: 'k'.repeat(257), val: null }], METADATA_ERRORS.key],
      [[{ key: 'k', val: 'v'.repeat(4097) }], METADATA_ERRORS.value],
      [
        [
          { key: 'k', val: 'v' },
          { key: 'k', val: null },
        ],
        METADATA_ERRORS.duplicateKey,
      ],
    ];
    for (const [patch, message] of refused) {
      const answer = await put(patch);
      assert.deepEqual([answer.status, answer.body.error.message], [400, message]);
    }
  });

  test('names the wrong member of a malformed body', async () => {
    const bodies: [unknown, RegExp][] = [
      [{}, /^Missing member "metadata" in the request body\.$/],
      [{ metadata: {} }, /^Missing member "records" in the request body at \/metadata\.$/],
      [
        { metadata: { records: [{ key: 'k' }] } },
        /^Missing member "val" in the request body at \/metadata\/records\/0/,
      ],
      [{ metadata: { records: [{ val: 'v' }] } }, /^Missing member "key"/],
      [{ metadata: { records: [{ key: 'k', val: 1 }] } }, /^\/metadata\/records\/0\/val/],
      [{ metadata: { records: [{ key: 'k', val: 'v', type: 'string' }] } }, /"type"/],
      [{ metadata: { records: [] }, id: newId() }, /"id"/],
      [{ metadata: { records: [{ key: 'a\u0000b', val: 'v' }] } }, /U\+0000/],
    ];
    for (const [body, message] of bodies) {
      const answer = await t.put(`/sources/${source}/metadata`, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.error.message, message);
    }
  });

  test('lets exactly one of 20 parallel patches add a key to a source with 19 records', async () => {
    await put(records(0, 19));
    const patches = Array.from({ length: 20 }, (_, i) => put([{ key: `parallel ${i}`, val: 'v' }]));
    const answers = await Promise.all(patches);
    const done = answers.filter((answer) => answer.status === 200);
    assert.equal(done.length, 1);
    for (const answer of answers) if (answer !== done[0]) assert.equal(answer.body.error.message, METADATA_ERRORS.full);
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata, done[0]!.body);
  });

  test('keeps the changes of all parallel patches of different keys', async () => {
    await Promise.all(records(0, 20).map((record) => put([record])));
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, typed(records(0, 20)));
  });
});

describe('POST /sources/metadata/batch', () => {
  const failures: [string, Patch, string?][] = [
    ['more than 40 records', records(0, 41)],
    ['more than 20 remain', records(0, 21)],
    ['no key', [{ key: '', val: 'v' }]],
    ['a long key', [{ key: 'k'.repeat(257), val: 'v' }]],
    ['a long value', [{ key: 'k', val: 'v'.repeat(4097) }]],
    ['a key twice', [...records(0, 1), ...records(0, 1)]],
    ['an unknown source', records(0, 1), newId()],
    ['no id at all', records(0, 1), 'nonsense'],
    ['both: the patch is checked first', records(0, 41), newId()],
  ];
  for (const [name, patch, id] of failures) {
    test(`fails with the same error as the single request: ${name}`, async () => {
      const single = await put(patch, id);
      assert.ok(single.status === 400 || single.status === 404);
      const answer = await batch([{ source_id: id ?? source, metadata: { records: patch } }]);
      assert.deepEqual(
        [answer.status, answer.body],
        [200, { success_count: 0, results: [{ id: id ?? source, success: false, error: single.body.error.message }] }],
      );
    });
  }

  test('applies items in their order, and each succeeds or fails on its own', async () => {
    const unknown = newId();
    const { body } = await batch([
      { source_id: source, source_group_id: group, metadata: { records: records(0, 19) } },
      { source_id: unknown, metadata: { records: [] } },
      { source_id: source, metadata: { records: records(19, 21) } },
      { source_id: source, metadata: { records: [{ key: 'k000', val: null }, ...records(19, 21)] } },
    ]);
    assert.deepEqual(body, {
      success_count: 2,
      results: [
        { id: source, success: true, error: '' },
        {
          id: unknown,
          success: false,
          error: 'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
        },
        { id: source, success: false, error: METADATA_ERRORS.full },
        { id: source, success: true, error: '' },
      ],
    });
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, typed(records(1, 21)));
  });

  test('answers as for an unknown source if the source belongs to another group than given', async () => {
    const other = await uploadFiles(t, { 'other.txt': 'Other.' });
    for (const wrong of [other, newId(), source, 'x', '']) {
      const { body } = await batch([
        { source_id: source, source_group_id: wrong, metadata: { records: records(0, 1) } },
      ]);
      assert.deepEqual(
        body.results,
        [
          {
            id: source,
            success: false,
            error: 'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
          },
        ],
        wrong,
      );
    }
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, []);
  });

  test('accepts at most 50 items, and refuses a malformed body as a whole', async () => {
    const item = { source_id: source, metadata: { records: [] } };
    assert.equal((await batch(Array(50).fill(item))).body.success_count, 50);
    assert.deepEqual((await batch([])).body, { success_count: 0, results: [] });
    for (const items of [
      Array(51).fill(item),
      [item, { metadata: item.metadata }],
      [{ ...item, id: source }],
      [{ ...item, metadata: { records: [{ key: 'k', val: 1 }] } }],
      [{ source_id: source }],
    ])
      assert.equal((await batch(items)).status, 400, JSON.stringify(items.at(-1)));
  });

  test('does not deadlock with a batch that has the same sources in the opposite order', async () => {
    const three = await uploadFiles(t, { a: 'A', b: 'B', c: 'C' });
    const sources = (await t.get(`/source-groups/${three}/sources`)).body.sources as { id: string }[];
    const items = sources.map(({ id }) => ({ source_id: id, metadata: { records: records(0, 2) } }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => batch(i % 2 === 0 ? items : items.toReversed())),
    );
    for (const answer of answers) assert.equal(answer.body.success_count, 3);
    await t.delete(`/source-groups/${three}`);
  });
});

describe('records of the API and records of the origin', () => {
  const search = async (filter: object) => {
    const answer = await t.post('/search', { query: 'heron', source_metadata: { filters: [filter] } });
    return answer.body.results;
  };
  before(async () => {
    const origin = { title: { val: 'Heron', type: 'string' }, year: { val: '2024', type: 'integer' } };
    await t.deps.db.query(
      t.tenantId,
      sql`update source set origin_metadata = ${json(origin)} where tenant_id = ${t.tenantId} and id = ${source}`,
    );
  });

  test('an API record hides the origin record with the same key in search and filters, until it is deleted', async () => {
    const byYear = (value: number) => search({ key: 'year', operator: 'eq', value });
    assert.equal((await byYear(2024)).length, 1);
    const patched = await put([{ key: 'year', val: '2030' }]);
    assert.deepEqual(patched.body.records, typed([{ key: 'year', val: '2030' }]));
    assert.equal((await byYear(2024)).length, 0);
    const [hit] = await byYear(2030);
    assert.deepEqual(hit.metadata.records, [
      { key: 'title', val: 'Heron', type: 'string' },
      { key: 'year', val: '2030', type: 'string' },
    ]);
    await put([{ key: 'year', val: null }]);
    assert.equal((await byYear(2024)).length, 1);
  });

  test('DELETE keeps the origin records', async () => {
    await put(records(0, 20));
    const answer = await t.delete(`/sources/${source}/metadata`);
    assert.deepEqual([answer.status, answer.body], [200, { message: 'The metadata of the source was deleted.' }]);
    assert.equal((await t.delete(`/sources/${source}/metadata`)).status, 200);
    const [hit] = await search({ key: 'year', operator: 'exists' });
    assert.equal(hit.metadata.records.length, 2);
  });

  test('GET /sources lists only sources with API records, and only these count for the maximum', async () => {
    assert.deepEqual((await t.get('/sources')).body.pagination.total, 0);
    assert.equal((await put(records(0, 20))).status, 200);
    const { sources } = (await t.get('/sources')).body;
    assert.deepEqual(sources, [
      {
        id: source,
        source_group_id: group,
        name: 'heron.html',
        file_type: 'html',
        file_size: 58,
        metadata: { records: typed(records(0, 20)) },
      },
    ]);
  });

  test('API records survive another run of the group', async () => {
    await put(records(0, 3));
    await t.put(`/source-groups/${group}/metadata`, { metadata: { records: records(0, 2) } });
    assert.equal((await t.post(`/source-groups/${group}/runs`, {})).status, 201);
    assert.equal(await waitForGroup(t, group), 'success');
    // A connector does the same for a changed file: the file and its origin records are read again.
    await t.deps.db.query(
      t.tenantId,
      sql`update source set status = 'failed' where tenant_id = ${t.tenantId} and id = ${source}`,
    );
    assert.equal((await t.post(`/source-groups/${group}/runs`, { only_failed: true })).status, 201);
    assert.equal(await waitForGroup(t, group), 'success');
    assert.equal((await t.get(`/sources/${source}`)).body.status, 'ready');
    assert.deepEqual((await t.get(`/sources/${source}`)).body.metadata.records, typed(records(0, 3)));
    assert.deepEqual((await t.get(`/source-groups/${group}`)).body.metadata.records, typed(records(0, 2)));
  });
});

describe('GET /sources', () => {
  test('lists uploaded files with metadata in pages, oldest first', async () => {
    const paged = await uploadFiles(t, Object.fromEntries(records(0, 5).map(({ key }) => [`${key}.txt`, key])));
    const ids = (await t.get(`/source-groups/${paged}/sources`)).body.sources.map((one: { id: string }) => one.id);
    const items = [source, ...ids.slice(1)].map((id) => ({ source_id: id, metadata: { records: records(0, 1) } }));
    assert.equal((await batch(items)).body.success_count, 5);
    await t.deps.db.query(
      t.tenantId,
      sql`update source set source_type = 'web' where tenant_id = ${t.tenantId} and id = ${ids[4]}`,
    );
    const first = (await t.get('/sources?limit=3')).body;
    const second = (await t.get(`/sources?limit=3&after_id=${first.pagination.next_id}`)).body;
    const listed = [...first.sources, ...second.sources].map((one: { id: string }) => one.id);
    assert.deepEqual(listed, [source, ...ids.slice(1, 4)]);
    assert.deepEqual(first.pagination, { limit: 3, has_more: true, total: 4, next_id: ids[2] });
    assert.deepEqual(second.pagination, { limit: 3, has_more: false, total: 4, next_id: null });
    for (const query of ['?limit=0', '?limit=101', '?after_id=x', '?q=1'])
      assert.equal((await t.get(`/sources${query}`)).status, 400, query);
    await t.delete(`/source-groups/${paged}`);
    assert.equal((await t.get('/sources')).body.pagination.total, 1);
    for (const id of ids) assert.equal((await put([], id)).status, 404);
  });
});

describe('source groups', () => {
  test('PUT /source-groups/{id} renames the group', async () => {
    const answer = await t.put(`/source-groups/${group}`, { name: 'Birds' });
    assert.deepEqual([answer.status, answer.body.name, answer.body.id], [200, 'Birds', group]);
    assert.equal((await t.get(`/source-groups/${group}`)).body.name, 'Birds');
    assert.equal((await t.get(`/local-file-groups/${group}`)).body.name, 'Birds');
    for (const body of [{}, { name: '' }, { name: 'n'.repeat(201) }, { name: 1 }, { name: 'n', status: 'success' }])
      assert.equal((await t.put(`/source-groups/${group}`, body)).status, 400, JSON.stringify(body));
  });

  test('PUT /source-groups/{id}/metadata has the same rules and error messages as source metadata', async () => {
    const change = (list: Patch) => t.put(`/source-groups/${group}/metadata`, { metadata: { records: list } });
    await change(records(0, 40).map(({ key }) => ({ key, val: null })));
    const answers = await Promise.all(records(0, 20).map((record) => change([record])));
    assert.ok(answers.every((answer) => answer.status === 200));
    for (const patch of [
      records(20, 21),
      records(0, 41),
      [...records(0, 1), ...records(0, 1)],
      [{ key: '', val: '' }],
    ]) {
      await put(records(0, 20));
      const answer = await change(patch);
      assert.deepEqual([answer.status, answer.text], [400, (await put(patch)).text]);
    }
    const merged = await change([{ key: 'k000', val: null }]);
    assert.deepEqual(merged.body, { records: typed(records(1, 20)) });
    const filtered = async (value: string) =>
      (await t.post('/search', { query: 'heron', metadata: { filters: [{ key: 'k001', operator: 'eq', value }] } }))
        .body.results.length;
    assert.deepEqual([await filtered('v1'), await filtered('v2')], [1, 0]);
  });

  test('a group that is being deleted cannot be changed', async () => {
    const gone = await uploadFiles(t, { 'gone.txt': 'Gone.' });
    await t.delete(`/source-groups/${gone}`);
    assert.equal((await t.put(`/source-groups/${gone}`, { name: 'n' })).status, 404);
    assert.equal((await t.put(`/source-groups/${gone}/metadata`, { metadata: { records: [] } })).status, 404);
  });
});
