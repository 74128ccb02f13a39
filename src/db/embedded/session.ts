/**
 * The queue for the engine's only session. Tenants take turns, and within a tenant its keys, so nobody waits for all searches of
 * another; within a key, first come is first served. A single batch is sent at once, after the batches already sent. A transaction
 * holds the session until it ends. Short batches of the service itself, such as the look-up of a key, are sent together in one turn.
 *
 * A background transaction lets everything else go first, also the next statement of a search that has just received an answer.
 * Otherwise a search of several statements would wait for a background transaction before each statement. A background transaction
 * waits for a limited time, and then goes first. Only one does so at a time: with several runs, others would wait for each of them.
 *
 * An urgent transaction goes before all others. Only the checks of the rights of running requests are urgent: tenants cannot make
 * more of them than a few in a second.
 *
 * A tenant whose long turns kept others waiting in the last second is held back (shares.ts): it has only background transactions, which
 * start later after an answer than others. Otherwise a search of another tenant would wait for a long statement of the busy tenant before
 * each of its own statements: the look-up of its key, the search, the check after a rerank model.
 */
import { ServiceError } from '../../errors.ts';
import { abortReason } from '../../util/abort.ts';
import { openFairQueue, type Whose } from '../../util/pool.ts';
import { startWork, WORK_CHECK_MS } from '../../util/work/work-time.ts';
import type { TransactionOptions } from '../database.ts';
import { type Engine, unavailable } from './engine.ts';
import { openShares, type Shares } from './shares.ts';
import { CutReply, type Notification, type Reply, readReply, simpleQuery } from './wire.ts';

/** A transaction that sends nothing for this long is rolled back, because it blocks everybody else. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/**
 * The statement of an aborted search is interrupted after this processor time. Others wait for the engine, which then reopens: up to 1.7 s
 * on a loaded machine. Most statements end sooner.
 */
const INTERRUPT_AFTER_MS = 2_000;
/** Most statements and transactions that wait. Further ones are refused. */
const WAITING_MAX = 10_000;
const OVERLOADED_RETRY_SECONDS = 2;

/** When a background transaction starts. */
export interface BackgroundLimits {
  /** The time since the last answer to anybody else … */
  quietMs: number;
  /** … or, for a tenant that is held back, this time: a request that got an answer sends its next statement meanwhile … */
  heldBackQuietMs: number;
  /** … or the time that it has waited … */
  waitMs: number;
  /** … together with the time since the previous background transaction. */
  betweenMs: number;
}
const BACKGROUND: BackgroundLimits = { quietMs: 3, heldBackQuietMs: 25, waitMs: 100, betweenMs: 30 };

/** The session, held by one transaction. */
export interface Lease {
  /** Runs one batch; `keepNames` as in `readReply`. @throws the reason of `abort`, the statement's error. */
  run(bytes: Uint8Array, keepNames?: boolean): Promise<Reply>;
  /** Runs the last batch (commit or rollback) and releases the session. */
  end(bytes: Uint8Array): Promise<Reply>;
  /** Sends the last batch of a transaction that only read, and releases the session without waiting. @throws as `run`. */
  endUnawaited(bytes: Uint8Array): void;
  /**
   * Rolls back, releases the session, and makes every later `run` reject with `reason`. No-op when ended. With `interrupts`, a statement
   * that goes on for long is ended with the engine's thread.
   */
  abort(reason: Error, interrupts?: boolean): void;
  /** Rejects with the reason of `abort`. Never resolves. */
  readonly aborted: Promise<never>;
}

/** The owner of the job queue, which polls often. Look-ups of keys, which have no owner, do not wait for all of its polls. */
export const JOBS = 'jobs';

/** What a transaction is, and whose. The service itself has no owner. */
export type LeaseOptions = {
  [Name in 'signal' | 'background' | 'urgent']?: TransactionOptions[Name] | undefined;
} & Whose;

export interface Session {
  /** Runs a batch that leaves no transaction open; `keepNames` as in `readReply`. */
  single(bytes: Uint8Array, keepNames?: boolean, whose?: Whose): Promise<Reply>;
  /** Waits for the session and takes it. @throws the signal's reason when the signal aborts before. */
  lease(options?: LeaseOptions): Promise<Lease>;
  /** Calls `listener` with every NOTIFY. Returns the function that removes the listener. */
  onNotification(listener: (notification: Notification) => void): () => void;
  /**
   * Returns the processor time of the engine, and the time by the clock in which it had nothing to do: a search that waits for its own
   * next statement, or for a transaction that sends nothing, does not wait for a processor. Undefined on systems other than Linux.
   */
  spentMs(): number | undefined;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

/** A batch or transaction that waits for the session. */
interface Turn {
  /** The tenant; empty for the service itself. */
  owner: string;
  part: string | undefined;
  since: number;
  /** Whether it holds the session for more than a batch. */
  isLong: boolean;
  isHeldBack?: boolean;
  start(asBackground: boolean): void;
}

export function createSession(
  engine: Engine,
  limits: BackgroundLimits = BACKGROUND,
  shares: Shares = openShares(),
): Session {
  const urgent: Turn[] = [];
  const waiting = openFairQueue<Turn>();
  const background = openFairQueue<Turn>();
  /** Batches of the service itself that wait for its turn. */
  const ownBatches: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  const listeners = new Set<(notification: Notification) => void>();
  let held = false;
  let running = 0;
  let singles = 0;
  /** Time in which no batch ran, until the last batch. */
  let idledMs = 0;
  let idleSince = performance.now();
  /** How long the engine has run batches of the transaction that holds the session. */
  let workedMs = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  /**
   * From then on a background transaction may keep others waiting again: they get at least as much time as the last one took. Turns of a
   * tenant that is held back count, too.
   */
  let nextOverdueAt = Number.NEGATIVE_INFINITY;
  let again: NodeJS.Timeout | undefined;

  const next = (): void => {
    while (!held) {
      const behind = background.peek();
      const now = performance.now();
      const overdueAt = behind && Math.max(behind.since + limits.waitMs, nextOverdueAt);
      const overdue = overdueAt !== undefined && now >= overdueAt;
      const quietMs = behind?.isHeldBack ? limits.heldBackQuietMs : limits.quietMs;
      if (urgent.length > 0) urgent.shift()!.start(false);
      else if (waiting.length > 0 && !overdue) {
        const turn = waiting.shift()!;
        if (turn.isLong && shares.isBusy(turn.owner))
          background.push(turn.owner, Object.assign(turn, { isHeldBack: true }), turn.part);
        else turn.start(false);
      } else if (behind === undefined || overdueAt === undefined) break;
      else if (overdue || (running === 0 && now - answeredAt >= quietMs)) background.shift()!.start(true);
      else {
        if (again !== undefined) return;
        const waitMs = Math.ceil(Math.min(quietMs, overdueAt - now));
        again = setTimeout(() => {
          again = undefined;
          next();
        }, waitMs);
        return;
      }
    }
    if (!held && running === 0) for (const idler of idlers.splice(0)) idler();
  };
  const assertRoom = (): void => {
    if (waiting.length + background.length + ownBatches.length < WAITING_MAX) return;
    throw new ServiceError('overloaded', 'The database is busy. Try again shortly.', {
      retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
    });
  };
  const enqueue = (turn: Turn, isBackground = false, isUrgent = false): void => {
    if (!isUrgent) assertRoom();
    if (isUrgent) urgent.push(turn);
    else (isBackground ? background : waiting).push(turn.owner, turn, turn.part);
    next();
  };
  const send: Send = async (bytes, keepNames, isSingle = false) => {
    const sentAt = performance.now();
    if (running === 0) idledMs += sentAt - idleSince;
    running += 1;
    if (isSingle) singles += 1;
    let ms: number | undefined;
    try {
      const answer = await engine.run(bytes);
      ms = answer.ms;
      const reply = readReply(answer.bytes, keepNames);
      if (isFatal(reply.error)) engine.restart(reply.error);
      for (const notification of reply.notifications) for (const listener of listeners) listener(notification);
      return reply;
    } catch (error) {
      if (!(error instanceof CutReply)) throw error;
      engine.restart(error);
      throw unavailable(error);
    } finally {
      running -= 1;
      idleSince = performance.now();
      if (isSingle) {
        singles -= 1;
        answeredAt = performance.now();
      } else workedMs += ms ?? performance.now() - sentAt;
      next();
    }
  };
  // Batches of others may be ahead of the transaction that holds the session. No batch of others is behind it.
  const interruptUnless = (ended: Promise<unknown>): void => {
    let work = startWork(engine.processorMs);
    const timer = setInterval(() => {
      if (singles > 0) work = startWork(engine.processorMs);
      else if (work.exceeds(INTERRUPT_AFTER_MS)) engine.interrupt();
    }, WORK_CHECK_MS);
    void ended.finally(() => clearInterval(timer));
  };

  return {
    single: (bytes, keepNames, { owner = '', part } = {}) =>
      new Promise((resolve, reject) => {
        const start = (): void => void send(bytes, keepNames, true).then(resolve, reject);
        if (owner !== '') return enqueue({ owner, part, since: performance.now(), isLong: false, start });
        assertRoom();
        const startAll = (): void => {
          for (const startOne of ownBatches.splice(0)) startOne();
        };
        if (ownBatches.push(start) === 1)
          enqueue({ owner, part, since: performance.now(), isLong: false, start: startAll });
      }),
    lease: ({ signal, background: isBackground = false, urgent: isUrgent = false, owner = '', part } = {}) =>
      new Promise((resolve, reject) => {
        const start = (asBackground: boolean): void => {
          if (signal?.aborted) {
            reject(abortReason(signal));
            return;
          }
          held = true;
          workedMs = 0;
          const heldAt = performance.now();
          const release = (): void => {
            held = false;
            const now = performance.now();
            const usedMs = now - heldAt;
            // Background work goes last anyway. A tenant's own ingestion must not slow its searches.
            if (owner !== '' && owner !== JOBS && !isBackground) shares.add(owner, workedMs);
            const behind = background.peek();
            const wouldGoOn = behind?.isHeldBack && behind.owner === owner;
            if (asBackground || wouldGoOn || shares.isBusy(owner))
              nextOverdueAt = now + Math.max(limits.betweenMs, usedMs);
            if (!asBackground) answeredAt = now;
            next();
          };
          resolve(createLease(engine, send, release, interruptUnless));
        };
        enqueue({ owner, part, since: performance.now(), isLong: true, start }, isBackground, isUrgent);
      }),
    onNotification: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    spentMs: () => {
      const ms = engine.processorMs();
      if (ms === undefined) return undefined;
      return ms + idledMs + (running === 0 ? performance.now() - idleSince : 0);
    },
    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        next();
      }),
  };
}

/** After such an error a PostgreSQL server process ends. The engine's thread only seems to go on. */
function isFatal(error: Error | undefined): error is Error {
  const severity = (error as { severity?: unknown } | undefined)?.severity;
  return severity === 'PANIC' || severity === 'FATAL';
}

function hasEnded(): Error {
  return new Error('the transaction has ended');
}

type Send = (bytes: Uint8Array, keepNames?: boolean, isSingle?: boolean) => Promise<Reply>;

function createLease(
  engine: Engine,
  send: Send,
  release: () => void,
  interruptUnless: (ended: Promise<unknown>) => void,
): Lease {
  const { generation } = engine;
  /** Why the lease accepts no more batches. A function, so that an error is only made when somebody needs it. */
  let ended: (() => Error) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rejectAborted: (reason: Error) => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = reject;
  });
  aborted.catch(() => {});

  /** After a restart the transaction is lost, and its statements must not run outside a transaction. */
  const sendInTransaction: Send = async (bytes, keepNames) => {
    if (engine.generation !== generation) throw unavailable();
    return send(bytes, keepNames);
  };
  const finish = async (bytes: Uint8Array): Promise<Reply> => {
    clearTimeout(timer);
    try {
      return await sendInTransaction(bytes);
    } finally {
      release();
    }
  };
  const abort = (reason: Error, interrupts = false): void => {
    if (ended) return;
    ended = () => reason;
    const rolledBack = finish(simpleQuery('rollback')).catch(() => {});
    if (interrupts) interruptUnless(rolledBack);
    rejectAborted(reason);
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => abort(new Error(`a transaction idled for ${IDLE_IN_TRANSACTION_MS} ms`)),
      IDLE_IN_TRANSACTION_MS,
    );
    timer.unref();
  };

  const assertOpen = (): void => {
    if (ended) throw ended();
  };

  watch();
  return {
    aborted,
    abort,
    async run(bytes, keepNames) {
      assertOpen();
      clearTimeout(timer);
      const reply = await sendInTransaction(bytes, keepNames);
      assertOpen();
      watch();
      return reply;
    },
    async end(bytes) {
      assertOpen();
      ended = hasEnded;
      return finish(bytes);
    },
    endUnawaited(bytes) {
      assertOpen();
      ended = hasEnded;
      clearTimeout(timer);
      // The rows are already read. The next statement reports an engine that is lost.
      sendInTransaction(bytes).catch(() => {});
      release();
    },
  };
}
