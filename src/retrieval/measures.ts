/** Measures of retrieval quality, as trec_eval defines them (linear gain). Pure. */

/** Relevance grades of the judged entries of one query. Grades of 0 and below mean not relevant. */
export type Judgements = ReadonlyMap<string, number>;

export interface Measures {
  ndcg10: number;
  recall100: number;
  mrr10: number;
}

const NDCG_DEPTH = 10;
const MRR_DEPTH = 10;
const RECALL_DEPTH = 100;

/** Returns the measures of one ranking. `ranked` has ids, best first; a repeated id counts at its best rank. */
export function measureQuery(ranked: readonly string[], judgements: Judgements): Measures {
  const ids = [...new Set(ranked)];
  const gains = ids.map((id) => Math.max(0, judgements.get(id) ?? 0));
  const relevant = [...judgements.values()].filter((grade) => grade > 0).toSorted((a, b) => b - a);
  if (relevant.length === 0) return { ndcg10: 0, recall100: 0, mrr10: 0 };
  const firstRelevant = gains.slice(0, MRR_DEPTH).findIndex((gain) => gain > 0);
  return {
    ndcg10: discountedGain(gains.slice(0, NDCG_DEPTH)) / discountedGain(relevant.slice(0, NDCG_DEPTH)),
    recall100: gains.slice(0, RECALL_DEPTH).filter((gain) => gain > 0).length / relevant.length,
    mrr10: firstRelevant === -1 ? 0 : 1 / (firstRelevant + 1),
  };
}

function discountedGain(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

/** Returns the averages over all queries; 0 without queries. */
export function meanMeasures(perQuery: readonly Measures[]): Measures {
  const mean = (value: (m: Measures) => number) =>
    perQuery.reduce((sum, m) => sum + value(m), 0) / Math.max(1, perQuery.length);
  return { ndcg10: mean((m) => m.ndcg10), recall100: mean((m) => m.recall100), mrr10: mean((m) => m.mrr10) };
}

/** Returns the nearest-rank percentile, with `share` from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
