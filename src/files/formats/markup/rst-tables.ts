/** Reads tables of reStructuredText as rows of cells. */

/** Maximum lines of a table. */
const TABLE_LINES_MAX = 2000;

interface FoundTable {
  rows: string[][];
  /** The index of its last line. */
  last: number;
}

/** Reads a simple table (`=== ===`) or a grid table (`+---+`) that starts at a line. */
export function rstTable(lines: readonly string[], at: number): FoundTable | undefined {
  const first = lines[at]!.trimEnd();
  if (/^\+(?:[-=]+\+)+$/.test(first)) return gridTable(lines, at);
  return /^=+(?: +=+)+$/.test(first) ? simpleTable(lines, at, first) : undefined;
}

/** Reads a grid table. A cell may have several lines, and a rule over some columns splits only these columns. */
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

/** Reads a simple table. A line without words in the first column continues the row above. */
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

/** Returns the rows of `list-table`, which is a list of lists. */
export function listTable(lines: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const line of lines) {
    const cell = /^(\*)?\s*-(?:\s([\s\S]*))?$/.exec(line.trimStart());
    const row = rows.at(-1);
    const text = (cell?.[2] ?? '').trim();
    if (cell?.[1]) rows.push([text]);
    else if (cell && row) row.push(text);
    else if (row && line.trim() !== '') row[row.length - 1] = `${row.at(-1)} ${line.trim()}`;
  }
  return rows;
}

/** Returns the rows of `csv-table`. */
export function csvTable(lines: readonly string[]): string[][] {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(csvCells);
}

function csvCells(line: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at < line.length; ) {
    while (/\s/.test(line[at] ?? '')) at += 1;
    let quoted = '';
    if (line[at] === '"') {
      const end = quoteEnd(line, at + 1);
      quoted = line.slice(at + 1, end - 1).replaceAll('""', '"');
      at = end;
    }
    const comma = line.indexOf(',', at);
    const end = comma === -1 ? line.length : comma;
    cells.push(`${quoted}${line.slice(at, end)}`.trim());
    at = end + 1;
  }
  return cells;
}

/** Returns the index after the closing quote. A doubled quote does not close. */
function quoteEnd(line: string, from: number): number {
  let end = line.indexOf('"', from);
  while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
  return end === -1 ? line.length + 1 : end + 1;
}
