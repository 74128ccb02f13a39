/** What the log says when the queue fails. */
import type { FastifyBaseLogger } from 'fastify';

/** Without its database, each of some twenty workers fails every two seconds. One line in this time says so. */
const REPEAT_MS = 60_000;
/** So many different failures are counted at a time. Further ones are logged each time. */
const FAILURES_MAX = 20;
/** pg-boss adds the names of the queue and of the worker to a message. */
const PLACE = ' (Queue: ';

/** Returns a function that logs an error. If the same failure repeats, one line each REPEAT_MS has the number of repetitions. */
export function openFailureLog(log: Pick<FastifyBaseLogger, 'error'>): (error: Error) => void {
  const repeats = new Map<string, { last: Error; repeated: number }>();
  const write = (failure: string, err: Error, repeated: number): void => {
    log.error({ err, repeated }, 'job queue failure');
    if (!repeats.has(failure) && repeats.size >= FAILURES_MAX) return;
    repeats.set(failure, { last: err, repeated: 0 });
    setTimeout(() => {
      const since = repeats.get(failure)!;
      if (since.repeated > 0) write(failure, since.last, since.repeated);
      else repeats.delete(failure);
    }, REPEAT_MS).unref();
  };
  return (error) => {
    const end = error.message.lastIndexOf(PLACE);
    const failure = end < 0 ? error.message : error.message.slice(0, end);
    const before = repeats.get(failure);
    if (before) repeats.set(failure, { last: error, repeated: before.repeated + 1 });
    else write(failure, error, 0);
  };
}
