/** Redacts cells of tables. A rule sees each cell beside its header, in the usual ways of writing it: the source has one of them. */
import type { ColumnType } from '../files/columns/column-type.ts';
import { headerForms } from '../redaction/column-headers.ts';
import type { ApplyAt, RedactionMatch, Redactor } from '../redaction/redact.ts';
import type { TableColumn } from './table.ts';

export interface RowCell {
  column: Pick<TableColumn, 'header' | 'name' | 'type'>;
  /** As `valueText` writes it; null if the cell is empty. */
  text: string | null;
}

/**
 * Redacts the cells of a row together with their headers, as a record of a source is: a rule may need the neighbours of a value. Returns
 * the new text of each changed cell, and null for the others; undefined if a rule blocks the row.
 */
export async function redactRow(
  redactor: Redactor | null,
  cells: readonly RowCell[],
  steps: readonly ApplyAt[],
  signal?: AbortSignal,
): Promise<(string | null)[] | undefined> {
  const changed: (string | null)[] = cells.map(() => null);
  for (const step of steps) {
    if (!redactor?.appliesAt(step)) continue;
    const { text, parts } = textOfRow(cells, changed);
    const { matches, blocked } = await redactor.redact(text, step, signal);
    if (blocked) return undefined;
    if (matches.length > 0) mask(changed, parts, matches);
  }
  return changed;
}

interface Part {
  cell: number;
  /** The text of the cell in this line. */
  form: string;
  /** Half-open range of code points of the cell in the text of the row. */
  start: number;
  end: number;
}

/** Returns the row as text, `header: cell` in each line for each way of writing the two, and where its cells are. */
function textOfRow(cells: readonly RowCell[], changed: readonly (string | null)[]): { text: string; parts: Part[] } {
  const parts: Part[] = [];
  let text = '';
  let length = 0;
  const add = (added: string): void => {
    text += added;
    length += [...added].length;
  };
  for (const [cell, { column, text: original }] of cells.entries()) {
    const masked = changed[cell] ?? null;
    const forms = masked === null ? (original === null ? [] : formsOf(original, column.type)) : [masked];
    const header = column.header || column.name;
    for (const form of forms) {
      for (const words of new Set([header, ...headerForms(header)])) {
        add(`${words}: `);
        const start = length;
        add(form);
        parts.push({ cell, form, start, end: length });
        add('\n');
      }
    }
  }
  return { text, parts };
}

/** Replaces what the matches cover. Of several forms of a cell, the first with a match counts, below all forms of its header. */
function mask(changed: (string | null)[], parts: readonly Part[], matches: readonly RedactionMatch[]): void {
  const found = new Map<number, { form: string; within: { start: number; end: number; replacement: string }[] }>();
  for (const { cell, form, start, end } of parts) {
    const within = matches
      .filter((match) => match.start < end && match.end > start)
      .map((match) => ({ ...match, start: Math.max(0, match.start - start), end: Math.min(end, match.end) - start }));
    const known = found.get(cell);
    if (known?.form === form) known.within.push(...within);
    else if (!known && within.length > 0) found.set(cell, { form, within });
  }
  for (const [cell, { form, within }] of found) {
    const points = [...form];
    let shown = '';
    let at = 0;
    for (const match of within.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (match.end <= at) continue;
      shown += points.slice(at, Math.max(at, match.start)).join('') + match.replacement;
      at = match.end;
    }
    changed[cell] = shown + points.slice(at).join('');
  }
}

/** Returns a number or date in the ways in which a source may have it. Text stands as the source has it. */
export function formsOf(text: string, type: ColumnType): string[] {
  const number = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (number && (type === 'integer' || type === 'decimal' || type === 'double')) {
    const [, whole = '', fraction] = number;
    const grouped = (mark: string): string => whole.replace(/\B(?=(\d{3})+$)/g, mark);
    const decimals = (mark: string): string => (fraction === undefined ? '' : mark + fraction);
    return [
      ...new Set([text, grouped(',') + decimals('.'), grouped('.') + decimals(','), grouped(' ') + decimals(',')]),
    ];
  }
  const date = /^(\d{4})-(\d{2})-(\d{2})(.*)$/.exec(text);
  if (!date || (type !== 'date' && type !== 'datetime')) return [text];
  const [, year, month, day, rest = ''] = date;
  const [d, m] = [Number(day), Number(month)];
  const forms = [`${day}/${month}/${year}`, `${month}/${day}/${year}`, `${d}/${m}/${year}`, `${m}/${d}/${year}`];
  const dashed = [`${day}.${month}.${year}`, `${d}.${m}.${year}`, `${day}-${month}-${year}`];
  return [...new Set([text, ...[...forms, ...dashed].map((form) => form + rest.replace('T', ' '))])];
}
