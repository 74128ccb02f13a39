/** Asks the entailment model of the settings within its limits. */
import type { EntailmentModel } from '../../llm/models.ts';
import type { Judge } from './citations.ts';

/** Maximum pairs of one answer that are judged. Rules decide about further ones. */
const PAIRS_MAX = 24;
/** Maximum time for the pairs of one answer, also for loading the model. Then rules decide. */
const JUDGING_MS_MAX = 10_000;

/**
 * Returns a function that asks the model; null without a model. When the model fails or takes too long, rules decide.
 *
 * @param onError is told why the model did not judge.
 */
export function openJudge(
  model: EntailmentModel | null,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Judge | null {
  if (model === null) return null;
  return async (pairs) => {
    try {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(JUDGING_MS_MAX)]);
      return await model.judge(pairs.slice(0, PAIRS_MAX), deadline);
    } catch (error) {
      signal.throwIfAborted();
      onError(error);
      return [];
    }
  };
}
