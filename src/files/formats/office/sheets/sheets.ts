/** Writes sheets of workbooks: a section per sheet and a table per region of cells. Rows under a header are records. */
import type { Link } from '../../../../text/link-line.ts';
import { findHeader, HEAD_ROWS, HEADER_ROWS_MAX, hasHeader } from '../../../columns/header.ts';
import type { KeyPicker } from '../../../metadata-values.ts';
import { headedRows, recordWriter, SINGLE_RECORDS_MAX } from '../../data/records.ts';
import { cellText, tableText } from '../../data/table-text.ts';
import type { TextBuilder } from '../../text-builder.ts';
import type { ChartText } from '../chart-text.ts';
import { columnLetters } from './cell-names.ts';
import { type CellRange, type Region, regionsOf, type SheetRow, withMerged } from './rows.ts';

export interface Sheet {
  name: string;
  rows: readonly SheetRow[];
  merged: readonly CellRange[];
  /** Ranges that the workbook names as tables. */
  tables?: readonly CellRange[];
  charts?: readonly ChartText[];
  comments?: readonly string[];
  /** Texts of shapes. */
  texts?: readonly string[];
}

/** Writes a sheet, unless it has no cells, charts, texts and comments. */
export function writeSheet(builder: TextBuilder, picker: KeyPicker, sheet: Sheet): void {
  const { name, rows, merged, tables = [], charts = [], comments = [], texts = [] } = sheet;
  const regions = regionsOf(withMerged(rows, merged), tables);
  if (regions.length + comments.length + charts.length + texts.length === 0) return;
  builder.add({ kind: 'heading', level: 2 }, `## ${cellText(name)}`);
  for (const region of regions) {
    const caption = captionOf(region);
    const titled = caption.length === 0 ? region : withoutRows(region, caption.length);
    for (const title of caption) builder.add({ kind: 'paragraph' }, cellText(title));
    const before = builder.blocks.length;
    const headed = headedRegion(titled, merged, picker);
    writeRegion(builder, headed, picker, regions.length === 1);
    const block = builder.blocks[before];
    if (block && titled.isExact)
      block.region = {
        sheet: name,
        range: rangeText(titled),
        firstSheetRow: headed.top + 1,
        ...(caption.length > 0 && { caption: caption.join(' ') }),
      };
  }
  for (const { caption, rows: values } of charts) {
    builder.add({ kind: 'paragraph' }, caption);
    const table = tableText(values);
    if (table) builder.add(table.draft, table.text);
  }
  for (const text of texts) builder.add({ kind: 'paragraph' }, text);
  for (const comment of comments) builder.add({ kind: 'paragraph' }, comment);
}

/** In wider regions no titles are looked for. */
const TITLED_COLUMNS_MAX = 500;

/** Returns the title rows above the header of a region. */
function captionOf({ rows }: Region): string[] {
  if ((rows[0]?.length ?? 0) > TITLED_COLUMNS_MAX) return [];
  const { caption, names } = findHeader(rows.slice(0, HEAD_ROWS).map((row) => row.map((cell) => cell.trim())));
  const isTitled = caption.every((title) => /\p{L}/u.test(title)) && names.some((name) => name !== '');
  return isTitled ? caption : [];
}

function withoutRows({ rows, links, top, ...region }: Region, count: number): Region {
  return { ...region, rows: rows.slice(count), links: links.slice(count), top: top + count };
}

/** Returns a region whose first row has all names of its columns, with the links of all header rows. It begins at the last header row. */
function headedRegion(region: Region, merged: readonly CellRange[], picker: KeyPicker): Region {
  const { links, top, left } = region;
  if (!region.isExact) return region;
  const right = left + (region.rows[0]?.length ?? 0) - 1;
  const isSpanned = (row: number) =>
    merged.some((one) => one.top === row && one.right > one.left && one.left >= left && one.right <= right);
  const spans = Array.from({ length: HEADER_ROWS_MAX }, (_, row) => isSpanned(top + row));
  const rows = headedRows(region.rows, picker, { spans });
  const more = region.rows.length - rows.length;
  return { ...region, rows, links: [links.slice(0, more + 1).flat(), ...links.slice(more + 1)], top: top + more };
}

/** Returns the cells of a region as spreadsheets write them, such as `A3:F20`. */
function rangeText({ rows, top, left }: Region): string {
  const width = rows[0]?.length ?? 0;
  return `${columnLetters(left)}${top + 1}:${columnLetters(left + width - 1)}${top + rows.length}`;
}

function writeRegion(builder: TextBuilder, { rows, links }: Region, picker: KeyPicker, alone: boolean): void {
  const linksOf = (index: number): Link[] =>
    links[index]!.map(({ column, url }) => ({ text: cellText(rows[index]![column] ?? ''), url }));
  const allLinks = () => links.flatMap((_, index) => linksOf(index));
  const header = rows[0]!;
  const named = header.length > 1 && header.every((cell) => cell !== '') && rows.length > 1;
  const declares = picker.keysOf(header).length > 0;
  const headed = declares || hasHeader(rows);
  if (declares || (named && alone)) {
    const single = declares || rows.length <= SINGLE_RECORDS_MAX;
    const writer = recordWriter(builder, headed ? header : undefined, picker, single);
    for (const [index, row] of rows.entries()) if (index > 0 || !headed) writer.row(row, linksOf(index));
    writer.end();
    return;
  }
  if (rows.every((row) => row.length <= 1 || (new Set(row).size === 1 && /\p{L}/u.test(row[0]!)))) {
    builder.add({ kind: 'paragraph', links: allLinks() }, rows.map((row) => row[0] ?? '').join('\n'));
    return;
  }
  const table = tableText(rows);
  if (!table) return;
  const draft = headed ? table.draft : { ...table.draft, tableHeader: '' };
  builder.add({ ...draft, links: allLinks() }, table.text);
}
