/** Copies the Parquet file of a table as readers may see it. */

import { zstdCompressSync } from 'node:zlib';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { ApplyAt, Redactor } from '../redaction/redact.ts';
import { type CellValue, valueText } from './build/convert.ts';
import { redactRow } from './redact-row.ts';
import type { TableColumn } from './table.ts';

const ROWS_AT_ONCE = 10_000;

type CopiedColumn = Pick<TableColumn, 'sqlName' | 'name' | 'header' | 'type'>;
type Row = Record<string, unknown>;

/**
 * Writes the copy. The cells of a row are redacted together with their headers, as a record of the source is: a rule may need the
 * neighbours of a value. A masked cell of text has the mask, a masked cell of another type is empty. A blocked row is left out.
 */
export async function copyTableFile(
  from: string,
  to: string,
  columns: readonly CopiedColumn[],
  redactor: Redactor,
  steps: readonly ApplyAt[],
  signal: AbortSignal,
): Promise<void> {
  const file = await asyncBufferFromFile(from);
  const metadata = await parquetMetadataAsync(file);
  const writer = new ParquetWriter({
    writer: fileWriter(to),
    schema: metadata.schema,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'pinakes',
  });
  const names = metadata.schema.slice(1).map(({ name }) => name);
  const scales = new Map(metadata.schema.map(({ name, scale }) => [name, scale ?? 0]));
  for (let rowStart = 0; rowStart < Number(metadata.num_rows); rowStart += ROWS_AT_ONCE) {
    signal.throwIfAborted();
    const rowEnd = Math.min(rowStart + ROWS_AT_ONCE, Number(metadata.num_rows));
    const rows = (await parquetReadObjects({
      file,
      metadata: withoutTypes(metadata),
      compressors,
      rowStart,
      rowEnd,
    })) as Row[];
    const kept: Row[] = [];
    for (const row of rows) {
      const redacted = await redactedCopy(row, columns, scales, redactor, steps, signal);
      if (redacted) kept.push(redacted);
    }
    if (kept.length === 0) continue;
    const columnData = names.map((name) => ({ name, data: kept.map((row) => row[name] ?? null) }));
    await writer.write({ columnData, rowGroupSize: ROWS_AT_ONCE });
  }
  await writer.finish();
}

/** Returns metadata with which numbers, dates and times are read as they are stored, so that the copy has the same. */
function withoutTypes(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (element.converted_type === 'UTF8') return element;
    const { converted_type: _converted, logical_type: _logical, ...plain } = element;
    return plain;
  });
  return { ...metadata, schema };
}

async function redactedCopy(
  row: Row,
  columns: readonly CopiedColumn[],
  scales: ReadonlyMap<string, number>,
  redactor: Redactor,
  steps: readonly ApplyAt[],
  signal: AbortSignal,
): Promise<Row | undefined> {
  const cells = columns.map((column) => {
    const value = (row[column.sqlName] ?? null) as CellValue;
    return { column, text: valueText(value, column.type, scales.get(column.sqlName) ?? 0) };
  });
  const changed = await redactRow(redactor, cells, steps, signal);
  if (!changed) return undefined;
  // Texts of cells that did not convert are not in the copy: no statement reads them.
  const copy: Row = { ...row, _raw: null };
  for (const [i, { sqlName, type }] of columns.entries())
    if (changed[i] !== null) copy[sqlName] = type === 'text' ? changed[i] : null;
  return copy;
}
