/** Turns a structured query of a caller into SQL over the tables that the caller may query. */
import { type StructuredQuery, toSql } from '../../tables/structured-query.ts';
import {
  openTables,
  requireEngine,
  TABLES_LOOKED_AT_MAX,
  type TableCaller,
  type TableDeps,
  tableNames,
} from './query-tables.ts';

/** Returns the SQL. @throws ServiceError invalid_request that names the wrong member; not_found for an id in `ids` */
export async function structuredSql(
  deps: TableDeps,
  caller: TableCaller,
  query: StructuredQuery,
  ids: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string> {
  requireEngine(deps);
  const wanted = ids ? { ids } : { namesIn: query.from };
  const { tables } = await openTables(deps, caller, wanted, TABLES_LOOKED_AT_MAX, signal);
  const named = tables.map(({ table }) => table);
  if (ids || named.some(({ sqlName }) => sqlName === query.from.toLowerCase())) return toSql(query, named);
  // Says that there is no such table, and which names are near.
  const names = await tableNames(deps, caller, signal);
  const unread = names.map((sqlName) => ({ sqlName, columns: [] }));
  return toSql(query, unread);
}
