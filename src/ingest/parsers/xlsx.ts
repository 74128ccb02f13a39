/** Excel workbooks: a section per sheet, a table per block of cells; sheets with a header row hold records. */
import { Buffer } from 'node:buffer';
import readWorkbook from 'read-excel-file/node';
import { KeyPicker, originMetadata } from '../metadata-values.ts';
import type { ChunkMetadataKey, ParsedFile } from '../parsed.ts';
import { repackZip } from '../zip.ts';
import { coreProperties } from './docx.ts';
import { recordWriter, SINGLE_RECORDS_MAX } from './records.ts';
import { cellText, tableText } from './table-text.ts';
import { TextBuilder } from './text-builder.ts';

const WANTED =
  /^(\[Content_Types\]\.xml|_rels\/|docProps\/core\.xml|xl\/(_rels\/)?[^/]+\.(xml|rels)|xl\/worksheets\/[^/]+\.xml)/;

export async function parseXlsx(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const safe = repackZip(bytes, (name) => WANTED.test(name));
  const sheets = await readWorkbook(Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength));
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  for (const { sheet, data } of sheets) {
    const rows = data.map((row) => row.map(valueText));
    const regions = regionsOf(rows);
    if (regions.length === 0) continue;
    builder.add({ kind: 'heading', level: 2 }, `## ${cellText(sheet)}`);
    for (const region of regions) writeRegion(builder, region, picker, regions.length === 1);
  }
  const properties = coreProperties(bytes);
  return {
    fileType: 'xlsx',
    text: builder.text(),
    blocks: builder.blocks,
    ...(properties['title'] === undefined ? {} : { title: properties['title'] }),
    metadata: originMetadata(properties),
    warnings: picker.warnings(),
  };
}

/** Blocks of rows between empty rows, without their empty columns at both sides. */
function regionsOf(rows: readonly string[][]): string[][][] {
  const regions: string[][][] = [];
  let current: string[][] = [];
  for (const row of [...rows, []]) {
    if (row.some((cell) => cell !== '')) current.push(row);
    else if (current.length > 0) {
      regions.push(trimColumns(current));
      current = [];
    }
  }
  return regions;
}

function trimColumns(rows: readonly string[][]): string[][] {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const row of rows) {
    first = Math.min(
      first,
      row.findIndex((cell) => cell !== ''),
    );
    last = Math.max(
      last,
      row.findLastIndex((cell) => cell !== ''),
    );
  }
  return rows.map((row) => row.slice(first, last + 1));
}

function writeRegion(builder: TextBuilder, rows: readonly string[][], picker: KeyPicker, alone: boolean): void {
  const header = rows[0]!;
  const named = header.length > 1 && header.every((cell) => cell !== '') && rows.length > 1;
  const declares = picker.names.some((key) => header.includes(key));
  if (declares || (named && alone)) {
    const writer = recordWriter(builder, header, picker, declares || rows.length <= SINGLE_RECORDS_MAX);
    for (const row of rows.slice(1)) writer.row(row);
    writer.end();
    return;
  }
  if (rows.every((row) => row.length <= 1)) {
    builder.add({ kind: 'paragraph' }, rows.map((row) => row[0] ?? '').join('\n'));
    return;
  }
  const table = tableText(rows);
  if (table) builder.add(table.draft, table.text);
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return dateText(value);
  return String(value).trim();
}

/** A date without its midnight; the time of day of a duration cell without its date. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const [day, time] = date.toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? day! : `${day} ${time}`;
}
