/** When a model that is busy is asked again. Pure but for chance. */
import { retryAfterOf, statusOf } from './provider-errors.ts';

/** After the first attempt. */
export const RETRIES_MAX = 2;
/** A model that asks for a longer pause is not waited for: the caller is told to come back. */
export const RETRY_WAIT_SECONDS_MAX = 5;
export const RETRY_BASE_MS = 500;
/** Busy, or about to be back. */
const RETRIED_STATUSES: readonly (number | undefined)[] = [429, 503, 529];

/**
 * Milliseconds until the next attempt, or undefined when there is none: what the provider asks for, else longer each time, and in
 * both cases a little more, so that callers that were refused together do not come back together.
 *
 * @param attempt 0 after the first failure.
 */
export function retryDelay(error: unknown, attempt: number, baseMs = RETRY_BASE_MS): number | undefined {
  if (attempt >= RETRIES_MAX || !RETRIED_STATUSES.includes(statusOf(error))) return undefined;
  const asked = retryAfterOf(error);
  if (asked !== undefined && asked > RETRY_WAIT_SECONDS_MAX) return undefined;
  const wait = Math.max((asked ?? 0) * 1000, baseMs * 2 ** attempt);
  return wait + Math.random() * baseMs;
}
