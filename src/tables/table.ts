/** Types of materialized tables: plain data that stores, builds, queries and routes share. */
import type { ColumnType } from '../files/columns/column-type.ts';

export interface TableColumn {
  /** The name for people: the header, or the name that a user gave. */
  name: string;
  /** The name in SQL and in the Parquet file. Unique in its table, upper and lower case being equal. */
  sqlName: string;
  type: ColumnType;
  /** `%`, a currency sign or a currency code, taken off the numbers. */
  unit: string | null;
  nullable: boolean;
  /** Number of distinct values. Exact up to 1,000, an estimate above. */
  distinct: number;
  min: string | null;
  max: string | null;
  examples: string[];
  description: string | null;
  /** Number of cells that are not empty and could not be converted to `type`. */
  castFailures: number;
  castFailureExamples: string[];
  /** The header as the source has it, or "". */
  header: string;
}

/** Where a table stands in its source. `index` counts the tables of the source from 0. */
export interface TablePosition {
  sheet?: string;
  /** Cells of the sheet, such as `A3:F20`. */
  range?: string;
  page?: number;
  headingPath?: string[];
  index: number;
}

export interface TableWarning {
  code: string;
  message: string;
  [detail: string]: unknown;
}

export const TABLE_STATUSES = ['building', 'ready', 'failed'] as const;
export type TableStatus = (typeof TABLE_STATUSES)[number];

export interface StoredTable {
  tenantId: string;
  tableId: string;
  sourceId: string;
  sourceGroupId: string;
  /** The generation of the source whose text the served version was built from. */
  generation: number;
  position: TablePosition;
  name: string;
  sqlName: string;
  description: string | null;
  status: TableStatus;
  /** 0 until the first version is built. */
  version: number;
  /** The Parquet file of the served version; null until the first version is built. */
  blobHash: string | null;
  /** Rows of data. */
  rowCount: number;
  /** Rows of totals. They are in the file, too. */
  totalRows: number;
  columns: TableColumn[];
  warnings: TableWarning[];
}
