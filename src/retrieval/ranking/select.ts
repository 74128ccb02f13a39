/** Selects candidates without copies and within the limit per source. Pure. */

import type { Candidate } from '../engine.ts';
import type { ReadText } from '../types.ts';
import { areNearDuplicates, type Fingerprint } from './near-duplicates.ts';

/**
 * Returns the first `count` selected candidates in their order. The best of several copies stays; near-copies, by their fingerprints,
 * count as copies. Each source keeps at most `maxChunksPerSource` candidates. A candidate whose text has not been read stays.
 */
export function select<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  texts: ReadonlyMap<string, ReadText>,
  count = Number.POSITIVE_INFINITY,
): T[] {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  const selectedTexts: Fingerprint[] = [];
  const selected: T[] = [];
  for (const candidate of candidates) {
    if (selected.length >= count) break;
    const { id, sourceId } = candidate;
    const ofSource = perSource.get(sourceId) ?? 0;
    const { hash = id, fingerprint } = texts.get(id) ?? {};
    if (contents.has(hash) || ofSource >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY)) continue;
    if (fingerprint && selectedTexts.some((other) => areNearDuplicates(fingerprint, other))) continue;
    if (fingerprint) selectedTexts.push(fingerprint);
    contents.add(hash);
    perSource.set(sourceId, ofSource + 1);
    selected.push(candidate);
  }
  return selected;
}
