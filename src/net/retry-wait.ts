/** Computes the wait before a retry. */

export const RETRY_BASE_MS = 500;
export const RETRY_WAIT_MS_MAX = 60_000;

/**
 * Returns the wait in milliseconds: the server's `Retry-After`, otherwise exponential with jitter. At most `RETRY_WAIT_MS_MAX`.
 *
 * @param attempt 0 after the first failure.
 * @param retryAfter the header: seconds or a date.
 */
export function retryWait(attempt: number, retryAfter: string | null, baseMs = RETRY_BASE_MS): number {
  const backoff = baseMs * 2 ** attempt * (0.5 + Math.random() / 2);
  const asked =
    retryAfter === null
      ? 0
      : /^\d+$/.test(retryAfter)
        ? Number(retryAfter) * 1000
        : Date.parse(retryAfter) - Date.now();
  return Math.min(RETRY_WAIT_MS_MAX, Math.max(backoff, Number.isFinite(asked) ? asked : 0));
}
