/**
 * Which share of the semantic half fits a model: found on the odd queries, reported on the even ones. Both rankings come from the
 * service and are fused here, by the function that the service uses.
 */
import { FUSION_WEIGHT_DEFAULT } from '../../config.ts';
import { FUSED_DEPTH, type FusionSettings, fuse } from '../../retrieval/ranking/fuse.ts';
import type { Client } from '../shared/client.ts';
import { table } from '../shared/command.ts';
import { measureQuery } from './metrics.ts';
import type { EvalQuery, EvalSet } from './set.ts';

/** Weight 0 would be lexical search alone and 1 semantic search alone: no calibration, but another mode. */
const WEIGHTS = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);

/** One query's two rankings, best first, and what of them is relevant. */
export interface Judged {
  query: EvalQuery;
  lexical: readonly Found[];
  semantic: readonly Found[];
}

interface Found {
  id: string;
  score: number;
  /** Corpus id of its file. */
  entry: string;
}

export interface Calibration {
  set: string;
  queries: number;
  /** For PINAKES_FUSION_WEIGHT. */
  weight: number;
  /** nDCG@10 on the even queries. */
  lexical: number;
  semantic: number;
  hybrid: number;
  /** Over the better half. */
  gain: number;
  /** With the default weight, and by reciprocal ranks with the weight that fits those. */
  hybridByDefault: number;
  rrf: number;
}

/** Asks for both rankings of a query. */
export async function searchBoth(client: Client, { idOf }: EvalSet, query: EvalQuery): Promise<Judged> {
  const search = async (mode: 'lexical' | 'semantic'): Promise<Found[]> => {
    const body = { query: query.text, mode, limit: FUSED_DEPTH, rerank: false };
    const { results } = await client.search({ body });
    return results.map(({ id, score, name }) => ({ id, score, entry: idOf.get(name) ?? name }));
  };
  return { query, lexical: await search('lexical'), semantic: await search('semantic') };
}

/** `judged` in the order of the set: the first counts as odd. */
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

/** Of weights that do equally well, that nearest to the default. Neighbours count as well, so that no chance peak is taken. */
function bestWeight(judged: readonly Judged[], method: FusionSettings['method']): number {
  const gains = WEIGHTS.map((weight) => gainOf(judged, { method, weight }));
  const smooth = gains.map((gain, i) => ((gains[i - 1] ?? gain) + gain + (gains[i + 1] ?? gain)) / 3);
  const distance = (i: number): number => Math.abs(WEIGHTS[i]! - FUSION_WEIGHT_DEFAULT);
  const order = WEIGHTS.map((_, i) => i).sort((a, b) => smooth[b]! - smooth[a]! || distance(a) - distance(b));
  return WEIGHTS[order[0]!]!;
}

/** Mean nDCG@10 of one half, or of both fused. */
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
  const shown = (value: number): string => value.toFixed(4);
  return table([
    [
      'set',
      `${calibration.set}: ${calibration.queries} queries, calibrated on the odd ones, measured on the even ones`,
    ],
    ['PINAKES_FUSION_WEIGHT', String(calibration.weight)],
    ['lexical nDCG@10', shown(calibration.lexical)],
    ['semantic nDCG@10', shown(calibration.semantic)],
    [
      'hybrid nDCG@10',
      `${shown(calibration.hybrid)} (${calibration.gain < 0 ? '' : '+'}${shown(calibration.gain)} over the better half)`,
    ],
    ['with the default weight', shown(calibration.hybridByDefault)],
    ['by reciprocal ranks', shown(calibration.rrf)],
  ]);
}
