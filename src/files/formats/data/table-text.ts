/** Tables as Markdown: one line per row, so that they can be cut between rows. */
import type { BlockDraft } from '../text-builder.ts';

/** Characters of a column's width are not padded: alignment costs tokens and tells nothing. */
interface TableText {
  text: string;
  draft: BlockDraft;
}

/** One cell's text on one line, with bars escaped. */
export function cellText(raw: string): string {
  const line = raw.replace(/\s+/g, ' ').trim();
  return line.includes('|') ? line.replaceAll('|', '\\|') : line;
}

/** One row of a Markdown table. */
export function rowText(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

/** Header line and delimiter line. */
export function headerText(cells: readonly string[]): string {
  return `${rowText(cells)}\n|${' --- |'.repeat(cells.length)}`;
}

/** Columns up to which rows are filled: one very wide row would make every other one as long. */
const FILLED_COLUMNS_MAX = 100;

/** A whole table; its first row is the header. Rows are filled up to the widest, within limits. Empty rows are left out. */
export function tableText(rows: readonly (readonly string[])[]): TableText | undefined {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return undefined;
  const columns = Math.min(width, FILLED_COLUMNS_MAX);
  const padded = filled.map((row) => [...row, ...Array<string>(Math.max(0, columns - row.length)).fill('')]);
  const header = headerText(padded[0]!);
  const parts = [header];
  const rowStarts: number[] = [];
  let at = header.length;
  for (const row of padded.slice(1)) {
    rowStarts.push(at + 1);
    const line = rowText(row);
    parts.push(line);
    at += 1 + line.length;
  }
  return { text: parts.join('\n'), draft: { kind: 'table', tableHeader: rowText(padded[0]!), rowStarts } };
}
