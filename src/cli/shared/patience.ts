/** Waits for a service that stops answering in the middle of a command, because it restarts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from './io.ts';

/** A restart takes seconds; with a migration of a large database, minutes. */
const RESTART_MS_MAX = 120_000;
const PAUSE_MS = 500;
/** Answers of a proxy whose service is not there, and of a service that stops. */
export const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** No service answered, or the connection was lost. */
export class NoAnswerError extends CliError {}

interface Patience {
  /** Called once for each time in which the service is away. */
  onWait(text: string): void;
  waitMsMax?: number;
}

/**
 * Returns a `fetch` that repeats a GET request while the service is away. Other requests are not repeated: only their caller knows
 * whether that changes something twice. A service that has never answered is not waited for. When the wait has ended without an answer, the
 * next requests do not wait again.
 */
export function withPatience(send: typeof fetch, { onWait, waitMsMax = RESTART_MS_MAX }: Patience): typeof fetch {
  let hasAnswered = false;
  let awaySince: number | undefined;
  return async (input, init) => {
    const canRepeat = (init?.method ?? 'GET') === 'GET';
    for (;;) {
      const answer = await send(input, init).catch((error: unknown) => ({ error }));
      const isAway = 'error' in answer ? answer.error instanceof NoAnswerError : AWAY.has(answer.status);
      if (!isAway && 'status' in answer) {
        hasAnswered = true;
        awaySince = undefined;
      }
      const now = performance.now();
      if (isAway && canRepeat && hasAnswered && now - (awaySince ?? now) < waitMsMax) {
        if (awaySince === undefined)
          onWait(`The service does not answer. Waiting up to ${Math.round(waitMsMax / 1000)} s for its restart.\n`);
        awaySince ??= now;
        if ('body' in answer) await answer.body?.cancel();
        await sleep(PAUSE_MS);
        continue;
      }
      if ('error' in answer) throw answer.error;
      return answer;
    }
  };
}
