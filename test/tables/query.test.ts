/** POST /tables/query: results, citations, errors, and what policies and redaction leave of a table. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';

const SALES = `region,amount,ordered,email
North,10,2024-01-02,ada@example.com
South,20.5,2024-02-03,bo@example.com
North,30,2024-03-04,cy@example.com
East,40,2024-04-05,di@example.com
`;

let t: TestApp;

before(async () => {
  t = await openTestApp({ runsJobs: true });
  await ingest(t, [{ name: 'sales.csv', content: SALES }]);
  await tableReady(t, 'sales');
});

after(() => t.close());

async function tableReady(app: TestApp, name: string): Promise<{ id: string; sourceId: string }> {
  return eventually(async () => {
    const [row] = await app.deps.db.system.query<{ id: string; sourceId: string; status: string }>(
      sql`select id, source_id, status from source_table where sql_name = ${name}`,
    );
    return row?.status === 'ready' && row;
  });
}

function query(body: Record<string, unknown>, app = t, key?: string) {
  return app.post('/tables/query', { timeout_ms: 20_000, ...body }, key);
}

describe('results', () => {
  test('a statement returns rows with the passages that hold them', async () => {
    const { status, body } = await query({ sql: 'select region, amount from sales where amount > 15 order by amount' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.rows, [
      ['South', 20.5],
      ['North', 30],
      ['East', 40],
    ]);
    assert.deepEqual([body.row_count, body.truncated, body.witness_count], [3, false, null]);
    assert.deepEqual(
      body.citations.map(({ row }: { row: { row: number } }) => row.row),
      [1, 2, 3],
    );
    for (const [i, { content, row }] of body.citations.entries()) {
      assert.ok(content.includes(row.text));
      assert.match(row.text, new RegExp(`^\\| ${body.rows[i][0]} \\| ${body.rows[i][1]} `));
    }
  });

  test('a structured query becomes SQL and names the rows that an aggregate reads', async () => {
    const { status, body } = await query({
      query: {
        from: 'sales',
        columns: [{ column: 'region' }, { fn: 'sum', column: 'amount', as: 'total' }],
        where: { filters: [{ key: 'ordered', operator: 'lt', value: '2024-04-01' }] },
        group_by: ['region'],
        order_by: [{ column: 'total', direction: 'desc' }],
      },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.rows, [
      ['North', 40],
      ['South', 20.5],
    ]);
    assert.equal(body.witness_count, 3);
    assert.equal(body.citations.length, 3);
    assert.match(body.sql, /^select "region", sum\("amount"\) as "total" from "sales" where/);
  });

  test('without citations no rows are read', async () => {
    const { body } = await query({ sql: 'select region from sales', citation: false });
    assert.deepEqual([body.citations, body.warnings], [[], []]);
  });

  test('rows that cannot be traced are said', async () => {
    const { body } = await query({ sql: 'select distinct region from sales' });
    assert.deepEqual([body.citations, body.warnings[0].type], [[], 'rows_not_traced']);
  });
});

describe('errors', () => {
  const fails = async (body: Record<string, unknown>, status: number, message: RegExp): Promise<void> => {
    const answer = await query(body);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.body.error.message, message);
  };

  test('a wrong statement is 400 with its place and the nearest names', async () => {
    await fails(
      { sql: 'select amunt from sales' },
      400,
      /no column amunt\. The nearest names are: amount.* \(at character 8\)/,
    );
    await fails({ sql: 'select * from salse' }, 400, /no table salse\. The nearest names are: sales/);
    await fails(
      { sql: "select read_text('/etc/passwd')" },
      400,
      /function read_text is not allowed.* \(at character 8\)/,
    );
    await fails({ sql: 'drop table sales' }, 400, /Only SELECT is allowed, not DROP: a query reads tables/);
    await fails({ sql: '-- all\ndelete from sales' }, 400, /not DELETE: /);
    await fails({ sql: 'create table x (a int)' }, 400, /not CREATE: /);
    await fails({ sql: 'pivot sales on region using sum(amount)' }, 400, /PIVOT is not\./);
    await fails({ sql: 'select 1', query: { from: 'sales' } }, 400, /exactly one/);
    await fails(
      { query: { from: 'salse' } },
      400,
      /^\/query\/from: there is no table salse\. The nearest names are: sales/,
    );
  });

  test('a statement that takes too long is 400, a large result 413, an unknown table 404', async () => {
    const slow = 'select count(*) from range(20000000000)';
    await fails({ sql: slow, timeout_ms: 100 }, 400, /^The query exceeded 100 ms\.$/);
    await fails({ sql: "select repeat('x', 2000000)" }, 413, /1 MiB/);
    await fails(
      { sql: 'select 1', tables: ['0190a0a0-0000-7000-8000-000000000000'] },
      404,
      /^Nothing of this kind has this id or name, /,
    );
    await fails({ sql: 'select 1', tables: ['nonsense'] }, 404, /^Nothing of this kind has this id or name, /);
  });
});

test('another tenant, and a key that is limited to other groups, find no table', async () => {
  const other = await t.secondTenant();
  const { id } = await tableReady(t, 'sales');
  const group = await ingest(t, [{ name: 'a.txt', content: 'text' }]);
  const limited = await t.issueKey(['knowledge:read'], { sourceGroupIds: [group] });
  for (const key of [other.key, limited]) {
    assert.equal((await query({ sql: 'select 1', tables: [id] }, t, key)).status, 404);
    const { status, body } = await query({ sql: 'select * from sales' }, t, key);
    assert.deepEqual([status, body.error.message], [400, 'There is no table sales. (at character 15)']);
  }
});

describe('redaction', () => {
  after(async () => {
    await t.delete('/redaction-policy');
  });

  const rule = (apply_at: string[], more = {}) => ({
    enabled: true,
    rules: [{ name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at, ...more }],
  });

  test('a rule that blocks drops the row', async () => {
    const policy = {
      enabled: true,
      rules: [{ name: 'east', kind: 'regex', pattern: 'East', action: 'block', apply_at: ['retrieval'] }],
    };
    assert.equal((await t.put('/redaction-policy', policy)).status, 200);
    assert.deepEqual((await query({ sql: 'select count(*), sum(amount) from sales' })).body.rows, [[3, 60.5]]);
  });

  test('a rule for dates masks the date in each form', async () => {
    const policy = {
      enabled: true,
      rules: [{ name: 'day', kind: 'regex', pattern: '05\\.04\\.2024', action: 'mask', apply_at: ['retrieval'] }],
    };
    assert.equal((await t.put('/redaction-policy', policy)).status, 200);
    assert.deepEqual((await query({ sql: 'select count(*), count(ordered) from sales' })).body.rows, [[4, 3]]);
  });

  test('the nearest names of a wrong table take no redaction of columns', async () => {
    assert.equal((await t.put('/redaction-policy', rule(['retrieval']))).status, 200);
    const { redactors } = t.deps;
    const { forTenant } = redactors;
    const redacted: string[] = [];
    redactors.forTenant = async (...request) => {
      const redactor = (await forTenant(...request))!;
      const redact: typeof redactor.redact = (text, ...rest) => {
        redacted.push(text);
        return redactor.redact(text, ...rest);
      };
      return { ...redactor, redact, withoutHashes: { ...redactor.withoutHashes, redact } };
    };
    try {
      for (const body of [{ sql: 'select 1 from slaes' }, { query: { from: 'slaes' } }])
        assert.match((await query(body)).text, /nearest names are: sales/);
    } finally {
      redactors.forTenant = forTenant;
    }
    assert.ok(redacted.includes('sales') && !redacted.includes('region'), redacted.join());
  });

  test('a rule for output applies to cells and errors', async () => {
    assert.equal((await t.put('/redaction-policy', rule(['output']))).status, 200);
    const { text } = await query({ sql: 'select email from sales', citation: false });
    assert.doesNotMatch(text, /example\.com/);
    assert.doesNotMatch((await query({ sql: 'select cast(email as integer) from sales' })).text, /example\.com/);
  });

  test('a rule for output applies to citations, and a row that it blocks is not cited', async () => {
    assert.equal((await t.put('/redaction-policy', rule(['output']))).status, 200);
    const masked = await query({ sql: 'select region from sales order by amount' });
    assert.equal(masked.body.citations.length, 4);
    assert.doesNotMatch(masked.text, /example\.com/);
    assert.equal((await t.put('/redaction-policy', rule(['output'], { action: 'block' }))).status, 200);
    const { body, text } = await query({ sql: "select if(region = 'East', email, region) as x from sales" });
    assert.deepEqual(body.rows, [['North'], ['South'], ['North']]);
    assert.deepEqual(body.citations, []);
    assert.doesNotMatch(text, /example\.com/);
  });
});

test('switched off, queries are refused', async () => {
  const off = await openTestApp({ env: { PINAKES_TABLES: 'off' } });
  try {
    const { status, body } = await query({ sql: 'select 1' }, off);
    assert.deepEqual([status, body.error.message], [400, 'Queries of tables are switched off (PINAKES_TABLES=off).']);
  } finally {
    await off.close();
  }
});
