/** Tables of reStructuredText as rows of cells. */

/** Lines of a table. */
const TABLE_LINES_MAX = 2000;

export interface FoundTable {
  rows: string[][];
  /** The index of its last line. */
  last: number;
}

/** Simple tables (`=== ===`) and grid tables (`+---+`) that begin at a line. */
export function rstTable(lines: readonly string[], at: number): FoundTable | undefined {
  const first = lines[at]!.trimEnd();
  if (/^\+(?:[-=]+\+)+$/.test(first)) return gridTable(lines, at);
  return /^=+(?: +=+)+$/.test(first) ? simpleTable(lines, at, first) : undefined;
}

/** A cell may go over several lines; rules that reach over a part of the columns split only these. */
function gridTable(lines: readonly string[], at: number): FoundTable {
  const end = Math.min(lines.length, at + TABLE_LINES_MAX);
  let last = at;
  while (last + 1 < end && /^[+|]/.test(lines[last + 1]!)) last += 1;
  const rows: string[][] = [];
  let row: string[] | undefined;
  for (const line of lines.slice(at, last + 1)) {
    if (/^\+(?:[-=]+\+)+\s*$/.test(line)) row = undefined;
    else {
      const cells = line
        .trimEnd()
        .replace(/^[|+]|[|+]$/g, '')
        .split(/\||\+(?=[-=]{3})/)
        .map((cell) => cell.replace(/^[-=]{3,}$/, '').trim());
      if (row && row.length === cells.length)
        for (const [index, cell] of cells.entries()) row[index] = `${row[index]} ${cell}`.trim();
      else {
        row = cells;
        rows.push(row);
      }
    }
  }
  return { rows, last };
}

/** A line without words in the first column goes on with the row above. */
function simpleTable(lines: readonly string[], at: number, first: string): FoundTable | undefined {
  const starts = [...first.matchAll(/=+/g)].map((run) => run.index);
  const end = Math.min(lines.length, at + TABLE_LINES_MAX);
  const isRule = (line: string | undefined) => line !== undefined && /^=+(?: +=+)+\s*$/.test(line);
  let last = at + 2;
  while (last < end && !(isRule(lines[last]) && (lines[last + 1] ?? '').trim() === '')) last += 1;
  if (!isRule(lines[last])) return undefined;
  const rows: string[][] = [];
  for (const line of lines.slice(at + 1, last)) {
    if (line.trim() === '' || /^[= -]+$/.test(line)) continue;
    const cells = starts.map((start, i) => line.slice(start, starts[i + 1]).trim());
    const row = rows.at(-1);
    if (cells[0] === '' && row)
      for (const [index, cell] of cells.entries()) row[index] = `${row[index]} ${cell}`.trim();
    else rows.push(cells);
  }
  return { rows, last };
}

/** Rows of `list-table`: a list of lists. */
export function listTable(lines: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const line of lines) {
    const cell = /^\s*(\*)?\s*-(?:\s+(.*))?$/.exec(line);
    const row = rows.at(-1);
    if (cell?.[1]) rows.push([cell[2] ?? '']);
    else if (cell && row) row.push(cell[2] ?? '');
    else if (row && line.trim() !== '') row[row.length - 1] = `${row.at(-1)} ${line.trim()}`;
  }
  return rows;
}

/** Rows of `csv-table`. */
export function csvTable(lines: readonly string[]): string[][] {
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) =>
      [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(?:,|$)/g)]
        .map(([whole, quoted, plain]) => ({ whole, cell: (quoted ?? plain ?? '').replaceAll('""', '"').trim() }))
        .filter(({ whole }) => whole !== '')
        .map(({ cell }) => cell),
    );
}
