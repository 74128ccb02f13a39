/** Finds the header of a table: title rows above it, headers of several rows, tables without one. Pure. */
import { columnPaths, endsWithName, hasGaps, withoutGaps } from '../../text/column-names.ts';
import { ColumnStats, isNullWord, readBoolean } from './column-stats.ts';
import type { ColumnType } from './column-type.ts';
import { readMoment } from './dates.ts';
import { readNumeral } from './numbers.ts';

export interface Header {
  /** The header of each column, or "". */
  names: string[];
  /** Texts of the title rows. */
  caption: string[];
  /** Number of rows before the first row of data. */
  rows: number;
}

/** The header is looked for in this many rows. */
export const HEAD_ROWS = 200;
/** In wider tables the first row is the header, because the work grows with the columns. */
const JUDGED_COLUMNS_MAX = 500;
const TITLE_ROWS_MAX = 5;
/** From so many names on, a row that has most of them is the header again. */
const REPEATED_NAMES_MIN = 3;
const YEAR = /^(?:19|20)\d\d$/;

/** What a reader knows of the first rows of a table. */
export interface HeaderSigns {
  /** Number of rows that the file calls header rows. */
  rows?: number;
  /** How many of them are in the head of the table (default: all). The others have head cells, in which people also write data. */
  sure?: number;
  /** For the first rows, whether a cell spans several columns. */
  spans?: readonly boolean[];
}

/** More header rows are none: the file has a whole table in its head. */
export const HEADER_ROWS_MAX = 5;

/**
 * Returns the rows of a table with one header row, whose cells are the paths of the header cells. No row may be empty. Further header rows
 * are those that the file calls so. If it calls no row so, the row below a row with gaps is one if no cell in the two rows is like the
 * values of its column, and if together they name each column once, except below a name that stands above several columns. Besides, a
 * column must have numbers or dates, or cells of the file must span the columns.
 */
export function withOneHeader<T extends readonly string[]>(
  rows: readonly T[],
  signs: HeaderSigns = {},
): (T | string[])[] {
  const { spans = [] } = signs;
  const known = knownRows(rows, signs);
  if (known === 1) return [...rows];
  if (known > 1 && known <= HEADER_ROWS_MAX && known < rows.length)
    return [columnPaths(rows.slice(0, known)), ...rows.slice(known)];
  let one: (T | string[])[] = [...rows];
  for (let row = 0; row < HEADER_ROWS_MAX - 1 && (row === 0 || spans[row]); row += 1) {
    if (!hasGaps(one[0] ?? []) || one[0]!.length > JUDGED_COLUMNS_MAX) break;
    const head = one.slice(0, HEAD_ROWS).map((cells) => cells.map((cell) => cell.trim()));
    const { names, caption, rows: count } = findHeader(head, spans[row]);
    if (count !== 2 || caption.length > 0) break;
    one = [names, ...one.slice(2)];
  }
  return one;
}

/** Returns the number of rows that the file calls header rows, without head cells that have data or the name of a group of rows. */
function knownRows(rows: readonly (readonly string[])[], { rows: known = 0, sure = known }: HeaderSigns): number {
  const trimmed = rows.slice(0, HEAD_ROWS).map((cells) => cells.map((cell) => cell.trim()));
  const width = trimmed.reduce((most, row) => Math.max(most, row.length), 0);
  for (let row = Math.max(sure, 1); row < known; row += 1) {
    const [name, ...others] = trimmed[row] ?? [];
    const isGroup = name !== '' && others.every((cell) => cell === '');
    if (isGroup && columnPaths(trimmed.slice(0, row)).every((path) => path !== '')) return row;
    if (compare(trimmed[row]!, trimmed.slice(known), width).converting > 0 && !isRun(trimmed[row]!)) return row;
  }
  return known;
}

/** Returns whether the rows have a header, below titles if there are any. Their cells need not be trimmed. */
export function hasHeader(rows: readonly (readonly string[])[]): boolean {
  if (rows.some(({ length }) => length > JUDGED_COLUMNS_MAX)) return true;
  const trimmed = rows.slice(0, HEAD_ROWS).map((row) => row.map((cell) => cell.trim()));
  return findHeader(trimmed.filter((row) => row.some((cell) => cell !== ''))).names.some((name) => name !== '');
}

/** Returns the header. `rows` are the first rows of the table. If `isSpanned`, a cell of the header spans several columns. */
export function findHeader(rows: readonly (readonly string[])[], isSpanned = false): Header {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const caption: string[] = [];
  let at = 0;
  while (width > 1 && at < TITLE_ROWS_MAX && at < rows.length - 2 && isTitle(rows, at, width)) {
    caption.push(rows[at]!.find((cell) => cell !== '') ?? '');
    at += 1;
  }
  const candidate = rows[at];
  if (!candidate) return { names: [], caption, rows: at };
  const names = Array.from({ length: width }, (_, column) => candidate[column] ?? '');
  const count = countHeaders(rows, at, width, isSpanned);
  if (count === 0) return { names: names.map(() => ''), caption, rows: at };
  const second = rows[at + 1] ?? [];
  const above = isSpanned ? names : withoutGaps(names, second);
  return { names: count === 2 ? columnPaths([above, second]) : names, caption, rows: at + count };
}

/** Returns how many rows from `at` are a header: 0, 1 or 2. */
function countHeaders(rows: readonly (readonly string[])[], at: number, width: number, isSpanned: boolean): number {
  const [first = [], second] = rows.slice(at, at + 2);
  const names = Array.from({ length: width }, (_, column) => first[column] ?? '');
  if (second && hasGaps(names) && areHeaders([first, second], rows.slice(at + 2), width, isSpanned)) return 2;
  return isHeader(first, rows.slice(at + 1), width) ? 1 : 0;
}

/** Returns whether a row has one text only, in one cell or, as the text of a merged cell, in all. */
function isTitle(rows: readonly (readonly string[])[], at: number, width: number): boolean {
  const row = rows[at]!;
  const filled = row.filter((cell) => cell !== '');
  if (filled.length <= 1) return true;
  // Columns may all have the same name. Their header has data below.
  const isOneText = filled.length === row.length && new Set(filled).size === 1;
  return isOneText && countHeaders(rows, at + 1, width, false) > 0;
}

function isHeader(candidate: readonly string[], body: readonly (readonly string[])[], width: number): boolean {
  if (body.length === 0) return true;
  const { converting, other } = compare(candidate, body, width);
  if (other > 0) return true;
  if (converting > 0) return isRun(candidate);
  return !hasValues(candidate, body);
}

/** Returns whether a row of texts has a value that comes again: such a value is no name. */
function hasValues(candidate: readonly string[], body: readonly (readonly string[])[]): boolean {
  const cells = [...candidate.entries()].filter(([, cell]) => cell !== '');
  const again = (row: readonly string[]): number => cells.filter(([column, cell]) => row[column] === cell).length;
  // Long tables repeat their header between their rows.
  if (cells.length >= REPEATED_NAMES_MIN && body.some((row) => again(row) * 4 >= cells.length * 3)) return false;
  return cells.some(([column, cell]) => {
    const same = body.filter((row) => row[column] === cell).length;
    // A column such as "Report" has the same link in all rows, with or without a header.
    return same > 0 && same < body.filter((row) => row[column]).length;
  });
}

/**
 * Returns how many cells over columns of numbers, dates and the like convert to their types, and how many do not. A year over numbers that
 * are no years may be a name.
 */
function compare(
  candidate: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): { converting: number; other: number } {
  let [converting, other] = [0, 0];
  for (let column = 0; column < width; column += 1) {
    const stats = new ColumnStats();
    for (const row of body) stats.add(row[column] ?? '');
    // A number is a number in both readings.
    const { type } = stats.decide('point', null).plan;
    const cell = candidate[column] ?? '';
    if (type === 'text' || cell === '' || isNullWord(cell)) continue;
    if (YEAR.test(cell) && !body.some((row) => YEAR.test(row[column] ?? ''))) continue;
    if (isOfKind(cell, type)) converting += 1;
    else other += 1;
  }
  return { converting, other };
}

function isOfKind(cell: string, type: ColumnType): boolean {
  if (type === 'boolean') return readBoolean(cell) !== undefined;
  if (type === 'integer' || type === 'decimal' || type === 'double') return readNumeral(cell) !== undefined;
  return readMoment(cell) !== undefined;
}

/** Returns whether the numbers of a row count up by one, as years and months in a header do. */
function isRun(row: readonly string[]): boolean {
  const numbers = row.flatMap((cell) => (/^\d{1,4}$/.test(cell) ? [Number(cell)] : []));
  return numbers.length >= 3 && numbers.every((value, i) => i === 0 || value === numbers[i - 1]! + 1);
}

/** Returns whether two rows are a header: neither has values of the columns, and together they name all columns. */
function areHeaders(
  [first, second]: readonly [readonly string[], readonly string[]],
  body: readonly (readonly string[])[],
  width: number,
  isSpanned: boolean,
): boolean {
  if (body.length === 0) return false;
  const { converting, other } = compare(second, body, width);
  const above = compare(first, body, width);
  if (converting + above.converting > 0) return false;
  if (!fitTogether(first, second, body, width)) return false;
  const isFilled = second.some((cell) => cell !== '');
  return isFilled && (other + above.other > 0 || (isSpanned && isPartlyNamed(first, second, width)));
}

/** Returns whether two rows name each column once, except below a name that stands above several columns. */
function fitTogether(
  first: readonly string[],
  second: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): boolean {
  for (let column = 0; column < width; column += 1) {
    const [name, below] = [first[column], second[column]];
    if (name && below && !endsWithName(name, below) && !isAboveSeveral(first, column)) return false;
    if (!name && !below && body.some((row) => row[column])) return false;
  }
  return true;
}

/** Returns whether a column has its only name in the first row: its cell below is empty, or the same cell. */
function isPartlyNamed(first: readonly string[], second: readonly string[], width: number): boolean {
  for (let column = 0; column < width; column += 1) {
    const [name, below] = [first[column] ?? '', second[column] ?? ''];
    if (name !== '' && !isAboveSeveral(first, column) && (below === '' || endsWithName(name, below))) return true;
  }
  return false;
}

function isAboveSeveral(first: readonly string[], column: number): boolean {
  const name = first[column];
  return name !== '' && (first[column + 1] === '' || first[column + 1] === name || first[column - 1] === name);
}
