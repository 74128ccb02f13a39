/** Reads the tables of one page and places them among its lines. */

import { readGlyphs, readGraphics, textTurn } from '../graphics.ts';
import type { PdfLine } from '../line.ts';
import type { PageText } from '../page-text.ts';
import type { PdfiumModule } from '../pdfium.ts';
import { bandTables, wordTables } from '../stretches.ts';
import type { TagReader } from '../structure.ts';
import { gridsOf } from './rules.ts';
import { gridTables, type PageTable } from './tables.ts';

/** A line of a page. */
export interface PlacedLine extends PdfLine {
  /** Indices of the first and last character of the line in the page's text. */
  start: number;
  end: number;
  /** The table at this place. */
  table?: PageTable;
}

/** Pages with fewer characters have no table; pages with more are not searched. */
const TABLE_UNITS_MIN = 8;
const TABLE_UNITS_MAX = 50_000;

export function readTables(
  module: PdfiumModule,
  page: number,
  textPage: number,
  pageText: PageText,
  tags: TagReader,
): PageTable[] {
  const { text } = pageText;
  if (text.length < TABLE_UNITS_MIN || text.length > TABLE_UNITS_MAX) return [];
  const free = new Uint8Array(text.length).fill(1);
  const tagged = tags.tablesOn(page, textPage, pageText, free);
  const turn = textTurn(module, textPage, text);
  const graphics = readGraphics(module, page, turn);
  const { grids, loose } = gridsOf(graphics.horizontal, graphics.vertical);
  const glyphs = readGlyphs(module, textPage, pageText, turn);
  return [
    ...tagged,
    ...gridTables(glyphs, grids, free),
    ...bandTables(glyphs, loose, graphics, free),
    ...wordTables(glyphs, free),
  ];
}

/** Returns the lines with each table at the place of its first character. Other lines lose the characters of tables. */
export function placeTables(lines: readonly PlacedLine[], text: string, tables: readonly PageTable[]): PlacedLine[] {
  if (tables.length === 0) return [...lines];
  const owner = new Int32Array(text.length).fill(-1);
  for (const [number, { cellOf }] of tables.entries()) for (const index of cellOf.keys()) owner[index] = number;
  const placed: PlacedLine[] = [];
  const done = new Set<number>();
  for (const line of lines) {
    for (let index = line.start; index <= line.end; ) {
      const number = owner[index]!;
      let to = index;
      while (to <= line.end && (owner[to] === number || isBlank(text, to))) to += 1;
      if (number < 0) placed.push(...partOf(line, text, index, to));
      else if (!done.has(number)) {
        done.add(number);
        placed.push(lineOf(tables[number]!, index));
      }
      index = to;
    }
  }
  return placed;
}

function isBlank(text: string, index: number): boolean {
  return text.charCodeAt(index) <= 0x20;
}

function partOf(line: PlacedLine, text: string, from: number, to: number): PlacedLine[] {
  if (from === line.start && to === line.end + 1) return [line];
  const part = text.slice(from, to);
  const trimmed = part.trim();
  if (trimmed === '') return [];
  const start = from + part.indexOf(trimmed);
  return [{ ...line, text: trimmed, start, end: start + trimmed.length - 1 }];
}

function lineOf(table: PageTable, start: number): PlacedLine {
  return {
    text: table.rows.map((cells) => cells.join(' ')).join('\n'),
    size: 0,
    rows: table.rows,
    table,
    start,
    end: start,
  };
}

/** Returns the line that contains a character. */
export function lineAt(lines: readonly PlacedLine[], index: number): PlacedLine | undefined {
  if (index < 0) return undefined;
  const holds = ({ table }: PlacedLine) =>
    table !== undefined && [0, -1, 1].some((near) => table.cellOf.has(index + near));
  return lines.find(holds) ?? lines.find(({ table, end }) => table === undefined && index <= end);
}

/** Adds the value of a field to the cell of its label, the character at `index`. */
export function fillIn({ table }: PlacedLine, index: number, value: string, isBefore: boolean): void {
  const [row, column] = table!.cellOf.get(index) ?? table!.cellOf.get(index - 1) ?? table!.cellOf.get(index + 1)!;
  const cells = table!.rows[row]!;
  cells[column] = isBefore ? `${value} ${cells[column]}` : `${cells[column]} ${value}`;
}
