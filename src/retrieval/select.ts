/** Which candidates remain: no text twice, no source beyond its share. Pure. */
import type { Candidate } from './lexical.ts';

/** Of chunks with equal content the best remains; of each source at most `maxChunksPerSource`. Order is kept. */
export function select(candidates: readonly Candidate[], maxChunksPerSource: number | undefined): Candidate[] {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  return candidates.filter(({ sourceId, contentHash }) => {
    const count = perSource.get(sourceId) ?? 0;
    if (contents.has(contentHash) || count >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY)) return false;
    contents.add(contentHash);
    perSource.set(sourceId, count + 1);
    return true;
  });
}
