/** Finds the header of a table: title rows above it, headers of two rows, tables without one. Pure. */
import type { ColumnType } from '../table.ts';
import { ColumnStats, isNullWord, readBoolean } from './column-stats.ts';
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

const TITLE_ROWS_MAX = 5;

/** Returns the header. `rows` are the first rows of the table. */
export function findHeader(rows: readonly (readonly string[])[]): Header {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const caption: string[] = [];
  let at = 0;
  while (width > 1 && at < TITLE_ROWS_MAX && at < rows.length - 2 && isTitle(rows[at]!)) {
    caption.push(rows[at]!.find((cell) => cell !== '') ?? '');
    at += 1;
  }
  const candidate = rows[at];
  if (!candidate) return { names: [], caption, rows: at };
  const body = rows.slice(at + 1);
  if (!isHeader(candidate, body, width)) return { names: Array<string>(width).fill(''), caption, rows: at };
  const second = rows[at + 1];
  const names = Array.from({ length: width }, (_, column) => candidate[column] ?? '');
  if (second && hasGaps(names) && isSecondHeader(second, rows.slice(at + 2), width)) {
    return { names: names.map((name, column) => joined(name, second[column] ?? '')), caption, rows: at + 2 };
  }
  return { names, caption, rows: at + 1 };
}

/** Returns whether a row has one text only, in one cell or, as the text of a merged cell, in all. */
function isTitle(row: readonly string[]): boolean {
  const filled = row.filter((cell) => cell !== '');
  return filled.length <= 1 || (filled.length === row.length && new Set(filled).size === 1);
}

function isHeader(candidate: readonly string[], body: readonly (readonly string[])[], width: number): boolean {
  if (body.length === 0) return true;
  const { converting, other } = compare(candidate, body, width);
  if (other > 0) return true;
  if (converting > 0) return isRun(candidate);
  // All columns are text. A value that comes again is no name.
  return !candidate.some((cell, column) => cell !== '' && body.some((row) => row[column] === cell));
}

/** Returns how many cells over columns of numbers, dates and the like convert to their types, and how many do not. */
function compare(
  candidate: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): { converting: number; other: number } {
  let [converting, other] = [0, 0];
  for (let column = 0; column < width; column += 1) {
    const stats = new ColumnStats();
    for (const row of body) stats.add(row[column] ?? '');
    const { type } = stats.decide(undefined, null).plan;
    const cell = candidate[column] ?? '';
    if (type === 'text' || cell === '' || isNullWord(cell)) continue;
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

function hasGaps(names: readonly string[]): boolean {
  return names.some((name, column) => name === '' || name === names[column + 1]);
}

function isSecondHeader(second: readonly string[], body: readonly (readonly string[])[], width: number): boolean {
  if (body.length === 0 || second.filter((cell) => cell !== '').length * 2 < width) return false;
  const { converting, other } = compare(second, body, width);
  return other > 0 && converting === 0;
}

function joined(first: string, second: string): string {
  return first === '' || second === '' || first === second ? first || second : `${first} / ${second}`;
}
