/** Copies the Parquet file of a table as readers may see it. */

import { zstdCompressSync } from 'node:zlib';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { ColumnType } from '../files/columns/column-type.ts';
import type { ApplyAt, RedactionMatch, Redactor } from '../redaction/redact.ts';
import type { TableColumn } from './table.ts';

const ROWS_AT_ONCE = 10_000;
const DAY_MS = 86_400_000;
const DATE_FORMS = ['$1-$2-$3', '$3.$2.$1', '$3/$2/$1', '$2/$3/$1'];

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
  const applied = steps.filter((step) => redactor.appliesAt(step));
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
      const redacted = await redactRow(row, columns, scales, redactor, applied, signal);
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

interface Part {
  column: CopiedColumn;
  /** Half-open range of code points of the cell in the text of the row. */
  start: number;
  end: number;
}

async function redactRow(
  row: Row,
  columns: readonly CopiedColumn[],
  scales: ReadonlyMap<string, number>,
  redactor: Redactor,
  steps: readonly ApplyAt[],
  signal: AbortSignal,
): Promise<Row | undefined> {
  // Texts of cells that did not convert are not in the copy: no statement reads them.
  const copy: Row = { ...row, _raw: null };
  for (const step of steps) {
    const { text, parts } = textOfRow(copy, columns, scales);
    const { matches, blocked } = await redactor.redact(text, step, signal);
    if (blocked) return undefined;
    if (matches.length > 0) mask(copy, text, parts, matches);
  }
  return copy;
}

/** Returns the row as text, `header: cell` in each line, and where its cells are. */
function textOfRow(
  row: Row,
  columns: readonly CopiedColumn[],
  scales: ReadonlyMap<string, number>,
): { text: string; parts: Part[] } {
  const parts: Part[] = [];
  let text = '';
  let length = 0;
  const add = (added: string): void => {
    text += added;
    length += [...added].length;
  };
  for (const column of columns) {
    const value = row[column.sqlName];
    if (value === null || value === undefined) continue;
    for (const form of formsOf(value, column.type, scales.get(column.sqlName) ?? 0)) {
      add(`${column.header || column.name}: `);
      const start = length;
      add(form);
      parts.push({ column, start, end: length });
      add('\n');
    }
  }
  return { text, parts };
}

/** Replaces what the matches cover. */
function mask(row: Row, text: string, parts: readonly Part[], matches: readonly RedactionMatch[]): void {
  const points = [...text];
  for (const { column, start, end } of parts) {
    const within = matches.filter((match) => match.start < end && match.end > start);
    if (within.length === 0) continue;
    if (column.type !== 'text') {
      row[column.sqlName] = null;
      continue;
    }
    let shown = '';
    let at = start;
    for (const match of within) {
      shown += points.slice(at, Math.max(at, match.start)).join('') + match.replacement;
      at = Math.min(end, Math.max(at, match.end));
    }
    row[column.sqlName] = shown + points.slice(at, end).join('');
  }
}

/** Returns the forms in which a source may write the value: a rule that finds one of them masks the cell. */
function formsOf(value: unknown, type: ColumnType, scale: number): string[] {
  switch (type) {
    case 'text':
      return [String(value)];
    case 'date':
      return dateForms(new Date(Number(value) * DAY_MS).toISOString().slice(0, 10));
    case 'datetime': {
      const [day = '', time = ''] = new Date(Number(value)).toISOString().split('T');
      return dateForms(day).map((form) => `${form} ${time.slice(0, 8)}`);
    }
    case 'time':
      return [new Date(Number(BigInt(value as bigint) / 1000n)).toISOString().slice(11, 19)];
    case 'decimal':
      return numberForms(decimalText(BigInt(value as bigint), scale));
    case 'integer':
    case 'double':
      return numberForms(String(value));
    default:
      return [String(value)];
  }
}

function dateForms(day: string): string[] {
  return DATE_FORMS.map((form) => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, form));
}

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function numberForms(text: string): string[] {
  const [whole = '', fraction] = text.split('.');
  const grouped = (mark: string) => whole.replace(/\B(?=(\d{3})+$)/g, mark);
  const forms = [
    text,
    grouped(',') + (fraction ? `.${fraction}` : ''),
    grouped('.') + (fraction ? `,${fraction}` : ''),
  ];
  return [...new Set(forms)];
}
