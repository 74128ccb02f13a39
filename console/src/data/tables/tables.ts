/** Tables: what they contain, and queries on them. */
import { useQueries } from '@tanstack/react-query';
import type {
  CitedRow,
  Operations,
  Source,
  Table,
  TableAnswer,
  TableDetails,
  TableQuery,
  TableRow,
} from '../../../../src/client/api.ts';
import { pinakes } from '../api.ts';
import { ROWS_PER_REQUEST } from '../pages.ts';

export type { CitedRow, Table, TableAnswer, TableDetails, TableQuery, TableRow };
/** What is asked of tables: a structured query, a statement, or a question. */
export type TableRequest = Pick<Operations['queryTables']['request']['body'], 'query' | 'sql' | 'question' | 'tables'>;
export type SourceTable = Operations['listSourceTables']['response']['tables'][number];

export const TABLES = 'tables';
const KEPT_MS = 300_000;

/** Returns all tables that the key may see: the search in the list compares their names. */
export async function listAllTables(signal: AbortSignal): Promise<Table[]> {
  const all: Table[] = [];
  let after: string | undefined;
  do {
    const { tables, pagination } = await pinakes.listTables(
      { query: { limit: ROWS_PER_REQUEST, ...(after !== undefined && { after_id: after }) } },
      { signal },
    );
    all.push(...tables);
    after = pagination.next_id ?? undefined;
  } while (after !== undefined);
  return all;
}

export function readTable(id: string, signal: AbortSignal): Promise<TableDetails> {
  return pinakes.getTable({ params: { id } }, { signal });
}

export function queryTables(body: TableRequest, signal: AbortSignal): Promise<TableAnswer> {
  return pinakes.queryTables({ body }, { signal });
}

/** Returns the tables of a source, with those that are built on request. */
export async function listSourceTables(id: string): Promise<SourceTable[]> {
  return (await pinakes.listSourceTables({ params: { id } })).tables;
}

/** Builds a table of a source, and returns its id. */
export async function buildTable(sourceId: string, index: number): Promise<string> {
  const body = { source: { source_id: sourceId, position: { index } } };
  return (await pinakes.createTable({ body })).table_id;
}

/** Returns the sources with these ids, as they arrive. */
export function useSources(ids: readonly string[]): ReadonlyMap<string, Source> {
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['source', id],
      queryFn: () => pinakes.getSource({ params: { id } }),
      staleTime: KEPT_MS,
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  });
}
