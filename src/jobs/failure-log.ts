/** What the log says when the queue fails. */
import type { FastifyBaseLogger } from 'fastify';

/** Without its database, each of some twenty workers fails every two seconds. One line in this time says so. */
const REPEAT_MS = 60_000;
const FAILURES_MAX = 20;
/** pg-boss adds the names of the queue and of the worker to a message. */
const PLACE = / \(Queue: [^)]*\)$/;

/** Returns a function that logs an error. A failure that repeats within REPEAT_MS is only counted, and the next line has the count. */
export function openFailureLog(
  log: Pick<FastifyBaseLogger, 'error'>,
  now: () => number = () => performance.now(),
): (error: Error) => void {
  const logged = new Map<string, { at: number; repeated: number }>();
  return (error) => {
    const failure = error.message.replace(PLACE, '');
    const before = logged.get(failure);
    if (before && now() - before.at < REPEAT_MS) {
      before.repeated += 1;
      return;
    }
    if (logged.size >= FAILURES_MAX) logged.clear();
    logged.set(failure, { at: now(), repeated: 0 });
    log.error({ err: error, repeated: before?.repeated ?? 0 }, 'job queue failure');
  };
}
