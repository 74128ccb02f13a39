/**
 * Runs statements in a few processes of the table engine. A process is reused while it is warm and replaced when it may be damaged. It runs
 * statements of one tenant only: code that takes it over would get the tables of the statements that follow.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { FileError } from '../../files/failure.ts';
import type { Sandbox } from '../../files/sandbox/sandbox.ts';
import { engineView } from '../../files/sandbox/views.ts';
import { EngineProcess, makeProcessFolder, type Outcome } from './engine-process.ts';
import { QueryFailure } from './failures.ts';
import type { QueryRequest, QueryResult } from './protocol.ts';

export const ENGINE_PACKAGE = '@duckdb/node-api';
/** Statements that wait for a process. */
const QUEUE_MAX = 16;
/** Statements of one tenant that wait for a process. */
const QUEUE_OF_OWNER_MAX = QUEUE_MAX / 2;
/** A process is replaced after so many statements. */
const SERVED_MAX = 100;
/** Idle processes end after this time. */
const IDLE_MS = 5 * 60_000;
const TICK_MS = 5_000;
const RETRY_SECONDS = 1;
const LEFTOVER_MS = 24 * 60 * 60 * 1000;

export interface TableEngineOptions {
  processes: number;
  memoryMib: number;
  /** A folder of the file system that has the Parquet files: they are linked into it. */
  folder: string;
  sandbox?: Sandbox | undefined;
  /** Entry point of a process. Tests use one that misbehaves. */
  script?: URL;
  /** Whether the package of the engine is there. Tests say that it is not. */
  isInstalled?: () => boolean;
}

export interface TableEngine {
  /** Says what to install if the package of the engine is not there. @throws ServiceError invalid_request */
  requireInstalled(): void;
  /**
   * Runs a statement for a tenant.
   *
   * @throws QueryFailure if the statement is wrong or takes too much.
   * @throws ServiceError `invalid_request` without the package of the engine, `overloaded` if too many statements wait.
   */
  query(owner: string, request: Omit<QueryRequest, 'id'>, signal?: AbortSignal): Promise<QueryResult>;
  /** Resident memory of the processes, in bytes. */
  rssBytes(): number[];
  close(): Promise<void>;
}

const OWN_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const CHILD_SCRIPT = new URL(`./child${OWN_EXTENSION}`, import.meta.url);

/** Opens the engine. No process is started before the first statement. */
export function openTableEngine(options: TableEngineOptions): TableEngine {
  removeLeftovers(options.folder);
  return new Pool(options);
}

interface Task {
  owner: string;
  request: QueryRequest;
  /** When the time limit of the request ends; it counts the wait for a process. */
  endsAt: number;
  settle(outcome: Outcome | ServiceError): void;
  process?: EngineProcess;
}

class Pool implements TableEngine {
  private readonly options: TableEngineOptions;
  private readonly queue: Task[] = [];
  private readonly running = new Map<EngineProcess, Task>();
  /** Processes with their tenants. */
  private readonly processes = new Map<EngineProcess, string>();
  /** Tenants of processes that are not there yet. */
  private readonly starting: string[] = [];
  private nextId = 1;
  private closed = false;
  private ticker: NodeJS.Timeout | undefined;

  constructor(options: TableEngineOptions) {
    this.options = options;
  }

  requireInstalled(): void {
    if (!(this.options.isInstalled ?? isEngineInstalled)()) throw notInstalled();
  }

  async query(owner: string, request: Omit<QueryRequest, 'id'>, signal?: AbortSignal): Promise<QueryResult> {
    signal?.throwIfAborted();
    this.requireInstalled();
    const { length } = this.queue.filter((task) => task.owner === owner);
    if (this.queue.length >= QUEUE_MAX || length >= QUEUE_OF_OWNER_MAX || this.closed)
      throw overloaded('Too many queries of tables wait. Try again.');
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | ServiceError>();
    const endsAt = performance.now() + request.timeoutMs;
    const task: Task = { owner, request: { ...request, id: this.nextId++ }, endsAt, settle: resolve };
    const timer = setTimeout(() => {
      if (!this.removeFromQueue(task)) return;
      task.settle(overloaded('The query waited for a process for its whole time limit. Try again.'));
    }, request.timeoutMs);
    const abort = (): void => {
      reject(signal!.reason);
      this.drop(task);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.queue.push(task);
    this.dispatch();
    try {
      const outcome = await promise;
      if (outcome instanceof ServiceError) throw outcome;
      if (!outcome.ok) throw new QueryFailure(outcome.error);
      return outcome.result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  rssBytes(): number[] {
    return [...this.processes.keys()].map(({ rssBytes }) => rssBytes);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.ticker);
    for (const task of this.queue.splice(0)) task.settle(overloaded('The service stops.'));
    for (const one of [...this.processes.keys()]) one.end({ kind: 'broken', message: 'The service stops.' });
  }

  private dispatch(): void {
    for (const task of [...this.queue]) {
      // The start of a process may end another, which dispatches, too.
      if (!this.queue.includes(task) || this.runningOf(task.owner) >= this.ownerMax) continue;
      const idle = this.idleProcesses().find((one) => this.processes.get(one) === task.owner);
      if (!idle) {
        this.startProcess(task.owner);
        continue;
      }
      this.removeFromQueue(task);
      void this.runIn(idle, task);
    }
  }

  private idleProcesses(): EngineProcess[] {
    return [...this.processes.keys()].filter((one) => one.isReady && !one.isBusy);
  }

  /** A tenant leaves one process to the others. */
  private get ownerMax(): number {
    return Math.max(1, this.options.processes - 1);
  }

  private runningOf(owner: string): number {
    return [...this.running.values()].filter((task) => task.owner === owner).length;
  }

  private async runIn(process: EngineProcess, task: Task): Promise<void> {
    this.running.set(process, task);
    task.process = process;
    try {
      const timeoutMs = Math.max(1, Math.round(task.endsAt - performance.now()));
      task.settle(await process.run({ ...task.request, timeoutMs }));
    } catch (error) {
      // The file of a table is gone: its source was deleted or built again meanwhile.
      process.end({ kind: 'broken', message: String(error) });
      task.settle(
        new ServiceError('conflict', 'A table of the query was replaced. Send the query again.', { cause: error }),
      );
    }
    this.running.delete(process);
    if (process.served >= SERVED_MAX) process.end({ kind: 'broken', message: 'The process is replaced.' });
    this.dispatch();
  }

  /** Starts a process, unless the tenant has one that starts for each statement that waits. */
  private startProcess(owner: string): void {
    const { processes, memoryMib, folder, sandbox, script = CHILD_SCRIPT } = this.options;
    const begun = [...this.processes].filter(([one, its]) => its === owner && !one.isReady);
    const unready = begun.length + this.starting.filter((its) => its === owner).length;
    const waiting = this.queue.filter((task) => task.owner === owner);
    if (this.closed || unready >= waiting.length || unready + this.runningOf(owner) >= this.ownerMax) return;
    if (this.processes.size + this.starting.length >= processes) {
      const [idle] = this.idleProcesses().sort((a, b) => a.idleSince - b.idleSince);
      // Its end dispatches this statement again.
      idle?.end({ kind: 'broken', message: 'The process makes room for another tenant.' });
      return;
    }
    this.starting.push(owner);
    const hasStarted = () => void this.starting.splice(this.starting.indexOf(owner), 1);
    this.ticker ??= setInterval(() => this.endIdle(), TICK_MS).unref();
    const own = makeProcessFolder(folder, `${process.pid}-${randomUUID()}`);
    const prefix = sandbox?.prefix(engineView(script, own)) ?? Promise.resolve([]);
    prefix.then(
      (words) => {
        hasStarted();
        if (this.closed) return rmSync(own, { recursive: true, force: true });
        const one: EngineProcess = new EngineProcess(script, words, own, memoryMib, {
          onReady: () => this.dispatch(),
          onEnd: (error) => {
            this.processes.delete(one);
            // A process that cannot start fails a query; otherwise the pool would start processes without end.
            const failed = one.isReady ? undefined : this.queue.find((task) => task.owner === owner);
            if (failed && this.removeFromQueue(failed)) failed.settle({ ok: false, error });
            if (!this.running.has(one)) this.dispatch();
          },
        });
        this.processes.set(one, owner);
        this.dispatch();
      },
      (error: unknown) => {
        hasStarted();
        rmSync(own, { recursive: true, force: true });
        const message = error instanceof FileError ? error.failure.message : 'The table engine cannot be started.';
        for (const task of this.queue.splice(0)) task.settle(overloaded(message));
      },
    );
  }

  private endIdle(): void {
    const now = performance.now();
    for (const one of [...this.processes.keys()]) {
      if (!one.isBusy && now - one.idleSince > IDLE_MS) one.end({ kind: 'broken', message: 'The process was idle.' });
    }
  }

  private drop(task: Task): void {
    if (!this.removeFromQueue(task)) task.process?.end({ kind: 'broken', message: 'The request was cancelled.' });
  }

  /** Returns false if the task does not wait any more. */
  private removeFromQueue(task: Task): boolean {
    const index = this.queue.indexOf(task);
    if (index >= 0) this.queue.splice(index, 1);
    return index >= 0;
  }
}

/** Returns true if the package of the engine is installed. It is optional. */
export function isEngineInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(ENGINE_PACKAGE);
    return true;
  } catch {
    return false;
  }
}

function notInstalled(): ServiceError {
  return invalidRequest(`The table engine is not installed. Run: npm install ${ENGINE_PACKAGE}`);
}

function overloaded(message: string): ServiceError {
  return new ServiceError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS });
}

/** Removes folders of processes of a service that was killed. */
function removeLeftovers(folder: string): void {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // There is no folder yet.
  }
  for (const name of names) {
    const path = join(folder, name);
    const isOld = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > LEFTOVER_MS;
    if (isOld) rmSync(path, { recursive: true, force: true });
  }
}
