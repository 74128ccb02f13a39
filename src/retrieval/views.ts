/** What a model and a reader may see of a query, of candidates and of a page. Redaction may be slow: never within a transaction. */
import type { Access } from '../access/access.ts';
import { invalidAt } from '../errors.ts';
import { readerSteps, redactChunk, redactFact, redactText } from '../redaction/apply-redaction.ts';
import type { Redactor } from '../redaction/redact.ts';
import { collect } from '../util/collect.ts';
import { UNBLOCKED_DEPTH } from './plan.ts';
import { selectionOfRows } from './ranking/distinct.ts';
import { FUZZY_WARNING, FUZZY_WITHOUT_WORDS } from './ranking/fuzzy.ts';
import type { RankedCandidate } from './ranking/rank.ts';
import { addNeighbours, type NeighbourRow, type ReadRow, toHit, UNRANKED, withPlace } from './reading/hits.ts';
import type { Hit, RetrieveRequest, Warning } from './types.ts';

export interface Page {
  candidates: readonly RankedCandidate[];
  /** Null if no neighbours were asked for. */
  neighbours: readonly NeighbourRow[] | null;
  /** The chunks whose path the reader must not see. */
  hiddenPaths: ReadonlySet<string>;
  access: Access;
  redactor: Redactor | null;
}

/** Returns the query as a model may read it. @throws ServiceError invalid_request if a rule blocks the query. */
export async function modelViewOfQuery(redactor: Redactor | null, query: string): Promise<string> {
  const redacted = await redactText(redactor?.withoutHashes ?? null, query, ['llm_input']);
  if (redacted === undefined) throw invalidAt(['query'], 'holds text that a redaction rule keeps from models.');
  return redacted;
}

/** Returns the candidates as a rerank model may read them; blocked candidates are left out. */
export async function modelViewOfRows(
  redactor: Redactor | null,
  rows: readonly ReadRow[],
): Promise<ReadonlyMap<string, ReadRow>> {
  const redacted = await collect(rows, (row) =>
    redactChunk(redactor, row, [...readerSteps(redactor, row.redactedBy), 'llm_input']),
  );
  return new Map(redacted.map((row) => [row.id, row]));
}

/**
 * Returns the candidates without those that a rule blocks for readers: of the first UNBLOCKED_DEPTH, up to the first `wanted` others.
 * Copies, and chunks beyond the limit per source, are left out only for chunks that are shown.
 */
export async function withoutBlocked(
  redactor: Redactor | null,
  request: Pick<RetrieveRequest, 'maxChunksPerSource'>,
  candidates: readonly RankedCandidate[],
  rows: ReadonlyMap<string, ReadRow>,
  wanted: number,
): Promise<RankedCandidate[]> {
  const selection = selectionOfRows(request, candidates, rows);
  let read = 0;
  for (const candidate of candidates) {
    if (!selection.fits(candidate)) continue;
    const row = rows.get(candidate.id);
    if (row && read < UNBLOCKED_DEPTH && selection.selected.length < wanted) {
      read++;
      if (!(await toHit(row, UNRANKED, redactor))) continue;
    }
    selection.add(candidate);
  }
  return selection.selected;
}

/** Returns the page as a reader may see it. */
export async function readerViewOfPage(
  { candidates, neighbours, hiddenPaths, access, redactor }: Page,
  rows: ReadonlyMap<string, ReadRow>,
): Promise<Hit[]> {
  const hits = await collect(candidates, async (candidate) => {
    const row = rows.get(candidate.id);
    const hit = row && (await toHit(withPlace(row, access), candidate, redactor));
    return hit && hiddenPaths.has(hit.id) ? { ...hit, path: null } : hit;
  });
  await addNeighbours(hits, neighbours, redactor);
  return hits;
}

/** Returns the redacted warnings: a warning may contain words of the corpus. */
export function readerViewOfWarnings(redactor: Redactor | null, warnings: readonly Warning[]): Promise<Warning[]> {
  const hides = (['ingest', 'retrieval', 'output'] as const).some((step) => redactor?.appliesAt(step));
  return collect(warnings, async (warning) => {
    // The words of this warning are folded, so a rule may not recognise them.
    if (hides && warning.type === FUZZY_WARNING) return { ...warning, message: FUZZY_WITHOUT_WORDS };
    const message = await redactFact(redactor, warning.message);
    return message === undefined ? undefined : { ...warning, message };
  });
}
