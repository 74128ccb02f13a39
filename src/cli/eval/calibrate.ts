/**
 * Finds the best weight of semantic search for an embedding model, with the odd queries of a set, and measures it with the even queries.
 * The service returns both rankings. They are fused here, with the same function that the service uses.
 */
import { FUSION_WEIGHT_DEFAULT } from '../../config.ts';
import { measureQuery } from '../../retrieval/measures.ts';
import { FUSED_DEPTH, type FusionSettings, fuse } from '../../retrieval/ranking/fuse.ts';
import type { Client } from '../shared/client.ts';
import { table } from '../shared/help.ts';
import type { EvalQuery, EvalSet } from './set.ts';

/** The weights to try. 0 and 1 are left out: they would be lexical or semantic search alone. */
const WEIGHTS = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);

/** The two rankings of one query, best first. */
export interface Judged {
  query: EvalQuery;
  lexical: readonly Found[];
  semantic: readonly Found[];
}

interface Found {
  id: string;
  score: number;
  /** Corpus id of the file that holds the chunk. */
  entry: string;
}

export interface Calibration {
  set: string;
  queries: number;
  /** The best weight, for PINAKES_FUSION_WEIGHT. */
  weight: number;
  // nDCG@10 of the even queries:
  lexical: number;
  semantic: number;
  hybrid: number;
  /** How much `hybrid` is above the better of `lexical` and `semantic`. */
  gain: number;
  /** With the default weight. */
  hybridByDefault: number;
  /** Fused by reciprocal ranks, with the best weight for this method. */
  rrf: number;
}

/** Returns both rankings of a query. */
export async function searchBoth(client: Client, { idOf }: EvalSet, query: EvalQuery): Promise<Judged> {
  const search = async (mode: 'lexical' | 'semantic'): Promise<Found[]> => {
    const body = { query: query.text, mode, limit: FUSED_DEPTH, rerank: false };
    const { results } = await client.search({ body });
    return results.map(({ id, score, name }) => ({ id, score, entry: idOf.get(name) ?? name }));
  };
  return { query, lexical: await search('lexical'), semantic: await search('semantic') };
}

/** Returns the calibration. `judged` is in the order of the set; the first query counts as odd. */
export function calibrate(set: string, judged: readonly Judged[]): Calibration {
  const odd = judged.filter((_, i) => i % 2 === 0);
  const even = judged.filter((_, i) => i % 2 === 1);
  const weight = bestWeight(odd, 'weighted');
  const [lexical, semantic] = [gainOf(even, null, 'lexical'), gainOf(even, null, 'semantic')];
  const hybrid = gainOf(even, { method: 'weighted', weight });
  return {
    ...{ set, queries: judged.length, weight, lexical, semantic, hybrid, gain: hybrid - Math.max(lexical, semantic) },
    hybridByDefault: gainOf(even, { method: 'weighted', weight: FUSION_WEIGHT_DEFAULT }),
    rrf: gainOf(even, { method: 'rrf', weight: bestWeight(odd, 'rrf') }),
  };
}

/**
 * Returns the best weight. Each gain is averaged with its neighbours, so that no accidental peak wins. Among equally good weights, the
 * one nearest to the default wins.
 */
function bestWeight(judged: readonly Judged[], method: FusionSettings['method']): number {
  const gains = WEIGHTS.map((weight) => gainOf(judged, { method, weight }));
  const smooth = gains.map((gain, i) => ((gains[i - 1] ?? gain) + gain + (gains[i + 1] ?? gain)) / 3);
  const distance = (i: number): number => Math.abs(WEIGHTS[i]! - FUSION_WEIGHT_DEFAULT);
  const order = WEIGHTS.map((_, i) => i).sort((a, b) => smooth[b]! - smooth[a]! || distance(a) - distance(b));
  return WEIGHTS[order[0]!]!;
}

/** Returns the mean nDCG@10 of one ranking, or of both rankings fused. */
function gainOf(
  judged: readonly Judged[],
  fusion: FusionSettings | null,
  half: 'lexical' | 'semantic' = 'lexical',
): number {
  let sum = 0;
  for (const one of judged) {
    const ranked = fusion ? fuse(one.lexical, one.semantic, fusion).map(({ from }) => from) : one[half];
    sum += measureQuery(
      ranked.map(({ entry }) => entry),
      one.query.judgements,
    ).ndcg10;
  }
  return sum / Math.max(1, judged.length);
}

export function formatCalibration(calibration: Calibration): string {
  const digits = (value: number): string => value.toFixed(4);
  return table([
    [
      'set',
      `${calibration.set}: ${calibration.queries} queries, calibrated on the odd ones, measured on the even ones`,
    ],
    ['PINAKES_FUSION_WEIGHT', String(calibration.weight)],
    ['lexical nDCG@10', digits(calibration.lexical)],
    ['semantic nDCG@10', digits(calibration.semantic)],
    [
      'hybrid nDCG@10',
      `${digits(calibration.hybrid)} (${calibration.gain < 0 ? '' : '+'}${digits(calibration.gain)} over the better of both)`,
    ],
    ['with the default weight', digits(calibration.hybridByDefault)],
    ['by reciprocal ranks', digits(calibration.rrf)],
  ]);
}
