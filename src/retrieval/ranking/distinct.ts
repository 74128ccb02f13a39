/**
 * Selects the candidates that a search returns: without copies and near-copies, and within the limit per source. It reads only as many
 * texts as it needs to tell copies apart.
 */
import type { Tx } from '../../db/database.ts';
import type { Candidate } from '../engine.ts';
import { UNBLOCKED_DEPTH } from '../plan.ts';
import { contentHash, loadRows, type ReadRow, readHashes } from '../reading/hits.ts';
import type { RetrieveRequest } from '../types.ts';
import { type Fingerprint, fingerprint, isNearCopy } from './near-duplicates.ts';
import type { RankedCandidate } from './rank.ts';

/** Number of the best candidates that are compared with each other, for every page. Later candidates are compared by hash only. */
export const COMPARED_MAX = 100;
/** Number of further candidates whose hashes are read at once if some candidates are copies. */
const HASHED_AHEAD = 1_000;

/** What tells whether a text is a copy of another one. */
interface ReadText {
  /** Equal texts have equal hashes. */
  hash: string;
  /** Absent if the text is compared by hash only. */
  fingerprint?: Fingerprint;
}

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
  const compared = new Set(ranked.slice(0, COMPARED_MAX));
  const texts = new Map<string, ReadText>();
  for (let ahead = 0; ; ahead = HASHED_AHEAD) {
    const selected = select(ranked, request.maxChunksPerSource, texts, count);
    const unread = selected.filter((one) => !(compared.has(one) ? texts.get(one.id)?.fingerprint : texts.get(one.id)));
    if (unread.length === 0) return selected;
    // One copy is a sign of more copies, so the search reads ahead.
    const further = ahead === 0 ? selected : select(ranked, request.maxChunksPerSource, texts, count + ahead);
    const near = unread.filter((one) => compared.has(one));
    await loadRows(tx, request, near, rows);
    for (const { id } of near) texts.set(id, readText(rows.get(id)?.content ?? '', true));
    const hashed = further.flatMap(({ id }) => (texts.has(id) ? [] : [id]));
    const hashes = await readHashes(tx, hashed);
    for (const id of hashed) texts.set(id, { hash: hashes.get(id) ?? id });
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

/** The candidates that were selected, and what they say about the next one. */
interface Selection<T> {
  readonly selected: T[];
  /** Returns whether the candidate is no copy of a selected one, and within the limit of its source. */
  fits(candidate: T): boolean;
  add(candidate: T): void;
}

/** Returns an empty selection among candidates whose rows were read. It tells copies as `selectDistinct` does. */
export function selectionOfRows(
  { maxChunksPerSource }: Pick<RetrieveRequest, 'maxChunksPerSource'>,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, ReadRow>,
): Selection<RankedCandidate> {
  const texts = new Map<string, ReadText>();
  for (const [i, { id }] of ranked.entries()) {
    const row = rows.get(id);
    if (row) texts.set(id, readText(row.content, i < COMPARED_MAX));
  }
  return openSelection(maxChunksPerSource, texts);
}

function readText(content: string, isCompared: boolean): ReadText {
  return { hash: contentHash(content), ...(isCompared && { fingerprint: fingerprint(content) }) };
}

/** Returns the first `count` selected candidates in their order. The best of several copies stays. */
export function select<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  texts: ReadonlyMap<string, ReadText>,
  count = Number.POSITIVE_INFINITY,
): T[] {
  const selection = openSelection<T>(maxChunksPerSource, texts);
  for (const candidate of candidates) {
    if (selection.selected.length >= count) break;
    if (selection.fits(candidate)) selection.add(candidate);
  }
  return selection.selected;
}

/** Returns an empty selection. A candidate whose text has not been read is no copy. */
function openSelection<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  maxChunksPerSource = Number.POSITIVE_INFINITY,
  texts: ReadonlyMap<string, ReadText>,
): Selection<T> {
  const textOf = (id: string): ReadText => texts.get(id) ?? { hash: id };
  const hashes = new Set<string>();
  const fingerprints: Fingerprint[] = [];
  const perSource = new Map<string, number>();
  const selected: T[] = [];
  return {
    selected,
    fits({ id, sourceId }) {
      const { hash, fingerprint } = textOf(id);
      if (hashes.has(hash) || (perSource.get(sourceId) ?? 0) >= maxChunksPerSource) return false;
      return !fingerprint || !fingerprints.some((other) => isNearCopy(fingerprint, other));
    },
    add(candidate) {
      const { hash, fingerprint } = textOf(candidate.id);
      hashes.add(hash);
      if (fingerprint) fingerprints.push(fingerprint);
      perSource.set(candidate.sourceId, (perSource.get(candidate.sourceId) ?? 0) + 1);
      selected.push(candidate);
    },
  };
}
