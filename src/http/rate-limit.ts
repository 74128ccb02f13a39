/**
 * Limits the requests of API keys: per minute, with a bucket that refills evenly, and at the same time. A key and all keys that
 * descend from it count together, so issuing keys multiplies nothing. Each process counts for itself.
 */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import { setRecent } from '../util/recent.ts';
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
      // The least recently used bucket is dropped: it has had the longest time to refill.
      setRecent(buckets, rootKeyId, { left: left >= 1 ? left - 1 : left, at: now }, BUCKETS_MAX);
      if (left >= 1) return;
      const retryAfterSeconds = Math.ceil(((1 - left) / perMinute) * (MINUTE_MS / 1000));
      const message = `This API key and the keys issued by it may send ${perMinute} requests per minute.`;
      throw new ServiceError('rate_limited', message, { retryAfterSeconds });
    },
  };
}

interface ConcurrencyLimit {
  /** Of one owner; 0: not limited. */
  max: number;
  /** Of all owners together. */
  allMax?: number;
  message: string;
  retryAfterSeconds: number;
}

/**
 * Returns a function that counts work of an owner until the function that it returns is called.
 *
 * @throws ServiceError rate_limited if too much work runs in this process.
 */
export function openConcurrencyLimiter({ max, allMax = Infinity, message, retryAfterSeconds }: ConcurrencyLimit) {
  const running = new Map<string, number>();
  let all = 0;
  return (owner: string): (() => void) => {
    const before = running.get(owner) ?? 0;
    if ((max > 0 && before >= max) || all >= allMax)
      throw new ServiceError('rate_limited', message, { retryAfterSeconds });
    running.set(owner, before + 1);
    all += 1;
    return () => {
      const left = running.get(owner)! - 1;
      all -= 1;
      if (left > 0) running.set(owner, left);
      else running.delete(owner);
    };
  };
}

export interface Admission {
  /** Counts a request until its answer is complete. @throws ServiceError rate_limited. */
  admit(caller: Caller, reply: FastifyReply): void;
}

/** Returns the limits that all doors of one process share: the API, `/v1` and `/mcp`. */
export function openAdmission({ config, clock }: Pick<Deps, 'config' | 'clock'>): Admission {
  const limiter = openRateLimiter(config.rateLimitPerMinute, clock);
  const max = config.concurrentRequests;
  const message = `This API key and the keys issued by it may run ${max} requests at the same time.`;
  const enter = openConcurrencyLimiter({ max, message, retryAfterSeconds: 1 });
  return {
    admit({ rootKeyId }, reply) {
      limiter.take(rootKeyId);
      const leave = enter(rootKeyId);
      // The client may have left while its key was checked: then no event follows, and the request would count for ever.
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
    },
  };
}
