/** Parses Parquet files: one table, whose rows are records. */
import type { FileMetaData, ParquetReadOptions } from 'hyparquet';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { badFile, overLimit } from '../../failure.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { CellLimit } from './binary-text.ts';
import { cellReaders, PARSERS, rawSchema } from './parquet-cells.ts';
import { recordWriter, SINGLE_RECORDS_MAX } from './records.ts';

/** The file, its decompressed pages and its text must fit into the memory of a child process. */
const PARQUET_BYTES_MAX = 128 * 1024 * 1024;
export const TABLE_ROWS_MAX = 2_000_000;
export const TABLE_COLUMNS_MAX = 500;
const CELLS_AT_ONCE = 400_000;

/** @throws FileError for an encrypted file and for one over its limits; the library's error for a damaged file. */
export async function parseParquet(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  if (bytes.length > PARQUET_BYTES_MAX)
    throw overLimit(`Parquet files are read up to ${PARQUET_BYTES_MAX / 1024 / 1024} MiB.`);
  if (String.fromCharCode(...bytes.subarray(-4)) === 'PARE')
    throw badFile('parse', 'Encrypted file', 'The Parquet file is encrypted.');
  const { parquetMetadata, parquetRead } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const whole = arrayBufferOf(bytes);
  const metadata = rawSchema(parquetMetadata(whole));
  const limit = new CellLimit();
  const readers = cellReaders(metadata, limit);
  if (readers.length > TABLE_COLUMNS_MAX) throw overLimit(`Tables are read up to ${TABLE_COLUMNS_MAX} columns.`);
  const rows = rowsOf(metadata);
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const header = readers.map(({ name }) => name);
  const writer = recordWriter(builder, header, picker, picker.active || rows <= SINGLE_RECORDS_MAX);
  const options: ParquetReadOptions = {
    file: { byteLength: whole.byteLength, slice: (start, end) => whole.slice(start, end) },
    metadata,
    compressors,
    parsers: PARSERS,
    utf8: false,
  };
  for (const { rowStart, rowEnd } of slices(metadata, readers.length)) {
    let read: unknown[][] = [];
    const onComplete = (found: unknown[][]) => {
      read = found;
    };
    await parquetRead({ ...options, rowStart, rowEnd, onComplete });
    if (read.length !== rowEnd - rowStart)
      throw badFile('parse', 'File cannot be read', `Rows are missing after row ${rowStart + read.length}.`);
    for (const row of read) writer.row(readers.map(({ text }, index) => text(row[index])));
  }
  writer.end();
  const warnings = rows === 0 ? ['The table has a header and no rows.'] : [];
  return builder.file('parquet', {}, { warnings: [...warnings, ...limit.warnings(), ...picker.warnings()] });
}

function arrayBufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  return byteOffset === 0 && byteLength === buffer.byteLength
    ? (buffer as ArrayBuffer)
    : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

function rowsOf({ row_groups: groups }: FileMetaData): number {
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  if (rows > TABLE_ROWS_MAX) throw overLimit(`Tables are read up to ${TABLE_ROWS_MAX} rows; this file has ${rows}.`);
  return rows;
}

/** Yields ranges of rows. No range spans two row groups, because each group is decoded on its own. */
function* slices(metadata: FileMetaData, columns: number): Generator<{ rowStart: number; rowEnd: number }> {
  const rowsAtOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, columns)));
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    for (let rowStart = groupStart; rowStart < groupEnd; rowStart += rowsAtOnce)
      yield { rowStart, rowEnd: Math.min(groupEnd, rowStart + rowsAtOnce) };
    groupStart = groupEnd;
  }
}
