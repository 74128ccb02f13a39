/** Applies the rules for output to the result of a query. */
import { redactCell, redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { Cell, QueryResult } from '../../tables/engine/protocol.ts';

/** Returns columns and rows as readers see them, and the positions of the rows without a blocked cell. */
export async function resultForReader(
  redactor: Redactor | null,
  { columns, rows }: QueryResult,
  signal: AbortSignal,
): Promise<{ shown: Pick<QueryResult, 'columns' | 'rows'>; kept: number[] }> {
  if (!redactor?.appliesAt('output')) return { shown: { columns, rows }, kept: rows.map((_, i) => i) };
  const shown: Cell[][] = [];
  const kept: number[] = [];
  for (const [i, row] of rows.entries()) {
    const cells: Cell[] = [];
    for (const [at, cell] of row.entries()) {
      const one = await readerCell(redactor, cell, columns[at]!.name, signal);
      if (one === undefined) break;
      cells.push(one);
    }
    if (cells.length < row.length) continue;
    shown.push(cells);
    kept.push(i);
  }
  const named: QueryResult['columns'] = [];
  for (const { name, type } of columns) {
    // The names are the caller's own words, so that a hash would tell the hash of a chosen value.
    named.push({ name: (await redactText(redactor.withoutHashes, name, ['output'], signal)) ?? '', type });
  }
  return { shown: { columns: named, rows: shown }, kept };
}

async function readerCell(
  redactor: Redactor,
  cell: Cell,
  header: string,
  signal: AbortSignal,
): Promise<Cell | undefined> {
  if (cell === null || typeof cell === 'boolean') return cell;
  if (Array.isArray(cell)) {
    const members: Cell[] = [];
    for (const member of cell) {
      const shown = await readerCell(redactor, member, header, signal);
      if (shown === undefined) return undefined;
      members.push(shown);
    }
    return members;
  }
  if (typeof cell === 'object') {
    const members = await readerCell(redactor, Object.values(cell), header, signal);
    if (members === undefined) return undefined;
    return Object.fromEntries(Object.keys(cell).map((name, i) => [name, (members as Cell[])[i]!]));
  }
  const text = String(cell);
  // A statement can carry any text of the caller, so hashes would tell the hash of a chosen value.
  const shown = await redactCell(redactor.withoutHashes, { header, text }, ['output'], signal);
  return shown === text ? cell : shown;
}
