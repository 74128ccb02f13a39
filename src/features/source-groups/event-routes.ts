/** The stream of changes: runs that begin, make progress and end. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { listMovingRuns } from '../../corpus/run-store.ts';
import { ServiceError } from '../../errors.ts';
import { authenticateRequest } from '../../http/auth.ts';
import type { Deps } from '../../http/deps.ts';
import { errorBody } from '../../http/error-handler.ts';
import { openConcurrencyLimiter } from '../../http/rate-limit.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { type EventStream, openEventStream } from '../../http/sse.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { toRun } from './run-record.ts';

const STREAMS_PER_KEY_MAX = 4;
const INTERVAL_MS = 1_000;
/** Runs in one look. Of more active runs, the others follow when these have ended. */
const RUNS_MAX = 200;
/** A client that was away for longer reads its lists again. */
const RESUME_MS_MAX = 3_600_000;
/** The clocks of two processes may differ by this. An ended run may be sent twice, but never not at all. */
const CLOCK_MS = 10_000;

export function eventRoutes(deps: Deps): Route[] {
  const message = `This API key has ${STREAMS_PER_KEY_MAX} streams of events already: close one of them.`;
  const enter = openConcurrencyLimiter({ max: STREAMS_PER_KEY_MAX, message, retryAfterSeconds: 1 });
  return [
    routesOf('Runs')({
      method: 'GET',
      path: '/events',
      scopes: ['ingestion:manage', 'knowledge:read'],
      operation: {
        id: 'streamEvents',
        summary: 'Follow the runs of all source groups',
        description:
          'Server-sent events. `{"type": "run", "run": {…}}` is sent for each active run at once, and whenever a run changes, at most ' +
          'once a second. The header `Last-Event-ID` resumes within an hour: runs that ended meanwhile are sent. `{"type": "reset"}` ' +
          'says that the client was away for longer and must read its lists again. `{"type": "error", "error": {…}}` ends the stream. ' +
          'A key may have ' +
          `${STREAMS_PER_KEY_MAX} streams.`,
      },
      response: { status: 200, schema: z.unknown() },
      stream: 'Events, each in one `data:` line.',
      async handler({ caller, signal, raw, reply }) {
        const leave = enter(caller.apiKeyId);
        try {
          const lastId = raw.headers['last-event-id'];
          const stream = openEventStream(reply, signal);
          // Some clients and proxies pass an answer on only with its first bytes.
          reply.raw.write(': open\n\n');
          // A session of the console may end before its key.
          const check = async () => void (await authenticateRequest(deps.auth, raw));
          await follow(deps, caller, stream, signal, String(lastId ?? ''), check);
        } finally {
          leave();
        }
        return reply;
      },
    }),
  ];
}

/** Sends changes until the client leaves or may no longer read them. */
async function follow(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'redactors'>,
  caller: Caller,
  stream: EventStream,
  signal: AbortSignal,
  lastId: string,
  check: () => Promise<void>,
): Promise<void> {
  const { clock, log } = deps;
  const sent = new Map<string, string>();
  try {
    const now = clock.now().getTime();
    const left = /^\d{1,15}$/.test(lastId) ? Number(lastId) : undefined;
    const isKnown = left !== undefined && left <= now && now - left <= RESUME_MS_MAX;
    let since = (isKnown ? left : now) - CLOCK_MS;
    if (lastId !== '' && !isKnown) await stream.send({ type: 'reset' });
    while (true) {
      const at = clock.now().getTime();
      const from = new Date(since);
      const { runs, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => ({
        runs: await listMovingRuns(tx, caller, from, RUNS_MAX),
      }));
      for (const run of runs) {
        const event = { type: 'run', run: await toRun(redactor, run) };
        const text = JSON.stringify(event);
        if (sent.get(run.id) === text) continue;
        sent.set(run.id, text);
        await stream.send(event, String(at));
      }
      const moving = new Set(runs.map(({ id }) => id));
      for (const id of sent.keys()) if (!moving.has(id)) sent.delete(id);
      // What ended until now was sent, unless another process has written it with a slower clock.
      since = Math.max(since, at - CLOCK_MS);
      await pause(INTERVAL_MS, undefined, { signal });
      await check();
    }
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    if (!signal.aborted && !(error instanceof ServiceError)) log.error({ err: error }, 'a stream of events broke');
    const failure = reason instanceof ServiceError ? reason : new ServiceError('internal', 'The stream broke.');
    stream.end({ type: 'error', ...JSON.parse(errorBody(failure)) });
  }
}
