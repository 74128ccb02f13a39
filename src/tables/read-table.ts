/** Reads rows of a table's Parquet file from the blob store. */
import { zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { ColumnType } from '../files/columns/column-type.ts';
import { type CellValue, valueText } from './build/convert.ts';
import type { NamedColumn } from './reader-names.ts';

/** A value in an answer: what JSON numbers cannot hold is text. */
export type WireValue = string | number | boolean | null;

export interface TableRowRead {
  row: number;
  /** Ordinal of the chunk that holds the row. */
  part: number;
  /** Code point in the text of the source. */
  start: number;
  page: number | null;
  sheetRow: number | null;
  kind: 'data' | 'total';
  /** Name in SQL -> value. */
  values: Record<string, WireValue>;
  /** Name in SQL -> the value as text; null if the cell is empty. */
  texts: Record<string, string | null>;
}

export interface TableReader {
  rows: number;
  /** Returns the rows [from, to) with these columns. */
  read(from: number, to: number, columns: readonly ReadColumn[]): Promise<TableRowRead[]>;
}

/** A column; `storedName` is its name in the file if it is another one. */
type ReadColumn = Pick<NamedColumn, 'sqlName' | 'type'> & Partial<Pick<NamedColumn, 'storedName'>>;

/** Digits that a number of JSON keeps. */
const DIGITS_MAX = 15;
/** The footer is read with this many bytes; a larger one takes a second read. */
const FOOTER_BYTES = 64 * 1024;

/** Opens the file of a table. @throws ServiceError not_found if the file was removed. */
export async function openTable(
  blobs: Pick<BlobStore, 'read'>,
  file: { tenantId: string; blobHash: string; bytes: number },
): Promise<TableReader> {
  const buffer: AsyncBuffer = {
    byteLength: file.bytes,
    async slice(start, end = file.bytes) {
      const parts: Buffer[] = [];
      const stream = await blobs.read(file.tenantId, file.blobHash, { start, end: end - 1 });
      for await (const part of stream) parts.push(part as Buffer);
      const bytes = Buffer.concat(parts);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    },
  };
  const stored = await parquetMetadataAsync(buffer, { initialFetchSize: FOOTER_BYTES });
  const scales = new Map(stored.schema.map(({ name, scale }) => [name, scale ?? 0]));
  // The library makes doubles of decimals and dates of days; here they stay whole numbers.
  const schema = stored.schema.map(({ converted_type: type, logical_type: _, ...element }) =>
    type === 'UTF8' ? { ...element, converted_type: type } : element,
  );
  const metadata = { ...stored, schema } as FileMetaData;
  return {
    rows: Number(stored.num_rows),
    async read(from, to, columns) {
      const hidden = ['_row', '_part', '_start', '_page', '_sheet_row', '_kind'];
      const rows = await parquetReadObjects({
        file: buffer,
        metadata,
        columns: [...hidden, ...columns.map(({ sqlName, storedName = sqlName }) => storedName)],
        rowStart: from,
        rowEnd: to,
        useOffsetIndex: true,
        compressors: { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) },
      });
      const cellsOf = (row: (typeof rows)[number]) =>
        columns.map(({ sqlName, storedName = sqlName, type }) => {
          const value: CellValue = row[storedName] ?? null;
          return { sqlName, type, value, text: valueText(value, type, scales.get(storedName) ?? 0) };
        });
      return rows.map((row) => ({
        row: Number(row['_row']),
        part: row['_part'],
        start: row['_start'],
        page: row['_page'] ?? null,
        sheetRow: row['_sheet_row'] ?? null,
        kind: row['_kind'],
        values: Object.fromEntries(cellsOf(row).map((cell) => [cell.sqlName, wireValue(cell)])),
        texts: Object.fromEntries(cellsOf(row).map(({ sqlName, text }) => [sqlName, text])),
      }));
    },
  };
}

function wireValue({ value, text, type }: { value: CellValue; text: string | null; type: ColumnType }): WireValue {
  if (value === null || text === null || typeof value === 'boolean') return value as null | boolean;
  if (type === 'double') return Number(value);
  if (type === 'integer' || type === 'decimal')
    return text.replace(/\D/g, '').length <= DIGITS_MAX ? Number(text) : text;
  return type === 'datetime' ? text.replace(' ', 'T') : text;
}
