/** Writes the Parquet file of a table in groups of rows. */
import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { ColumnPlan } from '../../files/columns/column-stats.ts';
import type { CellValue } from './convert.ts';

/** Values of all columns that are kept until they are written. */
const GROUP_CELLS_MAX = 250_000;
const GROUP_ROWS_MAX = 50_000;
const GROUP_ROWS_MIN = 1_000;
const DECIMAL_PRECISION = 18;

export interface FileRow {
  part: number;
  start: number;
  page: number | null;
  sheetRow: number | null;
  kind: 'data' | 'total';
  /** Texts of the cells that do not convert, by name of the column. */
  raw: Record<string, string> | undefined;
  values: readonly CellValue[];
}

/** Receives the rows of a table in order. */
export interface TableFile {
  add(row: FileRow): void;
  /** Returns the bytes of the file. */
  finish(): number;
}

export function openTableFile(path: string, columns: readonly { sqlName: string; plan: ColumnPlan }[]): TableFile {
  const hidden: SchemaElement[] = [
    { name: '_row', type: 'INT64', repetition_type: 'REQUIRED' },
    { name: '_part', type: 'INT32', repetition_type: 'REQUIRED' },
    { name: '_start', type: 'INT32', repetition_type: 'REQUIRED' },
    { name: '_page', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: '_sheet_row', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: '_kind', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    { name: '_raw', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  ];
  const elements = [...hidden, ...columns.map(({ sqlName, plan }) => elementOf(sqlName, plan))];
  const file = fileWriter(path);
  const writer = new ParquetWriter({
    writer: file,
    schema: [{ name: 'root', num_children: elements.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'pinakes',
  });
  const groupRows = Math.min(GROUP_ROWS_MAX, Math.max(GROUP_ROWS_MIN, Math.floor(GROUP_CELLS_MAX / elements.length)));
  let data: unknown[][] = elements.map(() => []);
  let rows = 0n;
  const flush = (): void => {
    if (data[0]!.length === 0) return;
    const columnData = elements.map(({ name }, i) => ({ name, data: data[i]! }));
    void writer.write({ columnData, rowGroupSize: groupRows });
    data = elements.map(() => []);
  };
  return {
    add({ part, start, page, sheetRow, kind, raw, values }) {
      const facts = [rows, part, start, page, sheetRow, kind, raw ? JSON.stringify(raw) : null];
      for (const [i, fact] of facts.entries()) data[i]!.push(fact);
      for (const [i, value] of values.entries()) data[hidden.length + i]!.push(value);
      rows += 1n;
      if (data[0]!.length >= groupRows) flush();
    },
    finish() {
      flush();
      void writer.finish();
      return file.offset;
    },
  };
}

function elementOf(name: string, { type, scale }: ColumnPlan): SchemaElement {
  const base = { name, repetition_type: 'OPTIONAL' as const };
  switch (type) {
    case 'boolean':
      return { ...base, type: 'BOOLEAN' };
    case 'integer':
      return { ...base, type: 'INT64' };
    case 'decimal':
      return { ...base, type: 'INT64', converted_type: 'DECIMAL', scale, precision: DECIMAL_PRECISION };
    case 'double':
      return { ...base, type: 'DOUBLE' };
    case 'date':
      return { ...base, type: 'INT32', converted_type: 'DATE' };
    case 'datetime':
      return {
        ...base,
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
      };
    case 'time':
      return { ...base, type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } };
    case 'text':
      return { ...base, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}
