/**
 * Processes files in a few child processes. A child is started when a file needs it, reused while it is warm, ended when it is
 * idle, and killed when it exceeds a limit. A child reads files of one tenant only: a file that takes it over would get the files
 * behind it, and the key of their hashes.
 */

import type { FileFailure } from '../../corpus/values.ts';
import type { NameAnalyzer } from '../../redaction/presidio.ts';
import type { Whose } from '../../util/pool.ts';
import { CLOCK_TIMES } from '../../util/work/work-time.ts';
import type { MemberSink } from '../detect/members.ts';
import { FileError } from '../failure.ts';
import type { ProcessOutcome, ProcessRequest } from '../parsed.ts';
import type { ServiceCall, ToolAnswer, ToolCall, ToolName, Used } from '../tools.ts';
import { answerNames } from './answer-names.ts';
import type { FileProcessor, IncludeReader } from './file-processor.ts';
import type { Sandbox } from './sandbox.ts';
import type { ToolRunner } from './tool-runner.ts';
import { parserView } from './views.ts';
import { CHILD_RSS_BYTES_MAX, CHILD_RSS_BYTES_REUSED, type EndReason, WatchedChild } from './watched-child.ts';

const CHILDREN_DEFAULT = 2;
/** Idle children end after this time, so that an idle service needs little memory. */
const CHILD_IDLE_MS = 10_000;
/** Processor time for a file. */
const FILE_TIME_MS = 60_000;
const FILE_TIME_MS_PER_MB = 1000;

/** Requests in one child, the current one included: enough to hide the round trip, few enough to give to another child. */
const PIPELINE_DEPTH = 3;
/** Larger files do not share a child's queue. */
const PIPELINED_BYTES_MAX = 128 * 1024;
/** When the current file of a child has taken more processor time, the files behind it go to another child. */
const TAKE_BACK_AFTER_MS = 1000;
/** A child reads waiting files of its tenant for this time, although others wait: another tenant needs a new child. */
const TURN_MS = 5_000;
/** Within its turn, an idle child waits so long for the next file of its tenant before it ends for a file of another tenant. */
const PAUSE_MS = 100;
/** How often the pool looks for stuck and idle children. */
const TICK_MS = 500;
/** A file whose child crashed is retried once, in a new child. */
const ATTEMPTS_MAX = 2;

export interface PoolOptions {
  /** Maximum number of child processes. */
  children?: number;
  idleMs?: number;
  /** Processor time for a file of any size. FILE_TIME_MS_PER_MB is added for its size. */
  fileTimeMs?: number;
  /** The sandbox of the children. Without one, they have all rights of this process that Node.js does not take from them. */
  sandbox?: Sandbox;
  /** Runs the programs that parsers may call. Without a runner, parsers have no programs. */
  tools?: ToolRunner;
  /** Finds names for the redaction rules of a file. Without an analyzer, rules that need names fail. */
  analyzer?: NameAnalyzer | null;
  /** Entry point of a child. Tests use one that misbehaves. */
  script?: URL;
}

interface Task {
  /** A task gets a new id each time it is sent to a child. */
  id: number;
  request: ProcessRequest;
  attempts: number;
  /** The tenant. */
  owner: string;
  /** The run, or what else is processed for the tenant. */
  part: string;
  members: MemberSink | undefined;
  include: IncludeReader | undefined;
  settle(outcome: ProcessOutcome): void;
}

/** What the pool knows of a child. */
interface Place {
  /** The tenant whose files it reads. */
  owner: string;
  /** When it answered first. A busy machine may take long to start it. */
  turnSince: number | undefined;
  /** When it was started or last answered. */
  answeredAt: number;
  /** Runs for PAUSE_MS after the last answer. */
  pause: NodeJS.Timeout | undefined;
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
  private readonly sandbox: Sandbox | undefined;
  private readonly tools: ToolRunner | undefined;
  private readonly analyzer: NameAnalyzer | null;
  private readonly queue: Task[] = [];
  /** Tasks sent to a child, by id. A task that was taken back is absent although its child still has the request. */
  private readonly running = new Map<number, Task>();
  private readonly children = new Map<WatchedChild, Place>();
  /** Undefined until the tool runner has named its tools, and the sandbox the words before a child's command. */
  private ready: { toolNames: readonly ToolName[]; prefix: readonly string[] } | undefined;
  private preparing: Promise<void> | undefined;
  private nextId = 1;
  private closed = false;
  private ticker: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.childrenMax = options.children ?? CHILDREN_DEFAULT;
    this.idleMs = options.idleMs ?? CHILD_IDLE_MS;
    this.fileTimeMs = options.fileTimeMs ?? FILE_TIME_MS;
    this.script = options.script ?? CHILD_SCRIPT;
    this.sandbox = options.sandbox;
    this.tools = options.tools;
    this.analyzer = options.analyzer ?? null;
    if (!this.tools && !this.sandbox) this.ready = { toolNames: [], prefix: [] };
  }

  process(
    request: ProcessRequest,
    signal: AbortSignal,
    members?: MemberSink,
    { owner = '', part = '' }: Whose = {},
    include?: IncludeReader,
  ): Promise<ProcessOutcome> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<ProcessOutcome>();
    const task: Task = { id: 0, request, attempts: 0, owner, part, members, include, settle: () => undefined };
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
      if (this.ready) this.dispatch();
      else this.preparing ??= this.prepare();
    }
    return promise;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.ticker);
    const unfinished = [...this.running.values(), ...this.queue.splice(0)];
    this.running.clear();
    for (const child of [...this.children.keys()]) child.end('closed');
    for (const task of unfinished) task.settle({ ok: false, failure: this.failure('closed', task.request) });
  }

  /** Finds tools and sandbox. If a sandbox is required and there is none, the waiting files fail; later files try again. */
  private async prepare(): Promise<void> {
    try {
      const prefix = (await this.sandbox?.prefix(parserView(this.script))) ?? [];
      this.ready = { toolNames: (await this.tools?.available()) ?? [], prefix };
      this.dispatch();
    } catch (error) {
      const failure = error instanceof FileError ? error.failure : this.failure('crash', { size: 0 });
      for (const task of this.queue.splice(0)) task.settle({ ok: false, failure });
    } finally {
      this.preparing = undefined;
    }
  }

  /** Runs a program for a task. The call fails if the task was taken back or dropped. */
  private async call(id: number, call: ToolCall | ServiceCall, signal: AbortSignal): Promise<ToolAnswer & Used> {
    const task = this.running.get(id);
    if (task && call.tool === 'names') return answerNames(this.analyzer, task.request.redaction, call, signal);
    if (task?.include && call.tool === 'include') return task.include(call.path);
    if (!task || !this.tools || call.tool === 'names' || call.tool === 'include') {
      return { ok: false, failure: this.failure('closed', { size: 0 }) };
    }
    return this.tools.run(call, task.request.path, signal, task);
  }

  private dispatch(): void {
    if (!this.ready) return;
    const { toolNames, prefix } = this.ready;
    while (this.queue.length > 0 && !this.closed) {
      const task = this.nextTask();
      const used = this.childrenOf(task.owner);
      const mayHave = used < this.childrenMax;
      const idle = mayHave ? this.idleChild(task.owner) : undefined;
      // The end of a child dispatches waiting tasks, too.
      if (mayHave && !idle && this.endIdleChild()) continue;
      const own = idle ?? (mayHave ? this.newChild(prefix, task.owner, used === 0) : undefined);
      const child = own ?? this.leastBusyChild(task);
      if (!child) return;
      this.queue.splice(this.queue.indexOf(task), 1);
      task.id = this.nextId++;
      this.running.set(task.id, task);
      child.send(task.id, { ...task.request, tools: toolNames }, this.timeMs(task.request));
    }
  }

  /**
   * Returns the oldest task of the part with the fewest running tasks, of the owner with the fewest running tasks. Owners of an idle child
   * whose turn lasts come first.
   */
  private nextTask(): Task {
    const owners = [...this.children].flatMap(([child, place]) => (isIdle(child) && hasTurn(place) ? place.owner : []));
    const ofTurns = this.queue.filter(({ owner }) => owners.includes(owner));
    const counts = new Map<string, number>();
    const partOf = ({ owner, part }: Task): string => `${owner} ${part}`;
    for (const task of this.running.values())
      for (const name of [task.owner, partOf(task)]) counts.set(name, (counts.get(name) ?? 0) + 1);
    const runningOf = (name: string): number => counts.get(name) ?? 0;
    const isBefore = (one: Task, other: Task): boolean =>
      (runningOf(one.owner) - runningOf(other.owner) || runningOf(partOf(one)) - runningOf(partOf(other))) < 0;
    const waiting = ofTurns.length > 0 ? ofTurns : this.queue;
    return waiting.reduce((best, task) => (isBefore(task, best) ? task : best));
  }

  /** Returns the number of children that work for the owner. */
  private childrenOf(owner: string): number {
    const works = (child: WatchedChild): boolean => child.pending.some((id) => this.running.get(id)?.owner === owner);
    return [...this.children.keys()].filter(works).length;
  }

  private idleChild(owner: string): WatchedChild | undefined {
    for (const [child, place] of this.children) if (place.owner === owner && isIdle(child)) return child;
    return undefined;
  }

  /** If there is no room for a further child, ends the longest idle one that no turn protects. Returns whether it did. */
  private endIdleChild(): boolean {
    if (this.children.size < this.childrenMax) return false;
    const idle = [...this.children].filter(([child, place]) => isIdle(child) && !(place.pause && hasTurn(place)));
    const [oldest] = idle.sort(([, a], [, b]) => a.answeredAt - b.answeredAt);
    oldest?.[0].end('closed');
    return oldest !== undefined;
  }

  /** Returns the child with the shortest queue of small files, if the task is small and may join a queue. */
  private leastBusyChild(task: Task): WatchedChild | undefined {
    if (!isSmall(task)) return undefined;
    const children = [...this.children].flatMap(([child, { owner }]) => (owner === task.owner ? child : []));
    const open = children.filter(
      (child) =>
        child.pending.length < PIPELINE_DEPTH &&
        !child.exceeds(TAKE_BACK_AFTER_MS) &&
        child.pending.every((id) => isSmall(this.running.get(id))),
    );
    return open.sort((a, b) => a.pending.length - b.pending.length)[0];
  }

  /** Starts a child. If all work for other owners, an owner without a child gets one more, however long their files take. */
  private newChild(prefix: readonly string[], owner: string, mayExceed: boolean): WatchedChild | undefined {
    if (this.children.size >= this.childrenMax + (mayExceed ? 1 : 0)) return undefined;
    this.ticker ??= setInterval(() => this.tick(), TICK_MS).unref();
    const place: Place = { owner, turnSince: undefined, answeredAt: performance.now(), pause: undefined };
    const child = new WatchedChild(this.script, prefix, {
      onOutcome: (id, outcome) => {
        place.answeredAt = performance.now();
        place.turnSince ??= place.answeredAt;
        clearTimeout(place.pause);
        place.pause = setTimeout(() => {
          place.pause = undefined;
          this.dispatch();
        }, PAUSE_MS);
        const task = this.running.get(id);
        this.running.delete(id);
        task?.settle(outcome);
        if (isIdle(child) && child.rssBytes > CHILD_RSS_BYTES_REUSED) child.end('closed');
        this.dispatch();
      },
      onCall: (id, call, signal) => this.call(id, call, signal),
      onMember: async (id, member) => this.running.get(id)?.members?.(member),
      onEnd: (reason, unfinished) => {
        clearTimeout(place.pause);
        this.children.delete(child);
        this.requeue(reason, unfinished, child.served > 0);
        this.dispatch();
      },
    });
    this.children.set(child, place);
    return child;
  }

  /** Retries or fails the files of a child that ended. The first unfinished file was the cause; the others were not begun. */
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
      // The memory of a child that had served other files may be theirs.
      const retry = reason === 'crash' || (reason === 'memory' && shared);
      if (retry && task.attempts < ATTEMPTS_MAX) again.push(task);
      else task.settle({ ok: false, failure: this.failure(reason, task.request) });
    }
    this.queue.unshift(...again);
  }

  private tick(): void {
    const now = performance.now();
    for (const [child, { answeredAt }] of this.children) {
      if (isIdle(child) && now - answeredAt > this.idleMs) child.end('closed');
      else if (child.pending.length > 1 && child.exceeds(TAKE_BACK_AFTER_MS)) this.takeBack(child);
    }
    if (this.children.size === 0) {
      clearInterval(this.ticker);
      this.ticker = undefined;
    }
    this.dispatch();
  }

  /** Gives the files behind a child's current file to other children. The child's later answers to them are ignored. */
  private takeBack(child: WatchedChild): void {
    const waiting = child.pending.slice(1).flatMap((id) => this.running.get(id) ?? []);
    for (const task of waiting) this.running.delete(task.id);
    this.queue.unshift(...waiting);
  }

  /** Drops an aborted task. A child that works on the task is killed, and the files behind it are queued again. */
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
      const seconds = Math.round(this.timeMs(request) / 1000);
      const message = `Reading the file took more than ${seconds} s of processor time, or ${seconds * CLOCK_TIMES} s in all.`;
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

function isIdle(child: WatchedChild): boolean {
  return child.pending.length === 0;
}

function hasTurn({ turnSince = -TURN_MS }: Place): boolean {
  return performance.now() - turnSince < TURN_MS;
}

function isSmall(task: Task | undefined): boolean {
  return task === undefined || task.request.size <= PIPELINED_BYTES_MAX;
}
