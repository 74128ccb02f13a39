/** The messages between the service and a process of the table engine. */
import type { ColumnType } from '../../files/columns/column-type.ts';

/** A table that a query may read. */
export interface EngineTable {
  sqlName: string;
  /** Path of the Parquet file. Only files that this service has written are given to the engine. */
  file: string;
  /** Names in SQL. `storedName` is the name in the file if it is another one. */
  columns: readonly { name: string; type: ColumnType; storedName?: string }[];
  /** Whether the file has rows of totals. They are left out. */
  hasTotals: boolean;
  /** Ordinals of the parts of the source whose rows are visible; null: all are. */
  parts: Int32Array | null;
}

export interface QueryRequest {
  id: number;
  sql: string;
  tables: readonly EngineTable[];
  /** Maximum number of returned rows. */
  rowLimit: number;
  timeoutMs: number;
  /** Whether the result says from which rows it comes. */
  traces: boolean;
}

export type Cell = null | boolean | number | string | Cell[] | { [name: string]: Cell };

/** A row of a table. `table` is the position in the tables of the request, `part` the ordinal of the chunk that has the row. */
export interface TracedRow {
  table: number;
  row: number;
  /** Its first code point in the text of the source. */
  start: number;
  part: number;
}

export interface QueryResult {
  columns: { name: string; type: string }[];
  rows: Cell[][];
  /** True if there are more rows than returned. */
  truncated: boolean;
  elapsedMs: number;
  trace:
    | { kind: 'rows'; rows: TracedRow[][] }
    /** `count` is the number of rows that the aggregates read; `rows` are the first of them. */
    | { kind: 'aggregates'; count: number; rows: TracedRow[] }
    | { kind: 'none' };
}

/**
 * `refused`: the statement is wrong or not allowed. `time`, `memory` and `size`: it took more than it may. `broken`: the engine could not
 * work; the message is for the log only.
 */
export type QueryErrorKind = 'refused' | 'time' | 'memory' | 'size' | 'broken';

export interface QueryError {
  kind: QueryErrorKind;
  message: string;
  /** In the statement, in UTF-8 bytes from 0. */
  position?: number | undefined;
  /** The name of a table that is not among the tables of the request. */
  unknownTable?: string | undefined;
}

export type QueryReply =
  | { ready: true }
  | { id: number; ok: true; result: QueryResult }
  | { id: number; ok: false; error: QueryError };
