/** Runs one process of the table engine: starts it, gives it one statement at a time, watches its memory and time, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { encodeFrame, FrameReader } from '../../files/sandbox/frames.ts';
import { killGroup } from '../../files/sandbox/sandbox.ts';
import { packagePaths } from '../../files/sandbox/views.ts';
import { innermost, residentBytes, yieldToOthers } from '../../files/sandbox/watched-child.ts';
import type { QueryError, QueryReply, QueryRequest, QueryResult } from './protocol.ts';

/** Resident memory that a process may have beyond the memory of the engine: not all that the engine takes counts as its memory. */
const RSS_BYTES_BEYOND = 256 * 1024 * 1024;
const HEAP_MIB_MAX = 160;
const FRAME_BYTES_MAX = 64 * 1024 * 1024;
const WATCH_INTERVAL_MS = 25;
const START_MS_MAX = 60_000;
/** Gives a process about a tenth of the processor time if others need it: a statement may work until its time limit. */
const NICENESS = 10;
/** After its time limit, a statement has this time to stop by itself. */
const KILL_AFTER_MS = 250;
const STDERR_UNITS_KEPT = 2_000;

export type Outcome = { ok: true; result: QueryResult } | { ok: false; error: QueryError };

interface Current {
  request: QueryRequest;
  startedAt: number;
  settle(outcome: Outcome): void;
}

interface ProcessEvents {
  onReady(): void;
  onEnd(error: QueryError): void;
}

export class EngineProcess {
  private readonly process: ChildProcess;
  private readonly channel: Duplex;
  private readonly watch: NodeJS.Timeout;
  private readonly folder: string;
  private readonly rssBytesMax: number;
  private readonly events: ProcessEvents;
  private readonly bornAt = performance.now();
  private pid: number | undefined;
  /** The process takes statements. */
  isReady = false;
  private ended = false;
  private current: Current | undefined;
  private stderr = '';
  /** Number of answered statements. */
  served = 0;
  idleSince = performance.now();

  /** @param folder where the process finds its files; nothing else there. The folder is removed when the process ends. */
  constructor(script: URL, prefix: readonly string[], folder: string, memoryMib: number, events: ProcessEvents) {
    this.folder = folder;
    this.events = events;
    this.rssBytesMax = memoryMib * 1024 * 1024 + RSS_BYTES_BEYOND;
    const [command = '', ...args] = [...prefix, process.execPath, ...nodeArguments(script), `${memoryMib}`];
    // The environment is empty: an engine that is taken over finds no credentials.
    this.process = spawn(command, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], detached: true });
    // Until it is ready, it has the priority of the service: a statement waits for it, and it runs none yet.
    this.pid = this.process.pid;
    this.channel = this.process.stdio[3] as Duplex;
    const reader = new FrameReader((value) => this.onReply(value as QueryReply), FRAME_BYTES_MAX);
    this.channel.on('data', (part: Buffer) => {
      try {
        reader.push(part);
      } catch {
        this.end({ kind: 'broken', message: 'The process wrote an unreadable reply.' });
      }
    });
    this.channel.on('error', () => this.end({ kind: 'broken', message: 'The channel to the process broke.' }));
    this.process.stderr?.setEncoding('latin1').on('data', (part: string) => {
      this.stderr = (this.stderr + part).slice(-STDERR_UNITS_KEPT);
    });
    this.process.on('error', () => this.end({ kind: 'broken', message: 'The process could not be started.' }));
    this.process.on('close', () => {
      const isMemory = /bad_alloc|out of memory|allocation failed/i.test(this.stderr);
      this.end({ kind: isMemory ? 'memory' : 'broken', message: `The process ended: ${this.stderr.slice(-500)}` });
    });
    this.watch = setInterval(() => this.checkLimits(), WATCH_INTERVAL_MS);
    this.watch.unref();
  }

  get isBusy(): boolean {
    return this.current !== undefined;
  }

  get rssBytes(): number {
    return residentBytes(this.pid);
  }

  /** Runs a statement. The process must be ready and idle. */
  run(request: QueryRequest): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const tables = request.tables.map((table, i) => ({ ...table, file: this.handOver(table.file, i) }));
    this.current = { request, startedAt: performance.now(), settle: resolve };
    this.channel.write(encodeFrame({ ...request, tables }));
    return promise;
  }

  end(error: QueryError): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.watch);
    killGroup(this.process.pid);
    this.channel.destroy();
    rmSync(this.folder, { recursive: true, force: true });
    this.events.onEnd(error);
    this.current?.settle({ ok: false, error });
  }

  /** Puts the file into the folder of the process. Returns its path there. */
  private handOver(file: string, index: number): string {
    const own = join(this.folder, `${index}.parquet`);
    try {
      linkSync(file, own);
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      copyFileSync(file, own);
    }
    return own;
  }

  private onReply(reply: QueryReply): void {
    if ('ready' in reply) {
      if (this.isReady) {
        this.end({ kind: 'broken', message: 'The process was ready twice.' });
        return;
      }
      this.isReady = true;
      this.pid = innermost(this.pid);
      yieldToOthers(this.pid, NICENESS);
      this.events.onReady();
      return;
    }
    const { current } = this;
    if (!current || current.request.id !== reply.id) {
      this.end({ kind: 'broken', message: 'The process answered something else.' });
      return;
    }
    this.current = undefined;
    this.served += 1;
    this.idleSince = performance.now();
    for (const [i] of current.request.tables.entries()) rmSync(join(this.folder, `${i}.parquet`), { force: true });
    current.settle(reply);
  }

  private checkLimits(): void {
    const now = performance.now();
    if (!this.isReady) {
      if (now - this.bornAt > START_MS_MAX) this.end({ kind: 'broken', message: 'The process did not start in time.' });
      return;
    }
    if (this.current && now - this.current.startedAt > this.current.request.timeoutMs + KILL_AFTER_MS) {
      this.end({ kind: 'time', message: '' });
    } else if (this.rssBytes > this.rssBytesMax) this.end({ kind: 'memory', message: '' });
  }
}

/** Makes a folder for a process below `parent`. */
export function makeProcessFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Returns arguments that bind JavaScript only: the library of the engine reads its files by itself. The sandbox binds both. */
function nodeArguments(script: URL): string[] {
  return [
    ...['--permission', '--allow-addons', ...packagePaths(script).flatMap((path) => [`--allow-fs-read=${path}`])],
    ...[`--max-old-space-size=${HEAP_MIB_MAX}`, '--max-semi-space-size=4', '--no-warnings', fileURLToPath(script)],
  ];
}
