/** Reads sheets of OpenDocument workbooks. The file has equal consecutive rows and cells only once, with a count. */
import { outsideLinks } from '../../../links.ts';
import type { KeyPicker } from '../../../metadata-values.ts';
import type { TextBuilder } from '../../text-builder.ts';
import { attribute, childElements, findElements, textOf, type XmlElement } from '../../xml/tree.ts';
import type { ChartText } from '../chart-text.ts';
import { columnLetters } from '../sheets/cell-names.ts';
import { type CellLink, type CellRange, COLUMNS_MAX, rowOf, type SheetRow } from '../sheets/rows.ts';
import { writeSheet } from '../sheets/sheets.ts';
import { repeats, rowElements } from './table-rows.ts';
import { isHidden, type OdfStyles } from './text.ts';

/** Maximum number of cells of a sheet, including repeated cells. */
const CELLS_MAX = 4_000_000;

/** Writes all visible sheets, and returns the number of hidden sheets. `chartsOn` returns the charts on a sheet. */
export function writeOdfSheets(
  body: XmlElement,
  builder: TextBuilder,
  picker: KeyPicker,
  styles: OdfStyles,
  chartsOn: (sheet: XmlElement) => ChartText[],
): number {
  const sheets = findElements(body, 'table');
  const visible = sheets.filter((sheet) => !isHidden(sheet, 'table', styles));
  for (const table of visible) {
    const rows: SheetRow[] = [];
    const merged: CellRange[] = [];
    const comments: string[] = [];
    let left = CELLS_MAX;
    let index = 0;
    for (const row of rowElements(table)) {
      const links: CellLink[] = [];
      const cells = rowCells(row, index, { merged, comments, links });
      const copies = cells.length === 0 ? 0 : repeats(row, 'table:number-rows-repeated');
      for (let i = 0; i < copies && left > 0; i += 1) {
        left -= cells.length + 1;
        rows.push(rowOf(index + i, cells, i === 0 ? links : undefined));
      }
      index += Number(attribute(row, 'table:number-rows-repeated')) || 1;
    }
    const charts = chartsOn(table);
    writeSheet(builder, picker, { name: attribute(table, 'table:name'), rows, merged, comments, charts });
  }
  return sheets.length - visible.length;
}

/** Returns the texts of a small table, without repetitions of rows. */
export function sheetRows(table: XmlElement): string[][] {
  return rowElements(table).map((row, index) => rowCells(row, index, { merged: [], comments: [], links: [] }));
}

/** Collects the data of rows other than texts. */
interface RowExtras {
  merged: CellRange[];
  comments: string[];
  links: CellLink[];
}

function rowCells(row: XmlElement, index: number, { merged, comments, links }: RowExtras): string[] {
  const cells: string[] = [];
  /** Number of empty cells since the last cell with content. */
  let empty = 0;
  for (const cell of childElements(row)) {
    if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
    const text = cellValue(cell);
    const comment = childElements(cell, 'annotation')
      .map((note) => paragraphs(note))
      .join(' ');
    const place = cells.length + empty;
    if (comment.trim() !== '') comments.push(`[cell: ${columnLetters(place)}${index + 1}]: ${comment}`);
    const times = Number(attribute(cell, 'table:number-columns-repeated')) || 1;
    if (text === '') {
      empty += times;
      continue;
    }
    const columns = Number(attribute(cell, 'table:number-columns-spanned')) || 1;
    const rows = Number(attribute(cell, 'table:number-rows-spanned')) || 1;
    if (columns * rows > 1)
      merged.push({ top: index, left: place, bottom: index + rows - 1, right: place + columns - 1 });
    links.push(...cellAddresses(cell).map((url) => ({ column: place, url })));
    if (empty > COLUMNS_MAX || cells.length > COLUMNS_MAX) break;
    for (; empty > 0; empty -= 1) cells.push('');
    for (let i = 0; i < repeats(cell, 'table:number-columns-repeated'); i += 1) cells.push(text);
  }
  return cells;
}

/** Returns the addresses of the links in a cell's text, and of the link in its formula. */
function cellAddresses(cell: XmlElement): string[] {
  const formula = /HYPERLINK\(\s*"([^"]{1,2000})"/.exec(attribute(cell, 'table:formula'))?.[1] ?? '';
  const texts = childElements(cell, 'p').flatMap((paragraph) => findElements(paragraph, 'a'));
  const addresses = [formula, ...texts.map((link) => attribute(link, 'xlink:href'))];
  return addresses.flatMap((address) => outsideLinks(address) ?? []);
}

/** Matches a number as it is shown. */
const SHOWN_NUMBER = /-?\d(?:[\d.,'\u00a0\u202f]*\d)?/g;

/** Returns a number with all its digits and with the words around it, such as its unit. A number such as `01234` is no quantity. */
function numberValue(value: string, shown: string): string {
  const numbers = shown.match(SHOWN_NUMBER) ?? [];
  if (value === '' || (numbers.length === 1 && /^0\d+$/.test(shown))) return shown;
  const isWorded = numbers.length === 1 && /\p{L}/u.test(shown) && !/\d\s?E[+-]?\d/i.test(shown);
  return isWorded ? shown.replace(SHOWN_NUMBER, () => value) : value;
}

/** Returns dates as they are stored, and other values as they are shown: numbers with all digits, times with two digits for hours. */
function cellValue(cell: XmlElement): string {
  const type = attribute(cell, 'office:value-type');
  if (type === 'float') return numberValue(attribute(cell, 'office:value'), paragraphs(cell));
  // A clock of one digit could be a length in a table.
  if (type === 'time') return paragraphs(cell).replace(/^(-?)(\d)(?=:)/, '$10$2');
  if (type === 'date') return attribute(cell, 'office:date-value').replace('T00:00:00', '').replace('T', ' ');
  return paragraphs(cell);
}

function paragraphs(element: XmlElement): string {
  return childElements(element, 'p')
    .map((paragraph) => textOf(paragraph).replace(/\s+/g, ' ').trim())
    .join(' ');
}
