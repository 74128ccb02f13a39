/** Rows of a sheet, which may have few cells at any places, and their division into tables. Pure. */

/** Maximum number of rows and columns of a sheet. */
export const ROWS_MAX = 1_048_576;
export const COLUMNS_MAX = 16_384;

export interface CellLink {
  column: number;
  url: string;
}

/** The cells of a row that have a text, by column. Rows and columns count from 0. */
export interface SheetRow {
  index: number;
  columns: number[];
  texts: string[];
  links?: CellLink[];
}

/** Indices of the first and last row and column. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Returns a row of these cells, of which the first stands in the first column. */
export function rowOf(index: number, cells: readonly string[], links?: CellLink[]): SheetRow {
  const columns = [...cells.keys()].filter((column) => cells[column] !== '');
  return { index, columns, texts: columns.map((column) => cells[column]!), ...(links?.length && { links }) };
}

/** Returns the rows and their cells in order, each place once and no row without cells. */
export function sortedRows(rows: readonly SheetRow[]): SheetRow[] {
  const filled = rows.filter(({ columns }) => columns.length > 0);
  if (isRising(filled.map(({ index }) => index)) && filled.every(({ columns }) => isRising(columns))) return filled;
  const cells = new Map<number, Map<number, string>>();
  for (const { index, columns, texts } of filled) {
    const row = cells.get(index) ?? new Map<number, string>();
    cells.set(index, row);
    for (const [i, column] of columns.entries()) row.set(column, texts[i]!);
  }
  return [...cells].sort(([a], [b]) => a - b).map(([index, row]) => rowFrom(index, row));
}

function rowFrom(index: number, cells: ReadonlyMap<number, string>): SheetRow {
  const sorted = [...cells].sort(([a], [b]) => a - b);
  return { index, columns: sorted.map(([column]) => column), texts: sorted.map(([, text]) => text) };
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => i === 0 || number > numbers[i - 1]!);
}

/** Maximum number of cells that a merged range fills, and that all merged ranges of a sheet fill. */
const MERGED_CELLS_MAX = 10_000;
const MERGED_SHEET_CELLS_MAX = 200_000;

/** Returns the rows with the text of each merged cell in all rows and columns that it spans. */
export function withMerged(rows: readonly SheetRow[], merged: readonly CellRange[]): SheetRow[] {
  if (merged.length === 0) return [...rows];
  const known = new Map(rows.map((row) => [row.index, row]));
  const last = rows.at(-1)?.index ?? -1;
  const filled = new Map<number, Map<number, string>>();
  const rowCells = new Map<number, ReadonlyMap<number, string>>();
  const cellsOf = (index: number) => {
    const row = known.get(index);
    const cells = rowCells.get(index) ?? new Map(row?.columns.map((column, i) => [column, row.texts[i]!]));
    rowCells.set(index, cells);
    return cells;
  };
  let budget = MERGED_SHEET_CELLS_MAX;
  for (const { top, left, bottom: end, right } of merged) {
    const bottom = Math.min(end, last);
    const cells = (right - left + 1) * (bottom - top + 1);
    if (cells < 1 || cells > MERGED_CELLS_MAX || cells > budget) continue;
    const text = cellsOf(top).get(left) ?? '';
    if (text === '') continue;
    budget -= cells;
    for (let index = top; index <= bottom; index += 1) {
      const row = filled.get(index) ?? new Map<number, string>();
      filled.set(index, row);
      for (let column = left; column <= right; column += 1) row.set(column, text);
    }
  }
  for (const [index, added] of filled) {
    const cells = new Map([...cellsOf(index), ...added]);
    known.set(index, { ...known.get(index), ...rowFrom(index, cells) });
  }
  return [...known.values()].sort((a, b) => a.index - b.index);
}

/** A rectangle of cells. `top` and `left` count from 0 in the sheet. */
export interface Region {
  rows: string[][];
  /** Links by row. Their columns count from the left of the region. */
  links: CellLink[][];
  top: number;
  left: number;
  /** Whether each cell stands at its place. Otherwise the rows have no empty cells. */
  isExact: boolean;
}

/** Empty cells that a sheet may have between its cells, besides SPARSE_FACTOR times as many as there are cells. */
const EMPTY_CELLS_MAX = 4_000_000;
const SPARSE_FACTOR = 4;

/** Returns the tables that the sheet names, and the rectangles of other cells that empty rows and columns separate, in their order. */
export function regionsOf(rows: readonly SheetRow[], tables: readonly CellRange[] = []): Region[] {
  let budget = EMPTY_CELLS_MAX;
  const { named, others } = withoutTables(rows, tables.slice(0, TABLES_MAX));
  const parts = [...named, ...divided(others)];
  if (named.length > 0) parts.sort((a, b) => a[0]!.index - b[0]!.index || a[0]!.columns[0]! - b[0]!.columns[0]!);
  return parts.map((part) => {
    const left = part.reduce((least, { columns }) => Math.min(least, columns[0]!), COLUMNS_MAX);
    const right = part.reduce((most, { columns }) => Math.max(most, columns.at(-1)!), 0);
    const filled = part.reduce((sum, { columns }) => sum + columns.length, 0);
    const empty = part.length * (right - left + 1) - filled * (SPARSE_FACTOR + 1);
    const isExact = empty <= budget;
    if (isExact) budget -= Math.max(empty, 0);
    return {
      rows: part.map(({ columns, texts }) => {
        if (!isExact) return texts;
        const cells = Array<string>(right - left + 1).fill('');
        columns.forEach((column, i) => {
          cells[column - left] = texts[i]!;
        });
        return cells;
      }),
      links: part.map(({ columns, links = [] }) =>
        links.map(({ column, url }) => ({ column: isExact ? column - left : columns.indexOf(column), url })),
      ),
      top: part[0]!.index,
      left,
      isExact,
    };
  });
}

/** Maximum number of named tables of a sheet that are read as such. */
const TABLES_MAX = 100;

/** Returns the cells of each table, and the other cells. */
function withoutTables(
  rows: readonly SheetRow[],
  tables: readonly CellRange[],
): { named: SheetRow[][]; others: readonly SheetRow[] } {
  if (tables.length === 0) return { named: [], others: rows };
  const named = tables.map((): SheetRow[] => []);
  const others: SheetRow[] = [];
  for (const row of rows) {
    const near = [...tables.entries()].filter(([, { top, bottom }]) => row.index >= top && row.index <= bottom);
    const partOf = (column: number) =>
      near.find(([, { left, right }]) => column >= left && column <= right)?.[0] ?? tables.length;
    for (const [at, part] of near.length === 0 ? [[tables.length, row] as const] : splitRow(row, partOf))
      (named[at] ?? others).push(part);
  }
  return { named: named.filter((part) => part.length > 0), others };
}

/** Returns the parts of a row by their number. */
function splitRow(
  { index, columns, texts, links }: SheetRow,
  partOf: (column: number) => number,
): Map<number, SheetRow> {
  const parts = new Map<number, SheetRow>();
  for (const [i, column] of columns.entries()) {
    const at = partOf(column);
    let part = parts.get(at);
    if (!part) {
      const own = links?.filter((link) => partOf(link.column) === at);
      part = { index, columns: [], texts: [], ...(own?.length && { links: own }) };
      parts.set(at, part);
    }
    part.columns.push(column);
    part.texts.push(texts[i]!);
  }
  return parts;
}

/** How often the parts of a sheet are divided again. */
const DIVISIONS_MAX = 20;

function divided(rows: readonly SheetRow[], depth = 0): (readonly SheetRow[])[] {
  if (rows.length === 0) return [];
  if (depth >= DIVISIONS_MAX) return [rows];
  const bands = rowBands(rows);
  const parts = bands.length > 1 ? bands : columnBands(rows);
  return parts.length > 1 ? parts.flatMap((part) => divided(part, depth + 1)) : [rows];
}

function rowBands(rows: readonly SheetRow[]): SheetRow[][] {
  const bands: SheetRow[][] = [];
  for (const [i, row] of rows.entries()) {
    if (i === 0 || row.index > rows[i - 1]!.index + 1) bands.push([row]);
    else bands.at(-1)!.push(row);
  }
  return bands;
}

function columnBands(rows: readonly SheetRow[]): SheetRow[][] {
  const used = [...new Set(rows.flatMap(({ columns }) => columns))].sort((a, b) => a - b);
  const bandOf = new Map<number, number>();
  let count = 0;
  for (const [i, column] of used.entries()) {
    if (i === 0 || column > used[i - 1]! + 1) count += 1;
    bandOf.set(column, count - 1);
  }
  if (count < 2) return [[...rows]];
  const bands = Array.from({ length: count }, (): SheetRow[] => []);
  for (const row of rows)
    for (const [at, part] of splitRow(row, (column) => bandOf.get(column)!)) bands[at]!.push(part);
  return bands;
}
