/**
 * Recurrence rules of tenants, worked out in a thread with little memory and a time limit: whatever a rule says, the service
 * goes on answering meanwhile. The thread is started when it is first needed, and replaced when it was stopped.
 */
import { Worker } from 'node:worker_threads';
import { invalidRequest, ServiceError } from '../errors.ts';
import { NEXT_TIMES } from './schedule-limits.ts';

/** For one rule. An ordinary one takes a few milliseconds. */
const RULE_MS_MAX = 2_000;
/** Until the thread is ready, on a machine with much else to do. */
const START_MS_MAX = 30_000;
const QUESTIONS_WAITING_MAX = 100;
const HEAP_MB_MAX = 64;

export interface RuleQuestion {
  id: number;
  rule: string;
  anchor: Date;
  after: Date;
  count: number;
  /** Refuse a rule that has no occurrence or too many. */
  check: boolean;
}

/** The answer 0 says that the thread is ready. */
export interface RuleAnswer {
  id: number;
  times?: Date[];
  problem?: string;
}

export interface Schedules {
  /** For a rule that a caller sets: its next occurrences. @throws ServiceError invalid_request, overloaded. */
  check(rule: string, anchor: Date, now: Date): Promise<Date[]>;
  /** The next occurrences of a rule that was checked; none when it has come to its end. @throws as `check`. */
  next(rule: string, anchor: Date, after: Date): Promise<Date[]>;
  close(): Promise<void>;
}

export function openSchedules({ ruleMsMax = RULE_MS_MAX } = {}): Schedules {
  let thread: Promise<Worker> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let lastId = 0;

  async function ask(question: Omit<RuleQuestion, 'id' | 'count'>): Promise<Date[]> {
    thread ??= start(() => {
      thread = undefined;
    });
    const worker = await thread;
    worker.ref();
    const id = ++lastId;
    worker.postMessage({ ...question, id, count: NEXT_TIMES } satisfies RuleQuestion);
    const answer = await answerOf(worker, id, ruleMsMax).catch(() => undefined);
    worker.unref();
    if (!answer) {
      await worker.terminate();
      throw invalidRequest('/rrule: the rule takes too long to work out.');
    }
    if (answer.problem !== undefined) throw invalidRequest(`/rrule: the rule ${answer.problem}.`);
    return answer.times ?? [];
  }

  /** One question after the other: the time limit is that of the rule alone. */
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
      await (await thread)?.terminate();
    },
  };
}

/** `onEnd` is called however the thread ends. */
async function start(onEnd: () => void): Promise<Worker> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./schedule-worker.${extension}`, import.meta.url), {
    // Options of the process (--input-type, --test) are none of the worker's.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  // Whoever waits for an answer hears of it; an idle thread has nobody to tell.
  worker.on('error', () => {}).once('exit', onEnd);
  try {
    await answerOf(worker, 0, START_MS_MAX);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  worker.unref();
  return worker;
}

/** @throws Error when the thread ends or the time is over before it answers. */
function answerOf(worker: Worker, id: number, ms: number): Promise<RuleAnswer> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      settle();
    };
    const onMessage = (answer: RuleAnswer): void => {
      if (answer.id === id) end(() => resolve(answer));
    };
    const onEnd = (reason: unknown): void =>
      end(() => reject(new Error('the thread of schedules has ended', { cause: reason })));
    const timer = setTimeout(() => onEnd('time'), ms);
    worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
  });
}
