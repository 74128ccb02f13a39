/** One run from its claim to its end, with the events it gives out: attached to a request, or as a job. */
import type { Caller } from '../../access/caller.ts';
import { ServiceError } from '../../errors.ts';
import { toServiceError } from '../../http/error-handler.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import {
  answerEvents,
  brokenEvent,
  type NumberedEvent,
  numberAfter,
  startEvent,
  stepEvents,
  textDelta,
  textStart,
} from './events.ts';
import type { Asking, Host } from './host.ts';
import { RunLost, work } from './loop.ts';
import { type AgentRun, beatRun, claimRun, endRun, findCancelRequest, listSteps, type RunEnd } from './store.ts';

/** How often a run looks whether it was canceled. */
const CANCEL_CHECK_MS = 1_000;
/** How often a run says that it is worked on. Without a sign for LOST_AFTER_MS it counts as lost. */
const BEAT_MS = 15_000;
export const LOST_AFTER_MS = 60_000;

class RunCanceled extends Error {}

/** Who runs it, and for whom. */
export interface Runner {
  caller: Caller;
  rights: RequestRights;
  signal: AbortSignal;
}

/**
 * Works on a run that waits, and yields its events.
 *
 * @param asking the question, if it was begun already.
 * @throws what ended the work, once the run has ended. The signal's reason if the worker stops: then another one may go on.
 */
export async function* execute(host: Host, id: string, runner: Runner, asking?: Asking): AsyncGenerator<NumberedEvent> {
  const { deps } = host;
  const { caller, signal } = runner;
  const run = await deps.db.transaction(caller.tenantId, (tx) => claimRun(tx, id, deps.clock.now()));
  if (run === undefined) return;
  deps.crash.reach('agent.claimed');
  const stop = new AbortController();
  const watch = watchRun(host, run, caller, (reason) => stop.abort(reason));
  const bounded = { ...runner, signal: AbortSignal.any([signal, stop.signal]) };
  try {
    yield* eventsOf(host, run, bounded, asking);
  } catch (error) {
    const reason = bounded.signal.aborted ? bounded.signal.reason : error;
    if (reason instanceof RunLost) return;
    const isLeft = run.background && signal.aborted && !(reason instanceof ServiceError);
    if (!isLeft) yield await endBroken(host, run, caller, reason, signal.aborted && !run.background);
    if (!(reason instanceof RunCanceled)) throw reason;
  } finally {
    watch();
  }
}

async function* eventsOf(host: Host, run: AgentRun, runner: Runner, begun?: Asking): AsyncGenerator<NumberedEvent> {
  const { caller, rights, signal } = runner;
  const asking = begun ?? (await host.ask(questionOf(run), caller, rights, run));
  const exchange = exchangeOf(host, run, runner);
  yield startEvent(run);
  const steps = await host.deps.db.transaction(caller.tenantId, (tx) => listSteps(tx, run.id));
  const happenings = work(host, { run, caller, asking, exchange, signal });
  let hasText = false;
  let citations: readonly object[] = [];
  try {
    let next = await happenings.next();
    for (; !next.done; next = await happenings.next()) {
      const happening = next.value;
      if (happening.type === 'step') {
        yield* await stepEvents(happening.step, happening.views, asking.redactor, numberAfter(steps));
        steps.push(happening.step);
      } else if (happening.type === 'text') {
        if (!hasText) yield textStart(run, numberAfter(steps));
        hasText = true;
        yield textDelta(run, happening.delta);
      } else citations = happening.answered.citations;
    }
    for (const event of answerEvents(run, next.value, { citations }, numberAfter(steps))) {
      await rights.confirm();
      yield event;
    }
  } finally {
    await happenings.return(undefined as never);
  }
}

function questionOf({ input, request }: AgentRun) {
  return {
    input,
    ...request.filters,
    ...(request.continues === undefined ? {} : { conversation_id: request.continues }),
    ...(request.threadId === undefined ? {} : { threadId: request.threadId }),
    ...principalOf(request),
  };
}

function principalOf({ principalId, authzPolicy }: AgentRun['request']) {
  return {
    ...(principalId === undefined ? {} : { principal_id: principalId }),
    ...(authzPolicy === undefined ? {} : { authz_policy: authzPolicy }),
  };
}

function exchangeOf({ deps }: Host, { request }: AgentRun, { caller, rights, signal }: Runner): Exchange {
  const reply = { header: () => reply } as unknown as Exchange['reply'];
  const hasFilters = Object.keys(request.filters).length > 0;
  return {
    caller,
    principal: principalOf(request),
    ...(hasFilters ? { filters: request.filters } : {}),
    signal,
    rights,
    raw: { headers: {}, log: deps.log },
    reply,
  };
}

/** Ends a run that has no answer, and returns its last event. */
async function endBroken(
  { deps }: Host,
  run: AgentRun,
  { tenantId }: Caller,
  reason: unknown,
  hasLeft: boolean,
): Promise<NumberedEvent> {
  const isCanceled = reason instanceof RunCanceled || (hasLeft && !(reason instanceof ServiceError));
  const failure = toServiceError(reason);
  if (!isCanceled && failure.status >= 500)
    deps.log.error({ err: failure.cause ?? failure, runId: run.id, code: failure.code }, 'an agent run failed');
  return deps.db.transaction(tenantId, async (tx) => {
    const steps = await listSteps(tx, run.id);
    const usage = { inputTokens: 0, outputTokens: 0 };
    for (const step of steps) {
      usage.inputTokens += step.usage.inputTokens;
      usage.outputTokens += step.usage.outputTokens;
    }
    const outcome = { usage, warnings: [] };
    const end: RunEnd = isCanceled
      ? { status: 'canceled', finishReason: 'canceled', isStored: false, outcome }
      : {
          status: 'failure',
          finishReason: 'error',
          isStored: false,
          outcome: { ...outcome, error: { message: failure.message, type: failure.type } },
        };
    await endRun(tx, run, end, deps.clock.now());
    return brokenEvent(run, end, numberAfter(steps));
  });
}

/** Looks whether the run was canceled or lost, and says that it is worked on. Returns the function that ends the watch. */
function watchRun({ deps }: Host, run: AgentRun, { tenantId }: Caller, end: (reason: Error) => void): () => void {
  let checks = 0;
  let isChecking = false;
  const check = async (): Promise<void> => {
    checks++;
    const isDue = checks % Math.round(BEAT_MS / CANCEL_CHECK_MS) === 0;
    const isCanceled = await deps.db.transaction(tenantId, async (tx) => {
      if (isDue) await beatRun(tx, run, deps.clock.now());
      return findCancelRequest(tx, run);
    });
    if (isCanceled === undefined) end(new RunLost());
    else if (isCanceled) end(new RunCanceled());
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error) => deps.log.warn({ err: error, runId: run.id }, 'the watch of an agent run failed'))
      .finally(() => {
        isChecking = false;
      });
  }, CANCEL_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
