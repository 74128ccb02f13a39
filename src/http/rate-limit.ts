/** Requests per minute and API key: a bucket that refills evenly. Counted per process. */
import { ServiceError } from '../errors.ts';
import type { Clock } from '../util/time.ts';

const MINUTE_MS = 60_000;
const BUCKETS_MAX = 10_000;

export interface RateLimiter {
  /** @throws ServiceError rate_limited with the seconds to wait. */
  take(apiKeyId: string): void;
}

/** `perMinute` 0 = not limited. A key that was quiet may send a whole minute's requests at once. */
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
      // Oldest first: a bucket that was not used for long is full again anyway.
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
