/** Plain tables for the terminal. Pure. */

export type Cell = string | number;

/** Returns the rows below their keys; columns of numbers and percentages are right-aligned. */
export function formatTable(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const [first] = rows;
  if (first === undefined) return '(nothing)';
  const columns = Object.keys(first);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  const isRight = columns.map((_, i) => cells.slice(1).every((line) => /^[\d.,% –-]*$/.test(line[i]!)));
  const lines = cells.map((line) =>
    line
      .map((cell, i) => (isRight[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0]!, widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

/** Returns the share in percent, or `–` when the whole is 0. */
export function percent(part: number, of: number, digits = 0): string {
  return of === 0 ? '–' : `${((100 * part) / of).toFixed(digits)} %`;
}
