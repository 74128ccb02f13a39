/**
 * Limits the requests of API keys: per minute, with a bucket that refills evenly, and at the same time. A key and all keys that
 * descend from it count together, so issuing keys multiplies nothing. Each process counts for itself.
 */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import type { Clock } from '../util/time.ts';
import type { Deps } from './deps.ts';

const MINUTE_MS = 60_000;
const BUCKETS_MAX = 10_000;

export interface RateLimiter {
  /** Counts a request. @throws ServiceError rate_limited with the seconds to wait. */
  take(rootKeyId: string): void;
}

/** With `perMinute` 0 nothing is limited. A key that sent nothing for a minute may send a whole minute's requests at once. */
export function openRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  if (perMinute === 0) return { take: () => {} };
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(rootKeyId) {
      const now = clock.now().getTime();
      const before = buckets.get(rootKeyId) ?? { left: perMinute, at: now };
      const refill = (Math.max(0, now - before.at) / MINUTE_MS) * perMinute;
      const left = Math.min(perMinute, before.left + refill);
      buckets.delete(rootKeyId);
      // The least recently used bucket is dropped: it has had the longest time to refill.
      if (buckets.size >= BUCKETS_MAX) buckets.delete(buckets.keys().next().value!);
      buckets.set(rootKeyId, { left: left >= 1 ? left - 1 : left, at: now });
      if (left >= 1) return;
      const retryAfterSeconds = Math.ceil(((1 - left) / perMinute) * (MINUTE_MS / 1000));
      throw new ServiceError(
        'rate_limited',
        `This API key and the keys issued by it may send ${perMinute} requests per minute.`,
        {
          retryAfterSeconds,
        },
      );
    },
  };
}

export interface ConcurrencyLimiter {
  /** Counts a request until the returned function is called. @throws ServiceError rate_limited if too many requests run. */
  enter(rootKeyId: string): () => void;
}

/** With `max` 0 nothing is limited. */
export function openConcurrencyLimiter(max: number): ConcurrencyLimiter {
  const running = new Map<string, number>();
  return {
    enter(rootKeyId) {
      const before = running.get(rootKeyId) ?? 0;
      if (max > 0 && before >= max)
        throw new ServiceError(
          'rate_limited',
          `This API key and the keys issued by it may run ${max} requests at the same time.`,
          {
            retryAfterSeconds: 1,
          },
        );
      running.set(rootKeyId, before + 1);
      return () => {
        const left = running.get(rootKeyId)! - 1;
        if (left > 0) running.set(rootKeyId, left);
        else running.delete(rootKeyId);
      };
    },
  };
}

export interface Admission {
  /** Counts a request until its answer is complete. @throws ServiceError rate_limited. */
  admit(caller: Caller, reply: FastifyReply): void;
}

/** Returns the limits that all doors of one process share: the API, `/v1` and `/mcp`. */
export function openAdmission({ config, clock }: Pick<Deps, 'config' | 'clock'>): Admission {
  const limiter = openRateLimiter(config.rateLimitPerMinute, clock);
  const concurrency = openConcurrencyLimiter(config.concurrentRequests);
  return {
    admit({ rootKeyId }, reply) {
      limiter.take(rootKeyId);
      const leave = concurrency.enter(rootKeyId);
      // The client may have left while its key was checked: then no event follows, and the request would count for ever.
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
    },
  };
}
