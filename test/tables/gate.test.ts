/** The gate in front of the table engine: 0 of the hostile statements pass, all of the ordinary ones do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { checkStatement, Refused, readAllowedFunctions } from '../../src/tables/engine/gate.ts';
import { parseStatement } from '../../src/tables/engine/run-query.ts';
import { DISGUISES, HOSTILE, ORDINARY, POSITIONS } from '../support/statements.ts';

const allowed = readAllowedFunctions();
const TABLES = [
  { sqlName: 'sales', columns: ['region', 'amount', 'quantity', 'ordered', 'note'].map((name) => ({ name })) },
  { sqlName: 'regions', columns: ['region', 'manager'].map((name) => ({ name })) },
];

let instance: DuckDBInstance;
let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;

before(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run(
    'create table sales (region text, amount double, quantity bigint, ordered timestamp, note text)',
  );
  await connection.run('create table regions (region text, manager text)');
});

after(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Returns why the statement is refused; undefined if it passes. */
async function refusalOf(sql: string): Promise<string | undefined> {
  try {
    checkStatement(await parseStatement(connection, sql), TABLES, allowed);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

test('no hostile statement passes: functions that are not allowed in each position, and everything that is not one SELECT', async () => {
  const reader = await connection.runAndReadAll(
    'select distinct function_name, function_type from duckdb_functions() order by all',
  );
  const functions = reader.getRows().map(([name]) => String(name));
  const known = new Set([...allowed.aggregates, ...allowed.others, ...allowed.tables]);
  const forbidden = [...new Set(functions)].filter((name) => !known.has(name.toLowerCase()));
  assert.ok(forbidden.length > 500, `${forbidden.length} functions`);
  const calls = forbidden.flatMap((name) => POSITIONS.map((position) => position(`"${name}"`)));
  const disguised = ['read_text', 'getenv', 'duckdb_settings', 'current_setting', 'query', 'write_log', 'glob'].flatMap(
    (name) => DISGUISES.map((disguise) => disguise(name)),
  );
  const statements = [...calls, ...disguised, ...HOSTILE];
  assert.ok(statements.length >= 1_000, `${statements.length} statements`);
  const passed: string[] = [];
  for (const sql of statements) if ((await refusalOf(sql)) === undefined) passed.push(sql);
  assert.deepEqual(
    passed.map((sql) => sql.slice(0, 200)),
    [],
  );
});

test('every function that is allowed exists or is made by the parser of the engine', async () => {
  const reader = await connection.runAndReadAll('select distinct lower(function_name) from duckdb_functions()');
  const there = new Set(reader.getRows().map(([name]) => String(name)));
  // Syntax that is no function of the catalogue.
  const syntax = ['->', 'iif', 'if', 'ifnull', 'unnest', 'row', 'overlay', 'now', 'position', 'trim'];
  const missing = [...allowed.aggregates, ...allowed.others, ...allowed.tables].filter(
    (name) => !there.has(name) && !syntax.includes(name),
  );
  assert.deepEqual(missing, []);
});

test('a hundred ordinary statements pass and run', async () => {
  assert.ok(ORDINARY.length >= 100, `${ORDINARY.length} statements`);
  const failed: string[] = [];
  for (const sql of ORDINARY) {
    const refusal = await refusalOf(sql);
    const failure = refusal ?? (await connection.runAndReadAll(sql).then(() => undefined, String));
    if (failure !== undefined) failed.push(`${sql}: ${failure}`);
  }
  assert.deepEqual(failed, []);
});

test('a name of WITH holds only where WITH says it does', async () => {
  assert.equal(await refusalOf('with x as (select 1 as a) select * from x'), undefined);
  assert.match(
    (await refusalOf('select * from x, (with x as (select 1) select * from x) y')) ?? '',
    /There is no table x/,
  );
  assert.match((await refusalOf('with x as (select * from x) select * from x')) ?? '', /There is no table x/);
});

test('a refusal names the place and the nearest functions', async () => {
  await assert.rejects(
    async () => checkStatement(await parseStatement(connection, 'select 1, uper(region) from sales'), TABLES, allowed),
    { message: /^The function uper is not allowed\. The nearest names are: upper, /, position: 10 },
  );
});
