/** Queries tables for a caller: with the caller's access, after redaction, and with the rows from which the result comes. */
import { type Access, openAccess, type Principal } from '../../access/access.ts';
import type { GroupLimits } from '../../access/limits.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, invalidRequest, notFound, ServiceError } from '../../errors.ts';
import { isSourceBlocked, redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { Redactors } from '../../redaction/redactors.ts';
import { QueryFailure } from '../../tables/engine/failures.ts';
import { nearestNames } from '../../tables/engine/nearest-names.ts';
import type { TableEngine } from '../../tables/engine/pool.ts';
import type { EngineTable, QueryResult } from '../../tables/engine/protocol.ts';
import { readPartRange } from '../../tables/part-range.ts';
import { readerSqlName, withReaderNames } from '../../tables/reader-names.ts';
import { collect } from '../../util/collect.ts';
import { isId } from '../../util/ids.ts';
import type { Warning } from '../types.ts';
import { type CitedRow, citeRows, readCited, tracedRows } from './cited-rows.ts';
import { type CopyDeps, redactedFile } from './redacted-copy.ts';
import { resultForReader } from './result-output.ts';
import { listQueryable, type OpenedTable, type QueriedTable, readVisibleParts, type Wanted } from './visible.ts';

export interface TableDeps extends CopyDeps {
  redactors: Redactors;
  tableEngine: TableEngine | null;
}

export interface TableCaller extends GroupLimits {
  tenantId: string;
  keyFamilyId?: string;
  principal: Principal | null;
}

export interface TableQuery {
  sql: string;
  /** Ids of tables; absent: the tables that the statement names. */
  tables?: readonly string[] | undefined;
  rowLimit: number;
  timeoutMs: number;
  /** Whether the rows are cited from which the result comes. */
  cites: boolean;
}

export interface TableAnswer extends Omit<QueryResult, 'trace'> {
  citations: CitedRow[];
  /** Number of rows that the aggregates read; null if the result is not of aggregates. */
  witnessCount: number | null;
  warnings: Warning[];
}

export const TABLES_PER_QUERY_MAX = 10;
const TABLE_BYTES_PER_QUERY_MAX = 1024 * 1024 * 1024;
/** Tables among which a question or a name is looked for. */
export const TABLES_LOOKED_AT_MAX = 1_000;

/** Returns the engine. Says that tables are switched off, or what to install. @throws ServiceError invalid_request */
export function requireEngine({ tableEngine }: Pick<TableDeps, 'tableEngine'>): TableEngine {
  if (!tableEngine) throw invalidRequest('Queries of tables are switched off (PINAKES_TABLES=off).');
  tableEngine.requireInstalled();
  return tableEngine;
}

/** A table and the ordinals of its visible parts; null: all. */
interface FoundTable {
  table: QueriedTable;
  parts: number[] | null;
}

/** The state of the rules and of the tables in one transaction. */
interface FoundTables {
  redactor: Redactor | null;
  tables: FoundTable[];
}

export interface OpenedTables extends FoundTables {
  tables: OpenedTable[];
}

/**
 * Returns the tables that the caller may query, with the names that the caller uses. Tables of which no row is visible do not exist, nor
 * do those of a source whose name or path a rule blocks.
 *
 * @param alsoRead reads more in the same transaction.
 * @throws ServiceError not_found for an id of another table.
 */
export async function openTables<T = undefined>(
  ...request: Parameters<typeof findTables<T>>
): Promise<OpenedTables & { also: T | undefined }> {
  const { redactor, tables, also } = await findTables(...request);
  const named = await collect(tables, async ({ table, parts }) => ({
    table: await withReaderNames(table, redactor),
    parts,
  }));
  return { redactor, tables: named, also };
}

/** Returns the tables as `openTables` does, with their stored names. */
async function findTables<T = undefined>(
  deps: Pick<TableDeps, 'db' | 'redactors' | 'blobs'>,
  caller: TableCaller,
  wanted: Wanted,
  limit: number,
  signal: AbortSignal,
  alsoRead?: (tx: Tx, access: Access) => Promise<T>,
): Promise<FoundTables & { also: T | undefined }> {
  const { tenantId, keyFamilyId } = caller;
  const { ids } = wanted;
  if (ids && !ids.every(isId)) throw notFound();
  const find = async (tx: Tx) => {
    const access = await openAccess(tx, caller, caller.principal);
    const redactor = await deps.redactors.forTenant(tx);
    const found: FoundTable[] = [];
    for (const table of await listQueryable(tx, access, wanted, limit)) {
      const parts = await readVisibleParts(tx, table, access);
      if (parts === null || (await showsRow(deps, table, parts))) found.push({ table, parts });
    }
    return { found, redactor, also: await alsoRead?.(tx, access) };
  };
  const { found, redactor, also } = await deps.db.transaction(tenantId, find, { signal, readOnly: true, keyFamilyId });
  const tables = await collect(found, async (one) => {
    const source = { name: one.table.sourceName, path: one.table.sourcePath };
    return (await isSourceBlocked(redactor, source)) ? undefined : one;
  });
  if (ids && tables.length < new Set(ids).size) throw notFound();
  return { redactor, tables, also };
}

/** Returns whether a row is in a visible part. The other visible parts of the source may belong to other tables. */
async function showsRow({ blobs }: Pick<TableDeps, 'blobs'>, table: QueriedTable, parts: number[]): Promise<boolean> {
  if (parts.length === 0) return false;
  const range = await readPartRange(blobs.localPath(table.tenantId, table.blobHash));
  return range !== undefined && parts.some((part) => part >= range.first && part <= range.last);
}

/**
 * Runs a statement. The rules are read before and after it: what was deleted or hidden meanwhile is not returned.
 *
 * @throws ServiceError `invalid_request` for a wrong statement, `not_found` for a table, `too_large`, `overloaded`, or `conflict` if a
 *   table changed while the statement ran.
 */
export async function queryTables(
  deps: TableDeps,
  caller: TableCaller,
  query: TableQuery,
  signal: AbortSignal,
): Promise<TableAnswer> {
  const engine = requireEngine(deps);
  const wanted: Wanted = query.tables ? { ids: query.tables } : { namesIn: query.sql };
  const before = await openTables(deps, caller, wanted, TABLES_PER_QUERY_MAX + 1, signal);
  checkSize(before.tables);
  const given: EngineTable[] = [];
  for (const { table, parts } of before.tables) {
    given.push({
      sqlName: table.sqlName,
      file: await redactedFile(deps, table, before.redactor, signal),
      columns: table.columns.map(({ sqlName, type, storedName }) => ({ name: sqlName, type, storedName })),
      hasTotals: table.totalRows > 0,
      parts: parts && Int32Array.from(parts),
    });
  }
  const { sql, rowLimit, timeoutMs, cites } = query;
  const request = { sql, tables: given, rowLimit, timeoutMs, traces: cites };
  const result = await engine.query(caller.tenantId, request, signal).catch(async (error: unknown) => {
    throw await toServiceError(error, deps, caller, query, before.redactor, signal);
  });

  const traced = tracedRows(result);
  const now = await findTables(deps, caller, wanted, TABLES_PER_QUERY_MAX + 1, signal, (tx, access) =>
    readCited(tx, before.tables, access, traced),
  );
  if (stateOf(now) !== stateOf(before)) {
    throw conflict('A table or the rules for it changed while the query ran. Send the query again.');
  }
  const { shown, kept } = await resultForReader(now.redactor, result, signal);
  return {
    ...shown,
    truncated: result.truncated,
    elapsedMs: result.elapsedMs,
    citations: await citeRows(now.also!, kept, now.redactor, signal),
    witnessCount: result.trace.kind === 'aggregates' ? result.trace.count : null,
    warnings: warningsOf(query, before.tables, result),
  };
}

function checkSize(tables: readonly OpenedTable[]): void {
  if (tables.length > TABLES_PER_QUERY_MAX) {
    throw invalidRequest(`A query reads at most ${TABLES_PER_QUERY_MAX} tables. Name the tables in \`tables\`.`);
  }
  const bytes = tables.reduce((sum, { table }) => sum + table.bytes, 0);
  if (bytes > TABLE_BYTES_PER_QUERY_MAX) throw invalidRequest('The tables of the query have more than 1 GiB.');
}

/** Returns text that differs if a table, its visible rows or the redaction policy differ. */
function stateOf({ tables, redactor }: FoundTables): string {
  return JSON.stringify([
    redactor?.version ?? null,
    tables.map(({ table, parts }) => [table.tableId, table.version, table.generation, parts]),
  ]);
}

function warningsOf(
  query: TableQuery,
  tables: readonly OpenedTable[],
  { trace, truncated, rows }: QueryResult,
): Warning[] {
  const warnings: Warning[] = [];
  if (query.cites && trace.kind === 'none' && tables.length > 0) {
    const message =
      'The rows of the result cannot be traced: the query has DISTINCT, WITH, a set operation, a query in FROM, a natural join, or a ' +
      'star outside of a plain list of columns.';
    warnings.push({ type: 'rows_not_traced', message });
  }
  for (const { table, parts } of tables) {
    // The count has totals of hidden rows.
    if (table.totalRows === 0 || parts) continue;
    const message = `Rows of totals that are left out of ${table.sqlName}: ${table.totalRows}.`;
    warnings.push({ type: 'total_rows_excluded', message });
  }
  if (truncated) warnings.push({ type: 'rows_truncated', message: `Only the first ${rows.length} rows are returned.` });
  return warnings;
}

/** Returns the failure for the caller. Messages of the engine may have values of cells. */
async function toServiceError(
  error: unknown,
  deps: TableDeps,
  caller: TableCaller,
  query: TableQuery,
  redactor: Redactor | null,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof QueryFailure)) return error;
  const { kind, message, position, unknownTable } = error.error;
  switch (kind) {
    case 'time':
      return invalidRequest(`The query exceeded ${query.timeoutMs} ms.`);
    case 'memory':
      return invalidRequest('The query exceeded the memory of the table engine.');
    case 'size':
      return new ServiceError('too_large', 'The result is larger than 1 MiB. Select less.');
    case 'refused': {
      const names =
        unknownTable === undefined ? '' : nearestNames(unknownTable, await tableNames(deps, caller, signal));
      const at = position === undefined ? '' : ` (at character ${characterAt(query.sql, position)})`;
      const shown = await redactText(
        redactor?.withoutHashes ?? null,
        `${message}${names}${at}`,
        ['retrieval', 'output'],
        signal,
      );
      return invalidRequest(shown ?? 'The query failed.');
    }
    default:
      return error;
  }
}

/** Returns the names in SQL of the tables that the caller may query. The names of their columns would take much longer. */
export async function tableNames(deps: TableDeps, caller: TableCaller, signal: AbortSignal): Promise<string[]> {
  const { tables, redactor } = await findTables(deps, caller, {}, TABLES_LOOKED_AT_MAX, signal);
  return collect(tables, ({ table }) => readerSqlName(table, redactor));
}

/** Returns the number of the character, from 1, at a position in UTF-8 bytes. */
function characterAt(sql: string, position: number): number {
  return [...Buffer.from(sql).subarray(0, position).toString('utf8')].length + 1;
}
