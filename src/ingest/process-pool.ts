/** A FileProcessor over a few child processes: started when needed, kept warm, ended when idle, killed over a limit. */
import type { FileProcessor } from './file-processor.ts';
import type { FileFailure, ProcessOutcome, ProcessRequest } from './parsed.ts';
import {
  CHILD_RSS_BYTES_MAX,
  CHILD_RSS_BYTES_REUSED,
  type EndReason,
  startChild,
  type WatchedChild,
} from './watched-child.ts';

export const CHILDREN_DEFAULT = 2;
/** Idle children end after this, so that an idle service stays small. */
export const CHILD_IDLE_MS = 10_000;
export const FILE_TIME_MS = 60_000;
export const FILE_TIME_MS_PER_MB = 1000;

/** Requests a child holds while it works on the first: enough to hide the round trip, few enough to hand back. */
const PIPELINE_DEPTH = 3;
/** Files larger than this are not queued behind each other. */
const PIPELINED_BYTES_MAX = 128 * 1024;
/** Files waiting behind one that takes longer than this go to another child. */
const TAKE_BACK_AFTER_MS = 1000;
/** Pages per letter of tuning: how often the pool looks for stuck and idle children. */
const TICK_MS = 500;
/** A file whose child crashed runs once more, in a fresh child. */
const ATTEMPTS_MAX = 2;

export interface PoolOptions {
  /** Child processes at most. */
  children?: number;
  idleMs?: number;
  fileTimeMs?: number;
  /** Entry point of a child. Tests use one that misbehaves. */
  script?: URL;
}

interface Task {
  id: number;
  request: ProcessRequest;
  attempts: number;
  /** Its last child had served other files: what killed it may have been theirs. */
  settle(outcome: ProcessOutcome): void;
}

interface Member {
  child: WatchedChild;
  idleSince: number;
}

const OWN_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const CHILD_SCRIPT = new URL(`./process-child${OWN_EXTENSION}`, import.meta.url);

/** Opens a pool. No process is started before the first file. */
export function openProcessPool(options: PoolOptions = {}): FileProcessor {
  const childrenMax = options.children ?? CHILDREN_DEFAULT;
  const idleMs = options.idleMs ?? CHILD_IDLE_MS;
  const baseMs = options.fileTimeMs ?? FILE_TIME_MS;
  const script = options.script ?? CHILD_SCRIPT;
  const queue: Task[] = [];
  const running = new Map<number, Task>();
  const members = new Set<Member>();
  let nextId = 1;
  let closed = false;
  let ticker: NodeJS.Timeout | undefined;

  const dispatch = () => {
    while (queue.length > 0) {
      const member = freeMember(queue[0]!) ?? newMember();
      if (!member) return;
      const task = queue.shift()!;
      task.id = nextId++;
      running.set(task.id, task);
      const megabytes = task.request.size / 1_000_000;
      member.child.send(task.id, task.request, baseMs + megabytes * FILE_TIME_MS_PER_MB);
    }
  };

  const freeMember = (task: Task): Member | undefined => {
    let best: Member | undefined;
    for (const member of members) {
      const depth = member.child.pending.length;
      if (depth === 0) return member;
      const mayQueue =
        depth < PIPELINE_DEPTH && member.child.busyMs() < TAKE_BACK_AFTER_MS && isSmall(task) && allSmall(member);
      if (mayQueue && members.size >= childrenMax && (!best || depth < best.child.pending.length)) best = member;
    }
    return best;
  };
  const allSmall = (member: Member) => member.child.pending.every((id) => isSmall(running.get(id)));

  const newMember = (): Member | undefined => {
    if (members.size >= childrenMax) return undefined;
    ticker ??= setInterval(tick, TICK_MS).unref();
    const member: Member = {
      idleSince: performance.now(),
      child: startChild(script, {
        onOutcome: (id, outcome) => {
          member.idleSince = performance.now();
          settle(id, outcome);
          if (member.child.pending.length === 0 && member.child.rssBytes > CHILD_RSS_BYTES_REUSED)
            member.child.end('closed');
          dispatch();
        },
        onEnd: (reason, unfinished) => {
          members.delete(member);
          requeue(reason, unfinished, member.child.served > 0);
          if (!closed) dispatch();
        },
      }),
    };
    members.add(member);
    return member;
  };

  const settle = (id: number, outcome: ProcessOutcome) => {
    const task = running.get(id);
    running.delete(id);
    task?.settle(outcome);
  };

  /** The first unfinished file is the culprit; those behind it were not begun. */
  const requeue = (reason: EndReason, unfinished: readonly number[], shared: boolean) => {
    const tasks = unfinished.flatMap((id) => running.get(id) ?? []);
    const culprit = reason === 'closed' ? undefined : running.get(unfinished[0] ?? 0);
    for (const id of unfinished) running.delete(id);
    const again = tasks.filter((task) => task !== culprit);
    if (culprit) {
      culprit.attempts += 1;
      const retry = culprit.attempts < ATTEMPTS_MAX && (reason === 'crash' || (reason === 'memory' && shared));
      if (retry) again.unshift(culprit);
      else culprit.settle({ ok: false, failure: endFailure(reason, culprit.request, baseMs) });
    }
    queue.unshift(...again);
  };

  const tick = () => {
    const now = performance.now();
    for (const member of members) {
      const { child } = member;
      if (child.pending.length === 0 && now - member.idleSince > idleMs) child.end('closed');
      else if (child.pending.length > 1 && child.busyMs() > TAKE_BACK_AFTER_MS) takeBack(child);
    }
    if (members.size === 0 && ticker) {
      clearInterval(ticker);
      ticker = undefined;
    }
    dispatch();
  };

  /** The child will still answer what it was sent; nobody waits for those answers then. */
  const takeBack = (child: WatchedChild) => {
    const waiting = child.pending.slice(1).flatMap((id) => running.get(id) ?? []);
    for (const task of waiting) running.delete(task.id);
    queue.unshift(...waiting);
  };

  return {
    process(request, signal) {
      return new Promise<ProcessOutcome>((resolve, reject) => {
        if (signal.aborted || closed)
          return reject(signal.aborted ? signal.reason : new Error('The file processor is closed.'));
        const task: Task = { id: 0, request, attempts: 0, settle: () => undefined };
        const abort = () => {
          drop(task);
          reject(signal.reason);
        };
        task.settle = (outcome) => {
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.push(task);
        dispatch();
      });
    },
    async close() {
      closed = true;
      clearInterval(ticker);
      const left = [...queue.splice(0), ...running.values()];
      running.clear();
      for (const member of [...members]) member.child.end('closed');
      for (const task of left) task.settle({ ok: false, failure: endFailure('closed', task.request, baseMs) });
    },
  };

  /** Aborted: dropped from the queue; a child that works on it is killed, what waited behind goes elsewhere. */
  function drop(task: Task): void {
    const index = queue.indexOf(task);
    if (index >= 0) queue.splice(index, 1);
    if (!running.delete(task.id)) return;
    for (const { child } of members) if (child.pending[0] === task.id) child.end('closed');
  }
}

function isSmall(task: Task | undefined): boolean {
  return task !== undefined && task.request.size <= PIPELINED_BYTES_MAX;
}

function endFailure(reason: EndReason, request: ProcessRequest, baseMs: number): FileFailure {
  const seconds = Math.round((baseMs + (request.size / 1_000_000) * FILE_TIME_MS_PER_MB) / 1000);
  switch (reason) {
    case 'memory':
      return {
        stage: 'parse',
        title: 'Memory limit exceeded',
        message: `Reading the file took more than ${CHILD_RSS_BYTES_MAX / 1024 / 1024} MiB of memory.`,
        retryable: false,
      };
    case 'time':
      return {
        stage: 'parse',
        title: 'Time limit exceeded',
        message: `Reading the file took longer than ${seconds} s.`,
        retryable: false,
      };
    case 'crash':
      return {
        stage: 'parse',
        title: 'Parser crashed',
        message: 'The process that read the file crashed twice.',
        retryable: true,
      };
    case 'closed':
      return {
        stage: 'parse',
        title: 'Service stopped',
        message: 'The service stopped while the file was read.',
        retryable: true,
      };
  }
}
