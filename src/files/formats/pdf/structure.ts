/** Reads tables that the writer of a PDF tagged: the cells of its structure tree, by the ids of their marked content. */

import type { PageText } from './page-text.ts';
import { type PdfiumModule, textOfCall, withMemory, withName } from './pdfium.ts';
import { type CellWord, cellTexts } from './tables/cells.ts';
import type { PageTable } from './tables/tables.ts';

/**
 * Maximum children of elements that are visited in a document. On each page pdfium builds all children of the elements around
 * the page's content. In a flat document of many pages this is the whole document, page by page.
 */
const CHILDREN_MAX = 2_000_000;
const ROWS_MAX = 2000;
const COLUMNS_MAX = 100;
/** A table with one cell of this share of all characters, and of more than this many, is the layout of a page. */
const LAYOUT_SHARE = 0.7;
const LAYOUT_UNITS_MIN = 600;

/** Maps the id of marked content to its cell. */
type Cells = Map<number, { row: number; column: number }>;

/** Reads the tables of a structure tree page by page; stops when the work exceeds its limit. */
export class TagReader {
  private readonly module: PdfiumModule;
  private childrenRemaining: number;

  constructor(module: PdfiumModule, childrenMax = CHILDREN_MAX) {
    this.module = module;
    this.childrenRemaining = childrenMax;
  }

  /** Returns the tables of a page and marks their characters as used in `free` (1 while free, by index of the text). */
  tablesOn(page: number, textPage: number, pageText: PageText, free: Uint8Array): PageTable[] {
    const { module } = this;
    if (this.childrenRemaining <= 0) return [];
    const tree = module._FPDF_StructTree_GetForPage(page);
    if (tree === 0) return [];
    const walk = new StructureWalk(module, this.childrenRemaining);
    walk.visitRoot(tree);
    module._FPDF_StructTree_Close(tree);
    this.childrenRemaining = walk.childrenRemaining;
    // An incomplete walk would give tables without some of their rows.
    if (this.childrenRemaining <= 0 || walk.tables.length === 0) return [];
    const numbers = contentNumbers(module, page, textPage, pageText);
    return walk.tables.flatMap((cells) => {
      const table = cellTexts(pageText.text, wordsIn(cells, numbers, free), false);
      if (!isTable(table.rows)) return [];
      for (const index of table.cellOf.keys()) free[index] = 0;
      return [table];
    });
  }
}

/** Walks the elements of a page. pdfium builds elements at most 33 deep and without cycles. */
class StructureWalk {
  readonly tables: Cells[] = [];
  /** Number of children that may still be visited. */

  childrenRemaining: number;
  private readonly module: PdfiumModule;

  constructor(module: PdfiumModule, childrenRemaining: number) {
    this.module = module;
    this.childrenRemaining = childrenRemaining;
  }

  visitRoot(tree: number): void {
    const { module } = this;
    const childAt = (index: number) => module._FPDF_StructTree_GetChildAtIndex(tree, index);
    for (const child of this.children(module._FPDF_StructTree_CountChildren(tree), childAt)) this.visit(child);
  }

  /** Collects tables below an element. Returns true if there is one. A table that contains tables is only a layout. */
  visit(element: number): boolean {
    if (element === 0) return false;
    let found = false;
    for (const child of this.childrenOf(element)) if (this.visit(child)) found = true;
    if (found || this.typeOf(element) !== 'Table') return found;
    this.tables.push(this.cellsOf(element));
    return true;
  }

  private typeOf(element: number): string {
    const { module } = this;
    return textOfCall(module, (buffer, bytes) => module._FPDF_StructElement_GetType(element, buffer, bytes)) ?? '';
  }

  /** Returns the children of an element: 0 for a child that is no element or has no content on this page. */
  private childrenOf(element: number): number[] {
    const { module } = this;
    const childAt = (index: number) => module._FPDF_StructElement_GetChildAtIndex(element, index);
    return this.children(module._FPDF_StructElement_CountChildren(element), childAt);
  }

  private children(count: number, childAt: (index: number) => number): number[] {
    this.childrenRemaining -= 1 + Math.max(0, count);
    if (this.childrenRemaining <= 0) return [];
    return Array.from({ length: Math.max(0, count) }, (_, index) => childAt(index));
  }

  private cellsOf(table: number): Cells {
    const cells: Cells = new Map();
    /** By column: the row after the last row that a cell from above covers. */
    const coveredUntil: number[] = [];
    for (const [row, element] of this.rowsOf(table, 0).slice(0, ROWS_MAX).entries()) {
      let column = 0;
      for (const cell of this.childrenOf(element)) {
        while ((coveredUntil[column] ?? 0) > row) column += 1;
        const width = cell === 0 ? 1 : this.span(cell, 'ColSpan');
        const height = cell === 0 ? 1 : this.span(cell, 'RowSpan');
        if (column + width > COLUMNS_MAX) break;
        if (cell !== 0) this.collect(cell, (number) => cells.set(number, { row, column }));
        for (let at = 0; at < width; at += 1) coveredUntil[column + at] = row + height;
        column += width;
      }
    }
    return cells;
  }

  private rowsOf(element: number, depth: number): number[] {
    return this.childrenOf(element).flatMap((child) => {
      if (child === 0) return [];
      const type = this.typeOf(child);
      if (type === 'TR') return [child];
      return depth < 2 && /^T(Head|Body|Foot)$/.test(type) ? this.rowsOf(child, depth + 1) : [];
    });
  }

  /** Adds the ids of all content below an element. */
  private collect(element: number, add: (number: number) => void): void {
    for (const [at, child] of this.childrenOf(element).entries()) {
      if (child !== 0) {
        this.collect(child, add);
        continue;
      }
      const number = this.module._FPDF_StructElement_GetChildMarkedContentID(element, at);
      if (number >= 0) add(number);
    }
  }

  private span(cell: number, name: string): number {
    const { module } = this;
    const count = Math.min(Math.max(0, module._FPDF_StructElement_GetAttributeCount(cell)), 10);
    for (let index = 0; index < count; index += 1) {
      const attributes = module._FPDF_StructElement_GetAttributeAtIndex(cell, index);
      const value = withName(module, name, (key) => module._FPDF_StructElement_Attr_GetValue(attributes, key));
      if (value === 0) continue;
      const span = withMemory(module, 4, (pointer) =>
        module._FPDF_StructElement_Attr_GetNumberValue(value, pointer) ? module.HEAPF32[pointer >> 2]! : 1,
      );
      return Number.isInteger(span) && span > 0 ? Math.min(span, ROWS_MAX) : 1;
    }
    return 1;
  }
}

/**
 * Returns the id of the marked content of each character of a text, -1 for none. Content of forms has separate ids, which are
 * ignored.
 */
function contentNumbers(module: PdfiumModule, page: number, textPage: number, { text, indexOf }: PageText): Int32Array {
  const count = Math.max(0, module._FPDFPage_CountObjects(page));
  const ofPage = new Set(Array.from({ length: count }, (_, index) => module._FPDFPage_GetObject(page, index)));
  const numbers = new Int32Array(text.length).fill(-1);
  let [object, number] = [0, -1];
  for (let unit = 0; unit < text.length; unit += 1) {
    if (text.charCodeAt(unit) <= 0x20) continue;
    const own = module._FPDFText_GetTextObject(textPage, indexOf(unit));
    if (own !== object) {
      object = own;
      number = ofPage.has(own) ? module._FPDFPageObj_GetMarkedContentID(own) : -1;
    }
    numbers[unit] = number;
  }
  return numbers;
}

function wordsIn(cells: Cells, numbers: Int32Array, free: Uint8Array): CellWord[] {
  const words: CellWord[] = [];
  for (let index = 0; index < numbers.length; index += 1) {
    const cell = free[index] === 1 ? cells.get(numbers[index]!) : undefined;
    if (!cell) continue;
    const last = words.at(-1);
    if (last?.end === index - 1 && last.row === cell.row && last.column === cell.column) last.end = index;
    else words.push({ ...cell, start: index, end: index });
  }
  return words;
}

/** Returns whether the rows are a real table: layouts of pages may be tagged as tables too. */
function isTable(rows: readonly (readonly string[])[]): boolean {
  if (rows.length < 2 || rows[0]!.length < 2) return false;
  if (rows.filter((cells) => cells.filter((cell) => cell !== '').length > 1).length < 2) return false;
  const units = rows.flat().map((cell) => cell.length);
  const longest = units.reduce((most, length) => Math.max(most, length), 0);
  return longest < LAYOUT_UNITS_MIN || longest < units.reduce((sum, length) => sum + length, 0) * LAYOUT_SHARE;
}
