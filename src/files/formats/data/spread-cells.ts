/** Repeats the cells of tables that span several columns or rows, and finds their header rows. Pure. */
import { columnPaths } from '../../../text/column-names.ts';
import type { HeaderSigns } from '../../columns/header.ts';

/** Maximum rows or columns that one cell spans. */
const SPAN_MAX = 100;
/** Maximum number of repeated cells in a table. */
const REPEATED_CELLS_MAX = 10_000;
/** A longer text is not repeated. */
const REPEATED_UNITS_MAX = 300;
/** A longer title of a table is no part of the names of its columns. */
const TITLE_UNITS_MAX = 60;

export interface SpanCell {
  text: string;
  columns: number;
  rows: number;
}

/** Returns the number of columns or rows that a cell spans, within limits. */
export function spanOf(value: string | null): number {
  return Math.min(Math.max(Number.parseInt(value ?? '1', 10) || 1, 1), SPAN_MAX);
}

/** Returns rows in which each cell is repeated in all columns and rows that it spans, unless its row has no other cell. */
export function spreadCells(rows: readonly (readonly SpanCell[])[]): string[][] {
  let remaining = REPEATED_CELLS_MAX;
  const fromAbove: { text: string; rows: number }[] = [];
  return rows.map((row) => {
    const cells: string[] = [];
    const fill = () => {
      for (;;) {
        const above = fromAbove[cells.length];
        if (!above || above.rows <= 0 || remaining <= 0) return;
        above.rows -= 1;
        remaining -= 1;
        cells.push(above.text);
      }
    };
    for (const { text, columns: spanned, rows: below } of row) {
      fill();
      const repeated = text.length > REPEATED_UNITS_MAX || (row.length === 1 && cells.length === 0) ? '' : text;
      const columns = Math.min(spanned, Math.max(1, remaining));
      remaining -= columns - 1;
      for (let column = 0; column < columns; column += 1) {
        fromAbove[cells.length] = { text: repeated, rows: below - 1 };
        cells.push(column === 0 ? text : repeated);
      }
    }
    fill();
    return cells;
  });
}

/** Returns the number of columns. */
export function widthOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}

/** How a file says that a row belongs to the header: the row is in the head of the table, or all its cells are head cells. */
export type HeadSign = 'head' | 'cells' | undefined;

/** What a row of a table tells of the header. */
export interface RowSigns {
  head: HeadSign;
  /** True if a cell spans columns. */
  isSpanned: boolean;
  /** True if the row has one cell only, which spans all columns. */
  isSingle: boolean;
}

/** Returns the signs of a row. `spread` are its cells with those that are repeated. */
export function signsOf(row: readonly SpanCell[], spread: readonly string[], head: HeadSign): RowSigns {
  const isSingle = row.length === 1 && spread.length === row[0]!.columns;
  return { head, isSingle, isSpanned: row.some(({ columns }) => columns > 1) };
}

/** Returns the number of title rows of a table, and the signs of its header below them. `rows` have texts. A column has no title rows. */
export function headOf(rows: readonly RowSigns[], width: number): { titles: number; signs: HeaderSigns } {
  let titles = 0;
  while (width > 1 && rows[titles]?.isSingle && rows[titles]!.head && rows[titles + 1]?.head) titles += 1;
  const below = rows.slice(titles);
  // A head cell over all columns, below the header, is the name of a group of rows.
  const isHeader = ({ head, isSingle }: RowSigns, row: number) => head && !(isSingle && row > 0);
  const end = below.findIndex((row, index) => !isHeader(row, index));
  const known = Math.max(end, 0);
  const sure = below.slice(0, known).filter(({ head }) => head === 'head').length;
  return { titles, signs: { rows: known, sure, spans: below.map((row) => row.isSpanned) } };
}

/** Takes the title rows off, puts short titles above the names of all columns, because rules read them there, and returns the others. */
export function takeTitles(rows: string[][], count: number): string[] {
  const titles = rows.splice(0, count).map(([title]) => title!);
  const names = titles.filter(({ length }) => length <= TITLE_UNITS_MAX);
  const above = names.map((name) => Array<string>(widthOf(rows)).fill(name));
  if (above.length > 0) rows[0] = columnPaths([...above, rows[0]!]);
  return titles.filter(({ length }) => length > TITLE_UNITS_MAX);
}

/** Returns the rows of a table below its titles, without empty rows, and the signs of its header. */
export function spreadTable(
  rows: readonly (readonly SpanCell[])[],
  heads: readonly HeadSign[],
): { titles: string[]; rows: string[][]; signs: HeaderSigns } {
  const spread = spreadCells(rows);
  const filled = [...rows.keys()].filter((row) => spread[row]!.some((cell) => cell !== ''));
  const cells = filled.map((row) => spread[row]!);
  const signsOfRows = filled.map((row) => signsOf(rows[row]!, spread[row]!, heads[row]));
  const { titles, signs } = headOf(signsOfRows, widthOf(cells));
  return { titles: takeTitles(cells, titles), rows: cells, signs };
}
