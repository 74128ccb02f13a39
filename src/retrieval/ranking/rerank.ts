/** The order of a rerank model, or the one before it when the model fails: a search never fails because of it. */
import { ServiceError } from '../../errors.ts';
import type { RerankModel } from '../../llm/rerank.ts';
import { withoutLinks } from '../../text/link-line.ts';
import type { HitRow } from '../reading/hits.ts';
import type { Hit, Warning } from '../types.ts';

/** So many of the best candidates are given to the model, whichever page is asked for: pages stay as they are. */
export const RERANKED_MAX = 50;

type Rankable = Pick<Hit, 'id' | 'score' | 'scores'>;

/**
 * The candidates in the model's order. Those beyond `RERANKED_MAX` follow in their order, their scores going on below the last.
 *
 * @throws the signal's reason when it aborts.
 */
export async function rerank<T extends Rankable>(
  model: RerankModel,
  query: string,
  candidates: readonly T[],
  rows: ReadonlyMap<string, HitRow>,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<T[]> {
  const judged = candidates.slice(0, RERANKED_MAX);
  if (judged.length === 0) return [];
  try {
    const scores = await model.rerank(
      query,
      judged.map(({ id }) => textOf(rows.get(id))),
      signal,
    );
    return inModelOrder(candidates, scores);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    const type = error.code === 'upstream_timeout' ? 'rerank_timeout' : 'rerank_failed';
    warnings.push({ type, message: `${error.message} The results are in the order that they had without it.` });
    return [...candidates];
  }
}

/** Best first. What the model gave no score comes behind what it did, in the order that it had. */
export function inModelOrder<T extends Rankable>(candidates: readonly T[], scores: readonly (number | null)[]): T[] {
  const judged = candidates.flatMap((candidate, i) => {
    const score = scores[i] ?? null;
    return score === null ? [] : [{ ...candidate, score, scores: { ...candidate.scores, rerank: score } }];
  });
  const others = candidates.filter((_, i) => (scores[i] ?? null) === null);
  judged.sort((a, b) => b.score - a.score);
  const last = judged.at(-1)?.score ?? others[0]?.score ?? 0;
  const shift = last - (others[0]?.score ?? 0);
  // Rounding may lift a score above the last.
  return [...judged, ...others.map((candidate) => ({ ...candidate, score: Math.min(candidate.score + shift, last) }))];
}

/** What the model reads: the text with what helps to understand it. */
function textOf(row: HitRow | undefined): string {
  if (!row) return '';
  return [row.headingPath.join(' › '), withoutLinks(row.context), row.content].filter((part) => part).join('\n');
}
