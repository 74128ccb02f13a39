/** Finds the tables of a page that have a grid of ruled lines. Pure. */

import type { Area } from '../area.ts';
import { type Glyphs, segmentsOf, wordLines, wordsOf } from '../words.ts';
import { cellTexts, type PlacedWord, splitRows } from './cells.ts';
import type { Grid } from './rules.ts';

export interface PageTable {
  /** Text of the cells, from the top and the left; the first cell of merged cells has their text. */
  rows: string[][];
  /** Row and column of each character of the table, by index of the page's text. */
  cellOf: Map<number, [number, number]>;
}

/** Maximum grids of a page, the smallest first. */
const GRIDS_MAX = 60;
/** Maximum share of characters that cross a line between columns or touch one between rows. */
const CUT_SHARE_MAX = 0.03;
/** Points by which a character must extend on both sides of a line to cross it. */
const CUT_POINTS = 1.2;
/**
 * Maximum words that continue across a line between columns, as a share of characters, and the distance of their parts in
 * points.
 */
const TORN_SHARE_MAX = 0.003;
const TEAR_POINTS = 2;
/** Minimum distance between words that may be of different columns, as a share of their height. */
const COLUMN_GAP_SHARE = 1.8;
/** Maximum share of lines inside cells that have gaps like gaps between columns. */
const HIDDEN_SHARE_MAX = 0.2;
/** Minimum share of cells with text: if the first row or column is full, and otherwise. */
const FILLED_SHARE_MIN = 0.2;
const SPARSE_FILLED_SHARE_MIN = 0.4;
const FULL_EDGE_SHARE = 0.75;
/** Minimum cells after merging, as a share of the grid: forms and drawings have lines everywhere. */
const REGULAR_SHARE_MIN = 0.3;
const REGULAR_CELLS_MIN = 24;
/** A grid with one cell of this share of all characters, and of more than this many, is a frame around a page. */
const FRAME_SHARE = 0.7;
const FRAME_UNITS_MIN = 800;

/** Returns the tables of grids and marks their characters as used in `free` (1 while free, by index of the text). */
export function gridTables(glyphs: Glyphs, grids: readonly Grid[], free: Uint8Array): PageTable[] {
  const tables: PageTable[] = [];
  for (const grid of grids.slice(0, GRIDS_MAX)) {
    const words = wordsInGrid(glyphs, grid, free);
    if (!words) continue;
    const table = cellTexts(glyphs.text, rowsInBands(words, grid, glyphs.text), true);
    if (!isTable(table.rows, grid)) continue;
    markUsed(table, free);
    tables.push(table);
  }
  return tables;
}

export function markUsed(table: PageTable, free: Uint8Array): void {
  for (const index of table.cellOf.keys()) free[index] = 0;
}

/**
 * Returns the words in a grid with their cells. Returns undefined if the grid's lines cross words, or if the words form columns
 * that the grid lacks.
 */
function wordsInGrid(glyphs: Glyphs, grid: Grid, free: Uint8Array): PlacedWord[] | undefined {
  const { left, right, bottom, top, text } = glyphs;
  const { xs, ys, first } = grid;
  const columns = xs.length - 1;
  const cells = new Int32Array(free.length).fill(-1);
  let [inside, cut, torn] = [0, 0, 0];
  for (let index = 0; index < free.length; index += 1) {
    if (free[index] === 0 || Number.isNaN(left[index]!)) continue;
    const box = { left: left[index]!, right: right[index]!, bottom: bottom[index]!, top: top[index]! };
    const [x, y] = [(box.left + box.right) / 2, (box.bottom + box.top) / 2];
    if (x < xs[0]! || x > xs.at(-1)! || y > ys[0]! || y < ys.at(-1)!) continue;
    const column = columnAt(xs, x);
    const row = Math.min(ys.length - 2, countHolding(ys.length, (at) => ys[at]! >= y) - 1);
    const cell = first[row * columns + column]!;
    cells[index] = cell;
    inside += 1;
    if (isCut(grid, row, column, box)) cut += 1;
    const before = index > 0 ? cells[index - 1]! : -1;
    if (before >= 0 && before !== cell && box.left < right[index - 1]! + TEAR_POINTS && continuesWord(text, index))
      torn += 1;
  }
  if (inside === 0 || torn > inside * TORN_SHARE_MAX || cut > Math.max(2, inside * CUT_SHARE_MAX)) return undefined;
  const words = wordsOf(glyphs, (index) => cells[index]!).map((word) => {
    const cell = cells[word.start]!;
    return { ...word, row: Math.floor(cell / columns), column: cell % columns };
  });
  const lines = [...Map.groupBy(words, ({ start }) => cells[start]!).values()].flatMap(wordLines);
  const hidden = lines.filter((line) => segmentsOf(line, COLUMN_GAP_SHARE).length > 1).length;
  return hidden > lines.length * HIDDEN_SHARE_MAX ? undefined : words;
}

/** Returns whether a small letter follows another letter, so the word continues. */
function continuesWord(text: string, index: number): boolean {
  return /^\p{L}\p{Ll}$/u.test(text.slice(index - 1, index + 1));
}

function columnAt(xs: readonly number[], x: number): number {
  return Math.max(0, Math.min(xs.length - 2, countHolding(xs.length, (at) => xs[at]! <= x) - 1));
}

/** Returns how many of the first `count` places hold, by binary search. */
function countHolding(count: number, holds: (at: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns whether a grid line crosses a character: vertically through its box, or horizontally near its middle. */
function isCut({ xs, ys, first }: Grid, row: number, column: number, box: Area): boolean {
  const columns = xs.length - 1;
  const here = first[row * columns + column]!;
  const apart = (r: number, c: number) =>
    r >= 0 && c >= 0 && r < ys.length - 1 && c < columns && first[r * columns + c] !== here;
  if (box.left < xs[column]! - CUT_POINTS && box.right > xs[column]! + CUT_POINTS && apart(row, column - 1))
    return true;
  const next = xs[column + 1]!;
  if (box.left < next - CUT_POINTS && box.right > next + CUT_POINTS && apart(row, column + 1)) return true;
  const [middle, near] = [(box.top + box.bottom) / 2, (box.top - box.bottom) * 0.12];
  if (Math.abs(ys[row]! - middle) < near && apart(row - 1, column)) return true;
  return Math.abs(ys[row + 1]! - middle) < near && apart(row + 1, column);
}

/** Splits bands of the grid into rows by their words where no lines separate the rows. */
function rowsInBands(words: readonly PlacedWord[], { xs, ys, first }: Grid, text: string): PlacedWord[] {
  const columns = xs.length - 1;
  const bands = Map.groupBy(words, ({ row }) => row);
  const placed: PlacedWord[] = [];
  let offset = 0;
  for (let row = 0; row < ys.length - 1; row += 1) {
    const bandWords = bands.get(row) ?? [];
    const isAlone = Array.from({ length: columns }, (_, column) => row * columns + column).every(
      (cell) =>
        Math.floor(first[cell]! / columns) === row &&
        (row + 2 === ys.length || first[cell + columns]! >= (row + 1) * columns),
    );
    const split = isAlone ? splitRows(bandWords, text, true) : bandWords.map((word) => ({ ...word, row: 0 }));
    for (const word of split) placed.push({ ...word, row: offset + word.row });
    offset += 1 + split.reduce((most, { row: at }) => Math.max(most, at), 0);
  }
  return placed;
}

function isTable(rows: readonly (readonly string[])[], { first }: Grid): boolean {
  const columns = rows[0]?.length ?? 0;
  if (rows.length < 2 || columns < 2) return false;
  const filledIn = (cells: readonly string[]) => cells.filter((cell) => cell !== '').length;
  const filled = rows.reduce((sum, cells) => sum + filledIn(cells), 0);
  if (rows.filter((cells) => filledIn(cells) > 1).length < 2) return false;
  const isFull =
    filledIn(rows[0]!) >= columns * FULL_EDGE_SHARE ||
    filledIn(rows.map(([cell]) => cell!)) >= rows.length * FULL_EDGE_SHARE;
  if (filled < rows.length * columns * (isFull ? FILLED_SHARE_MIN : SPARSE_FILLED_SHARE_MIN)) return false;
  const cells = first.reduce((sum, cell, index) => sum + (cell === index ? 1 : 0), 0);
  if (first.length >= REGULAR_CELLS_MIN && cells < first.length * REGULAR_SHARE_MIN) return false;
  const units = rows.flat().map((cell) => cell.length);
  const all = units.reduce((sum, length) => sum + length, 0);
  const longest = Math.max(...units);
  return longest < FRAME_UNITS_MIN || longest < all * FRAME_SHARE;
}
