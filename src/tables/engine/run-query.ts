/**
 * Runs one statement in an instance of the engine of its own: a statement may break its instance for all that come after it. This module
 * runs in a child process only.
 */

import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { toCell } from './cells.ts';
import { failureOf, QueryFailure } from './failures.ts';
import { type AllowedFunctions, checkStatement, Refused } from './gate.ts';
import type { Cell, EngineTable, QueryRequest, QueryResult, TracedRow } from './protocol.ts';
import { quotedName, textLiteral } from './sql-text.ts';
import { isNode, nodesOf, parseTree, type Statement, textOf } from './syntax.ts';
import { PLACE_COLUMN, PLACE_SQL, rowOfPlace, type Traced, traceStatement } from './trace.ts';

export const STATEMENT_UNITS_MAX = 10_000;
const RESULT_UNITS_MAX = 1024 * 1024;
/** Rows of an aggregate's input that are returned. */
const WITNESSES_MAX = 10;

export interface OpenEngine {
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

/** Opens an empty instance. Nothing of it is stored. */
export async function openEngine(memoryMib: number): Promise<OpenEngine> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${memoryMib}MiB`,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  return { instance, connection: await instance.connect() };
}

export function closeEngine({ instance, connection }: OpenEngine): void {
  connection.closeSync();
  instance.closeSync();
}

/** Runs the statement of a request. @throws QueryFailure */
export async function runQuery(
  { connection }: OpenEngine,
  request: QueryRequest,
  allowed: AllowedFunctions,
): Promise<QueryResult> {
  const startedAt = performance.now();
  let hasTimedOut = false;
  // The process is killed a little later: a statement that ignores the interruption ends, too.
  const timer = setTimeout(() => {
    hasTimedOut = true;
    connection.interrupt();
  }, request.timeoutMs);
  try {
    const statement = await parseStatement(connection, request.sql);
    checkStatement(statement, request.tables.map(gateTable), allowed);
    const traced = request.traces ? traceStatement(statement, allowed.aggregates) : undefined;
    await openTables(connection, request.tables, traced !== undefined);
    const isRows = traced?.kind === 'rows';
    const sql = isRows ? await sqlOf(connection, traced.statement) : request.sql;
    const { columns, rows, truncated } = await readResult(await connection.stream(sql), request.rowLimit);
    const trace = traced && (await traceOf(connection, traced, rows, request.tables));
    if (isRows) {
      const width = columns.length - traced.tables.length;
      columns.length = width;
      for (const row of rows) row.length = width;
    }
    const shown = rows as Cell[][];
    return {
      columns,
      rows: shown,
      truncated,
      elapsedMs: performance.now() - startedAt,
      trace: trace ?? { kind: 'none' },
    };
  } catch (error) {
    if (hasTimedOut) throw new QueryFailure({ kind: 'time', message: '' });
    throw failureOf(error, request);
  } finally {
    clearTimeout(timer);
  }
}

function gateTable({ sqlName, columns }: EngineTable) {
  return { sqlName, columns };
}

/** Returns the syntax tree of the only statement. @throws Refused for everything but one query. */
export async function parseStatement(connection: DuckDBConnection, sql: string): Promise<Statement> {
  if (sql.length > STATEMENT_UNITS_MAX) throw new Refused(`A statement has at most ${STATEMENT_UNITS_MAX} characters.`);
  const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  const tree = parseTree(String(reader.getRows()[0]?.[0]));
  if (!isNode(tree)) throw new Refused('The statement cannot be read.');
  if (tree['error'] === true)
    throw new Refused(syntaxMessage(textOf(tree['error_message']), sql), Number(tree['position'] ?? Number.NaN));
  const statements = nodesOf(tree['statements']);
  if (statements.length !== 1) throw new Refused('A query is one statement.');
  return statements[0] as Statement;
}

/** Statements that change something, and that somebody may expect to work. */
const CHANGES: ReadonlySet<string> = new Set(
  'ALTER ATTACH COPY CREATE DELETE DROP INSERT INSTALL LOAD MERGE SET TRUNCATE UPDATE VACUUM'.split(' '),
);

function syntaxMessage(message: string, sql: string): string {
  if (message.startsWith('Only SELECT')) {
    const word = /^(?:\s|--[^\n]*\n)*([a-z]{1,20})/i.exec(sql)?.[1]?.toUpperCase() ?? '';
    if (CHANGES.has(word)) return `Only SELECT is allowed, not ${word}: a query reads tables and changes nothing.`;
    // The engine reads PIVOT anywhere in a SELECT as another kind of statement.
    return `Only SELECT is allowed. ${['', 'SELECT', 'WITH', 'FROM'].includes(word) ? 'PIVOT' : word} is not.`;
  }
  return `The statement has a ${message.split('\n')[0]}.`;
}

async function sqlOf(connection: DuckDBConnection, statement: Statement): Promise<string> {
  const tree = JSON.stringify({ error: false, statements: [statement] });
  const reader = await connection.runAndReadAll('select json_deserialize_sql($1::json)', [tree]);
  return String(reader.getRows()[0]?.[0]);
}

/** Makes the tables of the request, then takes every further right from the engine. */
async function openTables(
  connection: DuckDBConnection,
  tables: readonly EngineTable[],
  hasPlaces: boolean,
): Promise<void> {
  for (const table of tables.filter(({ parts }) => parts !== null)) {
    await connection.run('create or replace temp table __pinakes_parts as select unnest($1::integer[]) as part', [
      `[${table.parts!.join(',')}]`,
    ]);
    const selected = selectTable(table, hasPlaces, '_part in (select part from __pinakes_parts)');
    await connection.run(`create table ${quotedName(table.sqlName)} as ${selected}`);
  }
  await connection.run('drop table if exists __pinakes_parts');
  const whole = tables.filter(({ parts }) => parts === null);
  for (const table of whole) {
    await connection.run(`create view ${quotedName(table.sqlName)} as ${selectTable(table, hasPlaces, 'true')}`);
  }
  const files = whole.map(({ file }) => textLiteral(file)).join(', ');
  await connection.run(`set allowed_paths = [${files}]; set TimeZone = 'UTC'`);
  await connection.run('set enable_external_access = false; set lock_configuration = true');
}

function selectTable(table: EngineTable, hasPlace: boolean, condition: string): string {
  const columns = table.columns.map(
    ({ name, storedName = name }) => `${quotedName(storedName)} as ${quotedName(name)}`,
  );
  if (hasPlace) columns.push(`${PLACE_SQL} as ${PLACE_COLUMN}`);
  const kind = table.hasTotals ? `and _kind = 'data'` : '';
  return `select ${columns.join(', ')} from read_parquet(${textLiteral(table.file)}) where ${condition} ${kind}`;
}

async function readResult(
  result: DuckDBResult,
  rowLimit: number,
): Promise<{ columns: { name: string; type: string }[]; rows: (Cell | bigint)[][]; truncated: boolean }> {
  const names = result.columnNames();
  const types = result.columnTypes();
  const columns = names.map((name, i) => ({ name, type: String(types[i]) }));
  const rows: (Cell | bigint)[][] = [];
  let units = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return { columns, rows, truncated: false };
    for (const values of chunk.getRows()) {
      if (rows.length === rowLimit) return { columns, rows, truncated: true };
      const row = values.map((value, i) => (names[i]!.startsWith(PLACE_COLUMN) ? (value as bigint) : toCell(value)));
      for (const cell of row)
        units += typeof cell === 'string' ? cell.length : typeof cell === 'object' ? sizeOf(cell) : 8;
      if (units > RESULT_UNITS_MAX) throw new QueryFailure({ kind: 'size', message: '' });
      rows.push(row);
    }
  }
}

function sizeOf(cell: Cell): number {
  return JSON.stringify(cell).length;
}

async function traceOf(
  connection: DuckDBConnection,
  traced: Traced,
  rows: (Cell | bigint)[][],
  tables: readonly EngineTable[],
): Promise<QueryResult['trace']> {
  const indexes = traced.tables.map((name) =>
    tables.findIndex((one) => one.sqlName.toLowerCase() === name.toLowerCase()),
  );
  const placesOf = (places: readonly (Cell | bigint | undefined)[]): TracedRow[] =>
    places.flatMap((place, i) => (typeof place === 'bigint' ? [{ table: indexes[i]!, ...rowOfPlace(place) }] : []));
  if (traced.kind === 'rows') return { kind: 'rows', rows: rows.map((row) => placesOf(row.slice(-indexes.length))) };
  const sql = await sqlOf(connection, traced.statement);
  const counted = await connection.runAndReadAll(`select count(*) from (${sql})`);
  const found = await connection.runAndReadAll(`select * from (${sql}) limit ${WITNESSES_MAX}`);
  const first = found.getRows() as bigint[][];
  return { kind: 'aggregates', count: Number(counted.getRows()[0]?.[0]), rows: first.flatMap(placesOf) };
}
