/** Reads tables of HTML pages, and detects tables that are only layout. */
import { type HeadSign, type RowSigns, signsOf, spanOf, spreadCells } from '../data/spread-cells.ts';
import type { DomElement } from './dom.ts';
import { ELEMENT, HEADINGS, hasBlockInside, isHidden } from './elements.ts';
import { inlineText, type Walk } from './inline.ts';
import { isNote } from './marks.ts';

/** A longer cell in a table of one column is a paragraph. */
const ONLY_COLUMN_UNITS_MAX = 300;
/** A longer text is not the name of a group of rows. */
const GROUP_UNITS_MAX = 100;
/** Maximum length of the label of a note. */
const LABEL_UNITS_MAX = 24;

const LAYOUT = new Set(['FORM', 'ARTICLE', 'SECTION']);
const HEAD_CELL = new Set(['TH']);
const TABLE = new Set(['TABLE']);
const CELL_BREAKERS = new Set('PRE UL OL DL BLOCKQUOTE'.split(' '));
const TEXT_BLOCKS = new Set([...CELL_BREAKERS, 'P']);

/**
 * True if a table only arranges parts of the page: forms, sections, headings with texts, or other tables below no row of head
 * cells.
 */
export function isLayout(table: DomElement): boolean {
  if (/^(?:presentation|none)$/i.test(table.getAttribute('role') ?? '')) return true;
  // In this order, nested tables take linear time: most layout tables are found by the first condition.
  if (hasBlockInside(table, TABLE)) return !hasHead(table) || hasBlockInside(table, LAYOUT);
  return hasBlockInside(table, LAYOUT) || hasHeadedTexts(table);
}

function hasHeadedTexts(table: DomElement): boolean {
  return hasBlockInside(table, HEADINGS) && hasBlockInside(table, TEXT_BLOCKS);
}

function hasHead(table: DomElement): boolean {
  const [first] = rowsOf(table);
  return first !== undefined && hasOnlyHeadCells(cellsOf(first));
}

function hasOnlyHeadCells(cells: readonly DomElement[]): boolean {
  return cells.length > 0 && cells.every((cell) => /^TH$/i.test(cell.tagName));
}

/** Returns the rows of the table itself, without the rows of tables in its cells. */
function rowsOf(table: DomElement): DomElement[] {
  return Array.from(table.children).flatMap((part) => {
    if (/^TR$/i.test(part.tagName)) return [part];
    if (!/^T(?:HEAD|BODY|FOOT)$/i.test(part.tagName)) return [];
    return Array.from(part.children).filter((row) => /^TR$/i.test(row.tagName));
  });
}

/** True if a cell contains lists, code or several paragraphs. */
export function hasTextBlocks(table: DomElement): boolean {
  if (hasBlockInside(table, CELL_BREAKERS)) return true;
  return rowsOf(table).some((row) => cellsOf(row).some((cell) => cell.querySelectorAll('p').length > 1));
}

export interface TableRow extends RowSigns {
  cells: string[];
  /** True if the row is a name for the rows below it. */
  heading: boolean;
  /** True if the row contains a heading element. */
  headed: boolean;
  /** True if only the last cell has text, in a table without head cells: the row continues the row above. */
  continues: boolean;
}

/** Returns the rows of a table. A cell is repeated in all rows and columns that it spans, unless its row has no other cell. */
export function tableRows(table: DomElement, walk: Walk): TableRow[] {
  const headless = !hasBlockInside(table, HEAD_CELL);
  const rows = rowsOf(table).map((row) => {
    const cells = walk.leftOut.has(row) || isHidden(row) ? [] : cellsOf(row);
    const texts = cells.map((cell) => ({
      text: walk.leftOut.has(cell) ? '' : inlineText(cell, walk),
      columns: spanOf(cell.getAttribute('colspan')),
      rows: spanOf(cell.getAttribute('rowspan')),
    }));
    return { row, cells, texts };
  });
  const spread = spreadCells(rows.map(({ texts }) => texts));
  return rows.map(({ row, cells: rowCells, texts }, index) => {
    const cells = spread[index]!;
    const continues =
      headless && rowCells.length > 1 && rowCells.every((_, at) => (at === rowCells.length - 1) === (cells[at] !== ''));
    const signs = signsOf(texts, cells, headSign(row, rowCells));
    const headed = rowCells.length === 1 && hasBlockInside(rowCells[0]!, HEADINGS);
    const heading = headed || (rowCells.length === 1 && headless && isGroupName(cells));
    return { ...signs, cells, heading, headed, continues };
  });
}

function headSign(row: DomElement, cells: readonly DomElement[]): HeadSign {
  if (/^THEAD$/i.test(row.parentElement?.tagName ?? '')) return 'head';
  return hasOnlyHeadCells(cells) ? 'cells' : undefined;
}

/** True if the only cell of a row names the rows below it: a short text that spans a table without head cells. */
function isGroupName([name = '', ...others]: readonly string[]): boolean {
  const spans = others.length > 0 && others.every((text) => text === '');
  return spans && name !== '' && name.length <= GROUP_UNITS_MAX && !name.includes('\n');
}

/** Matches the class of an element that is a cell of a grid. */
const CELL_NAME = /(?:^|\s)(col-[\w-]+)/;
const GRID_CELLS_MIN = 4;

/** Returns the rows of a grid of elements whose classes name their columns; undefined for anything else. */
export function gridRows(element: DomElement, walk: Walk): string[][] | undefined {
  let first = element.firstChild;
  while (first && first.nodeType !== ELEMENT) first = first.nextSibling;
  if (!first || !CELL_NAME.test((first as DomElement).getAttribute('class') ?? '')) return undefined;
  const cells = Array.from(element.children);
  if (cells.length < GRID_CELLS_MIN) return undefined;
  const names: string[] = [];
  for (const cell of cells) {
    const name = /^DIV$/i.test(cell.tagName) ? CELL_NAME.exec(cell.getAttribute('class') ?? '')?.[1] : undefined;
    if (name === undefined || hasBlockInside(cell, HEADINGS)) return undefined;
    names.push(name);
  }
  const width = names.indexOf(names.at(-1)!) + 1;
  if (width < 2 || cells.length % width !== 0 || cells.length === width) return undefined;
  if (names.some((name, at) => (name === names.at(-1)) !== (at % width === width - 1))) return undefined;
  const texts = cells.map((cell) => inlineText(cell, walk));
  return Array.from({ length: cells.length / width }, (_, row) => texts.slice(row * width, (row + 1) * width));
}

export function captionOf(table: DomElement): DomElement | undefined {
  for (let node = table.firstChild; node; node = node.nextSibling) {
    if (node.nodeType === ELEMENT && /^CAPTION$/i.test((node as DomElement).tagName)) return node as DomElement;
  }
  return undefined;
}

function cellsOf(row: DomElement): DomElement[] {
  return Array.from(row.children).filter((cell) => /^T[DH]$/i.test(cell.tagName));
}

/** Returns the rows without the columns that are empty in every row. */
export function withoutEmptyColumns(rows: readonly TableRow[]): TableRow[] {
  const filled: boolean[] = [];
  for (const { cells, heading } of rows) {
    if (heading) continue;
    for (const [column, cell] of cells.entries()) filled[column] ||= cell.trim() !== '';
  }
  return rows.map((row) => ({
    ...row,
    cells: row.heading ? row.cells.filter((cell) => cell !== '') : row.cells.filter((_, column) => filled[column]),
  }));
}

/** True if a table of one column is a list of short texts, not a frame around paragraphs. */
export function isOnlyColumn(rows: readonly TableRow[]): boolean {
  return rows.length > 1 && rows.every(({ cells }) => (cells[0]?.length ?? 0) <= ONLY_COLUMN_UNITS_MAX);
}

/** True if a cell is a single opening bracket: a line of code that is laid out as a table. */
export function isBrokenLine(rows: readonly TableRow[]): boolean {
  const first = rows.find(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return first?.cells.some((cell) => /^[([{]$/.test(cell.trim())) ?? false;
}

/** Returns the label of a note that is laid out as a table of two cells: its short first cell. */
export function labelCell(table: DomElement): DomElement | undefined {
  const cells = rowsOf(table)
    .flatMap(cellsOf)
    .filter((cell) => (cell.textContent ?? '').trim() !== '');
  const [first, , third] = cells;
  if (cells.length < 2 || third || !isLabel(inlineText(first!))) return undefined;
  return /^TH$/i.test(first!.tagName) || (table.parentElement && isNote(table.parentElement)) ? first : undefined;
}

/** True for a short text without sentence marks, such as "Note" or "See also". */
export function isLabel(text: string): boolean {
  return text !== '' && text.length <= LABEL_UNITS_MAX && !/[.!?;。！？\n]/.test(text);
}
