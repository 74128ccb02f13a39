/** Keeps one source from filling the whole context. Pure. */

/**
 * The best `limit` hits in their order, at most half of them (rounded up) from one source while hits of other sources are there
 * to take the places.
 */
export function diversify<T extends { sourceId: string }>(hits: readonly T[], limit: number): T[] {
  const perSourceMax = Math.ceil(limit / 2);
  const counts = new Map<string, number>();
  const chosen = new Set<T>();
  for (const hit of hits) {
    const count = counts.get(hit.sourceId) ?? 0;
    if (chosen.size === limit || count === perSourceMax) continue;
    counts.set(hit.sourceId, count + 1);
    chosen.add(hit);
  }
  for (const hit of hits) if (chosen.size < limit) chosen.add(hit);
  return hits.filter((hit) => chosen.has(hit));
}
