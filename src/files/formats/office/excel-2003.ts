/** Parses Excel 2003 XML. Its sheets are written like those of newer workbooks. */

import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { overLimit } from '../../failure.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';
import { hiddenWarnings } from './hidden.ts';
import { columnLetters } from './sheets/cell-names.ts';
import { type CellRange, COLUMNS_MAX, ROWS_MAX, rowOf, type SheetRow } from './sheets/rows.ts';
import { writeSheet } from './sheets/sheets.ts';

/** Maximum number of cells of a sheet, including empty cells between others. */
const CELLS_MAX = 4_000_000;

/** Parses a workbook. @throws FileError over a limit. */
export function parseExcel2003(text: string, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const root = readXml(text);
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const sheets = findElements(root, 'Worksheet');
  const visible = sheets.filter((sheet) => !/Hidden$/.test(textOf(childAt(sheet, 'WorksheetOptions', 'Visible'))));
  for (const sheet of visible) {
    writeSheet(builder, picker, { name: attribute(sheet, 'ss:Name'), ...cellsOf(childAt(sheet, 'Table')) });
  }
  const head = findElements(root, 'DocumentProperties')[0];
  const value = (name: string) => textOf(childAt(head, name)).trim() || undefined;
  const title = value('Title');
  return builder.file(
    'xlsx',
    {
      title,
      author: value('Author'),
      created: value('Created'),
      modified: value('LastSaved'),
      description: value('Description'),
      keywords: value('Keywords'),
    },
    { warnings: [...picker.warnings(), ...hiddenWarnings(sheets.length - visible.length, 'sheet')] },
  );
}

/** Reads rows and cells. A row or cell without an index follows the one before. */
function cellsOf(table: XmlElement | undefined): { rows: SheetRow[]; merged: CellRange[]; comments: string[] } {
  const [rows, merged, comments]: [SheetRow[], CellRange[], string[]] = [[], [], []];
  let [last, count] = [0, 0];
  for (const row of table ? childElements(table, 'Row') : []) {
    const place = placeOf(row, last, ROWS_MAX);
    last = place;
    const top = place - 1;
    const cells: string[] = [];
    for (const cell of childElements(row, 'Cell')) {
      const left = placeOf(cell, cells.length, COLUMNS_MAX) - 1;
      while (cells.length < left) cells.push('');
      const right = Math.min(left + (Number(attribute(cell, 'ss:MergeAcross')) || 0), COLUMNS_MAX);
      const bottom = top + (Number(attribute(cell, 'ss:MergeDown')) || 0);
      if (right > left || bottom > top) merged.push({ top, left, bottom, right });
      cells[left] = cellText(cell);
      while (cells.length <= right) cells.push('');
      const comment = childAt(cell, 'Comment');
      if (comment)
        comments.push(`[${authorOf(comment)}cell: ${columnLetters(left)}${place}]: ${textOf(comment).trim()}`);
      if (count + cells.length > CELLS_MAX) throw tooLarge();
    }
    const filled = rowOf(top, cells);
    if (filled.columns.length > 0) rows.push(filled);
    count += cells.length;
  }
  return { rows, merged, comments };
}

function placeOf(element: XmlElement, before: number, most: number): number {
  const named = Number(attribute(element, 'ss:Index'));
  return named > before && named <= most ? named : before + 1;
}

function authorOf(comment: XmlElement): string {
  const author = attribute(comment, 'ss:Author').trim();
  return author === '' ? '' : `author: ${author}, `;
}

function tooLarge(): Error {
  return overLimit(`A sheet of the file has more than ${CELLS_MAX} cells.`);
}

function cellText(cell: XmlElement): string {
  const data = childAt(cell, 'Data');
  if (!data) return '';
  const text = textOf(data).trim();
  const kind = attribute(data, 'ss:Type');
  if (kind === 'DateTime')
    return (
      text
        // A time without a day has the day before the first.
        .replace(/^1899-12-31T/, '')
        .replace(/T00:00:00(?:\.0+)?$/, '')
        .replace('T', ' ')
        .replace(/\.0+$/, '')
    );
  if (kind === 'Boolean') return text === '1' ? 'true' : 'false';
  return text;
}
