/** A FileProcessor over a few child processes: started when needed, kept warm, ended when idle, killed over a limit. */

import type { FileFailure } from '../../corpus/values.ts';
import type { NameAnalyzer } from '../../redaction/presidio.ts';
import type { MemberSink } from '../detect/members.ts';
import type { ProcessOutcome, ProcessRequest } from '../parsed.ts';
import type { NamesCall, ToolAnswer, ToolCall, ToolName } from '../tools.ts';
import { answerNames } from './answer-names.ts';
import type { FileProcessor } from './file-processor.ts';
import type { ToolRunner } from './tool-runner.ts';
import { CHILD_RSS_BYTES_MAX, CHILD_RSS_BYTES_REUSED, type EndReason, WatchedChild } from './watched-child.ts';

const CHILDREN_DEFAULT = 2;
/** Idle children end after this, so that an idle service stays small. */
const CHILD_IDLE_MS = 10_000;
const FILE_TIME_MS = 60_000;
const FILE_TIME_MS_PER_MB = 1000;

/** Requests a child holds while it works on the first: enough to hide the round trip, few enough to hand back. */
const PIPELINE_DEPTH = 3;
/** Files larger than this are not queued behind each other. */
const PIPELINED_BYTES_MAX = 128 * 1024;
/** Files waiting behind one that takes longer than this go to another child. */
const TAKE_BACK_AFTER_MS = 1000;
/** How often the pool looks for stuck and idle children. */
const TICK_MS = 500;
/** A file whose child crashed runs once more, in a fresh child. */
const ATTEMPTS_MAX = 2;

export interface PoolOptions {
  /** Child processes at most. */
  children?: number;
  idleMs?: number;
  /** Time for any file, to which FILE_TIME_MS_PER_MB is added. */
  fileTimeMs?: number;
  /** Programs that parsers may ask for; none when absent. */
  tools?: ToolRunner;
  /** For the redaction rules of a file; none when absent. */
  analyzer?: NameAnalyzer | null;
  /** Entry point of a child. Tests use one that misbehaves. */
  script?: URL;
}

interface Task {
  /** Given anew each time the task is sent to a child. */
  id: number;
  request: ProcessRequest;
  attempts: number;
  members: MemberSink | undefined;
  settle(outcome: ProcessOutcome): void;
}

const OWN_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const CHILD_SCRIPT = new URL(`./process-child${OWN_EXTENSION}`, import.meta.url);

/** Opens a pool. No process is started before the first file. */
export function openProcessPool(options: PoolOptions = {}): FileProcessor {
  return new ProcessPool(options);
}

class ProcessPool implements FileProcessor {
  private readonly childrenMax: number;
  private readonly idleMs: number;
  private readonly fileTimeMs: number;
  private readonly script: URL;
  private readonly tools: ToolRunner | undefined;
  private readonly analyzer: NameAnalyzer | null;
  private readonly queue: Task[] = [];
  /** Tasks at a child, by id. A task that was taken back is not here although its child still holds it. */
  private readonly running = new Map<number, Task>();
  /** Children and the time they last answered. */
  private readonly children = new Map<WatchedChild, number>();
  /** Undefined until it is known. */
  private toolNames: readonly ToolName[] | undefined;
  private nextId = 1;
  private closed = false;
  private ticker: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.childrenMax = options.children ?? CHILDREN_DEFAULT;
    this.idleMs = options.idleMs ?? CHILD_IDLE_MS;
    this.fileTimeMs = options.fileTimeMs ?? FILE_TIME_MS;
    this.script = options.script ?? CHILD_SCRIPT;
    this.tools = options.tools;
    this.analyzer = options.analyzer ?? null;
    if (!this.tools) this.toolNames = [];
  }

  process(request: ProcessRequest, signal: AbortSignal, members?: MemberSink): Promise<ProcessOutcome> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<ProcessOutcome>();
    const task: Task = { id: 0, request, attempts: 0, members, settle: () => undefined };
    const abort = () => {
      this.drop(task);
      reject(signal.reason);
    };
    task.settle = (outcome) => {
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    };
    if (this.closed) task.settle({ ok: false, failure: this.failure('closed', request) });
    else {
      signal.addEventListener('abort', abort, { once: true });
      this.queue.push(task);
      if (this.toolNames) this.dispatch();
      else void this.findTools();
    }
    return promise;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.ticker);
    const left = [...this.running.values(), ...this.queue.splice(0)];
    this.running.clear();
    for (const child of [...this.children.keys()]) child.end('closed');
    for (const task of left) task.settle({ ok: false, failure: this.failure('closed', task.request) });
  }

  private async findTools(): Promise<void> {
    this.toolNames = await this.tools!.available();
    this.dispatch();
  }

  /** A task that was taken back or is gone needs no program any more. */
  private async call(id: number, call: ToolCall | NamesCall, signal: AbortSignal): Promise<ToolAnswer> {
    const task = this.running.get(id);
    if (task && call.tool === 'names') return answerNames(this.analyzer, task.request.redaction, call, signal);
    if (!task || !this.tools || call.tool === 'names') {
      return { ok: false, failure: this.failure('closed', { size: 0 }) };
    }
    return this.tools.run(call, task.request.path, signal);
  }

  private dispatch(): void {
    if (!this.toolNames) return;
    while (this.queue.length > 0 && !this.closed) {
      const child = this.idleChild() ?? this.newChild() ?? this.leastBusyChild(this.queue[0]!);
      if (!child) return;
      const task = this.queue.shift()!;
      task.id = this.nextId++;
      this.running.set(task.id, task);
      child.send(task.id, { ...task.request, tools: this.toolNames }, this.timeMs(task.request));
    }
  }

  private idleChild(): WatchedChild | undefined {
    for (const child of this.children.keys()) if (child.pending.length === 0) return child;
    return undefined;
  }

  /** A child that may take a small file behind the small files it has. */
  private leastBusyChild(task: Task): WatchedChild | undefined {
    if (!isSmall(task)) return undefined;
    const open = [...this.children.keys()].filter(
      (child) =>
        child.pending.length < PIPELINE_DEPTH &&
        child.busyMs < TAKE_BACK_AFTER_MS &&
        child.pending.every((id) => isSmall(this.running.get(id))),
    );
    return open.sort((a, b) => a.pending.length - b.pending.length)[0];
  }

  private newChild(): WatchedChild | undefined {
    if (this.children.size >= this.childrenMax) return undefined;
    this.ticker ??= setInterval(() => this.tick(), TICK_MS).unref();
    const child = new WatchedChild(this.script, {
      onOutcome: (id, outcome) => {
        this.children.set(child, performance.now());
        const task = this.running.get(id);
        this.running.delete(id);
        task?.settle(outcome);
        if (child.pending.length === 0 && child.rssBytes > CHILD_RSS_BYTES_REUSED) child.end('closed');
        this.dispatch();
      },
      onCall: (id, call, signal) => this.call(id, call, signal),
      onMember: async (id, member) => this.running.get(id)?.members?.(member),
      onEnd: (reason, unfinished) => {
        this.children.delete(child);
        this.requeue(reason, unfinished, child.served > 0);
        this.dispatch();
      },
    });
    this.children.set(child, performance.now());
    return child;
  }

  /** The first unfinished file is the culprit; those behind it were not begun. */
  private requeue(reason: EndReason, unfinished: readonly number[], shared: boolean): void {
    const again: Task[] = [];
    for (const [index, id] of unfinished.entries()) {
      const task = this.running.get(id);
      this.running.delete(id);
      if (!task) continue;
      if (index > 0 || reason === 'closed') {
        again.push(task);
        continue;
      }
      task.attempts += 1;
      // A child that had served other files may have been full of their memory.
      const retry = reason === 'crash' || (reason === 'memory' && shared);
      if (retry && task.attempts < ATTEMPTS_MAX) again.push(task);
      else task.settle({ ok: false, failure: this.failure(reason, task.request) });
    }
    this.queue.unshift(...again);
  }

  private tick(): void {
    const now = performance.now();
    for (const [child, answeredAt] of this.children) {
      if (child.pending.length === 0 && now - answeredAt > this.idleMs) child.end('closed');
      else if (child.pending.length > 1 && child.busyMs > TAKE_BACK_AFTER_MS) this.takeBack(child);
    }
    if (this.children.size === 0) {
      clearInterval(this.ticker);
      this.ticker = undefined;
    }
    this.dispatch();
  }

  /** The child will still answer what it was sent; nobody waits for those answers then. */
  private takeBack(child: WatchedChild): void {
    const waiting = child.pending.slice(1).flatMap((id) => this.running.get(id) ?? []);
    for (const task of waiting) this.running.delete(task.id);
    this.queue.unshift(...waiting);
  }

  /** Aborted: taken from the queue; a child that works on it is killed, what waited behind goes elsewhere. */
  private drop(task: Task): void {
    const index = this.queue.indexOf(task);
    if (index >= 0) this.queue.splice(index, 1);
    if (!this.running.delete(task.id)) return;
    for (const child of [...this.children.keys()]) if (child.pending[0] === task.id) child.end('closed');
  }

  private timeMs(request: Pick<ProcessRequest, 'size'>): number {
    return this.fileTimeMs + (request.size / 1_000_000) * FILE_TIME_MS_PER_MB;
  }

  private failure(reason: EndReason, request: Pick<ProcessRequest, 'size'>): FileFailure {
    const stage = 'parse';
    if (reason === 'memory') {
      const message = `Reading the file took more than ${CHILD_RSS_BYTES_MAX / 1024 / 1024} MiB of memory.`;
      return { stage, title: 'Memory limit exceeded', message, retryable: false };
    }
    if (reason === 'time') {
      const message = `Reading the file took longer than ${Math.round(this.timeMs(request) / 1000)} s.`;
      return { stage, title: 'Time limit exceeded', message, retryable: false };
    }
    if (reason === 'crash') {
      const message = 'The process that read the file crashed twice.';
      return { stage, title: 'Parser crashed', message, retryable: true };
    }
    return {
      stage,
      title: 'Service stopped',
      message: 'The service stopped while the file was read.',
      retryable: true,
    };
  }
}

function isSmall(task: Task | undefined): boolean {
  return task === undefined || task.request.size <= PIPELINED_BYTES_MAX;
}
