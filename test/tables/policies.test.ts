/** Policies on tables: no statement, aggregate or error tells a principal anything of a row that the policy hides. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, multipartBody, waitForGroup } from '../support/upload.ts';

const TEAMS = ['red', 'green', 'blue', 'white'];
const ROWS_PER_TEAM = 8;
const canary = (team: string, i: number): string => `canary-${team}-${i}`;
const amountOf = (team: string, i: number): number => (TEAMS.indexOf(team) + 1) * 1_000_003 + i;

let t: TestApp;
let worker: Worker;

before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  worker = buildWorker(t.deps);
  await worker.start();
  const lines = Array.from({ length: ROWS_PER_TEAM }, (_, i) =>
    TEAMS.map((team) => `${team},${canary(team, i)},${amountOf(team, i)}`),
  );
  const content = ['team,secret,amount', ...lines.flat()].join('\n');
  const keys = JSON.stringify([{ key: 'team', type: 'string' }]);
  const form = multipartBody([{ name: 'ledger.csv', content }], [['chunk_metadata_keys', keys]]);
  const uploaded = await t.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'x-api-key': t.key, ...form.headers },
    payload: form.body,
  });
  assert.equal(uploaded.statusCode, 201, uploaded.body);
  assert.equal(await waitForGroup(t, uploaded.json().source_group_id), 'success');
  const policy = {
    filters: [
      { target: 'chunk_metadata', key: 'team', operator: 'eq', value: { subject: 'team' }, trust_content: true },
    ],
  };
  assert.equal((await t.put('/authz/policies/default', policy)).status, 200);
  for (const team of TEAMS) {
    const { status, text } = await t.put(`/authz/subjects/${team}/attributes`, {
      attributes: { team },
    });
    assert.equal(status, 200, text);
  }
  await eventually(async () => {
    const [row] = await t.deps.db.system.query<{ status: string }>(sql`select status from source_table`);
    return row?.status === 'ready';
  });
});

after(async () => {
  await worker.stop(0);
  await t.close();
});

const STATEMENTS = [
  'select * from ledger',
  'select count(*), min(secret), max(secret), sum(amount) from ledger',
  "select string_agg(secret, ',') from ledger",
  'select team, count(*) from ledger group by team',
  'select list(secret), histogram(team), mode(secret) from ledger',
  'select cast(secret as integer) from ledger',
  'select 1 / (amount - amount) from ledger',
  "select * from ledger where secret like 'canary%' order by amount desc",
  'select distinct team from ledger union all select secret from ledger',
  'with l as (select * from ledger) select * from l',
  'select (select max(secret) from ledger)',
  'select secret, lead(secret) over (order by amount) from ledger',
  "select strptime(secret, '%Y') from ledger",
  'select a.secret, b.secret from ledger a, ledger b',
  'select approx_quantile(amount, 0.5), quantile_disc(secret, 0.99) from ledger',
  'select * from ledger using sample 50%',
  'select reverse(secret), md5(secret), hash(secret) from ledger',
  'select nothing from ledger',
  'select count(*) from ledger, range(100)',
  'select team from ledger limit 1000',
  "select * from ledger where team = 'red' or team = 'blue' or true",
];

test('a principal sees its own rows only, in results, aggregates, citations and errors', async () => {
  for (const team of TEAMS) {
    const others = TEAMS.filter((other) => other !== team);
    for (const statement of STATEMENTS) {
      const { text } = await t.post('/tables/query', {
        sql: statement,
        principal_id: team,
        timeout_ms: 20_000,
        row_limit: 1000,
      });
      for (const other of others) {
        assert.doesNotMatch(text, new RegExp(`canary-${other}`), `${team}: ${statement}`);
        for (let i = 0; i < ROWS_PER_TEAM; i += 1)
          assert.ok(!text.includes(String(amountOf(other, i))), `${team}: ${statement}`);
      }
    }
    const { body } = await t.post('/tables/query', {
      sql: 'select count(*), sum(amount) from ledger',
      principal_id: team,
    });
    const sum = Array.from({ length: ROWS_PER_TEAM }, (_, i) => amountOf(team, i)).reduce((a, b) => a + b, 0);
    assert.deepEqual(body.rows, [[ROWS_PER_TEAM, sum]], JSON.stringify(body));
    assert.ok(body.citations.length > 0);
    assert.ok(
      body.citations.every(({ row }: { row: { row: number | null } }) => row.row === null),
      'gaps show hidden rows',
    );
  }
});

test('for a principal without a visible row, the table does not exist', async () => {
  for (const principal_id of ['nobody', undefined]) {
    const { status, body } = await t.post('/tables/query', { sql: 'select * from ledger', principal_id });
    assert.deepEqual([status, body.error.message], [400, 'There is no table ledger. (at character 15)']);
  }
  const [table] = await t.deps.db.system.query<{ id: string }>(sql`select id from source_table`);
  const { status } = await t.post('/tables/query', { sql: 'select 1', tables: [table!.id], principal_id: 'nobody' });
  assert.equal(status, 404);
});
