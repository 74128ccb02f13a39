/** Limits the requests per minute of each API key, with a bucket that refills evenly. Each process counts for itself. */
import { ServiceError } from '../errors.ts';
import type { Clock } from '../util/time.ts';

const MINUTE_MS = 60_000;
const BUCKETS_MAX = 10_000;

export interface RateLimiter {
  /** Counts a request. @throws ServiceError rate_limited with the seconds to wait. */
  take(apiKeyId: string): void;
}

/** With `perMinute` 0 nothing is limited. A key that sent nothing for a minute may send a whole minute's requests at once. */
export function openRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  if (perMinute === 0) return { take: () => {} };
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(apiKeyId) {
      const now = clock.now().getTime();
      const before = buckets.get(apiKeyId) ?? { left: perMinute, at: now };
      const refill = (Math.max(0, now - before.at) / MINUTE_MS) * perMinute;
      const left = Math.min(perMinute, before.left + refill);
      buckets.delete(apiKeyId);
      // The least recently used bucket is dropped: it has had the longest time to refill.
      if (buckets.size >= BUCKETS_MAX) buckets.delete(buckets.keys().next().value!);
      buckets.set(apiKeyId, { left: left >= 1 ? left - 1 : left, at: now });
      if (left >= 1) return;
      const retryAfterSeconds = Math.ceil(((1 - left) / perMinute) * (MINUTE_MS / 1000));
      throw new ServiceError('rate_limited', `This API key may send ${perMinute} requests per minute.`, {
        retryAfterSeconds,
      });
    },
  };
}
