/** Turns a structured query of a caller into SQL over the tables that the caller may query. */
import { type StructuredQuery, toSql } from '../../tables/structured-query.ts';
import { openTables, requireEngine, type TableCaller, type TableDeps } from './query-tables.ts';
import type { Wanted } from './visible.ts';

const NAMES_SUGGESTED_FROM_MAX = 1_000;

/** Returns the SQL. @throws ServiceError invalid_request that names the wrong member; not_found for an id in `ids` */
export async function structuredSql(
  deps: TableDeps,
  caller: TableCaller,
  query: StructuredQuery,
  ids: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string> {
  requireEngine(deps);
  const find = (wanted: Wanted) => openTables(deps, caller, wanted, NAMES_SUGGESTED_FROM_MAX, signal);
  const named = await find(ids ? { ids } : { namesIn: query.from });
  const isThere = named.tables.some(({ table }) => table.sqlName === query.from.toLowerCase());
  const { tables } = isThere || ids ? named : await find('all');
  return toSql(
    query,
    tables.map(({ table }) => table),
  );
}
