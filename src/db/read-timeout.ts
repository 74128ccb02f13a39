/** The time limit of read-only transactions, which are searches. */
import { ServiceError } from '../errors.ts';
import { unlessAborted } from '../util/abort.ts';
import { startWork, type WorkTime, whenExceeded } from '../util/work/work-time.ts';
import { isRefusedChange } from './pg-errors.ts';

/** The default of tests and tools. The service passes its setting. */
export const READ_TIMEOUT_MS_DEFAULT = 10_000;
const RETRY_SECONDS = 5;

/**
 * Returns what `work` returns. The signal of `work` aborts with `signal`, and when `used` exceeds the time limit: by default by the clock,
 * because a server has a machine of its own.
 *
 * @throws the reason of the abort.
 */
export async function withReadTimeout<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  used: WorkTime = startWork(() => undefined),
): Promise<T> {
  const limit = new AbortController();
  const endWatch = whenExceeded(used, limitMs, () => limit.abort(tookTooLong(limitMs)));
  const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  try {
    return await unlessAborted(work(either), either);
  } catch (error) {
    // A statement that writes in a read-only transaction never succeeds.
    throw isRefusedChange(error) ? error.cause : error;
  } finally {
    endWatch();
  }
}

/** Returns the error for a search that has used up its time, in which it may have waited for others of its tenant. */
export function tookTooLong(limitMs: number): ServiceError {
  const remedy = 'Send fewer requests at a time or fewer conditions, or try again later.';
  const message = `The search was stopped at its time limit of ${limitMs / 1000} s. ${remedy}`;
  return new ServiceError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS });
}
