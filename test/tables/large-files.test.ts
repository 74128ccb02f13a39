/** A large CSV file: search finds its first rows, and its table has all of them under the same rules. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, ingest, multipartBody, waitForGroup } from '../support/upload.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
type Loose = any;

const ROWS = 5_000;
/** Makes the file larger than 32 MiB. */
const NOTE = 'plain words of a long note '.repeat(260);

let t: TestApp;
let csv: string;
before(async () => {
  t = await openTestApp({ runsJobs: true });
  const rows = Array.from({ length: ROWS }, (_, i) => `${i},name${i}@example.com,canary${i},${NOTE}`);
  csv = `id,mail,word,note\n${rows.join('\n')}\n`;
});
after(() => t.close());

const setRules = async (rules: object[]) => {
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules })).status, 200);
};

async function builtTable(groupId: string): Promise<Loose> {
  return eventually(async () => {
    const [table] = (await t.get(`/tables?source_group_id=${groupId}`)).body.tables;
    return table && table.status !== 'building' && table;
  });
}

test('all rows of a large CSV file can be queried, and ingest rules hold for rows that search does not find', async () => {
  const mask = { kind: 'regex', action: 'mask', apply_at: ['ingest'] };
  await setRules([{ ...mask, name: 'mail', pattern: 'name\\d+@example\\.com' }]);
  const group = await ingest(t, [{ name: 'large.csv', content: csv }]);
  const table = await builtTable(group);
  assert.deepEqual([table.status, table.row_count, table.error], ['ready', ROWS, null]);
  const source = (await t.get(`/sources/${table.source_id}`)).body;
  const found = Number(/Search finds the first (\d+) rows/.exec(source.warnings[0])?.[1]);
  assert.ok(found > 100 && found < ROWS, `${found}`);
  const search = async (query: string) => (await t.post('/search', { query })).body.results as Loose[];
  assert.match((await search('canary17'))[0].content, /canary17 /);
  assert.deepEqual(
    (await search(`canary${ROWS - 1}`)).filter(({ content }) => content.includes(`canary${ROWS - 1}`)),
    [],
  );
  const sql = `select id, mail, word from large where id in (17, ${ROWS - 1}) order by id`;
  const { status, body } = await t.post('/tables/query', { sql, timeout_ms: 20_000 });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.rows.map(([id, , word]: Loose) => [id, word]),
    [
      [17, 'canary17'],
      [ROWS - 1, `canary${ROWS - 1}`],
    ],
  );
  for (const [, mail] of body.rows) assert.ok(!mail.includes('@example.com'), mail);
  assert.deepEqual(
    body.citations.map(({ row }: Loose) => row.row),
    [17, ROWS - 1],
  );
  assert.match(body.citations[0].content, /canary17 /);
  assert.match(body.citations[1].content, /The other rows are in its table only\. Columns: id, mail, word, note/);
  const { rows } = (await t.get(`/tables/${table.id}/rows?after_row=${ROWS - 2}&columns=word`)).body;
  assert.equal(rows[0].values.word, `canary${ROWS - 1}`);
  const length = [
    ...(await t.get(`/sources/${table.source_id}/text?start_offset=${rows[0].place.start_offset}`)).body.text,
  ].length;
  assert.equal(length, 0);
  const other = (
    await t.post('/tables/query', { sql: `select count(*) from large where mail like '%@%'`, timeout_ms: 20_000 })
  ).body;
  assert.deepEqual(other.rows, [[0]]);
  assert.deepEqual(await findViolations(t.deps.db, t.deps.blobs, { now: new Date(), graceSeconds: 60 }), []);
  await t.delete('/redaction-policy');
});

test('a rule that blocks a row which search would not find blocks the large file', async () => {
  await setRules([
    { name: 'last', kind: 'regex', pattern: `canary${ROWS - 1}`, action: 'block', apply_at: ['ingest'] },
  ]);
  const { headers, body } = multipartBody([{ name: 'blocked.csv', content: csv }]);
  const url = '/api/v1/local-file-groups';
  const answer = await t.app.inject({
    method: 'POST',
    url,
    headers: { 'x-api-key': t.key, ...headers },
    payload: body,
  });
  const id = answer.json().source_group_id;
  assert.equal(await waitForGroup(t, id), 'failure');
  assert.match((await t.get(`/local-file-groups/${id}`)).text, /redaction policy/);
  await t.delete('/redaction-policy');
});
