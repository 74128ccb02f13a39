/** Which candidates remain: no text twice, no source beyond its share. Pure. */
import type { Candidate } from './lexical.ts';
import { areNearDuplicates, type Fingerprint } from './near-duplicates.ts';

/**
 * Of chunks with equal content the best remains, as of those whose fingerprints say that they are nearly equal; of each source
 * at most `maxChunksPerSource`. Order is kept.
 */
export function select<T extends Pick<Candidate, 'id' | 'sourceId' | 'contentHash'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  fingerprints: ReadonlyMap<string, Fingerprint> = new Map(),
): T[] {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  const kept: Fingerprint[] = [];
  return candidates.filter(({ id, sourceId, contentHash }) => {
    const count = perSource.get(sourceId) ?? 0;
    if (contents.has(contentHash) || count >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY)) return false;
    const own = fingerprints.get(id);
    if (own && kept.some((other) => areNearDuplicates(own, other))) return false;
    if (own) kept.push(own);
    contents.add(contentHash);
    perSource.set(sourceId, count + 1);
    return true;
  });
}
