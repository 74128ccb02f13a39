/** Tests of time limits that also pass on a busy machine. */

/** Longer limits do not help: the test fails for another reason. */
const LIMIT_MS_MAX = 10_000;

/**
 * Returns what `attempt` returns with a time limit of `ms`. If the attempt fails, a busy machine may have needed more
 * time for the steps that must stay within the limit: the attempt is repeated with four times the limit.
 */
export async function withLongerLimits<T>(ms: number, attempt: (limitMs: number) => Promise<T>): Promise<T> {
  for (let limitMs = ms; ; limitMs *= 4) {
    try {
      return await attempt(limitMs);
    } catch (error) {
      if (limitMs * 4 > LIMIT_MS_MAX) throw error;
    }
  }
}
