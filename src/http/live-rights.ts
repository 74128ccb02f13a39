/**
 * Ends requests whose rights end while they run. A transaction checks all running requests of the process, a few times a second:
 * the keys and rules with which they began, and the content from which they answer. Other work does not hold the check up.
 */
import type { Caller } from '../access/caller.ts';
import { type Ended, findEnded, type Rules, type Standing } from '../access/standing.ts';
import type { SystemDatabase } from '../db/database.ts';
import { conflict, ServiceError } from '../errors.ts';
import { findGone, type ReadContent } from '../retrieval/reading/fence.ts';
import type { Clock } from '../util/time.ts';
import { KEY_CACHE_MS, unauthenticated } from './auth.ts';

/** How often running requests are checked. */
const CHECK_MS = 250;
/** Content is sent only within this time after the begin of a check. With a check that just began, it ends within a second. */
const LEASE_MS = 750;

/** The rights of one running request. */
export interface RequestRights {
  /** From now on, the request ends when these rules change. */
  holdRules(rules: Rules): void;
  /** From now on, the request ends when some of this content is gone. */
  holdContent(content: ReadContent): void;
  /**
   * Resolves when the rights were in force at most LEASE_MS ago. Must be awaited before stored content is sent.
   *
   * @param isFinal checks them now.
   * @throws ServiceError when they have ended, or when the database cannot tell.
   */
  confirm(isFinal?: boolean): Promise<void>;
}

export interface LiveRights {
  /** Watches a request of the caller until `release`. `end` is called at most once, with the reason. */
  watch(caller: Caller, end: (reason: ServiceError) => void): RequestRights & { release(): void };
  /** Waits for the check that runs. */
  close(): Promise<void>;
}

interface Watched {
  standing: Standing;
  content: ReadContent | null;
  /** When the last check began that found the rights in force, by `performance.now`. */
  checkedAt: number;
  end(reason: ServiceError): void;
}

/** @param onError is called when a check fails. Requests that send content then end themselves. */
export function openLiveRights(system: SystemDatabase, clock: Clock, onError: (error: unknown) => void): LiveRights {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function checkAll(): Promise<void> {
    const begin = performance.now();
    const requests = [...watched];
    const reading = requests.filter(({ content }) => content !== null && content.chunks.length > 0);
    const { gone, ended } = await system.transaction(
      async (tx) => ({
        gone: await findGone(
          tx,
          reading.map(({ content }) => content!),
        ),
        // The keys come last: with its tenant, a request loses its content first.
        ended: await findEnded(
          tx,
          requests.map(({ standing }) => standing),
          clock.now(),
        ),
      }),
      { urgent: true },
    );
    const withGone = new Set(reading.filter((_request, i) => gone.has(i)));
    requests.forEach((request, i) => {
      const reason = ended[i] ?? (withGone.has(request) ? 'content' : null);
      if (reason === null) request.checkedAt = begin;
      else if (watched.delete(request)) request.end(endedError(reason));
    });
  }
  /** Joins the check that runs, if there is one. */
  function check(): Promise<void> {
    running ??= checkAll().finally(() => {
      running = undefined;
    });
    return running;
  }
  function tick(): void {
    if (watched.size > 0) return void check().catch(onError);
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(caller, end) {
      let reason: Error | undefined;
      const request: Watched = {
        standing: { caller, rules: null },
        content: null,
        checkedAt: performance.now() - KEY_CACHE_MS, // the caller may come from the cache
        end(ended) {
          reason = ended;
          end(ended);
        },
      };
      watched.add(request);
      timer ??= setInterval(tick, CHECK_MS).unref();
      return {
        holdRules(rules) {
          request.standing = { ...request.standing, rules };
        },
        holdContent(content) {
          request.content = content;
        },
        async confirm(isFinal = false) {
          const since = isFinal ? performance.now() : 0;
          while (reason === undefined && request.checkedAt < Math.max(since, performance.now() - LEASE_MS))
            await check();
          if (reason !== undefined) throw reason;
        },
        release() {
          watched.delete(request);
          reason ??= new Error('the request has ended');
        },
      };
    },
    async close() {
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}

/** Returns the error that tells a caller why a request ended. */
export function endedError(ended: Ended | 'content'): ServiceError {
  switch (ended) {
    case 'key':
      return unauthenticated();
    case 'rights':
      return new ServiceError('forbidden', 'The scopes or limits of the API key were changed during the request.');
    case 'rules':
      return conflict('A policy or the attributes of the principal were changed meanwhile. Ask again.');
    case 'content':
      return conflict('Content that the answer rests on was deleted or changed meanwhile. Ask again.');
  }
}
