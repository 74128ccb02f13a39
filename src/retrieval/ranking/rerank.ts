/** Orders candidates by a rerank model. If the model fails, the previous order stays: a search never fails because of the model. */
import { ServiceError } from '../../errors.ts';
import type { RerankModel } from '../../llm/rerank.ts';
import { withoutLinks } from '../../text/link-line.ts';
import type { Whose } from '../../util/pool.ts';
import type { HitRow } from '../reading/hits.ts';
import type { Hit, Warning } from '../types.ts';

/** Number of the best candidates that the model scores, for every page, so that pages fit together. */
export const RERANKED_MAX = 50;

type Rankable = Pick<Hit, 'id' | 'score' | 'scores'>;

/**
 * Returns the candidates in the order of the model. Candidates after the first `RERANKED_MAX` follow in their old order, and their
 * scores are shifted below the last score of the model.
 *
 * @throws the signal's reason if the signal aborts.
 */
export async function rerank<T extends Rankable>(
  model: RerankModel,
  query: string,
  candidates: readonly T[],
  rows: ReadonlyMap<string, HitRow>,
  warnings: Warning[],
  signal: AbortSignal,
  whose: Whose,
): Promise<T[]> {
  const judged = candidates.slice(0, RERANKED_MAX);
  if (judged.length === 0) return [];
  try {
    const scores = await model.rerank(
      query,
      judged.map(({ id }) => textOf(rows.get(id))),
      signal,
      whose,
    );
    return inModelOrder(candidates, scores);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    const type = error.code === 'upstream_timeout' ? 'rerank_timeout' : 'rerank_failed';
    warnings.push({ type, message: `${error.message} The results keep their order without the rerank model.` });
    return [...candidates];
  }
}

/** Returns the candidates by the model's scores, best first. Candidates without a score follow in their old order. */
export function inModelOrder<T extends Rankable>(candidates: readonly T[], scores: readonly (number | null)[]): T[] {
  const judged = candidates.flatMap((candidate, i) => {
    const score = scores[i] ?? null;
    return score === null ? [] : [{ ...candidate, score, scores: { ...candidate.scores, rerank: score } }];
  });
  const others = candidates.filter((_, i) => (scores[i] ?? null) === null);
  judged.sort((a, b) => b.score - a.score);
  const last = judged.at(-1)?.score ?? others[0]?.score ?? 0;
  const shift = last - (others[0]?.score ?? 0);
  // The minimum guards against rounding, which may lift a score above the last score.
  return [...judged, ...others.map((candidate) => ({ ...candidate, score: Math.min(candidate.score + shift, last) }))];
}

/** Returns the text for the model: the content with its headings and context. */
function textOf(row: HitRow | undefined): string {
  if (!row) return '';
  return [row.headingPath.join(' › '), withoutLinks(row.context), row.content].filter((part) => part).join('\n');
}
