/** Admits requests of API keys: all doors of one process (the API, `/v1` and `/mcp`) share the same limits. */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Deps } from './deps.ts';
import { openConcurrencyLimiter, openRateLimiter } from './rate-limit.ts';

export interface Admission {
  /** Counts a request until its answer is complete. @throws ServiceError rate_limited. */
  admit(caller: Caller, reply: FastifyReply): void;
}

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
