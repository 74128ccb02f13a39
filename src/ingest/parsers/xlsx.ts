/** Excel workbooks: a section per sheet, a table per block of cells; sheets with a header row hold records. */
import { Buffer } from 'node:buffer';
import readWorkbook from 'read-excel-file/node';
import { KeyPicker, originMetadata } from '../metadata-values.ts';
import type { ChunkMetadataKey, ParsedFile } from '../parsed.ts';
import { repackZip } from '../zip.ts';
import { coreProperties, type SheetExtras, sheetExtras } from './office-xml.ts';
import { recordWriter, SINGLE_RECORDS_MAX } from './records.ts';
import { cellText, tableText } from './table-text.ts';
import { TextBuilder } from './text-builder.ts';
import { openPackage } from './zip-package.ts';

const WANTED =
  /^(\[Content_Types\]\.xml|_rels\/|docProps\/core\.xml|xl\/(_rels\/)?[^/]+\.(xml|rels)|xl\/worksheets\/[^/]+\.xml)/;

/** Every sheet as records. @throws FileError for an archive that is damaged or over its limits. */
export async function parseXlsx(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const safe = repackZip(bytes, (name) => WANTED.test(name));
  const sheets = await readWorkbook(Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength));
  const parts = openPackage(bytes);
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const extras = sheetExtras(parts);
  for (const { sheet, data } of sheets) {
    const extra = extras.get(sheet);
    if (extra?.hidden) continue;
    const rows = data.map((row) => row.map(valueText));
    fillMerged(rows, extra);
    const regions = regionsOf(rows);
    const comments = extra?.comments ?? [];
    const charts = extra?.charts ?? [];
    if (regions.length + comments.length + charts.length === 0) continue;
    builder.add({ kind: 'heading', level: 2 }, `## ${cellText(sheet)}`);
    for (const region of regions) writeRegion(builder, region, picker, regions.length === 1);
    for (const { caption, rows: values } of charts) {
      builder.add({ kind: 'paragraph' }, caption);
      const table = tableText(values);
      if (table) builder.add(table.draft, table.text);
    }
    for (const comment of comments) builder.add({ kind: 'paragraph' }, comment);
  }
  const properties = coreProperties(parts);
  return {
    fileType: 'xlsx',
    text: builder.text(),
    blocks: builder.blocks,
    ...(properties['title'] === undefined ? {} : { title: properties['title'] }),
    metadata: originMetadata(properties),
    warnings: picker.warnings(),
  };
}

/** Cells that merged ones may fill, per range and per sheet. */
const MERGED_CELLS_MAX = 10_000;
const MERGED_SHEET_CELLS_MAX = 200_000;

/** A merged cell's value counts for every row and column it spans. */
function fillMerged(rows: string[][], extra: SheetExtras | undefined): void {
  let left = MERGED_SHEET_CELLS_MAX;
  for (const range of extra?.merged ?? []) {
    const parts = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(range);
    if (!parts) continue;
    const [left0, right] = [columnIndex(parts[1]!), columnIndex(parts[3]!)];
    const [top, bottom] = [Number(parts[2]) - 1, Math.min(Number(parts[4]) - 1, rows.length - 1)];
    const cells = (right - left0 + 1) * (bottom - top + 1);
    const value = rows[top]?.[left0] ?? '';
    if (value === '' || cells > MERGED_CELLS_MAX || cells > left) continue;
    left -= cells;
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left0; column <= right; column += 1) rows[row]![column] = value;
    }
  }
}

function columnIndex(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Rectangles of cells that empty rows and columns separate: one sheet may hold several tables. */
function regionsOf(rows: readonly string[][]): string[][][] {
  const bands = rowBands(rows);
  if (bands.length > 1) return bands.flatMap(regionsOf);
  const band = bands[0];
  if (!band) return [];
  const columns = columnBands(band);
  if (columns.length > 1) return columns.flatMap(regionsOf);
  return columns;
}

function rowBands(rows: readonly string[][]): string[][][] {
  const bands: string[][][] = [];
  let current: string[][] = [];
  for (const row of [...rows, []]) {
    if (row.some((cell) => cell !== '')) current.push(row);
    else if (current.length > 0) {
      bands.push(current);
      current = [];
    }
  }
  return bands;
}

function columnBands(rows: readonly string[][]): string[][][] {
  const used: boolean[] = [];
  for (const row of rows) for (const [column, cell] of row.entries()) if (cell !== '') used[column] = true;
  const bands: string[][][] = [];
  for (let from = 0; from < used.length; from += 1) {
    if (!used[from]) continue;
    let to = from;
    while (used[to]) to += 1;
    bands.push(rows.map((row) => Array.from({ length: to - from }, (_, i) => row[from + i] ?? '')));
    from = to;
  }
  return bands;
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
