/** Cites the rows from which the result of a query comes: each with its text and the chunk that holds it. */
import type { Access } from '../../access/access.ts';
import type { Tx } from '../../db/database.ts';
import { readerSteps, redactChunk, redactText } from '../../redaction/apply-redaction.ts';
import { headerAbove } from '../../redaction/column-headers.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { QueryResult, TracedRow } from '../../tables/engine/protocol.ts';
import { collect } from '../../util/collect.ts';
import { toHit, UNRANKED } from '../reading/hits.ts';
import type { Hit } from '../types.ts';
import { type OpenedTable, type PartRow, readPartRows } from './visible.ts';

const CITATIONS_MAX = 50;

export interface CitedRow {
  hit: Hit;
  tableId: string;
  /** Null if a policy hides some rows of the table: gaps would show that. */
  row: number | null;
  /** The text of the row, up to the end of the chunk. */
  quote: string;
  /** Positions of the rows of the result that come from this row; null for the result of aggregates. */
  results: number[] | null;
}

/** A row of a table, and the rows of the result that come from it. */
interface Witness {
  traced: TracedRow;
  results: number[] | null;
}

/** Returns the first rows of the trace, each once. */
export function tracedRows({ trace }: QueryResult): Witness[] {
  const found = new Map<string, Witness>();
  const add = (traced: TracedRow, result: number | null): void => {
    const key = `${traced.table} ${traced.row}`;
    const witness = found.get(key) ?? { traced, results: result === null ? null : [] };
    if (result !== null) witness.results!.push(result);
    found.set(key, witness);
  };
  if (trace.kind === 'rows') for (const [i, rows] of trace.rows.entries()) for (const row of rows) add(row, i);
  if (trace.kind === 'aggregates') for (const row of trace.rows) add(row, null);
  return [...found.values()].slice(0, CITATIONS_MAX);
}

/** A witness with its table and the visible chunk that holds it. */
interface ReadWitness extends Witness, PartRow {
  opened: OpenedTable;
}

export async function readCited(
  tx: Tx,
  tables: readonly OpenedTable[],
  access: Access,
  witnesses: readonly Witness[],
): Promise<ReadWitness[]> {
  const parts = new Map<number, Awaited<ReturnType<typeof readPartRows>>>();
  for (const [table, rows] of Map.groupBy(witnesses, ({ traced }) => traced.table)) {
    const ordinals = [...new Set(rows.map(({ traced }) => traced.part))];
    parts.set(table, await readPartRows(tx, tables[table]!.table, access, ordinals));
  }
  return witnesses.flatMap((witness) => {
    const { table, part } = witness.traced;
    const read = parts.get(table)!.get(part);
    return read ? [{ ...witness, ...read, opened: tables[table]! }] : [];
  });
}

/**
 * Returns the citations for readers. A citation is left out if a rule blocks its chunk or its row, or all its rows of the result.
 *
 * @param kept positions of the rows of the result that readers see.
 */
export function citeRows(
  witnesses: readonly ReadWitness[],
  kept: readonly number[],
  redactor: Redactor | null,
  signal: AbortSignal,
): Promise<CitedRow[]> {
  const position = new Map(kept.map((row, i) => [row, i]));
  return collect(witnesses, async ({ opened, traced, chunk, startsAt, results }) => {
    const shown = results?.flatMap((row) => position.get(row) ?? []) ?? null;
    if (shown?.length === 0) return undefined;
    const read = await toHit(chunk, UNRANKED, redactor);
    const points = [...chunk.content];
    const at = Math.max(0, traced.start - startsAt);
    const header = headerAbove(points.slice(0, at).join(''), chunk.context);
    const text = rowText(points.slice(at).join(''));
    const readText = await redactText(redactor, text, readerSteps(redactor, chunk.redactedBy), signal, header);
    if (!read || readText === undefined) return undefined;
    // A statement can choose the rows by any text of the caller, so hashes would tell the hash of a chosen value.
    const masking = redactor?.withoutHashes ?? null;
    const hit = await redactChunk(masking, read, ['output']);
    const quote = await redactText(masking, readText, ['output'], signal, header);
    if (!hit || quote === undefined) return undefined;
    return { hit, tableId: opened.table.tableId, row: opened.parts ? null : traced.row, quote, results: shown };
  });
}

/** Returns the text of the row with which the text begins: a line of a grid, or the lines of a record. */
function rowText(from: string): string {
  return from.split(from.startsWith('|') ? '\n' : /\n\s*\n/, 1)[0]!;
}
