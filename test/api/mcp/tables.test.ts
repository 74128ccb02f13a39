/** The tools for tables: the official clients ask them, and they show what the routes show the same caller. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { connectMcp, postMcp, REVISIONS, toolCall } from '../../support/mcp.ts';
import { eventually, ingest, multipartBody, waitForGroup } from '../../support/upload.ts';
import { headersOf } from '../../support/worlds/canary-world.ts';

const TEAMS = ['red', 'green'];
const LEDGER = `team,secret,amount
red,canary-red-one,10
green,canary-green-one,200
red,canary-red-two,30
`;
const CANARIES = /canary-(?:red|green)-\w+/g;
const STATEMENTS = [
  'select team, secret, amount from ledger order by amount',
  'select count(*), sum(amount), string_agg(secret) from ledger',
  'select cast(secret as integer) from ledger',
  'select distinct secret from ledger order by all',
  'select amunt from ledger',
];

let t: TestApp;
let worker: Worker;
let tableId = '';
let keys: Record<string, string>;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  worker = buildWorker(t.deps);
  await worker.start();
  const keyed = JSON.stringify([{ key: 'team', type: 'string' }]);
  const form = multipartBody([{ name: 'ledger.csv', content: LEDGER }], [['chunk_metadata_keys', keyed]]);
  const uploaded = await t.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'x-api-key': t.key, ...form.headers },
    payload: form.body,
  });
  const group = uploaded.json().source_group_id as string;
  assert.equal(await waitForGroup(t, group), 'success');
  const own = {
    target: 'chunk_metadata',
    key: 'team',
    operator: 'eq',
    value: { subject: 'team' },
    trust_content: true,
  };
  assert.equal((await t.put('/authz/policies/default', { filters: [own] })).status, 200);
  for (const team of TEAMS)
    assert.equal((await t.put(`/authz/subjects/${team}/attributes`, { attributes: { team } })).status, 200);
  tableId = await eventually(async () => {
    const [row] = await t.deps.db.system.query<{ id: string; status: string }>(
      sql`select id, status from source_table`,
    );
    return row?.status === 'ready' && row.id;
  });
  const others = await ingest(t, [{ name: 'other.txt', content: 'text' }]);
  keys = {
    all: t.key,
    group: await t.issueKey(['knowledge:read'], { sourceGroupIds: [group] }),
    'other group': await t.issueKey(['knowledge:read'], { sourceGroupIds: [others] }),
    'other tenant': (await t.secondTenant()).key,
    'no reader': await t.issueKey(['inference:run']),
  };
});
after(async () => {
  await worker.stop(0);
  await t.close();
});

for (const revision of REVISIONS) {
  test(`the official client of ${revision} finds, describes and queries a table`, async () => {
    const client = await connectMcp(t, revision, { authorization: `Bearer ${t.key}`, ...headersOf('red') });
    try {
      const call = (name: string, args: object) => client.callTool({ name, arguments: args as never });
      const listed = await call('list_tables', {});
      assert.equal(listed.content[0].text, `"ledger": ledger table_id: ${tableId}`);
      const described = await call('describe_table', { table_id: tableId });
      assert.match(described.content[0].text, /^"ledger": ledger\nColumns:\n"team" text\n"secret" text\n"amount" /);
      const asked = await call('query_table', { sql: 'select secret, amount from ledger', timeout_ms: 20_000 });
      const [first] = asked.structuredContent.citations;
      assert.match(
        asked.content[0].text,
        /^secret \| amount\n"canary-red-one" \| 10\n"canary-red-two" \| 30\nFrom ledger\.csv chunk_id: \S+\nFrom .+$/,
      );
      const read = await call('read_source', { chunk_id: first.id, before: 0, after: 0 });
      assert.match(read.content[0].text, /canary-red-one/);
      const wrong = await call('query_table', { sql: 'select amunt from ledger' });
      assert.equal(wrong.isError, true);
      assert.match(wrong.content[0].text, /no column amunt\. The nearest names are: amount/);
      assert.equal((await call('query_table', {})).isError, true);
    } finally {
      await client.close();
    }
  });
}

test('each tool for tables shows exactly what the API shows the same key and principal', async () => {
  const seen = new Set<string>();
  for (const [name, key] of Object.entries(keys)) {
    for (const principal of [undefined, ...TEAMS, 'nobody']) {
      const what = `${name}, ${principal}`;
      const as = principal === undefined ? {} : { principal_id: principal };
      const suffix = new URLSearchParams({ ...as, limit: '100' });
      const call = (tool: string, args: object) => postMcp(t, toolCall(tool, args), headersOf(principal), key);
      const pairs = [
        { api: await t.get(`/tables?${suffix}`, key), tool: await call('list_tables', {}) },
        {
          api: await t.get(`/tables/${tableId}?${new URLSearchParams(as)}`, key),
          tool: await call('describe_table', { table_id: tableId }),
        },
      ];
      for (const statement of STATEMENTS) {
        const body = { sql: statement, timeout_ms: 20_000 };
        const api = await t.post('/tables/query', { ...body, ...as }, key);
        pairs.push({ api, tool: await call('query_table', body) });
      }
      for (const { api, tool } of pairs) {
        for (const canary of tool.text.match(CANARIES) ?? []) {
          assert.ok(principal !== undefined && canary.startsWith(`canary-${principal}-`), `${what}: ${tool.text}`);
          seen.add(canary);
        }
        if (api.status === 403) assert.equal(tool.body.error.code, -32602, what);
        else if (api.status === 200) assert.deepEqual(recordOf(tool.body.result.structuredContent), recordOf(api.body));
        else assert.equal(tool.body.result.content[0].text, api.body.error.message, what);
      }
    }
  }
  // The matrix would prove nothing if nobody saw anything.
  assert.equal(seen.size, 3, [...seen].join());
});

/** Two runs of a statement differ in their time only. */
function recordOf(record: Record<string, unknown>): Record<string, unknown> {
  return { ...record, elapsed_ms: undefined };
}
