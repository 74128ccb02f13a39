import type { TableRow } from '../../data/tables/tables.ts';
import type { Span } from '../../spans/spans.ts';

/**
 * Returns where a row stands in the text: up to the row that follows it, or its first character if that row is not known. Nothing if a
 * policy hides the place.
 */
export function spanOfRow(rows: readonly Pick<TableRow, 'row' | 'place'>[], at: number): Partial<Span> {
  const { row, place } = rows[at]!;
  const start = place.start_offset;
  if (start === null) return {};
  const next = rows[at + 1];
  const end = next?.row === row + 1 ? next.place.start_offset : null;
  return { start, end: end !== null && end > start ? end : start + 1 };
}
