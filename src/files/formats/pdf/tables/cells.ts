/** Words that were placed in the cells of a table, and the text of these cells. Pure. */
import { flowGlue } from '../flow.ts';
import type { Word } from '../words.ts';
import { wordLines } from '../words.ts';

/** Characters of a cell without a blank between them; `start` and `end` are the indices of the first and the last. */
export interface CellWord {
  start: number;
  end: number;
  row: number;
  column: number;
}

export interface PlacedWord extends Word, CellWord {}

/** A number with what stands around it in tables: signs, units, brackets, stars; a dash stands for no number. */
const NUMBER =
  /^[([<>≤≥±+~≈−–-]*\s?(?:[$€£¥]|[A-Z]{3}\s)?\s?\d[\d.,'’\s:/×x^±()−–-]*\s?(?:%|‰|[$€£¥]|°?[A-Za-zµ]{1,4}\d?)?[)\]*†‡]*$|^[-–—−]+$/u;
const NUMBER_UNITS_MAX = 30;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu;

export function isNumber(text: string): boolean {
  return text.length <= NUMBER_UNITS_MAX && NUMBER.test(text);
}

/**
 * Text of each cell by rows from the top, without the columns and rows that hold nothing; and where a word's cell is in it.
 * Columns that were counted from the left begin on the right in scripts that are read from there.
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

/** What joins two words of a cell that have `between` between them in the text of the page. */
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

/** Words of a stretch between two lines across, cut into rows where it holds several: `row` counts from 0. */
export function splitRows(words: readonly PlacedWord[], text: string, isRuled: boolean): PlacedWord[] {
  const lines = wordLines(words).map(({ words: own, ...place }) => ({
    ...place,
    cells: cellsOf(own as PlacedWord[], text),
  }));
  if (lines.length < 2 || (isRuled && !holdsRows(lines))) return words.map((word) => ({ ...word, row: 0 }));
  const slabs = slabsOf(lines);
  if (slabs) return slabs.flatMap((own, row) => own.map((word) => ({ ...word, row })));
  const leading = lines.slice(1).map((line, index) => lines[index]!.bottom - line.bottom);
  const tight = Math.min(...leading) * TIGHT_FACTOR;
  const wide = Math.max(...leading);
  const widths = columnWidths(lines);
  const rows: { filled: Map<number, Cell>; row: number }[] = [];
  const placed: PlacedWord[] = [];
  for (const [index, { cells }] of lines.entries()) {
    const before = rows.at(-1);
    const near = index > 0 && leading[index - 1]! <= tight;
    const isApart = index > 0 && leading[index - 1]! * APART_FACTOR < wide;
    const goesOn = before !== undefined && near && isContinued(cells, before.filled, widths, isApart);
    const row = goesOn ? before : { filled: new Map<number, Cell>(), row: rows.length };
    if (!goesOn) rows.push(row);
    for (const [column, cell] of cells) {
      row.filled.set(column, cell);
      placed.push(...cell.words.map((word) => ({ ...word, row: row.row })));
    }
  }
  return placed;
}

/** Lines between which there is next to no room are one row, where others have some, and where no number below a number says otherwise. */
function slabsOf(lines: readonly Line[]): PlacedWord[][] | undefined {
  const slabs: { bottom: number; lines: Line[] }[] = [];
  const leading = leadingOf(lines);
  for (const line of lines) {
    const own = [...line.cells.values()].flatMap(({ words }) => words);
    const bottom = Math.min(...own.map((word) => word.bottom));
    const slab = slabs.at(-1);
    if (slab && slab.bottom - bottom < leading + (line.top - line.bottom) * ROOM_SHARE) {
      slab.lines.push(line);
      slab.bottom = Math.min(slab.bottom, bottom);
    } else slabs.push({ bottom, lines: [line] });
  }
  if (slabs.length < 2 || slabs.length === lines.length) return undefined;
  const isRow = ({ lines: own }: { lines: readonly Line[] }) => {
    const columns = Map.groupBy(
      own.flatMap(({ cells }) => [...cells]),
      ([column]) => column,
    );
    const full = own.filter(({ cells }) => cells.size === columns.size).length;
    if (columns.size > 1 && full > 1) return false;
    return [...columns.values()].every((cells) => cells.filter(([, cell]) => isNumber(cell.text)).length < 2);
  };
  if (!slabs.every(isRow)) return undefined;
  return slabs.map(({ lines: own }) => own.flatMap(({ cells }) => [...cells.values()].flatMap(({ words }) => words)));
}

/** The smallest distance of lines of one column. */
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

/** Room between rows, as a share of the height of a line. */
const ROOM_SHARE = 0.12;
/** Distances of lines up to this times the smallest are within one row. */
const TIGHT_FACTOR = 1.35;
/** Distances of lines within a row, times this, are less than those between rows where these are known. */
const APART_FACTOR = 1.1;
/** A line that goes on in the next one is this full with the first word of that. */
const FULL_LINE_SHARE = 0.8;
/** Two lines are two rows where this many columns have a number in both. */
const ROWS_OF_TWO_NUMBERS_MIN = 2;
/** A column that is filled on this share of the lines has a value in each row. */
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
 * Whether lines of one ruled row are rows of their own: one number in each line of a column. A cell that stands at half height
 * for all of them counts for none.
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
 * Whether a line goes on with the row above: fewer cells, no numbers, each behind a full line. Not the first cell unless it begins
 * small and, where others go on too, lines of a row are known to be nearer than rows.
 */
function isContinued(
  cells: ReadonlyMap<number, Cell>,
  filled: ReadonlyMap<number, Cell>,
  widths: ReadonlyMap<number, number>,
  isApart: boolean,
): boolean {
  const own = [...cells];
  if (cells.size >= filled.size || own.some(([column, { text }]) => !filled.has(column) || isNumber(text)))
    return false;
  if (cells.has(Math.min(...filled.keys()))) {
    if (cells.size > 1 && !isApart) return false;
    if (!own.every(([, { text }]) => /^[\p{Ll}(]/u.test(text))) return false;
  }
  return own.every(([column, { words }]) => {
    const before = filled.get(column)!.words;
    return widthOf(before) + widthOf(words.slice(0, 1)) >= widths.get(column)! * FULL_LINE_SHARE;
  });
}
