/** Lays out tables: as wide as the terminal, or complete aligned lines in a pipe. Pure. */
import { printable } from './printable.ts';

export interface Column<Row> {
  title: string;
  value(row: Row): string;
  /** The text is aligned to the right, as for numbers. */
  right?: true;
  /** On a narrow terminal, the end of the text is cut and gets an ellipsis; the beginning of a `path` with several parts. */
  cut?: true | 'path';
  /** On a narrow terminal, columns with this number are left out; those with the highest number first. */
  omit?: number;
}

/** Minimum width of a column that is cut. If columns would have to be narrower, columns with `omit` are left out. */
const CUT_CELLS_MIN = 12;
/** The same for a path, as long as there are columns to leave out: its end must still tell files apart. */
const PATH_CELLS_MIN = 20;
const GAP = '  ';

export interface Table<Row> {
  /** The line of titles. */
  head: string;
  line(row: Row): string;
}

/**
 * Returns a table whose columns are as wide as `sample` needs.
 *
 * @param sample the first rows; later rows may be wider and then stick out.
 * @param width cells of the terminal; undefined in a pipe, where nothing is cut or left out.
 */
export function layOut<Row>(
  columns: readonly Column<Row>[],
  sample: readonly Row[],
  width: number | undefined,
): Table<Row> {
  const fitted = fit(
    columns.map((column) => ({ column, cells: Math.max(...textsOf(column, sample).map(cellsOf)) })),
    width,
  );
  const line = (textOf: (column: Column<Row>) => string): string =>
    fitted
      .map(({ column, cells }) => {
        const text = width !== undefined && column.cut ? cutTo(textOf(column), cells, column.cut) : textOf(column);
        const blanks = ' '.repeat(Math.max(0, cells - cellsOf(text)));
        return column.right ? blanks + text : text + blanks;
      })
      .join(GAP)
      .trimEnd();
  return {
    head: line(({ title }) => title),
    line: (row) => line((column) => cell(column.value(row))),
  };
}

/** Returns the text of a whole table. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): string {
  const { head, line } = layOut(columns, rows, width);
  return [head, ...rows.map(line)].map((text) => `${text}\n`).join('');
}

interface Fitted<Row> {
  column: Column<Row>;
  cells: number;
}

function fit<Row>(given: readonly Fitted<Row>[], width: number | undefined): readonly Fitted<Row>[] {
  if (width === undefined) return given;
  const excess = given.reduce((sum, { cells }) => sum + cells + GAP.length, -GAP.length) - width;
  if (excess <= 0) return given;
  const spare = given.reduce((sum, one) => sum + spareOf(one), 0);
  if (spare >= excess) return shrink(given, excess);
  const omitted = given.filter(({ column }) => column.omit !== undefined);
  const last = omitted.toSorted((a, b) => b.column.omit! - a.column.omit!)[0];
  return last === undefined
    ? shrink(given, excess, CUT_CELLS_MIN)
    : fit(
        given.filter((one) => one !== last),
        width,
      );
}

function spareOf<Row>({ column, cells }: Fitted<Row>, pathCellsMin = PATH_CELLS_MIN): number {
  return column.cut ? Math.max(0, cells - (column.cut === 'path' ? pathCellsMin : CUT_CELLS_MIN)) : 0;
}

/** Makes columns with `cut` narrower by `excess` cells together. Each gives in proportion to its width above the minimum. */
function shrink<Row>(given: readonly Fitted<Row>[], excess: number, pathCellsMin?: number): Fitted<Row>[] {
  let spareLeft = given.reduce((sum, one) => sum + spareOf(one, pathCellsMin), 0);
  let excessLeft = excess;
  return given.map((one) => {
    const spare = spareOf(one, pathCellsMin);
    if (spare === 0) return one;
    const less = Math.min(spare, Math.ceil((excessLeft * spare) / spareLeft));
    spareLeft -= spare;
    excessLeft -= less;
    return { ...one, cells: one.cells - less };
  });
}

function textsOf<Row>(column: Column<Row>, rows: readonly Row[]): string[] {
  return [column.title, ...rows.map((row) => cell(column.value(row)))];
}

/** Returns the printed text of a cell. An empty cell becomes `-`, because it would shift the columns for programs that split at blanks. */
function cell(text: string): string {
  return printable(text).replaceAll(/\s+/gu, ' ').trim() || '-';
}

/** East Asian characters and emoji are two cells wide; combining marks have no width. */
const WIDE_RANGES = [
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6',
  '\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3fffd}',
];
const WIDE = new RegExp(`[${WIDE_RANGES.join('')}]`, 'u');
const WITHOUT_CELL = /[\p{Mn}\p{Me}\p{Cf}]/u;

function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOfOne(character);
  return cells;
}

function cellsOfOne(character: string): number {
  if (WITHOUT_CELL.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function cutTo(text: string, cellsMax: number, cut: true | 'path'): string {
  if (cellsOf(text) <= cellsMax) return text;
  const keepsEnd = cut === 'path' && /\/| › /.test(text);
  let cells = 1;
  const kept: string[] = [];
  for (const character of keepsEnd ? [...text].reverse() : text) {
    cells += cellsOfOne(character);
    if (cells > cellsMax) break;
    kept.push(character);
  }
  return keepsEnd ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}
