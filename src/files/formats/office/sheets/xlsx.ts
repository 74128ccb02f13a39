/** Parses Excel workbooks: a section per sheet and a table per region of cells. Rows under a header are records. */
import { Buffer } from 'node:buffer';
import { strFromU8, strToU8 } from 'fflate';
import readWorkbook from 'read-excel-file/node';
import type { ChunkMetadataKey } from '../../../../corpus/values.ts';
import { repackZip } from '../../../detect/zip.ts';
import { KeyPicker } from '../../../metadata-values.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { TextBuilder } from '../../text-builder.ts';
import { embeddedFiles } from '../embedded-files.ts';
import { hiddenWarnings } from '../hidden.ts';
import { coreProperties, type SheetExtras, sheetExtras } from '../office-xml.ts';
import { openPackage } from '../zip-package.ts';
import { type CellFormat, shownText } from './cell-formats.ts';
import { columnIndex, hasUnnamedCells, withCellNames } from './cell-names.ts';
import { type CellRange, type RowLinks, writeSheet } from './sheets.ts';

const WANTED =
  /^(\[Content_Types\]\.xml|_rels\/|docProps\/core\.xml|xl\/(_rels\/)?[^/]+\.(xml|rels)|xl\/worksheets\/[^/]+\.xml)/;

/** A program that leaves out names of cells does so from the first rows on. */
const HEAD_BYTES = 64 * 1024;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;

/** Parses a workbook. @throws FileError for an archive that is damaged or over its limits. */
export async function parseXlsx(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const safe = repackZip(
    bytes,
    (name) => WANTED.test(name),
    (name, data) =>
      SHEET.test(name) && hasUnnamedCells(strFromU8(data.subarray(0, HEAD_BYTES)))
        ? strToU8(withCellNames(strFromU8(data)))
        : data,
  );
  const sheets = await readWorkbook(Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength));
  const parts = openPackage(bytes);
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const extras = sheetExtras(parts);
  const cells = new Map(sheets.map(({ sheet, data }) => [sheet, data]));
  const hidden: string[] = [];
  let uncalculated = 0;
  const zeroMs = /\sdate1904="(?:1|true)"/.test(parts.text('xl/workbook.xml')) ? ZERO_1904_MS : ZERO_MS;
  // A sheet that is a chart has extras and no cells.
  for (const sheet of new Set([...extras.keys(), ...cells.keys()])) {
    const extra = extras.get(sheet);
    if (extra?.hidden) {
      hidden.push(extra.part);
      continue;
    }
    uncalculated += extra?.uncalculated ?? 0;
    const data = cells.get(sheet) ?? [];
    const merged = (extra?.merged ?? []).flatMap((range) => rangeOf(range) ?? []);
    const rows = data.map((row) => row.map(valueText));
    for (const [ref, format] of extra?.formats ?? []) showFormatted(ref, format, data, rows, zeroMs);
    writeSheet(builder, picker, { ...extra, name: sheet, rows, merged, links: linksOf(extra?.links ?? [], rows) });
  }
  const properties = coreProperties(parts);
  return builder.file('xlsx', properties, {
    warnings: [
      ...picker.warnings(),
      ...hiddenWarnings(hidden.length, 'sheet'),
      ...(uncalculated === 0 ? [] : [uncalculatedWarning(uncalculated)]),
    ],
    members: embeddedFiles(parts, hidden),
  });
}

function uncalculatedWarning(cells: number): string {
  const which = cells === 1 ? '1 cell with a formula has' : `${cells} cells with formulas have`;
  return `${which} no stored value, so nothing was read there. Saving the file in a spreadsheet program stores the values.`;
}

/** The number 0 as milliseconds since 1970, in most workbooks and in those of old Macs. */
const ZERO_MS = Date.UTC(1899, 11, 30);
const ZERO_1904_MS = Date.UTC(1904, 0, 1);
const DAY_MS = 86_400_000;

/** Writes a number as it is shown. The reader of workbooks takes numbers that are shown as times for dates. */
function showFormatted(
  ref: string,
  format: CellFormat,
  data: readonly (readonly unknown[])[],
  rows: string[][],
  zeroMs: number,
): void {
  const cell = rangeOf(`${ref}:${ref}`);
  const value = cell && data[cell.top]?.[cell.left];
  const number = value instanceof Date ? (value.getTime() - zeroMs) / DAY_MS : value;
  const text = typeof number === 'number' && Number.isFinite(number) ? shownText(number, format) : undefined;
  if (text !== undefined) rows[cell!.top]![cell!.left] = text;
}

function linksOf(links: SheetExtras['links'], rows: readonly string[][]): RowLinks {
  const found: RowLinks = new Map();
  for (const { ref, url } of links) {
    const cell = rangeOf(`${ref}:${ref}`);
    const row = cell && rows[cell.top];
    if (!row) continue;
    const rowLinks = found.get(row) ?? [];
    rowLinks.push({ column: cell.left, url });
    found.set(row, rowLinks);
  }
  for (const rowLinks of found.values()) rowLinks.sort((a, b) => a.column - b.column);
  return found;
}

function rangeOf(reference: string): CellRange | undefined {
  const parts = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference);
  if (!parts) return undefined;
  const [left, right] = [columnIndex(parts[1]!), columnIndex(parts[3]!)];
  return { top: Number(parts[2]) - 1, left, bottom: Number(parts[4]) - 1, right };
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return dateText(value);
  return String(value).trim();
}

/** Returns the date, with the time unless it is midnight. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  // A workbook has days as binary fractions, which are a little less or more than a second.
  const seconds = new Date(Math.round(date.getTime() / 1000) * 1000);
  const [day, time] = seconds.toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? day! : `${day} ${time}`;
}
