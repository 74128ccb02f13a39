/**
 * Writes tables as Markdown: one line per row, so that a table can be cut between rows. Columns are not aligned, because
 * padding would cost tokens.
 */
import { type HeaderSigns, withOneHeader } from '../../columns/header.ts';
import type { BlockDraft } from '../text-builder.ts';
import { widthOf } from './spread-cells.ts';

interface TableText {
  text: string;
  draft: BlockDraft;
}

/** Returns the text of a cell on one line, with bars escaped. */
export function cellText(raw: string): string {
  const line = raw.replace(/\s+/g, ' ').trim();
  return line.includes('|') ? line.replaceAll('|', '\\|') : line;
}

/** Returns one row of a Markdown table. */
export function rowText(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

/** Returns the header line and the delimiter line. */
export function headerText(cells: readonly string[]): string {
  return `${rowText(cells)}\n|${' --- |'.repeat(cells.length)}`;
}

/** Returns where each text begins if they are joined by a separator of this length. */
export function startsOf(texts: readonly string[], separatorUnits: number): number[] {
  let next = 0;
  return texts.map(({ length }) => {
    const start = next;
    next += length + separatorUnits;
    return start;
  });
}

/** Rows are filled up to this many columns: a single very wide row would make all others as long. */
const FILLED_COLUMNS_MAX = 100;

/**
 * Returns a table whose first row is the header, without empty rows. Several header rows become one. Rows are filled up to the widest,
 * within limits.
 */
export function tableText(rows: readonly (readonly string[])[], signs?: HeaderSigns): TableText | undefined {
  const filled = withOneHeader(
    rows.filter((row) => row.some((cell) => cell.trim() !== '')),
    signs,
  );
  const width = widthOf(filled);
  if (width === 0) return undefined;
  const columns = Math.min(width, FILLED_COLUMNS_MAX);
  const padded = filled.map((row) => [...row, ...Array<string>(Math.max(0, columns - row.length)).fill('')]);
  const parts = [headerText(padded[0]!), ...padded.slice(1).map(rowText)];
  const rowStarts = startsOf(parts, 1).slice(1);
  return { text: parts.join('\n'), draft: { kind: 'table', tableHeader: rowText(padded[0]!), rowStarts } };
}
