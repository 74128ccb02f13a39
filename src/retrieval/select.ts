/** Which candidates remain: no text twice, no source beyond its share. Pure. */
import type { Candidate } from './lexical.ts';
import { areNearDuplicates, type Fingerprint } from './near-duplicates.ts';

/** What is known of the text of a chunk. */
export interface ReadText {
  /** Equal for equal texts. */
  hash: string;
  /** Absent: it is not compared more closely. */
  fingerprint?: Fingerprint;
}

/**
 * Of chunks with equal content the best remains, as of those whose fingerprints say that they are nearly equal; of each source
 * at most `maxChunksPerSource`. Those of which the text has not been read remain. Order is kept.
 */
export function select<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  texts: ReadonlyMap<string, ReadText>,
): T[] {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  const kept: Fingerprint[] = [];
  return candidates.filter(({ id, sourceId }) => {
    const count = perSource.get(sourceId) ?? 0;
    const { hash = id, fingerprint: own } = texts.get(id) ?? {};
    if (contents.has(hash) || count >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY)) return false;
    if (own && kept.some((other) => areNearDuplicates(own, other))) return false;
    if (own) kept.push(own);
    contents.add(hash);
    perSource.set(sourceId, count + 1);
    return true;
  });
}
