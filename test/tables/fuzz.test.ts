/**
 * Statements that a grammar makes at random run in the table engine. No answer tells of a file, the environment, a folder of the engine
 * or a table that the request does not name, and no statement connects. `npm run fuzz:tables` runs 100,000 (PINAKES_TEST_STATEMENTS).
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { ServiceError } from '../../src/errors.ts';
import { openSandbox } from '../../src/files/sandbox/sandbox.ts';
import { QueryFailure } from '../../src/tables/engine/failures.ts';
import { readAllowedFunctions } from '../../src/tables/engine/gate.ts';
import { openTableEngine, type TableEngine } from '../../src/tables/engine/pool.ts';
import type { EngineTable } from '../../src/tables/engine/protocol.ts';
import { writeTable } from '../support/parquet-tables.ts';
import { openRandom, type Random, TEST_SEED } from '../support/random.ts';
import { openTypedStatements } from '../support/worlds/typed-statements.ts';

const STATEMENTS = Number(process.env['PINAKES_TEST_STATEMENTS'] ?? 100);
/** The run ends after this time even if statements are left. */
const MINUTES = Number(process.env['PINAKES_TEST_MINUTES'] ?? 600);
const SHOWS_REFUSALS = process.env['PINAKES_TEST_REFUSALS'] !== undefined;
const AT_ONCE = 2;
/** Share of statements with wild arguments. The others have arguments of the right types. */
const WILD_SHARE = 0.15;
const TYPE_OF = {
  text: 'varchar',
  double: 'double',
  integer: 'bigint',
  boolean: 'boolean',
  datetime: 'timestamp',
} as Record<string, string>;
const DEPTH_MAX = 3;
/** The statements name where the canaries are, but never their texts. */
const CANARY = 'kestrel-4711';
const VARIABLE = 'PINAKES_TEST_CANARY';

let folder = '';
let engine: TableEngine;
let given: EngineTable[];
let server: Server;
let connections = 0;
/** Texts that reach outside of the tables. */
let targets: string[];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-fuzz-tables-'));
  const sandbox = openSandbox({ mode: 'auto', searchPath: process.env['PATH'] ?? '', hidden: [] });
  engine = openTableEngine({ processes: AT_ONCE + 1, memoryMib: 256, folder: join(folder, 'run'), sandbox });
  process.env[VARIABLE] = CANARY;
  mkdirSync(join(folder, 'other'));
  const file = join(folder, 'other', 'canary.csv');
  writeFileSync(file, `a,b\n${CANARY},1\n`);
  const foreign = join(folder, 'other', 'ledger.parquet');
  writeTable(foreign, 'ledger', [{ name: 'secret', type: 'text', values: [CANARY] }]);
  given = [
    writeTable(join(folder, 'sales.parquet'), 'sales', [
      { name: 'region', type: 'text', values: ['North', 'South', null] },
      { name: 'note', type: 'text', values: ['first', '2', 'x,y'] },
      { name: 'amount', type: 'double', values: [10, 20.5, 30] },
      { name: 'quantity', type: 'integer', values: [1, 2, null] },
      { name: 'active', type: 'boolean', values: [true, false, null] },
      { name: 'ordered', type: 'datetime', values: ['2024-01-02', '2024-02-03T04:05:06Z', null] },
    ]),
    writeTable(join(folder, 'regions.parquet'), 'regions', [
      { name: 'region', type: 'text', values: ['North', 'South'] },
      { name: 'manager', type: 'text', values: ['Ada', 'Bo'] },
    ]),
  ];
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  targets = [file, foreign, `${folder}/**`, `http://127.0.0.1:${port}/a.csv`, '/proc/self/environ', VARIABLE, 'ledger'];
});

after(async () => {
  await engine.close();
  await new Promise((done) => server.close(done));
  delete process.env[VARIABLE];
  rmSync(folder, { recursive: true, force: true });
});

const allowed = readAllowedFunctions();
const { aggregates, others, tables } = allowed;
const FORBIDDEN =
  `read_text read_blob read_csv read_csv_auto read_json read_parquet parquet_metadata sniff_csv glob getenv current_setting
  duckdb_settings duckdb_tables duckdb_secrets pragma_table_info query query_table which_secret getvariable sqlite_scan`.split(
    /\s+/,
  );
const FUNCTIONS = [...aggregates, ...others];
const TABLE_FUNCTIONS = [...tables, ...FORBIDDEN];
const PLAIN = [
  'sales',
  'ledger',
  'information_schema.tables',
  'duckdb_settings',
  'sqlite_master',
  'pg_catalog.pg_class',
];
const OPERATORS = ['+', '-', '*', '||', '=', '<', 'like', 'and', 'or', 'is distinct from', '~'];
const TYPES = ['integer', 'varchar', 'date', 'double', 'json', 'blob', 'integer[]'];

/** Makes statements of wild arguments, few of which run. */
function wildStatements({ next: random, pick }: Random): () => string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const list = (make: () => string): string => Array.from({ length: 1 + Math.floor(random() * 3) }, make).join(', ');
  const expression = (depth: number): string => {
    if (depth >= DEPTH_MAX)
      return pick([
        'region',
        'amount',
        's.region',
        '1',
        'null',
        "'x'",
        '*',
        quoted(pick(targets)),
        quoted(pick(targets)),
      ]);
    const inner = (): string => expression(depth + 1);
    const name = random() < 0.15 ? pick(FORBIDDEN) : pick(FUNCTIONS);
    const call = /^[a-z_]\w*$/.test(name) ? name : `"${name}"`;
    return pick([
      inner,
      () => `${call}(${list(inner)})`,
      () => `${call}(${inner()})`,
      () => `(${inner()} ${pick(OPERATORS)} ${inner()})`,
      () => `cast(${inner()} as ${pick(TYPES)})`,
      () => `case when ${inner()} then ${inner()} else ${inner()} end`,
      () => `(${select(depth + 1)})`,
      () => `${inner()} in (${select(depth + 1)})`,
      () => `list_transform([${inner()}], lambda y: ${inner()})`,
      () => `{'a': ${inner()}}`,
      () => `${call}(${inner()}) over (order by ${inner()})`,
    ])();
  };
  const from = (depth: number): string => {
    const one = (): string =>
      pick([
        () => 'sales',
        () => 'sales',
        () => pick(PLAIN),
        () => quoted(pick(targets)),
        () => `"${pick(targets)}"`,
        () => `${pick(TABLE_FUNCTIONS)}(${depth < DEPTH_MAX ? expression(depth + 1) : quoted(pick(targets))})`,
        () => (depth < DEPTH_MAX ? `(${select(depth + 1)})` : 'sales'),
      ])();
    return random() < 0.8
      ? `${one()} s`
      : `${one()} s ${pick(['cross join', 'natural join', 'positional join', ','])} ${one()} r`;
  };
  const select = (depth: number): string => {
    const parts = [`select ${list(() => expression(depth + 1))}`];
    if (random() < 0.9) parts.push(`from ${from(depth + 1)}`);
    if (random() < 0.3) parts.push(`where ${expression(depth + 1)}`);
    if (random() < 0.2) parts.push('group by all');
    if (random() < 0.2) parts.push(`order by ${expression(depth + 1)}`);
    if (random() < 0.1) parts.push(`union all ${select(DEPTH_MAX)}`);
    const statement = parts.join(' ');
    return random() < 0.1 ? `with ledger as (${statement}) select * from ledger` : statement;
  };
  return (): string => select(pick([0, 1, 2]));
}

/** Returns all that a caller could learn of a statement, and whether it ran. */
async function answerTo(statement: string): Promise<{ text: string; ran: boolean }> {
  const request = { sql: statement, tables: given, rowLimit: 100, timeoutMs: 2_000, traces: true };
  try {
    return { text: JSON.stringify(await engine.query('a', request)), ran: true };
  } catch (error) {
    // A busy machine starts processes slowly.
    if (error instanceof ServiceError && error.code === 'overloaded') return answerTo(statement);
    if (!(error instanceof QueryFailure)) throw error;
    // The message of a broken engine is for the log.
    return { text: error.error.kind === 'broken' ? '' : error.error.message, ran: false };
  }
}

/** Makes statements. Each choice comes from the seed. */
async function statements(random: Random): Promise<() => string> {
  const wild = wildStatements(random);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MiB' });
  const connection = await instance.connect();
  for (const { sqlName, columns } of given) {
    const list = columns.map(({ name, type }) => `null::${TYPE_OF[type]} as ${name}`).join(', ');
    await connection.run(`create table ${sqlName} as select ${list} from range(3)`);
  }
  await connection.run(`update sales set region = 'North', note = 'a', amount = 1.5, quantity = 2, active = true`);
  const typed = await openTypedStatements(random, connection, allowed, targets);
  connection.closeSync();
  instance.closeSync();
  assert.ok(typed.overloads > 400, `${typed.overloads} overloads run`);
  return () => (random.next() < WILD_SHARE ? wild() : typed.make());
}

test('no statement of a grammar reaches a file, a socket, the environment or another table', async (t) => {
  const make = await statements(openRandom());
  const leaks: string[] = [];
  const refusals = new Map<string, number>();
  let ran = 0;
  let left = STATEMENTS;
  const end = performance.now() + MINUTES * 60_000;
  const work = async (): Promise<void> => {
    while (left > 0 && performance.now() < end) {
      left -= 1;
      const statement = make();
      const answer = await answerTo(statement);
      if (answer.ran) ran += 1;
      else if (SHOWS_REFUSALS) {
        const kind = answer.text.replace(/[^a-zA-Z ]+/g, ' ').slice(0, 60);
        if (!refusals.has(kind)) t.diagnostic(`${answer.text.slice(0, 150)} <- ${statement.slice(0, 300)}`);
        refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
      }
      const shown = answer.text;
      if (shown.includes(CANARY) || shown.includes(join(folder, 'run')) || shown.includes('__pinakes'))
        leaks.push(statement);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const made = STATEMENTS - left;
  t.diagnostic(`seed ${TEST_SEED}: ${made} statements, ${ran} ran`);
  for (const [kind, count] of [...refusals].sort((a, b) => b[1] - a[1]).slice(0, 40)) t.diagnostic(`${count} ${kind}`);
  assert.deepEqual(leaks, []);
  assert.equal(connections, 0);
  // Statements that are refused would prove nothing of the engine.
  assert.ok(ran * 2 >= made, `${ran} of ${made} ran`);
});
