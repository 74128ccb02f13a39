/** Splits placed words into rows, and builds the text of cells. Pure. */
import { flowGlue } from '../flow.ts';
import type { Word } from '../words.ts';
import { wordLines } from '../words.ts';

/** Characters of a cell without a blank between them; `start` and `end` are the indices of the first and last character. */
export interface CellWord {
  start: number;
  end: number;
  row: number;
  column: number;
}

export interface PlacedWord extends Word, CellWord {}

/** A number with its usual surroundings in tables: signs, units, brackets, stars. A dash stands for a missing number. */
const NUMBER_SIGNS = String.raw`[([<>≤≥±+~≈−–-]*\s?`;
const CURRENCY_BEFORE = String.raw`(?:[$€£¥]|[A-Z]{3}\s)?\s?`;
const DIGITS = String.raw`\d[\d.,'’\s:/×x^±()−–-]*\s?`;
const UNIT_AFTER = String.raw`(?:%|‰|[$€£¥]|°?[A-Za-zµ]{1,4}\d?)?`;
const NUMBER_MARKS = String.raw`[)\]*†‡]*`;
const NUMBER = new RegExp(`^${NUMBER_SIGNS}${CURRENCY_BEFORE}${DIGITS}${UNIT_AFTER}${NUMBER_MARKS}$|^[-–—−]+$`, 'u');
const NUMBER_UNITS_MAX = 30;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu;

export function isNumber(text: string): boolean {
  return text.length <= NUMBER_UNITS_MAX && NUMBER.test(text);
}

/**
 * Returns the text of each cell by rows from the top, without empty columns and rows, and the cell of each character.
 * `isFromLeft`: columns were counted from the left, so they are reversed for scripts that are read from the right.
 */
export function cellTexts(
  text: string,
  words: readonly CellWord[],
  isFromLeft: boolean,
): { rows: string[][]; cellOf: Map<number, [number, number]> } {
  const used = {
    rows: indexOfUsed(words.map(({ row }) => row)),
    columns: indexOfUsed(words.map(({ column }) => column)),
  };
  const width = used.columns.size;
  const reversed = isFromLeft && runsRightToLeft(text, words);
  const rows = Array.from({ length: used.rows.size }, () => Array<string>(width).fill(''));
  const ends = new Map<number, number>();
  const cellOf = new Map<number, [number, number]>();
  for (const { start, end, ...place } of words.toSorted((a, b) => a.start - b.start)) {
    const row = used.rows.get(place.row)!;
    const inOrder = used.columns.get(place.column)!;
    const column = reversed ? width - 1 - inOrder : inOrder;
    const word = text.slice(start, end + 1);
    const cells = rows[row]!;
    const key = row * width + column;
    const before = ends.get(key);
    cells[column] += (before === undefined ? '' : glueOf(text.slice(before + 1, start), cells[column]!, word)) + word;
    ends.set(key, end);
    for (let index = start; index <= end; index += 1) cellOf.set(index, [row, column]);
  }
  return { rows, cellOf };
}

/** Returns the text that joins two words of a cell. `between` is the text between them on the page. */
function glueOf(between: string, before: string, after: string): string {
  if (between === '') return '';
  return /^[ \t]+$/.test(between) ? ' ' : flowGlue(before, after);
}

function indexOfUsed(places: readonly number[]): Map<number, number> {
  return new Map([...new Set(places)].sort((a, b) => a - b).map((place, index) => [place, index]));
}

function runsRightToLeft(text: string, words: readonly CellWord[]): boolean {
  let [letters, reversed] = [0, 0];
  for (const { start, end } of words) {
    const word = text.slice(start, end + 1);
    letters += word.match(/\p{L}/gu)?.length ?? 0;
    reversed += word.match(RIGHT_TO_LEFT)?.length ?? 0;
  }
  return reversed * 2 > letters;
}

/** Splits the words of a stretch between two horizontal rules into rows if it has several. `row` counts from 0. */
export function splitRows(words: readonly PlacedWord[], text: string, isRuled: boolean): PlacedWord[] {
  const lines = wordLines(words).map(({ words: own, ...place }) => ({
    ...place,
    cells: cellsOf(own as PlacedWord[], text),
  }));
  if (lines.length < 2 || (isRuled && !holdsRows(lines))) return words.map((word) => ({ ...word, row: 0 }));
  const groups = tightGroups(lines);
  if (groups) return groups.flatMap((own, row) => own.map((word) => ({ ...word, row })));
  const leading = lines.slice(1).map((line, index) => lines[index]!.bottom - line.bottom);
  const tight = Math.min(...leading) * TIGHT_FACTOR;
  const widths = columnWidths(lines);
  const rows: { filled: Map<number, Cell>; row: number }[] = [];
  const placed: PlacedWord[] = [];
  for (const [index, { cells }] of lines.entries()) {
    const before = rows.at(-1);
    const near = index > 0 && leading[index - 1]! <= tight;
    const continues = before !== undefined && near && isContinued(cells, before.filled, widths);
    const row = continues ? before : { filled: new Map<number, Cell>(), row: rows.length };
    if (!continues) rows.push(row);
    for (const [column, cell] of cells) {
      row.filled.set(column, cell);
      placed.push(...cell.words.map((word) => ({ ...word, row: row.row })));
    }
  }
  return placed;
}

/**
 * Groups lines with almost no space between them into one row. Returns undefined unless other lines have space, and if a row
 * would have two numbers in one column.
 */
function tightGroups(lines: readonly Line[]): PlacedWord[][] | undefined {
  const groups: { bottom: number; lines: Line[] }[] = [];
  const leading = leadingOf(lines);
  for (const line of lines) {
    const own = [...line.cells.values()].flatMap(({ words }) => words);
    const bottom = Math.min(...own.map((word) => word.bottom));
    const group = groups.at(-1);
    if (group && group.bottom - bottom < leading + (line.top - line.bottom) * SPACE_SHARE) {
      group.lines.push(line);
      group.bottom = Math.min(group.bottom, bottom);
    } else groups.push({ bottom, lines: [line] });
  }
  if (groups.length < 2 || groups.length === lines.length) return undefined;
  const isRow = ({ lines: own }: { lines: readonly Line[] }) => {
    const columns = Map.groupBy(
      own.flatMap(({ cells }) => [...cells]),
      ([column]) => column,
    );
    const full = own.filter(({ cells }) => cells.size === columns.size).length;
    if (columns.size > 1 && full > 1) return false;
    return [...columns.values()].every((cells) => cells.filter(([, cell]) => isNumber(cell.text)).length < 2);
  };
  if (!groups.every(isRow)) return undefined;
  return groups.map(({ lines: own }) => own.flatMap(({ cells }) => [...cells.values()].flatMap(({ words }) => words)));
}

/** Returns the smallest distance between lines of one column. */
function leadingOf(lines: readonly Line[]): number {
  const above = new Map<number, number>();
  let leading = Number.POSITIVE_INFINITY;
  for (const { cells } of lines) {
    for (const [column, { words }] of cells) {
      const { bottom, top } = words[0]!;
      const distance = (above.get(column) ?? Number.POSITIVE_INFINITY) - bottom;
      if (distance > (top - bottom) / 2) leading = Math.min(leading, distance);
      above.set(column, bottom);
    }
  }
  return leading;
}

function columnWidths(lines: readonly { cells: Map<number, Cell> }[]): Map<number, number> {
  const widths = new Map<number, number>();
  for (const { cells } of lines)
    for (const [column, cell] of cells) widths.set(column, Math.max(widths.get(column) ?? 0, widthOf(cell.words)));
  return widths;
}

function widthOf(words: readonly PlacedWord[]): number {
  return Math.max(...words.map(({ right }) => right)) - Math.min(...words.map(({ left }) => left));
}

interface Line {
  bottom: number;
  top: number;
  cells: Map<number, Cell>;
}

/** Minimum space between rows, as a share of the line height. */
const SPACE_SHARE = 0.12;
/** Lines closer than this factor times the smallest distance may belong to one row. */
const TIGHT_FACTOR = 1.35;
/** A line that continues on the next line is this full when the first word of the next line is added. */
const FULL_LINE_SHARE = 0.8;
/** Two lines are two rows if this many columns have a number in both. */
const ROWS_OF_TWO_NUMBERS_MIN = 2;
/** A column with values on this share of the lines has a value in each row. */
const FULL_SHARE = 0.8;

export interface Cell {
  words: PlacedWord[];
  text: string;
}

export function cellsOf(words: readonly PlacedWord[], text: string): Map<number, Cell> {
  const groups = Map.groupBy(words, ({ column }) => column);
  return new Map(
    [...groups].map(([column, own]) => [
      column,
      { words: own, text: own.map(({ start, end }) => text.slice(start, end + 1)).join(' ') },
    ]),
  );
}

/**
 * Returns whether lines of one ruled row are separate rows: a column has one number in each line. A single cell at half height,
 * which applies to all rows, is ignored.
 */
function holdsRows(lines: readonly { cells: Map<number, Cell> }[]): boolean {
  const core = lines.filter(({ cells }) => cells.size > 1);
  if (core.length < 2) return false;
  const columns = new Set(core.flatMap(({ cells }) => [...cells.keys()]));
  const full = [...columns].filter(
    (column) => core.filter(({ cells }) => cells.has(column)).length >= core.length * FULL_SHARE,
  );
  const numbers = full.filter((column) => core.every(({ cells }) => isNumber(cells.get(column)?.text ?? '-')));
  if (core.length < lines.length && lines.some(({ cells }) => cells.size === 1 && full.includes([...cells.keys()][0]!)))
    return false;
  return full.length > 1 && numbers.length >= (core.length > 2 ? 1 : ROWS_OF_TWO_NUMBERS_MIN);
}

/**
 * Returns whether a line continues the row above. It has fewer cells and no numbers, and each cell follows a full line. Its
 * first cell may continue only alone and with a small letter.
 */
function isContinued(
  cells: ReadonlyMap<number, Cell>,
  filled: ReadonlyMap<number, Cell>,
  widths: ReadonlyMap<number, number>,
): boolean {
  const own = [...cells];
  if (cells.size >= filled.size || own.some(([column, { text }]) => !filled.has(column) || isNumber(text)))
    return false;
  if (cells.has(Math.min(...filled.keys()))) {
    if (cells.size > 1 || !own.every(([, { text }]) => /^[\p{Ll}(]/u.test(text))) return false;
  }
  return own.every(([column, { words }]) => {
    const before = filled.get(column)!.words;
    return widthOf(before) + widthOf(words.slice(0, 1)) >= widths.get(column)! * FULL_LINE_SHARE;
  });
}
