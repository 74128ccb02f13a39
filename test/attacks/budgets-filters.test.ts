/** Filters that would hold the database for long are refused before they run, and cheap filters on the same corpus are not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';
import { multipartBody, waitForGroup } from '../support/upload.ts';

const ROWS = 400;
const NOTE = 'ab '.repeat(1_300);

let t: TestApp;

before(async () => {
  t = await openTestApp({ runsJobs: true });
  const rows = Array.from({ length: ROWS }, (_, i) => `${i},${NOTE}${i},short ${i % 3}`);
  const keys = JSON.stringify(['note', 'kind'].map((key) => ({ key, type: 'string' })));
  const { headers, body } = multipartBody(
    [{ name: 'rows.csv', content: `id,note,kind\n${rows.join('\n')}\n` }],
    [['chunk_metadata_keys', keys]],
  );
  const uploaded = await t.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'x-api-key': t.key, ...headers },
    payload: body,
  });
  assert.equal(await waitForGroup(t, uploaded.json().source_group_id), 'success');
});
after(() => t.close());

const search = (filters: object[], more: object = {}): Promise<TestAnswer> =>
  t.post('/search', { query: 'ab short', chunk_metadata: { operator: 'or', filters }, ...more });
const times = (count: number, filter: (i: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => filter(i));

test('a search whose contains would read the values for long is refused, and says what to change', async () => {
  const long = times(10, (i) => ({ key: 'note', operator: 'contains', value: `${i}c${'ab '.repeat(300)}` }));
  const { status, body } = await search(long);
  assert.equal(status, 400);
  assert.equal(body.error.type, 'invalid_request_error');
  assert.match(
    body.error.message,
    /^\/chunk_metadata: would take too long on \d+ chunks\. Send .*shorter texts for contains/,
  );
});

test('a search with tens of thousands of values is refused on any corpus', async () => {
  const many = times(60, (j) => ({ key: 'kind', operator: 'in', value: times(1000, (i) => `v${j}-${i}` as never) }));
  assert.equal((await search(many)).status, 400);
  const group = { operator: 'and', filters: many };
  for (const name of ['metadata', 'source_metadata']) {
    const answer = await t.post('/search', { query: 'ab', [name]: group });
    assert.deepEqual([answer.status, answer.body.error.message.split(':')[0]], [400, `/${name}`]);
  }
});

test('filters of ordinary size run on the same corpus', async () => {
  const found = async (filters: object[]): Promise<number> => {
    const { status, body } = await search(filters, { limit: 1 });
    assert.equal(status, 200, JSON.stringify(body));
    return body.results.length;
  };
  assert.equal(await found([{ key: 'note', operator: 'contains', value: 'b a' }]), 1);
  assert.equal(await found(times(63, (i) => ({ key: 'note', operator: 'eq', value: `${NOTE}${i}` }))), 1);
  assert.equal(await found(times(63, (i) => ({ key: 'kind', operator: 'gt', value: `zz${i}` }))), 0);
  assert.equal(await found([{ key: 'kind', operator: 'in', value: times(1000, (i) => `short ${i}` as never) }]), 1);
});

test('the same long filter runs when other filters leave few chunks for it', async () => {
  const long = times(10, (i) => ({ key: 'note', operator: 'contains', value: `${i}c${'ab '.repeat(300)}` }));
  assert.equal((await search(long, { file_types: ['pdf'] })).status, 200);
});

test('chunks without metadata hardly count for the cost of a filter on it', async () => {
  const filters = [
    { key: 'kind', operator: 'contains', value: 'x' },
    ...times(3, (i) => ({ key: `k${i}`, operator: 'in', value: ['a', 'b'] })),
  ];
  // A server may work ten times as long.
  const chunks = t.deps.db.kind === 'server' ? 2_000_000 : 200_000;
  const set = (withMetadata: number): Promise<unknown> =>
    t.deps.db.query(
      t.tenantId,
      sql`update source set chunk_count = ${chunks}::int, chunk_metadatas_count = ${withMetadata}::int where tenant_id = ${t.tenantId}`,
    );
  await set(0);
  assert.equal((await search(filters)).status, 200);
  await set(chunks);
  assert.equal((await search(filters)).status, 400);
  await set(ROWS);
});

test('metadata of chunks is compared in NFC, however a file writes it', async () => {
  const csv = `id,city\n1,${'Zürich'.normalize('NFD')}\n`;
  const { headers, body } = multipartBody(
    [{ name: 'cities.csv', content: csv }],
    [['chunk_metadata_keys', '[{"key":"city","type":"string"}]']],
  );
  const url = '/api/v1/local-file-groups';
  const uploaded = await t.app.inject({
    method: 'POST',
    url,
    headers: { 'x-api-key': t.key, ...headers },
    payload: body,
  });
  assert.equal(await waitForGroup(t, uploaded.json().source_group_id), 'success');
  for (const value of ['Zürich', 'Zürich'.normalize('NFD')]) {
    const answer = await t.post('/search', {
      query: 'id city 1',
      chunk_metadata: { filters: [{ key: 'city', operator: 'eq', value }] },
    });
    assert.equal(answer.body.results.length, 1, JSON.stringify(answer.body));
  }
});
