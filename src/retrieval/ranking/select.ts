/** Which candidates remain: no text twice, no source beyond its share. Pure. */

import type { Candidate } from '../lexical/lexical.ts';
import type { ReadText } from '../types.ts';
import { areNearDuplicates, type Fingerprint } from './near-duplicates.ts';

/**
 * Of chunks with equal content the best remains, as of those whose fingerprints say that they are nearly equal; of each source
 * at most `maxChunksPerSource`. Those of which the text has not been read remain. Order is kept; behind the first `count` nobody looks.
 */
export function select<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  texts: ReadonlyMap<string, ReadText>,
  count = Number.POSITIVE_INFINITY,
): T[] {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  const kept: Fingerprint[] = [];
  const selected: T[] = [];
  for (const candidate of candidates) {
    if (selected.length >= count) break;
    const { id, sourceId } = candidate;
    const ofSource = perSource.get(sourceId) ?? 0;
    const { hash = id, fingerprint: own } = texts.get(id) ?? {};
    if (contents.has(hash) || ofSource >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY)) continue;
    if (own && kept.some((other) => areNearDuplicates(own, other))) continue;
    if (own) kept.push(own);
    contents.add(hash);
    perSource.set(sourceId, ofSource + 1);
    selected.push(candidate);
  }
  return selected;
}
