/**
 * The engine has one session, so everything queues, first come, first served. A batch that stands alone is sent at once,
 * behind those already sent; a transaction holds the session until it ends.
 *
 * A transaction of background work lets everything else go first, also the next statement of a search that has just had an
 * answer: otherwise a search of several statements would wait for a transaction before each of them. It waits so for a while at most,
 * and then one of them goes first: of several runs, others would wait for a transaction each.
 */
import { ServiceError } from '../../errors.ts';
import { abortReason } from '../../util/abort.ts';
import { type Engine, unavailable } from './engine.ts';
import { type Notification, type Reply, readReply, simpleQuery } from './wire.ts';

/** A transaction that sends nothing for this long is rolled back: it would stop everybody else. */
export const IDLE_IN_TRANSACTION_MS = 60_000;
/** More waiting statements and transactions than this are refused. */
export const WAITING_MAX = 10_000;
const OVERLOADED_RETRY_SECONDS = 2;

/** When background work has its turn. */
export interface BackgroundLimits {
  /** After the last answer to anybody else … */
  quietMs: number;
  /** … or when it has waited so long … */
  waitMs: number;
  /** … and others had their turn for so long since the background work before it. */
  betweenMs: number;
}
const BACKGROUND: BackgroundLimits = { quietMs: 3, waitMs: 100, betweenMs: 30 };

/** The session, held by one transaction. */
export interface Lease {
  /** Runs one batch; `keepNames` as in `readReply`. @throws the reason of `abort`, the statement's error. */
  run(bytes: Uint8Array, keepNames?: boolean): Promise<Reply>;
  /** Runs the last batch (commit or rollback) and lets the next one in. */
  end(bytes: Uint8Array): Promise<Reply>;
  /** The same of a transaction that only read: the next one is let in behind it at once, and nobody waits. @throws as `run`. */
  leave(bytes: Uint8Array): void;
  /** Rolls back, lets the next one in, and makes every later `run` reject with `reason`. No-op when ended. */
  abort(reason: Error): void;
  /** Rejects with the reason when the lease is aborted; never resolves. */
  readonly aborted: Promise<never>;
}

export interface Session {
  /** A batch that leaves no transaction open; `keepNames` as in `readReply`. */
  single(bytes: Uint8Array, keepNames?: boolean): Promise<Reply>;
  /** Waits for the turn. @throws the signal's reason when it aborts before that. */
  lease(signal?: AbortSignal, background?: boolean): Promise<Lease>;
  /** Called with every NOTIFY that the session hears. */
  onNotification(hear: (notification: Notification) => void): () => void;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createSession(engine: Engine, limits: BackgroundLimits = BACKGROUND): Session {
  const waiting: (() => void)[] = [];
  const background: { start: () => void; since: number }[] = [];
  const idlers: (() => void)[] = [];
  const hearers = new Set<(notification: Notification) => void>();
  let held = false;
  let running = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let backgroundEndedAt = Number.NEGATIVE_INFINITY;
  let again: NodeJS.Timeout | undefined;

  const next = (): void => {
    while (!held) {
      const behind = background[0];
      const now = performance.now();
      const overdueAt = behind && Math.max(behind.since + limits.waitMs, backgroundEndedAt + limits.betweenMs);
      const overdue = overdueAt !== undefined && now >= overdueAt;
      if (waiting.length > 0 && !overdue) waiting.shift()!();
      else if (behind === undefined || overdueAt === undefined) break;
      else if (overdue || (running === 0 && now - answeredAt >= limits.quietMs)) background.shift()!.start();
      else {
        if (again !== undefined) return;
        const waitMs = Math.ceil(Math.min(limits.quietMs, overdueAt - now));
        again = setTimeout(() => {
          again = undefined;
          next();
        }, waitMs);
        return;
      }
    }
    if (!held && running === 0) for (const idler of idlers.splice(0)) idler();
  };
  const turn = (start: () => void, isBackground = false): void => {
    if (waiting.length + background.length >= WAITING_MAX) {
      throw new ServiceError('overloaded', 'The database is busy. Try again shortly.', {
        retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
      });
    }
    if (isBackground) background.push({ start, since: performance.now() });
    else waiting.push(start);
    next();
  };
  const send: Send = async (bytes, keepNames, isSingle = false) => {
    running += 1;
    try {
      const reply = readReply(await engine.run(bytes), keepNames);
      if (isFatal(reply.error)) engine.restart(reply.error);
      for (const notification of reply.notifications) for (const hear of hearers) hear(notification);
      return reply;
    } finally {
      running -= 1;
      if (isSingle) answeredAt = performance.now();
      next();
    }
  };

  return {
    single: (bytes, keepNames) =>
      new Promise((resolve, reject) => {
        turn(() => void send(bytes, keepNames, true).then(resolve, reject));
      }),
    lease: (signal, isBackground = false) =>
      new Promise((resolve, reject) => {
        turn(() => {
          if (signal?.aborted) return reject(abortReason(signal));
          held = true;
          const release = (): void => {
            held = false;
            if (isBackground) backgroundEndedAt = performance.now();
            else answeredAt = performance.now();
            next();
          };
          resolve(createLease(engine, send, release));
        }, isBackground);
      }),
    onNotification: (hear) => {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        next();
      }),
  };
}

/** After these PostgreSQL's server process ends; the engine's thread only seems to go on. */
function isFatal(error: Error | undefined): error is Error {
  const severity = (error as { severity?: unknown } | undefined)?.severity;
  return severity === 'PANIC' || severity === 'FATAL';
}

function hasEnded(): Error {
  return new Error('the transaction has ended');
}

type Send = (bytes: Uint8Array, keepNames?: boolean, isSingle?: boolean) => Promise<Reply>;

function createLease(engine: Engine, send: Send, release: () => void): Lease {
  const { generation } = engine;
  /** Why it takes no more: an error is made only for who asks. */
  let ended: (() => Error) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rejectAborted: (reason: Error) => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = reject;
  });
  aborted.catch(() => {});

  /** After a restart the transaction is gone: its statements must not run outside of one. */
  const sendSame: Send = async (bytes, keepNames) => {
    if (engine.generation !== generation) throw unavailable();
    return send(bytes, keepNames);
  };
  const finish = async (bytes: Uint8Array): Promise<Reply> => {
    clearTimeout(timer);
    try {
      return await sendSame(bytes);
    } finally {
      release();
    }
  };
  const abort = (reason: Error): void => {
    if (ended) return;
    ended = () => reason;
    finish(simpleQuery('rollback')).catch(() => {});
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
      const reply = await sendSame(bytes, keepNames);
      assertOpen();
      watch();
      return reply;
    },
    async end(bytes) {
      assertOpen();
      ended = hasEnded;
      return finish(bytes);
    },
    leave(bytes) {
      assertOpen();
      ended = hasEnded;
      clearTimeout(timer);
      // What was read was read; of an engine that is lost, the next statement hears.
      sendSame(bytes).catch(() => {});
      release();
    },
  };
}
