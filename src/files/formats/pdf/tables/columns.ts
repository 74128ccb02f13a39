/**
 * Finds columns without ruled lines, by gaps that run through all lines of a stretch of a page. This is the stream method of
 * Tabula and Nurminen, used on stretches between horizontal rules and, more strictly, on lines alone. Pure.
 */

import { segmentsOf, type Word, type WordLine, wordLines } from '../words.ts';
import { type Cell, cellsOf, isNumber, type PlacedWord, splitRows } from './cells.ts';

/** Minimum width of a gap between columns, as a share of the line height. */
const GAP_SHARE = 0.6;
/** Maximum share of lines that cross such a gap: headings of several columns, and long values. */
const ACROSS_SHARE = 0.12;
const ACROSS_LINES_MIN = 5;
const COLUMNS_MAX = 40;
/** Points by which a word must extend to cross an edge, and the maximum share of such words. */
const EDGE_POINTS = 2;
const EDGE_ACROSS_SHARE_MAX = 0.05;

/** How the place of a table was found: between horizontal rules, or by its words alone. */
export type Evidence = 'ruled' | 'words';

/**
 * Returns the rows of stretches, from the top, with their words in columns. Returns undefined if they do not look like a table.
 * `edges` are positions where lines or areas drawn per cell meet.
 */
export function alignedRows(
  stretches: readonly (readonly Word[])[],
  text: string,
  evidence: Evidence,
  edges: readonly number[] = [],
): { words: PlacedWord[]; gaps: readonly number[] } | undefined {
  const lines = stretches.map((words) => wordLines(words));
  const gaps = longerOf(edgesBetween(edges, stretches.flat()), columnGaps(lines.flat()));
  if (!gaps || gaps.length === 0 || gaps.length >= COLUMNS_MAX) return undefined;
  const placed = lines.map((own) => own.flatMap((line) => placeLine(line, gaps)));
  const isRuled = areRows(placed);
  let offset = 0;
  const found = placed.flatMap((own, index) => {
    const rows = splitRows(own, text, evidence === 'ruled' && (isRuled || (index === 0 && placed.length > 1)));
    const first = offset;
    offset += 1 + rows.reduce((most, { row }) => Math.max(most, row), -1);
    return rows.map((word) => ({ ...word, row: word.row + first }));
  });
  return isTable(found, text, gaps.length + 1, evidence) ? { words: found, gaps } : undefined;
}

/** Returns edges between words, or none if words cross them. */
function edgesBetween(edges: readonly number[], words: readonly Word[]): readonly number[] {
  const across = words.filter(({ left, right }) =>
    edges.some((edge) => left < edge - EDGE_POINTS && right > edge + EDGE_POINTS),
  );
  if (across.length > words.length * EDGE_ACROSS_SHARE_MAX) return [];
  return edges.filter(
    (edge) =>
      words.some(({ right }) => right < edge + EDGE_POINTS) && words.some(({ left }) => left > edge - EDGE_POINTS),
  );
}

function longerOf(edges: readonly number[], gaps: readonly number[] | undefined): readonly number[] | undefined {
  return edges.length > 0 && edges.length >= (gaps?.length ?? 0) ? edges : gaps;
}

/** Returns the middles of the gaps that run through the lines. */
function columnGaps(lines: readonly WordLine[]): number[] | undefined {
  const cut = lines.map((line) => segmentsOf(line, GAP_SHARE)).filter((segments) => segments.length > 1);
  if (cut.length < 2) return undefined;
  const heights = lines.map(({ bottom, top }) => top - bottom).sort((a, b) => a - b);
  const width = heights[heights.length >> 1]! * GAP_SHARE;
  const allowed = cut.length >= ACROSS_LINES_MIN ? Math.max(1, Math.floor(cut.length * ACROSS_SHARE)) : 0;
  const ends = cut.flat().flatMap((segment): [number, number][] => [
    [segment[0]!.left, 1],
    [Math.max(...segment.map(({ right }) => right)), -1],
  ]);
  ends.sort(([a, x], [b, y]) => a - b || y - x);
  const gaps: number[] = [];
  let [open, from] = [0, Number.NaN];
  for (const [at, step] of ends) {
    const before = open;
    open += step;
    if (before > allowed && open <= allowed) from = at;
    if (before <= allowed && open > allowed && at - from >= width) gaps.push((from + at) / 2);
  }
  return gaps;
}

/** Places a line in columns. A segment across a gap belongs to the column on its left, unless a blank lies in the gap. */
export function placeLine(line: WordLine, gaps: readonly number[]): PlacedWord[] {
  const columnOf = (x: number) => gaps.filter((gap) => gap < x).length;
  return segmentsOf(line, GAP_SHARE).flatMap((segment) => {
    let column = columnOf(segment[0]!.left);
    let right = Number.POSITIVE_INFINITY;
    return segment.map((word): PlacedWord => {
      const own = columnOf(word.left);
      if (own > column && gaps.some((gap) => gap > right && gap < word.left)) column = own;
      right = word.right;
      return { ...word, row: 0, column };
    });
  });
}

/** Returns whether stretches are rows: most have at most one line in their first column. */
function areRows(stretches: readonly (readonly PlacedWord[])[]): boolean {
  const counts = stretches
    .slice(1)
    .map((words) => wordLines(words.filter(({ column }) => column === 0)).length)
    .filter((count) => count > 0);
  return counts.length > 1 && counts.filter((count) => count === 1).length * 2 > counts.length;
}

const ROWS_MIN = { ruled: 2, words: 3 };
/** Minimum share of rows with values in several columns, and of cells with a value. */
const SEVERAL_SHARE_MIN = { ruled: 0.6, words: 0.75 };
const FILLED_SHARE_MIN = { ruled: 0.4, words: 0.6 };
/** Minimum average words per cell of a column of sentences. */
const SENTENCE_WORDS_MIN = 5;
/** Minimum share of values of a column that are numbers, or that start or end at one position. */
const NUMBERS_SHARE_MIN = 0.6;
const PAIR_NUMBERS_SHARE_MIN = 0.8;
const ALIGNED_SHARE_MIN = 0.75;
const ALIGNED_POINTS = 2.5;
/** Limits for tables without rules and numbers. */
const UNRULED_ROWS_MIN = 4;
const UNRULED_WORDS_MAX = 3;
const UNRULED_FILLED_SHARE_MIN = 0.85;
const UNRULED_LOWERCASE_SHARE_MAX = 0.2;
/** Marks of lists, formulas, code, mail addresses and dot leaders. */
const NOT_A_VALUE = /^[•◦▪‣●○■□]|[=∑∫√{};@]|\.{4}|…|(?:\. ){3}/;
const NOT_A_VALUE_SHARE_MAX = 0.1;
/** Minimum lines of a table of contents. */
const CONTENTS_LINES_MIN = 3;
const PAGE = /^\d{1,4}$/;
const DASH = /^[^\p{L}\p{N}]{1,2}$/u;
const MARK = /^(?:[•◦▪‣●○■□✔→–—*-]|[[(]?[\dA-Za-z]{1,3}[.)\]]|\d+(?:\.\d+)+\.?)$/;

function isTable(words: readonly PlacedWord[], text: string, columns: number, evidence: Evidence): boolean {
  const rows = [...Map.groupBy(words, ({ row }) => row).values()].map((own) => cellsOf(own, text));
  const count = rows.length;
  if (count < ROWS_MIN[evidence]) return false;
  if (rows.filter((cells) => cells.size > 1).length < count * SEVERAL_SHARE_MIN[evidence]) return false;
  const cells = rows.reduce((sum, row) => sum + row.size, 0);
  if (cells < count * columns * FILLED_SHARE_MIN[evidence]) return false;
  const values = Array.from({ length: columns }, (_, column) => rows.flatMap((row) => row.get(column) ?? []));
  const long = values.filter((own) => mean(own.map((cell) => cell.words.length)) >= SENTENCE_WORDS_MIN).length;
  if (long > (columns > 2 ? columns / 2 : 1)) return false;
  if (values[0]!.every(({ text: value }) => MARK.test(value))) return false;
  if (values.some((own) => own.every(({ text: value }) => DASH.test(value)))) return false;
  return evidence === 'ruled' || isSure(values, rows, long);
}

/** Further conditions for a table that was found by its words alone. */
function isSure(
  values: readonly (readonly Cell[])[],
  rows: readonly ReadonlyMap<number, Cell>[],
  long: number,
): boolean {
  const all = values.flat();
  const [columns, count] = [values.length, rows.length];
  if (all.filter((cell) => NOT_A_VALUE.test(cell.text)).length > all.length * NOT_A_VALUE_SHARE_MAX) return false;
  if (!values.every(isAligned)) return false;
  // The first row may be a heading.
  const numbers = values.map((own) => {
    const compared = own.slice(1).filter(({ text }) => !DASH.test(text));
    return compared.filter(({ text }) => isNumber(text)).length / Math.max(1, compared.length);
  });
  if (isContents(values)) return false;
  if (columns === 2) {
    return long === 0 && numbers[1]! >= PAIR_NUMBERS_SHARE_MIN && numbers[0]! < NUMBERS_SHARE_MIN;
  }
  if (long > 1) return false;
  if (numbers.some((share) => share >= NUMBERS_SHARE_MIN)) return true;
  const isFull = all.length >= count * columns * UNRULED_FILLED_SHARE_MIN;
  const small = all.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
  if (count < UNRULED_ROWS_MIN || !isFull || small > all.length * UNRULED_LOWERCASE_SHARE_MAX) return false;
  return long === 0 && mean(all.map((cell) => cell.words.length)) <= UNRULED_WORDS_MAX;
}

/** Returns whether the columns are a table of contents: the last column has ascending page numbers. */
function isContents(values: readonly (readonly Cell[])[]): boolean {
  const pages = values.at(-1)!.map(({ text }) => (PAGE.test(text) ? Number(text) : Number.NaN));
  return pages.length >= CONTENTS_LINES_MIN && pages.every((page, index) => index === 0 || page >= pages[index - 1]!);
}

/** Returns whether most values of a column share a left edge, a right edge or a middle. */
function isAligned(values: readonly Cell[]): boolean {
  const boxes = values.map(({ words }) => ({ left: words[0]!.left, right: words.at(-1)!.right }));
  const places = [
    boxes.map(({ left }) => left),
    boxes.map(({ right }) => right),
    boxes.map(({ left, right }) => (left + right) / 2),
  ];
  return places.some((own) => {
    const middle = own.toSorted((a, b) => a - b)[own.length >> 1]!;
    const near = own.filter((place) => Math.abs(place - middle) <= ALIGNED_POINTS).length;
    return near >= own.length * ALIGNED_SHARE_MIN;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
