/** Computes how long to wait before a request is sent again. */

/** Shortest wait after the first failure. */
export const RETRY_BASE_MS = 250;
export const RETRY_WAIT_MS_MAX = 60_000;
/** Larger values of a header are read as this, so that they can be added to a date. */
const RETRY_AFTER_MS_MAX = 365 * 24 * 3_600_000;

export interface RetryWaitOptions {
  /** Shortest wait after the first failure. It doubles with every further attempt. */
  baseMs?: number | undefined;
  maxMs?: number;
  /** From 0 up to 1: spreads the requests of callers that failed at the same time. */
  random?: number;
}

/**
 * Returns the milliseconds to wait before the next attempt. The wait is at least what the server asks for, and at least a time that
 * doubles with every attempt. A random part is added: up to once the doubling time.
 *
 * @param attempt 0 after the first failure.
 * @param askedMs what the server asks for; undefined when the server did not say.
 */
export function retryWait(
  attempt: number,
  askedMs: number | undefined,
  { baseMs = RETRY_BASE_MS, maxMs = RETRY_WAIT_MS_MAX, random = Math.random() }: RetryWaitOptions = {},
): number {
  const backoff = baseMs * 2 ** attempt;
  return Math.min(maxMs, Math.max(askedMs ?? 0, backoff) + random * backoff);
}

/**
 * Returns the milliseconds that a `Retry-After` header asks for: 0 for a date in the past, undefined for a value that is neither a
 * number of seconds nor a date.
 *
 * @param header null or undefined when the response has no such header.
 * @param now milliseconds since the Unix epoch.
 */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number | undefined {
  const value = header?.trim() ?? '';
  const milliseconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(milliseconds) ? Math.min(RETRY_AFTER_MS_MAX, Math.max(0, milliseconds)) : undefined;
}
