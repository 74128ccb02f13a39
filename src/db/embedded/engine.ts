/**
 * The engine with restarts. PostgreSQL ends a server that cannot keep its promises (disk full, failed fsync: PANIC) and starts it
 * again from the log. Here the thread is ended and a new thread is started, with the same recovery.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { diskFull, isDiskFull } from './disk-room.ts';
import { type Answer, type EngineThread, openEngineThread } from './engine-thread.ts';

const RESTART_DELAY_MS_FIRST = 200;
const RESTART_DELAY_MS_MAX = 10_000;
const RETRY_SECONDS = 5;

export interface Engine {
  /**
   * Runs one batch. Batches run in the order of the calls, and wait for an engine that is interrupted.
   *
   * @throws ServiceError `overloaded` during a restart.
   */
  run(bytes: Uint8Array): Promise<Answer>;
  /** Returns the processor time of all statements. Undefined on systems other than Linux. */
  processorMs(): number | undefined;
  /** Every restart raises it. What an earlier session held (a transaction, LISTEN) is lost. */
  readonly generation: number;
  /** Ends the broken thread and starts another. */
  restart(reason: Error): void;
  /**
   * Ends the statement that runs, with the thread, and opens the engine again from its files. WebAssembly has no signals, so
   * PostgreSQL's own time limits and cancellation do not work here. What is committed stays, as after a kill.
   */
  interrupt(): void;
  /** Calls `done` after every restart and interrupt. */
  onRestart(done: () => void): void;
  /** Flushes and ends the engine. */
  close(): Promise<void>;
}

/** @throws Error with the engine's reason when it does not start. */
export async function openEngine(dataDir: string): Promise<Engine> {
  const listeners: (() => void)[] = [];
  let generation = 1;
  const closing = new AbortController();
  let restarting: Promise<void> | undefined;
  let isFull = false;
  let interrupted: Promise<void> | undefined;

  /** The processor time of the threads that have ended. */
  let endedMs = 0;

  const open = (): Promise<EngineThread> => openEngineThread(dataDir, (reason) => restart(reason));
  const replaceThread = async (): Promise<void> => {
    const next = await open();
    endedMs += thread.processorMs() ?? 0;
    thread = next;
  };
  const reopen = async (reason: Error): Promise<void> => {
    isFull = await isDiskFull(dataDir);
    await thread.kill(isFull ? diskFull(reason) : unavailable(reason));
    for (
      let delayMs = RESTART_DELAY_MS_FIRST;
      !closing.signal.aborted;
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)
    ) {
      try {
        await sleep(delayMs, undefined, { signal: closing.signal });
        await replaceThread();
        break;
      } catch {
        // The cause lasts, for example the disk is still full: wait longer.
        isFull = await isDiskFull(dataDir);
      }
    }
  };
  const restart = (reason: Error): void => {
    if (closing.signal.aborted || restarting || interrupted) return;
    generation += 1;
    restarting = reopen(reason).then(() => {
      restarting = undefined;
      for (const listener of listeners) listener();
    });
  };
  const reopenOnce = async (): Promise<void> => {
    await thread.kill(unavailable());
    try {
      await replaceThread();
    } catch (error) {
      interrupted = undefined;
      return restart(error as Error);
    }
    interrupted = undefined;
    for (const listener of listeners) listener();
  };
  let thread = await open();

  return {
    get generation() {
      return generation;
    },
    async run(bytes) {
      if (interrupted) await interrupted;
      if (restarting) throw isFull ? diskFull() : unavailable();
      try {
        return await thread.run(bytes);
      } catch (error) {
        // The thread has ended by itself. A thread that was killed has given the reason.
        throw restarting && !(error instanceof ServiceError) ? unavailable(error as Error) : error;
      }
    },
    processorMs() {
      const ms = thread.processorMs();
      return ms === undefined ? undefined : endedMs + ms;
    },
    restart,
    interrupt() {
      if (closing.signal.aborted || restarting || interrupted) return;
      generation += 1;
      interrupted = reopenOnce();
    },
    onRestart: (done) => void listeners.push(done),
    async close() {
      closing.abort();
      await interrupted;
      await restarting;
      await thread.close().catch(() => {});
    },
  };
}

/** Returns the error for requests during a restart. */
export function unavailable(cause?: Error): ServiceError {
  const options = { retryAfterSeconds: RETRY_SECONDS, ...(cause ? { cause } : {}) };
  return new ServiceError('overloaded', 'The database is restarting. Try again shortly.', options);
}
