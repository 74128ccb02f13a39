/** Parses Excel workbooks: a section per sheet and a table per region of cells. Rows under a header are records. */
import type { ChunkMetadataKey } from '../../../../corpus/values.ts';
import { badFile } from '../../../failure.ts';
import { KeyPicker } from '../../../metadata-values.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { TextBuilder } from '../../text-builder.ts';
import { embeddedFiles } from '../embedded-files.ts';
import { hiddenWarnings } from '../hidden.ts';
import { coreProperties, sheetExtras } from '../office-xml.ts';
import { openPackage } from '../zip-package.ts';
import { columnIndex } from './cell-names.ts';
import type { CellLink, CellRange } from './rows.ts';
import { writeSheet } from './sheets.ts';

/** Parses a workbook. @throws FileError for an archive that is damaged or over its limits. */
export function parseXlsx(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const parts = openPackage(bytes);
  if (!parts.has('xl/workbook.xml')) throw badFile('parse', 'Damaged workbook', 'The file has no workbook.');
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const hidden: string[] = [];
  let uncalculated = 0;
  for (const [name, extra] of sheetExtras(parts)) {
    if (extra.hidden) {
      hidden.push(extra.part);
      continue;
    }
    uncalculated += extra.uncalculated;
    const merged = extra.merged.flatMap((range) => rangeOf(range) ?? []);
    const tables = extra.tables.flatMap((range) => rangeOf(range) ?? []);
    const links = linksOf(extra.links);
    const rows = extra.rows.map((row) => {
      const own = links.get(row.index)?.filter(({ column }) => row.columns.includes(column));
      return own ? { ...row, links: own } : row;
    });
    writeSheet(builder, picker, { ...extra, name, rows, merged, tables });
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

/** Returns the links by row, in the order of columns. */
function linksOf(links: readonly { ref: string; url: string }[]): Map<number, CellLink[]> {
  const found = new Map<number, CellLink[]>();
  for (const { ref, url } of links) {
    const cell = rangeOf(`${ref}:${ref}`);
    if (!cell) continue;
    const rowLinks = found.get(cell.top) ?? [];
    rowLinks.push({ column: cell.left, url });
    found.set(cell.top, rowLinks);
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
