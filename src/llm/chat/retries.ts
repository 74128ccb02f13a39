/** Decides when a busy chat model is asked again. */
import { retryWait } from '../../net/retry-wait.ts';
import { retryAfterOf, statusOf } from './provider-errors.ts';

/** Maximum attempts after the first one. */
export const RETRIES_MAX = 2;
/** Maximum wait. When a provider asks for more, the caller gets an error and may come back later. */
export const RETRY_WAIT_SECONDS_MAX = 5;
export const MODEL_RETRY_BASE_MS = 500;
/** Statuses of a provider that is busy or restarts. */
const RETRIED_STATUSES: readonly (number | undefined)[] = [429, 503, 529];

/**
 * Returns the milliseconds until the next attempt; undefined when the request is not retried.
 *
 * @param attempt 0 after the first failure.
 */
export function retryDelay(error: unknown, attempt: number, baseMs = MODEL_RETRY_BASE_MS): number | undefined {
  if (attempt >= RETRIES_MAX || !RETRIED_STATUSES.includes(statusOf(error))) return undefined;
  const askedSeconds = retryAfterOf(error) ?? 0;
  return askedSeconds > RETRY_WAIT_SECONDS_MAX ? undefined : retryWait(attempt, askedSeconds * 1000, { baseMs });
}
