/** Writes sheets of workbooks: a section per sheet and a table per region of cells. Rows under a header are records. */
import type { Link } from '../../../../text/link-line.ts';
import { hasHeader } from '../../../columns/header.ts';
import type { KeyPicker } from '../../../metadata-values.ts';
import { recordWriter, SINGLE_RECORDS_MAX } from '../../data/records.ts';
import { cellText, tableText } from '../../data/table-text.ts';
import type { TextBuilder } from '../../text-builder.ts';
import type { ChartText } from '../chart-text.ts';
import { columnLetters } from './cell-names.ts';

/** Indices of the first and last row and column. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface CellLink {
  column: number;
  url: string;
}

/** Links by row, in the order of columns. The key is the array of the row's cells. */
export type RowLinks = Map<readonly string[], CellLink[]>;

export interface Sheet {
  name: string;
  rows: string[][];
  links?: RowLinks;
  merged: readonly CellRange[];
  charts?: readonly ChartText[];
  comments?: readonly string[];
  /** Texts of shapes. */
  texts?: readonly string[];
}

/** Writes a sheet, unless it has no cells, charts, texts and comments. */
export function writeSheet(builder: TextBuilder, picker: KeyPicker, sheet: Sheet): void {
  const { name, rows, merged, links = new Map(), charts = [], comments = [], texts = [] } = sheet;
  fillMerged(rows, merged);
  const regions = regionsOf({ rows, top: 0, left: 0 }, links);
  if (regions.length + comments.length + charts.length + texts.length === 0) return;
  builder.add({ kind: 'heading', level: 2 }, `## ${cellText(name)}`);
  for (const region of regions) {
    const before = builder.blocks.length;
    writeRegion(builder, region.rows, links, picker, regions.length === 1);
    const block = builder.blocks[before];
    if (block) block.region = { sheet: name, range: rangeText(region), firstSheetRow: region.top + 1 };
  }
  for (const { caption, rows: values } of charts) {
    builder.add({ kind: 'paragraph' }, caption);
    const table = tableText(values);
    if (table) builder.add(table.draft, table.text);
  }
  for (const text of texts) builder.add({ kind: 'paragraph' }, text);
  for (const comment of comments) builder.add({ kind: 'paragraph' }, comment);
}

/** Maximum number of cells that a merged range fills, and that all merged ranges of a sheet fill. */
const MERGED_CELLS_MAX = 10_000;
const MERGED_SHEET_CELLS_MAX = 200_000;

/** Repeats the value of a merged cell in all rows and columns that it spans. */
function fillMerged(rows: string[][], merged: readonly CellRange[]): void {
  let budget = MERGED_SHEET_CELLS_MAX;
  for (const { top, left, bottom: last, right } of merged) {
    const bottom = Math.min(last, rows.length - 1);
    const cells = (right - left + 1) * (bottom - top + 1);
    const value = rows[top]?.[left] ?? '';
    if (value === '' || cells > MERGED_CELLS_MAX || cells > budget) continue;
    budget -= cells;
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) rows[row]![column] = value;
    }
  }
}

/** A rectangle of cells. `top` and `left` count from 0 in the sheet. */
interface Region {
  rows: string[][];
  top: number;
  left: number;
}

/** Returns the rectangles of cells that empty rows and columns separate. A sheet may contain several tables. */
function regionsOf(region: Region, links: RowLinks): Region[] {
  const bands = rowBands(region);
  if (bands.length > 1) return bands.flatMap((band) => regionsOf(band, links));
  const band = bands[0];
  if (!band) return [];
  const columns = columnBands(band, links);
  if (columns.length > 1) return columns.flatMap((part) => regionsOf(part, links));
  return columns;
}

function rowBands({ rows, top, left }: Region): Region[] {
  const bands: Region[] = [];
  let current: string[][] = [];
  for (const [index, row] of [...rows, []].entries()) {
    if (row.some((cell) => cell !== '')) current.push(row);
    else if (current.length > 0) {
      bands.push({ rows: current, top: top + index - current.length, left });
      current = [];
    }
  }
  return bands;
}

function columnBands({ rows, top, left }: Region, links: RowLinks): Region[] {
  const used: boolean[] = [];
  for (const row of rows) for (const [column, cell] of row.entries()) if (cell !== '') used[column] = true;
  const bands: Region[] = [];
  for (let from = 0; from < used.length; from += 1) {
    if (!used[from]) continue;
    let to = from;
    while (used[to]) to += 1;
    const parts = rows.map((row) => {
      const part = Array.from({ length: to - from }, (_, i) => row[from + i] ?? '');
      const regionLinks = links.get(row)?.filter(({ column }) => column >= from && column < to);
      if (regionLinks)
        links.set(
          part,
          regionLinks.map(({ column, url }) => ({ column: column - from, url })),
        );
      return part;
    });
    bands.push({ rows: parts, top, left: left + from });
    from = to;
  }
  return bands;
}

/** Returns the cells of a region as spreadsheets write them, such as `A3:F20`. */
function rangeText({ rows, top, left }: Region): string {
  const width = rows[0]?.length ?? 0;
  return `${columnLetters(left)}${top + 1}:${columnLetters(left + width - 1)}${top + rows.length}`;
}

function writeRegion(
  builder: TextBuilder,
  rows: readonly string[][],
  cellLinks: RowLinks,
  picker: KeyPicker,
  alone: boolean,
): void {
  const linksOf = (row: readonly string[]): Link[] =>
    (cellLinks.get(row) ?? []).map(({ column, url }) => ({ text: cellText(row[column] ?? ''), url }));
  const header = rows[0]!;
  const named = header.length > 1 && header.every((cell) => cell !== '') && rows.length > 1;
  const declares = picker.names.some((key) => header.includes(key));
  const headed = declares || hasHeader(rows);
  if (declares || (named && alone)) {
    const single = declares || rows.length <= SINGLE_RECORDS_MAX;
    const writer = recordWriter(builder, headed ? header : undefined, picker, single);
    for (const row of rows.slice(headed ? 1 : 0)) writer.row(row, linksOf(row));
    writer.end();
    return;
  }
  if (rows.every((row) => row.length <= 1)) {
    builder.add({ kind: 'paragraph', links: rows.flatMap(linksOf) }, rows.map((row) => row[0] ?? '').join('\n'));
    return;
  }
  const table = tableText(rows);
  if (!table) return;
  const draft = headed ? table.draft : { ...table.draft, tableHeader: '' };
  builder.add({ ...draft, links: rows.flatMap(linksOf) }, table.text);
}
