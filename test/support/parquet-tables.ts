/** Writes Parquet files of tables as the service builds them. */
import { writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ColumnType } from '../../src/files/columns/column-type.ts';
import type { EngineTable } from '../../src/tables/engine/protocol.ts';

export interface TestColumn {
  name: string;
  type: ColumnType;
  values: readonly (string | number | boolean | null)[];
}

/** Writes the table. The row `i` is in part `i`; `totals` are the rows of totals. */
export function writeTable(
  file: string,
  sqlName: string,
  columns: readonly TestColumn[],
  totals: ReadonlySet<number> = new Set(),
): EngineTable {
  const count = columns[0]?.values.length ?? 0;
  const numbers = Array.from({ length: count }, (_, i) => i);
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: '_row', data: numbers.map(BigInt), type: 'INT64' },
      { name: '_part', data: numbers, type: 'INT32' },
      { name: '_start', data: numbers, type: 'INT32' },
      { name: '_page', data: numbers.map(() => null), type: 'INT32', nullable: true },
      { name: '_sheet_row', data: numbers, type: 'INT32', nullable: true },
      { name: '_kind', data: numbers.map((i) => (totals.has(i) ? 'total' : 'data')), type: 'STRING' },
      { name: '_raw', data: numbers.map(() => null), type: 'STRING', nullable: true },
      ...columns.map(parquetColumn),
    ],
  });
  writeFileSync(file, new Uint8Array(buffer));
  return {
    sqlName,
    file,
    columns: columns.map(({ name, type }) => ({ name, type })),
    hasTotals: totals.size > 0,
    parts: null,
  };
}

function parquetColumn({ name, type, values }: TestColumn) {
  const nullable = true;
  switch (type) {
    case 'integer':
      return {
        name,
        nullable,
        type: 'INT64' as const,
        data: values.map((one) => (one === null ? null : BigInt(one))),
      };
    case 'double':
    case 'decimal':
      return { name, nullable, type: 'DOUBLE' as const, data: values as (number | null)[] };
    case 'boolean':
      return { name, nullable, type: 'BOOLEAN' as const, data: values as (boolean | null)[] };
    case 'datetime':
      return {
        name,
        nullable,
        type: 'TIMESTAMP' as const,
        data: values.map((one) => (one === null ? null : new Date(String(one)))),
      };
    default:
      return { name, nullable, type: 'STRING' as const, data: values as (string | null)[] };
  }
}
