/** Selects distinct candidates: reads as many texts as it needs to tell copies apart. */
import type { Tx } from '../../db/database.ts';
import { UNBLOCKED_DEPTH } from '../plan.ts';
import { hashOf, loadRows, type ReadRow, readHashes } from '../reading/hits.ts';
import type { ReadText, RetrieveRequest } from '../types.ts';
import { fingerprint } from './near-duplicates.ts';
import type { RankedCandidate } from './rank.ts';
import { openSelection, type Selection, select } from './select.ts';

/** Number of the best candidates that are compared with each other, for every page. Later candidates are compared by hash only. */
export const COMPARED_MAX = 100;
/** Number of further candidates whose hashes are read at once if some candidates are copies. */
const HASHED_AHEAD = 1_000;

/**
 * Returns the first `count` candidates without copies and without chunks beyond the limit per source. Rows that are read are added to
 * `rows`; usually these are the rows that the search returns.
 */
export async function selectDistinct(
  tx: Tx,
  request: RetrieveRequest,
  ranked: readonly RankedCandidate[],
  count: number,
  rows: Map<string, ReadRow>,
): Promise<RankedCandidate[]> {
  const compared = ranked.slice(0, COMPARED_MAX);
  const texts = new Map<string, ReadText>();
  for (let ahead = 0; ; ahead = HASHED_AHEAD) {
    const selected = select(ranked, request.maxChunksPerSource, texts, count);
    const first = selected.filter((candidate) => {
      const text = texts.get(candidate.id);
      return !(compared.includes(candidate) ? text?.fingerprint : text);
    });
    if (first.length === 0) return selected;
    // One copy is a sign of more copies, so the search reads ahead.
    const further = ahead === 0 ? selected : select(ranked, request.maxChunksPerSource, texts, count + ahead);
    const near = first.filter((candidate) => compared.includes(candidate));
    await loadRows(tx, request, near, rows);
    for (const { id } of near) {
      const content = rows.get(id)?.content ?? '';
      texts.set(id, { hash: hashOf(content), fingerprint: fingerprint(content) });
    }
    const unread = further.flatMap(({ id }) => (texts.has(id) ? [] : [id]));
    for (const id of unread) texts.set(id, { hash: id });
    for (const [id, text] of await readHashes(tx, request.tenantId, unread)) texts.set(id, text);
  }
}

/**
 * Returns the selected candidates in their order, and before the last of them also those that were left out, up to UNBLOCKED_DEPTH
 * candidates together.
 */
export function withLeftOut(
  ranked: readonly RankedCandidate[],
  selected: readonly RankedCandidate[],
  count: number,
): RankedCandidate[] {
  const chosen = new Set(selected);
  const end = selected.length < count ? ranked.length : ranked.indexOf(selected.at(-1)!) + 1;
  let listed = 0;
  return ranked.slice(0, end).filter((one) => (listed < UNBLOCKED_DEPTH || chosen.has(one)) && ++listed > 0);
}

/** Returns an empty selection among candidates whose rows were read. It tells copies as `selectDistinct` does. */
export function selectionOfRows(
  { maxChunksPerSource }: Pick<RetrieveRequest, 'maxChunksPerSource'>,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, ReadRow>,
): Selection<RankedCandidate> {
  const texts = new Map<string, ReadText>();
  for (const [i, { id }] of ranked.entries()) {
    const content = rows.get(id)?.content;
    if (content === undefined) continue;
    texts.set(id, { hash: hashOf(content), ...(i < COMPARED_MAX && { fingerprint: fingerprint(content) }) });
  }
  return openSelection(maxChunksPerSource, (id) => texts.get(id));
}
