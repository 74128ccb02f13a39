/** The tools for tables: the official clients ask them, and they show what the routes show the same caller. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { connectMcp, postMcp, REVISIONS, toolCall } from '../../support/mcp.ts';
import { headersOf } from '../../support/worlds/canary-world.ts';
import {
  LEDGER_CANARIES,
  LEDGER_PRINCIPALS,
  LEDGER_STATEMENTS,
  type LedgerWorld,
  openLedgerWorld,
  timeless,
} from '../../support/worlds/ledger-world.ts';

let world: LedgerWorld;
let t: TestApp;
let tableId = '';
before(async () => {
  world = await openLedgerWorld();
  ({ t, tableId } = world);
});
after(() => world.close());

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
  for (const [name, key] of Object.entries(world.keys)) {
    for (const principal of LEDGER_PRINCIPALS) {
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
      for (const statement of LEDGER_STATEMENTS) {
        const body = { sql: statement, timeout_ms: 20_000 };
        const api = await t.post('/tables/query', { ...body, ...as }, key);
        pairs.push({ api, tool: await call('query_table', body) });
      }
      for (const { api, tool } of pairs) {
        for (const canary of tool.text.match(LEDGER_CANARIES) ?? []) {
          assert.ok(principal !== undefined && canary.startsWith(`canary-${principal}-`), `${what}: ${tool.text}`);
          seen.add(canary);
        }
        if (api.status === 403) assert.equal(tool.body.error.code, -32602, what);
        else if (api.status === 200) assert.deepEqual(timeless(tool.body.result.structuredContent), timeless(api.body));
        else assert.equal(tool.body.result.content[0].text, api.body.error.message, what);
      }
    }
  }
  // The matrix would prove nothing if nobody saw anything.
  assert.equal(seen.size, 3, [...seen].join());
});
