/** Limits failed sign-ins of an address. Keys cannot be guessed; the limit keeps guessing from being work for the database. */
import { ServiceError } from '../../errors.ts';
import { setRecent } from '../../util/recent.ts';
import type { Clock } from '../../util/time.ts';

const FAILURES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const ADDRESSES_MAX = 10_000;

export interface FailureLimit {
  /**
   * Counts an attempt as failed until the returned function is called, so attempts at the same time count too.
   *
   * @throws ServiceError rate_limited if the address has failed too often.
   */
  begin(address: string): () => void;
}

/** Counts in memory, in minutes that begin with the first attempt of an address. */
export function openFailureLimit(clock: Clock): FailureLimit {
  const counts = new Map<string, { failures: number; since: number }>();
  return {
    begin(address) {
      const now = clock.now().getTime();
      const found = counts.get(address);
      const current = found && now - found.since < MINUTE_MS ? found : { failures: 0, since: now };
      if (current.failures >= FAILURES_PER_MINUTE) {
        const retryAfterSeconds = (current.since + MINUTE_MS - now) / 1000;
        throw new ServiceError('rate_limited', 'Too many sign-ins failed. Wait a minute.', { retryAfterSeconds });
      }
      current.failures += 1;
      setRecent(counts, address, current, ADDRESSES_MAX);
      return () => {
        current.failures -= 1;
      };
    },
  };
}
