/**
 * Evaluates recurrence rules of tenants in a thread with little memory and a limit of processor time, so that no rule blocks the service.
 * The first rule starts the thread. A new thread replaces a thread that was stopped.
 */
import { Worker } from 'node:worker_threads';
import { invalidAt, ServiceError } from '../errors.ts';
import { processorMsOfThread, startWork, WORK_CHECK_MS } from '../util/work/work-time.ts';
import { NEXT_TIMES } from './schedule-limits.ts';

/** Maximum processor time of one rule. An ordinary rule takes a few milliseconds. */
const RULE_MS_MAX = 2_000;
/** Time limit for the start of the thread, on a busy machine. */
const START_MS_MAX = 30_000;
const QUESTIONS_WAITING_MAX = 100;
const HEAP_MB_MAX = 64;
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const SCRIPT = new URL(`./schedule-worker.${EXTENSION}`, import.meta.url);

export interface RuleQuestion {
  id: number;
  rule: string;
  anchor: Date;
  after: Date;
  count: number;
  /** Refuses a rule that has no occurrence, or occurrences that are too close. */
  check: boolean;
}

/** The answer 0 says that the thread is ready, and names its folder in /proc if there is one. */
export interface RuleAnswer {
  id: number;
  times?: Date[];
  problem?: string;
  folder?: string | undefined;
}

export interface Schedules {
  /** Returns the next occurrences of a new rule. @throws ServiceError invalid_request, overloaded. */
  check(rule: string, anchor: Date, now: Date): Promise<Date[]>;
  /** Returns the next occurrences of a checked rule; none after its last occurrence. @throws as `check`. */
  next(rule: string, anchor: Date, after: Date): Promise<Date[]>;
  close(): Promise<void>;
}

export interface ScheduleOptions {
  ruleMsMax?: number;
  /** Entry point of the thread. Tests use one that misbehaves. */
  script?: URL;
}

export function openSchedules({ ruleMsMax = RULE_MS_MAX, script = SCRIPT }: ScheduleOptions = {}): Schedules {
  let thread: Promise<Started> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let lastId = 0;

  async function ask(question: Omit<RuleQuestion, 'id' | 'count'>): Promise<Date[]> {
    thread ??= start(script, () => {
      thread = undefined;
    });
    const { worker, folder } = await thread;
    worker.ref();
    const id = ++lastId;
    worker.postMessage({ ...question, id, count: NEXT_TIMES } satisfies RuleQuestion);
    const answer = await answerOf(worker, id, ruleMsMax, folder).catch(() => undefined);
    worker.unref();
    if (!answer) {
      await worker.terminate();
      throw invalidAt(['rrule'], 'the rule takes too long to evaluate.');
    }
    if (answer.problem !== undefined) throw invalidAt(['rrule'], `the rule ${answer.problem}.`);
    return answer.times ?? [];
  }

  /** Asks one question at a time, so that the time limit covers one rule alone. */
  function enqueue(question: Omit<RuleQuestion, 'id' | 'count'>): Promise<Date[]> {
    if (waiting >= QUESTIONS_WAITING_MAX)
      throw new ServiceError('overloaded', 'Too many schedules are being checked. Try again.', {
        retryAfterSeconds: 5,
      });
    waiting++;
    const turn = last.then(() => ask(question)).finally(() => waiting--);
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    check: async (rule, anchor, now) => enqueue({ rule, anchor, after: now, check: true }),
    next: async (rule, anchor, after) => enqueue({ rule, anchor, after, check: false }),
    async close() {
      await last;
      await (await thread)?.worker.terminate();
    },
  };
}

interface Started {
  worker: Worker;
  folder: string | undefined;
}

/** Starts the thread. Calls `onEnd` when the thread ends for any reason. */
async function start(script: URL, onEnd: () => void): Promise<Started> {
  const worker = new Worker(script, {
    // The worker must not inherit options of the process (--input-type, --test).
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  // `answerOf` reports an error to a caller that waits. Errors of an idle thread are ignored.
  worker.on('error', () => {}).once('exit', onEnd);
  try {
    const { folder } = await answerOf(worker, 0, START_MS_MAX);
    worker.unref();
    return { worker, folder };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Returns the answer with this id. @throws Error when the thread ends before, or has used up its time. */
function answerOf(worker: Worker, id: number, ms: number, folder?: string): Promise<RuleAnswer> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearInterval(timer);
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      settle();
    };
    const onMessage = (answer: RuleAnswer): void => {
      if (answer.id === id) end(() => resolve(answer));
    };
    const onEnd = (reason: unknown): void =>
      end(() => reject(new Error('the thread of schedules has ended', { cause: reason })));
    const work = startWork(() => processorMsOfThread(folder));
    const timer = setInterval(() => {
      if (work.exceeds(ms)) onEnd('time');
    }, WORK_CHECK_MS);
    worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
  });
}
