/**
 * Returns the best `limit` hits in their order. At most half of them, rounded up, come from one source, as long as other sources have
 * hits. So one source does not fill the whole context.
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
