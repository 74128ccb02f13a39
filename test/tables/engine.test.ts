/** The table engine: results, limits, traces, and what a statement cannot reach. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openSandbox } from '../../src/files/sandbox/sandbox.ts';
import { QueryFailure } from '../../src/tables/engine/failures.ts';
import { openTableEngine, type TableEngine } from '../../src/tables/engine/pool.ts';
import type { EngineTable, QueryErrorKind, QueryResult } from '../../src/tables/engine/protocol.ts';
import { writeTable } from '../support/parquet-tables.ts';

let folder = '';
let engine: TableEngine;
let sales: EngineTable;
let regions: EngineTable;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-test-tables-'));
  const sandbox = openSandbox({ mode: 'auto', searchPath: process.env['PATH'] ?? '', hidden: [] });
  engine = openTableEngine({ processes: 2, memoryMib: 256, folder: join(folder, 'run'), sandbox });
  sales = writeTable(
    join(folder, 'sales.parquet'),
    'sales',
    [
      { name: 'region', type: 'text', values: ['North', 'South', 'North', 'East', 'Total'] },
      { name: 'amount', type: 'double', values: [10, 20, 30.5, null, 60.5] },
      { name: 'quantity', type: 'integer', values: [1, 2, 3, '9007199254740993', 6] },
      { name: 'ordered', type: 'datetime', values: ['2024-01-02', '2024-02-03T04:05:06Z', '2024-03-04', null, null] },
    ],
    new Set([4]),
  );
  regions = writeTable(join(folder, 'regions.parquet'), 'regions', [
    { name: 'region', type: 'text', values: ['North', 'South'] },
    { name: 'manager', type: 'text', values: ['Ada', 'Bo'] },
  ]);
});

after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(sql: string, given: Partial<Parameters<TableEngine['query']>[1]> = {}, owner = 'a'): Promise<QueryResult> {
  return engine.query(owner, {
    sql,
    tables: [sales, regions],
    rowLimit: 100,
    timeoutMs: 20_000,
    traces: true,
    ...given,
  });
}

/** Returns whether it is a process of this test's engine, in which the program of the engine runs. */
function isEngine(pid: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
    return words[0] === process.execPath && words.some((word) => word.endsWith('tables/engine/child.ts')) && isOwn(pid);
  } catch {
    return false; // It has ended.
  }
}

function isOwn(pid: string): boolean {
  const parent = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[1]!;
  return parent === String(process.pid) || (parent !== '0' && parent !== '1' && isOwn(parent));
}

async function failsAs(kind: QueryErrorKind, sql: string, pattern: RegExp, given = {}): Promise<void> {
  await assert.rejects(run(sql, given), (error) => {
    assert.ok(error instanceof QueryFailure, String(error));
    assert.equal(error.error.kind, kind, error.error.message);
    assert.match(error.error.message, pattern);
    return true;
  });
}

describe('results', () => {
  test('cells keep their values; integers beyond 2^53 are texts, times are ISO texts', async () => {
    const { columns, rows, truncated } = await run('select * from sales');
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['region', 'amount', 'quantity', 'ordered'],
    );
    assert.deepEqual(rows, [
      ['North', 10, 1, '2024-01-02T00:00:00'],
      ['South', 20, 2, '2024-02-03T04:05:06'],
      ['North', 30.5, 3, '2024-03-04T00:00:00'],
      ['East', null, '9007199254740993', null],
    ]);
    assert.equal(truncated, false);
  });

  test('rows beyond the limit are cut off and said to be', async () => {
    const { rows, truncated } = await run('select region from sales', { rowLimit: 2 });
    assert.deepEqual([rows.length, truncated], [2, true]);
    assert.equal((await run('select region from sales', { rowLimit: 4 })).truncated, false);
  });

  test('rows of totals are left out', async () => {
    assert.deepEqual((await run('select sum(amount), count(*) from sales')).rows, [[60.5, 4]]);
  });

  test('only the visible parts of a table are there, and errors show nothing of the others', async () => {
    const tables = [{ ...sales, parts: Int32Array.of(0, 3) }, regions];
    assert.deepEqual((await run('select region from sales', { tables })).rows, [['North'], ['East']]);
    assert.deepEqual((await run('select count(*), max(amount) from sales', { tables })).rows, [[2, 10]]);
    assert.deepEqual((await run('select string_agg(region) from sales', { tables })).rows, [['North,East']]);
    await failsAs('refused', 'select cast(region as int) from sales', /^(?!.*South)/, { tables });
  });
});

describe('traces', () => {
  test('rows of a query name their rows in each table of a join', async () => {
    const { columns, rows, trace } = await run(
      'select r.manager, s.* from sales s join regions r using (region) where s.amount > 15 order by s.amount desc',
    );
    assert.equal(columns.length, 5);
    assert.deepEqual(
      rows.map(([manager]) => manager),
      ['Ada', 'Bo'],
    );
    assert.deepEqual(trace, {
      kind: 'rows',
      rows: [
        [
          { table: 0, row: 2, start: 2, part: 2 },
          { table: 1, row: 0, start: 0, part: 0 },
        ],
        [
          { table: 0, row: 1, start: 1, part: 1 },
          { table: 1, row: 1, start: 1, part: 1 },
        ],
      ],
    });
  });

  test('an aggregate names the rows that it reads and counts them', async () => {
    const { rows, trace } = await run(
      "select region, sum(amount) s from sales where region = 'North' group by region having s > 1",
    );
    assert.deepEqual(rows, [['North', 40.5]]);
    assert.deepEqual(trace, {
      kind: 'aggregates',
      count: 2,
      rows: [
        { table: 0, row: 0, start: 0, part: 0 },
        { table: 0, row: 2, start: 2, part: 2 },
      ],
    });
  });

  test('what cannot be traced is said', async () => {
    for (const sql of [
      'select distinct region from sales',
      'select region from sales union all select region from regions',
      'with s as (select * from sales) select * from s',
      'select * from (select * from sales) x',
      'select sales from sales',
      'select main.sales from sales',
      'select max(memory.main."sales") from sales group by region',
      "select columns('.*') from sales",
      'select * from sales natural join regions',
      'select *, region from sales group by all',
      'select (select x from sales x limit 1) from sales',
      'select #1 from sales',
      'select amount from sales where exists (select * from sales natural join regions)',
    ]) {
      const result = await run(sql);
      assert.deepEqual(result.trace, { kind: 'none' }, sql);
      assert.doesNotMatch(JSON.stringify(result), /__pinakes/, sql);
    }
  });
});

describe('limits', () => {
  test('a statement that takes too long ends, and the next one runs', async () => {
    await failsAs('time', 'select count(*) from range(20000000000) a, range(1000) b', /^$/, { timeoutMs: 300 });
    assert.equal((await run('select 1')).rows.length, 1);
  });

  test('the time limit counts the wait for a process', async () => {
    const slow = { sql: 'select count(*) from range(20000000000)', tables: [], rowLimit: 1, traces: false };
    await run('select 1', {}, 'waiting');
    const first = engine.query('waiting', { ...slow, timeoutMs: 1_500 });
    const second = engine.query('waiting', { ...slow, timeoutMs: 200 });
    const answers = await Promise.allSettled([first, second]);
    assert.deepEqual(
      answers.map((one) => (one.status === 'rejected' ? (one.reason.error?.kind ?? one.reason.code) : one)),
      ['time', 'overloaded'],
    );
  });

  test('each thread of a process has a low priority', { skip: process.platform !== 'linux' }, async () => {
    await run('select 1');
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isEngine(name));
    assert.ok(found.length > 0);
    const threads = found.flatMap((pid) => readdirSync(`/proc/${pid}/task`));
    assert.ok(threads.length > found.length, 'statements run in threads of their own');
    for (const thread of threads) assert.ok(getPriority(Number(thread)) > getPriority(), thread);
  });

  test('a statement that takes too much memory ends', async () => {
    await failsAs('memory', "select list(repeat('x', 1000)) from range(2000000)", /^$/);
    assert.equal((await run('select 1')).rows.length, 1);
  });

  test('a large result is refused', async () => {
    await failsAs('size', "select repeat('x', 2000000)", /^$/);
  });

  test('a tenant leaves a process to the others, and too many statements are refused', async () => {
    const slow = 'select count(*) from range(20000000000)';
    // With a warm process, the first slow statement runs at once, and eight wait.
    await run('select 1', {}, 'greedy');
    const stop = new AbortController();
    const request = { sql: slow, tables: [], rowLimit: 1, timeoutMs: 30_000, traces: false };
    const many = Array.from({ length: 9 }, () => engine.query('greedy', request, stop.signal));
    const ended = Promise.allSettled(many);
    assert.deepEqual((await run('select 1', {}, 'other')).rows, [[1]]);
    await assert.rejects(run('select 1', {}, 'greedy'), { code: 'overloaded', retryAfterSeconds: 1 });
    stop.abort();
    assert.ok((await ended).every(({ status }) => status === 'rejected'));
  });
});

test('errors name the column, its place and the nearest names', async () => {
  await failsAs('refused', 'select amonut from sales', /There is no column amonut\. The nearest names are: amount/);
  await failsAs('refused', 'select amount', /The column amount cannot be read here: the SELECT has no table with it/);
  await failsAs('refused', 'select * from salse', /There is no table salse\./);
  await failsAs('refused', 'selct 1', /syntax error at or near "selct"/);
  await failsAs('refused', 'select 1; select 2', /one statement/);
});

test('a statement leaves no file of a table behind', async () => {
  await run('select 1 from sales');
  const left = readdirSync(join(folder, 'run'), { recursive: true }).filter((name) =>
    String(name).endsWith('.parquet'),
  );
  assert.deepEqual(left, []);
});

test('without its package, a query says what to install', async () => {
  const none = openTableEngine({
    processes: 1,
    memoryMib: 256,
    folder: join(folder, 'none'),
    isInstalled: () => false,
  });
  const request = { sql: 'select 1', tables: [], rowLimit: 1, timeoutMs: 1000, traces: false };
  await assert.rejects(none.query('a', request), { code: 'invalid_request', message: /npm install @duckdb\/node-api/ });
});
