/** Tables from upload to rows: built with their sources or on request, kept in step with them, visible as their chunks are. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { fileChanges } from '../support/file-changes.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makeXlsx } from '../support/files/make-files.ts';
import { eventually, ingest, multipartBody, waitForGroup } from '../support/upload.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
type Loose = any;

let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true });
});
after(() => t.close());
afterEach(async () => {
  const found = await findViolations(t.deps.db, t.deps.blobs, { now: new Date(), graceSeconds: 60 });
  assert.deepEqual(found, []);
});

const { changeAndWait, sources } = fileChanges(() => t);

/** Waits until all tables of a group are built; returns them by name. */
async function tablesOf(groupId: string, count = 1) {
  const tables = await eventually(async () => {
    const { body } = await t.get(`/tables?source_group_id=${groupId}&limit=100`);
    return body.tables.length >= count && body.tables.every((one: Loose) => one.status !== 'building') && body.tables;
  });
  return new Map<string, Loose>(tables.map((table: Loose) => [table.name, table]));
}

/** Waits until a table has this version. */
const version = (id: string, number: number) =>
  eventually(async () => {
    const { body } = await t.get(`/tables/${id}`);
    return body.version === number && body.status === 'ready' && body;
  });

const SALES =
  'Sales of May\nid,day,amount,note\n1,2024-05-01,"1,250.50",first\n2,2024-05-02,7,"a | b"\nTotal,,"1,257.50",\n';

test('a CSV file becomes a table whose rows lead back to the text', async () => {
  const group = await ingest(t, [{ name: 'sales.csv', content: SALES }]);
  const listed = (await tablesOf(group)).get('sales');
  assert.deepEqual(
    listed.columns.map((one: Loose) => [one.sql_name, one.type, one.min, one.max]),
    [
      ['id', 'integer', '1', '2'],
      ['day', 'date', '2024-05-01', '2024-05-02'],
      ['amount', 'decimal', '7.00', '1250.50'],
      ['note', 'text', 'a | b', 'first'],
    ],
  );
  assert.deepEqual([listed.row_count, listed.total_rows, listed.description], [2, 1, 'Sales of May']);
  assert.deepEqual(
    listed.warnings.map(({ type, code }: Loose) => type === code && code),
    ['total_rows_excluded'],
  );
  const { body } = await t.get(`/tables/${listed.id}`);
  assert.deepEqual(
    body.sample.map(({ values }: Loose) => values),
    [
      { id: 1, day: '2024-05-01', amount: 1250.5, note: 'first' },
      { id: 2, day: '2024-05-02', amount: 7, note: 'a | b' },
    ],
  );
  const { rows, next_after_row: next } = (await t.get(`/tables/${listed.id}/rows?limit=2&columns=note`)).body;
  assert.equal(next, 1);
  const { text } = (await t.get(`/sources/${listed.source_id}/text`)).body;
  assert.equal([...text].slice(rows[1].place.start_offset).join('').split('\n')[0], '| 2 | 2024-05-02 | 7 | a \\| b |');
  const last = (await t.get(`/tables/${listed.id}/rows?after_row=${next}`)).body;
  assert.deepEqual([last.rows[0].kind, last.rows[0].values.amount, last.next_after_row], ['total', 1257.5, null]);
  assert.equal((await t.get(`/tables/${listed.id}/rows?columns=nothing`)).status, 400);
});

test('each region of a document waits for a request, and a table is named once', async () => {
  const content = '# Prices\n\n| a | b |\n|---|---|\n| 1 | x |\n\n# Sizes\n\n| c | d |\n|---|---|\n| 2 | y |\n';
  const group = await ingest(t, [{ name: 'guide.md', content }]);
  const sourceId = (await sources(group)).get('guide.md')!.id;
  assert.deepEqual((await t.get(`/tables?source_id=${sourceId}`)).body.tables, []);
  const { tables } = (await t.get(`/sources/${sourceId}/tables`)).body;
  assert.deepEqual(
    tables.map(({ position, automatic, status }: Loose) => [position, automatic, status]),
    [
      [{ index: 0, heading_path: ['Prices'] }, false, null],
      [{ index: 1, heading_path: ['Sizes'] }, false, null],
    ],
  );
  const request = { name: 'Sizes of things', source: { source_id: sourceId, position: { index: 1 } } };
  const { status, body } = await t.post('/tables', request);
  assert.equal(status, 201, JSON.stringify(body));
  const built = await version(body.table_id, 1);
  assert.deepEqual([built.sql_name, built.sample[0].values], ['sizes_of_things', { c: 2, d: 'y' }]);
  assert.equal((await t.post('/tables', request)).status, 409);
  assert.equal((await t.post('/tables', { source: { source_id: sourceId } })).status, 400);
  assert.equal((await t.post('/tables', { source: { source_id: sourceId, position: { index: 7 } } })).status, 400);
  assert.equal((await t.delete(`/tables/${body.table_id}`)).status, 200);
  assert.equal((await t.get(`/tables/${body.table_id}`)).status, 404);
});

test('tables of Word, PowerPoint and Excel files are built on request, and lead back to their place', async () => {
  const sheets = [
    {
      name: 'Stock',
      rows: [
        ['part', 'count'],
        ['A1', 3],
        ['B2', 5],
      ],
    },
  ];
  const group = await ingest(t, [
    { name: 'handbook.docx', content: fixture('handbook.docx') },
    { name: 'office.pptx', content: fixture('office.pptx') },
    { name: 'stock.xlsx', content: makeXlsx({ sheets }) },
  ]);
  const found = await sources(group);
  const expected: Record<string, { columns: string[][]; last: Record<string, string | number> }> = {
    'handbook.docx': {
      columns: [
        ['team', 'text'],
        ['contact', 'text'],
        ['phone', 'integer'],
      ],
      last: { team: 'Lab', contact: 'Cy', phone: 34 },
    },
    'office.pptx': {
      columns: [
        ['region', 'text'],
        ['sales', 'integer'],
      ],
      last: { region: 'South', sales: 80 },
    },
    'stock.xlsx': {
      columns: [
        ['part', 'text'],
        ['count', 'integer'],
      ],
      last: { part: 'B2', count: 5 },
    },
  };
  // The table of a sheet comes by itself. After its deletion it waits for a request, as those of documents do.
  const own = (await tablesOf(group)).get('stock');
  assert.equal((await t.delete(`/tables/${own.id}`)).status, 200);
  for (const [name, { columns, last }] of Object.entries(expected)) {
    const sourceId = found.get(name)!.id;
    const [candidate, ...others] = (await t.get(`/sources/${sourceId}/tables`)).body.tables;
    assert.deepEqual([candidate.table_id, others], [null, []], name);
    const { status, body } = await t.post('/tables', { name: `Of ${name}`, source: { source_id: sourceId } });
    assert.equal(status, 201, JSON.stringify(body));
    const built = await version(body.table_id, 1);
    assert.deepEqual(
      built.columns.map((one: Loose) => [one.sql_name, one.type]),
      columns,
      name,
    );
    const { values, place } = built.sample.at(-1);
    assert.deepEqual(values, last);
    const { text } = (await t.get(`/sources/${sourceId}/text`)).body;
    const line = [...text].slice(place.start_offset).join('').split('\n')[0];
    assert.equal(line, `| ${Object.values(values).join(' | ')} |`);
    assert.equal(place.page, name === 'office.pptx' ? 3 : null);
  }
});

test('a new version of a file gives a new version of its table, and a frozen table refuses other columns', async () => {
  const group = await ingest(t, [{ name: 'stock.csv', content: 'item,count\nnut,1\nbolt,2\n' }]);
  const { id } = (await tablesOf(group)).get('stock');
  await changeAndWait(group, { 'stock.csv': 'item,count,place\nnut,many,A\nbolt,2,B\nscrew,3,C\n' });
  const second = await version(id, 2);
  assert.deepEqual(second.row_count, 3);
  const change = second.warnings.find(({ code }: Loose) => code === 'schema_changed');
  assert.deepEqual([change.added, change.removed, change.retyped], [['place'], [], ['count']]);
  assert.equal((await t.put(`/tables/${id}`, { schema_policy: 'freeze' })).status, 200);
  await changeAndWait(group, { 'stock.csv': 'item\nnut\nbolt\n' });
  const frozen = await eventually(async () => {
    const { body } = await t.get(`/tables/${id}`);
    return body.status === 'failed' && body;
  });
  assert.deepEqual([frozen.version, frozen.columns.length, frozen.sample.length], [2, 3, 3]);
  assert.match(frozen.error, /schema policy/);
});

test('a type that a user sets builds the table again, and a deleted table comes back when its source changes', async () => {
  const group = await ingest(t, [{ name: 'codes.csv', content: 'code,name\n1,a\n2,b\n' }]);
  const { id } = (await tablesOf(group)).get('codes');
  const columns = [{ sql_name: 'code', type: 'text', description: 'The code' }];
  assert.equal((await t.put(`/tables/${id}`, { name: 'Codes of goods', columns })).status, 200);
  const built = await version(id, 2);
  assert.deepEqual(
    [built.sql_name, built.columns[0].type, built.columns[0].description],
    ['codes_of_goods', 'text', 'The code'],
  );
  assert.equal((await t.put(`/tables/${id}`, { columns: [{ sql_name: 'none', type: 'text' }] })).status, 400);
  assert.equal((await t.post(`/tables/${id}/runs`, undefined)).status, 202);
  await version(id, 3);
  assert.equal((await t.delete(`/tables/${id}`)).status, 200);
  assert.equal((await t.get(`/tables/${id}`)).status, 404);
  await changeAndWait(group, { 'codes.csv': 'code,name\n1,a\n2,b\n3,c\n' });
  assert.equal((await version(id, 4)).row_count, 3);
});

test('the tables of a deleted source are gone at once, and their files with the next collection', async () => {
  const group = await ingest(t, [{ name: 'gone.csv', content: 'a,b\n1,2\n3,4\n' }]);
  const { id, source_id: sourceId } = (await tablesOf(group)).get('gone');
  await t.delete(`/sources/${sourceId}`);
  assert.equal((await t.get(`/tables/${id}`)).status, 404);
  await eventually(async () => (await t.get(`/source-groups/${group}/sources`)).body.sources.length === 0);
  await collectGarbage(t.deps)({}, { signal: new AbortController().signal, lastAttempt: false });
  const stored = await Array.fromAsync(t.deps.blobs.list());
  const kept = new Set((await t.get('/tables?limit=100')).body.tables.map((one: Loose) => one.id));
  assert.ok(!kept.has(id) && stored.length > 0);
});

test('values, examples and extremes of a table are redacted as its text is', async () => {
  const content = 'name,born,pay\nAnn,1980-02-03,123456789\nBob,1990-01-01,5\n';
  const group = await ingest(t, [{ name: 'people.csv', content }]);
  const { id } = (await tablesOf(group)).get('people');
  const rule = (name: string, pattern: string, action: string) => ({
    ...{ name, kind: 'regex', pattern, action, apply_at: ['retrieval'] },
  });
  const rules = [rule('birth', '03/02/1980', 'mask'), rule('pay', '123,456,789', 'mask')];
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules })).status, 200);
  const { text } = await t.get(`/tables/${id}`);
  const rows = (await t.get(`/tables/${id}/rows`)).text;
  for (const canary of ['1980-02-03', '123456789']) assert.ok(!text.includes(canary) && !rows.includes(canary), canary);
  assert.ok(rows.includes('1990-01-01'));
  await t.put('/redaction-policy', { enabled: true, rules: [rule('row', 'Ann', 'block')] });
  assert.deepEqual(
    (await t.get(`/tables/${id}/rows`)).body.rows.map(({ values }: Loose) => values.name),
    ['Bob'],
  );
  const blocked = (await t.get(`/tables/${id}`)).text;
  for (const ofAnn of ['1980-02-03', '123456789']) assert.ok(!blocked.includes(ofAnn), ofAnn);
  await t.delete('/redaction-policy');
});

test('a table names its source as readers may see it', async () => {
  const group = await ingest(t, [{ name: 'hollins.csv', content: 'a,b\n1,2\n3,4\n' }]);
  const { id, ...listed } = (await tablesOf(group)).get('hollins');
  assert.deepEqual([listed.source_name, listed.source_path], ['hollins.csv', 'hollins.csv']);
  const rule = { name: 'who', kind: 'regex', pattern: 'hollins', action: 'mask', apply_at: ['retrieval'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const { text, body } = await t.get(`/tables/${id}`);
  assert.ok(!text.includes('hollins'), text);
  assert.equal(body.source_path, null, 'a redacted path would not name any file');
  await t.delete('/redaction-policy');
});

test('a principal sees the rows whose chunks the policy shows, and nothing that is computed from the others', async () => {
  const own = await openTestApp({ runsJobs: true, env: { PINAKES_AUTHORIZATION: 'on' } });
  try {
    const csv = `level,secret\n${Array.from({ length: 40 }, (_, i) => `${i % 4 === 0 ? 'high' : 'low'},word${i}`).join('\n')}\n`;
    const keys: [string, string] = ['chunk_metadata_keys', '[{"key":"level","type":"string"}]'];
    const form = multipartBody([{ name: 'levels.csv', content: csv }], [keys]);
    const answer = await own.app.inject({
      ...{ method: 'POST', url: '/api/v1/local-file-groups', payload: form.body },
      headers: { ...form.headers, 'x-api-key': own.key },
    });
    const group = answer.json().source_group_id;
    assert.equal(await waitForGroup(own, group), 'success');
    const level = { target: 'chunk_metadata', key: 'level', operator: 'eq', trust_content: true };
    await own.put('/authz/policies/default', { filters: [{ ...level, value: { subject: 'clearance' } }] });
    await own.put('/authz/policies/all', {
      filters: [{ target: 'chunk_metadata', key: 'level', operator: 'exists', trust_content: true }],
    });
    await own.put('/authz/subjects/lou/attributes', { attributes: { clearance: 'low' } });
    await own.put('/authz/subjects/nobody/attributes', { attributes: { clearance: 'none' } });
    const all = 'principal_id=lou&authz_policy=all';
    const table = await eventually(async () => {
      const { body } = await own.get(`/tables?${all}`);
      return body.tables[0]?.status === 'ready' && body.tables[0];
    });
    assert.deepEqual([table.row_count, table.columns[1].min], [40, 'word0']);
    const low = (await own.get(`/tables/${table.id}?principal_id=lou`)).body;
    assert.deepEqual(
      [low.row_count, low.columns[1].min, low.columns[1].distinct, low.columns[1].examples],
      [null, null, null, []],
    );
    assert.deepEqual(new Set(low.sample.map(({ values }: Loose) => values.level)), new Set(['low']));
    const { rows } = (await own.get(`/tables/${table.id}/rows?limit=100&principal_id=lou`)).body;
    assert.equal(rows.length, 30);
    assert.ok(rows.every(({ values, place }: Loose) => values.level === 'low' && place.start_offset === null));
    assert.equal((await own.get(`/tables/${table.id}?principal_id=nobody`)).status, 404);
    assert.equal((await own.get(`/tables/${table.id}/rows?principal_id=nobody`)).status, 404);
    assert.deepEqual((await own.get('/tables?principal_id=nobody')).body.tables, []);
    assert.equal((await own.get(`/sources/${table.source_id}/tables?principal_id=nobody`)).status, 404);
  } finally {
    await own.close();
  }
});
