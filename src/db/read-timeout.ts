/** The time limit of read-only transactions, which are searches. */
import { ServiceError } from '../errors.ts';

const RETRY_SECONDS = 5;

/** Returns the error for a search that was ended at the time limit. */
export function readTookTooLong(limitMs: number): ServiceError {
  const message = `The search was stopped after ${limitMs / 1000} s. Send fewer conditions, or try again later.`;
  return new ServiceError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS });
}
