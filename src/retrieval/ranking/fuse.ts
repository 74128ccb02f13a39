/** One ranking from two: lexical and semantic candidates of one query. Pure. */

import { type Config, FUSION_WEIGHT_DEFAULT } from '../../config.ts';

/** So many of the best of each list decide about the order; what comes after them is added behind, by rank. */
export const FUSED_DEPTH = 100;
/** The constant of reciprocal rank fusion: how little the first places stand out. */
export const RRF_CONSTANT = 60;
export type FusionSettings = Config['fusion'];
export const FUSION_DEFAULT: FusionSettings = { method: 'weighted', weight: FUSION_WEIGHT_DEFAULT };

/** What is needed of a candidate. Lists are best first. */
export interface Ranked {
  id: string;
  /** Higher is better. */
  score: number;
}

export interface Fused<T = Ranked> {
  id: string;
  /** As it is in the first list that it is in. */
  from: T;
  /** 0..1; higher is better. */
  score: number;
  /** The scores it had in the lists; null where it was absent. */
  lexical: number | null;
  semantic: number | null;
}

/**
 * Every candidate of either list, once, best first. Absent from a list adds nothing.
 *
 * The first `FUSED_DEPTH` of each list have a share in the score; those behind them score 0 and follow by their better rank. So
 * longer lists add candidates at the end and change nothing before it: pages stay as they are. Of equal score the better rank
 * comes first, in a list that counts before one of weight 0; then the lower id.
 */
export function fuse<T extends Ranked>(
  lexical: readonly T[],
  semantic: readonly T[],
  settings: FusionSettings,
): Fused<T>[] {
  const shareOf = settings.method === 'rrf' ? reciprocalRanks : stretched;
  const places = new Map<string, Fused<T> & Place>();
  const add = (half: 'lexical' | 'semantic', list: readonly T[], weight: number): void => {
    const shares = shareOf(list.slice(0, FUSED_DEPTH));
    list.forEach((candidate, rank) => {
      const place = places.get(candidate.id) ?? nowhere(candidate);
      if (place[half] !== null) return;
      place[half] = candidate.score;
      place.score += weight * (shares[rank] ?? 0);
      if (weight > 0) place.rank = Math.min(place.rank, rank);
      else place.silentRank = Math.min(place.silentRank, rank);
      places.set(place.id, place);
    });
  };
  add('lexical', lexical, 1 - settings.weight);
  add('semantic', semantic, settings.weight);
  return [...places.values()].sort(byPlace);
}

interface Place {
  rank: number;
  /** In a list of weight 0. */
  silentRank: number;
}

function nowhere<T extends Ranked>(from: T): Fused<T> & Place {
  const [rank, silentRank] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return { id: from.id, from, score: 0, lexical: null, semantic: null, rank, silentRank };
}

function byPlace(a: Fused & Place, b: Fused & Place): number {
  return b.score - a.score || a.rank - b.rank || a.silentRank - b.silentRank || (a.id < b.id ? -1 : 1);
}

/** Best 1, worst 0. Where all are equal, or there is but one, all are best. */
function stretched(list: readonly Ranked[]): number[] {
  const scores = list.map(({ score }) => score);
  const worst = Math.min(...scores);
  const range = Math.max(...scores) - worst;
  return scores.map((score) => (range > 0 ? (score - worst) / range : 1));
}

/** 1 for the first. */
function reciprocalRanks(list: readonly Ranked[]): number[] {
  return list.map((_, rank) => (RRF_CONSTANT + 1) / (RRF_CONSTANT + 1 + rank));
}
