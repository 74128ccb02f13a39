/** Selects candidates without copies and within the limit per source. Pure. */

import type { Candidate } from '../engine.ts';
import type { ReadText } from '../types.ts';
import { type Fingerprint, isNearCopy } from './near-duplicates.ts';

/** The candidates that were selected, and what they say about the next one. */
export interface Selection<T> {
  readonly selected: T[];
  /** Returns whether the candidate is no copy of a selected one, and within the limit of its source. */
  fits(candidate: T): boolean;
  add(candidate: T): void;
}

/**
 * Returns an empty selection. Near-copies, by their fingerprints, count as copies. Each source keeps at most `maxChunksPerSource`
 * candidates. A candidate whose text has not been read is no copy.
 */
export function openSelection<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  maxChunksPerSource: number | undefined,
  textOf: (id: string) => ReadText | undefined,
): Selection<T> {
  const contents = new Set<string>();
  const perSource = new Map<string, number>();
  const selectedTexts: Fingerprint[] = [];
  const selected: T[] = [];
  return {
    selected,
    fits({ id, sourceId }) {
      const { hash = id, fingerprint } = textOf(id) ?? {};
      if (contents.has(hash) || (perSource.get(sourceId) ?? 0) >= (maxChunksPerSource ?? Number.POSITIVE_INFINITY))
        return false;
      return !fingerprint || !selectedTexts.some((other) => isNearCopy(fingerprint, other));
    },
    add(candidate) {
      const { id, sourceId } = candidate;
      const { hash = id, fingerprint } = textOf(id) ?? {};
      if (fingerprint) selectedTexts.push(fingerprint);
      contents.add(hash);
      perSource.set(sourceId, (perSource.get(sourceId) ?? 0) + 1);
      selected.push(candidate);
    },
  };
}

/** Returns the first `count` selected candidates in their order. The best of several copies stays. */
export function select<T extends Pick<Candidate, 'id' | 'sourceId'>>(
  candidates: readonly T[],
  maxChunksPerSource: number | undefined,
  texts: ReadonlyMap<string, ReadText>,
  count = Number.POSITIVE_INFINITY,
): T[] {
  const selection = openSelection<T>(maxChunksPerSource, (id) => texts.get(id));
  for (const candidate of candidates) {
    if (selection.selected.length >= count) break;
    if (selection.fits(candidate)) selection.add(candidate);
  }
  return selection.selected;
}
