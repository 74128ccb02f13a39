/** Runs one child process: starts it, sends it requests, watches its memory and processor time, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ChunkDraft, FileFailure } from '../../corpus/values.ts';
import { processorMsOfTree, startWork, WORK_CHECK_MS, type WorkTime } from '../../util/work/work-time.ts';
import { type Block, FILE_BYTES_MAX, type ProcessOutcome, type ProcessRequest } from '../parsed.ts';
import type { ServiceCall, ToolAnswer, ToolCall, Used } from '../tools.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import type { ChildReply, ChildRequest, MemberPart } from './process-child.ts';
import { killGroup } from './sandbox.ts';
import { packagePaths } from './views.ts';

/** Gives a child about a third of the processor time if others need it. */
const CHILD_NICENESS = 5;
/** Maximum resident memory of a child. The limits of a worker thread would not count WASM and buffers. */
export const CHILD_RSS_BYTES_MAX = 512 * 1024 * 1024;
/** A child with more resident memory after a file is replaced, so that later files have the memory they need. */
export const CHILD_RSS_BYTES_REUSED = 288 * 1024 * 1024;
/** The heap limit is below the resident limit, so that garbage is collected before it counts. */
const CHILD_HEAP_MIB_MAX = 320;
/** Maximum size of one message from a child. */
const FRAME_BYTES_MAX = 128 * 1024 * 1024;
/** Maximum number of values of one message: reading them takes up to 0.1 s. */
const FRAME_VALUES_MAX = 200_000;
/** Maximum size of all messages about one file. */
const OUTCOME_BYTES_MAX = 512 * 1024 * 1024;
/** Processor time that a child may take to start. The start does not count as time of its first file. */
const START_MS_MAX = 60_000;
const STDERR_UNITS_KEPT = 2000;
/** Maximum processor time of programs for one file. This time does not count as the file's own. */
const TOOLS_TIME_MS_MAX = 15 * 60_000;
const PAGE_BYTES = 4096;
/** Size of the parts in which a file is sent. */
const PART_BYTES = 1024 * 1024;

const MEMBERS_NOT_STORED: FileFailure = {
  stage: 'store',
  title: 'The files inside could not be stored',
  message: 'A file inside this one could not be written. The log of the service says more.',
  retryable: true,
};

const TOOLS_TOO_LONG: FileFailure = {
  stage: 'parse',
  title: 'File is over a limit',
  message: `OCR, conversion or the search for names in the file took more than ${TOOLS_TIME_MS_MAX / 60_000} minutes.`,
  retryable: false,
};

const MISSING: FileFailure = {
  stage: 'detect',
  title: 'The stored file is missing',
  message: 'The raw file is no longer in the blob store. Upload it again.',
  retryable: false,
  isMissing: true,
};

const UNREADABLE: FileFailure = {
  stage: 'detect',
  title: 'The stored file cannot be read',
  message: 'The system refused to read the raw file. Check the disk and the rights of the blob store.',
  retryable: true,
};

export type EndReason = 'memory' | 'time' | 'crash' | 'closed';

interface ChildEvents {
  onOutcome(id: number, outcome: ProcessOutcome): void;
  /** Receives a file inside the file. Nothing more is read from the child until the promise settles. */
  onMember(id: number, member: { index: number; name: string; bytes: Uint8Array }): Promise<void>;
  /** Runs a program of the system or finds names for the child. The signal aborts when the child ends. Never rejects. */
  onCall(id: number, call: ToolCall | ServiceCall, signal: AbortSignal): Promise<ToolAnswer & Used>;
  /** Called once. `unfinished` are the ids of requests without an outcome, oldest first. */
  onEnd(reason: EndReason, unfinished: readonly number[]): void;
}

interface Waiting {
  id: number;
  timeMs: number;
  /** Chunks and blocks that came before the outcome. */
  chunks: ChunkDraft[];
  blocks: Block[];
  /** Received parts of the current member. */
  parts: Uint8Array[];
  /** Settles when all members are stored; undefined without members. */
  members: Promise<void> | undefined;
  toolsMs: number;
}

export class WatchedChild {
  private readonly events: ChildEvents;
  private readonly process: ChildProcess;
  private readonly channel: Duplex;
  private readonly watch: NodeJS.Timeout;
  private readonly waiting: Waiting[] = [];
  /** The time of the start of the child, then of its current file. */
  private work: WorkTime;
  private receivedBytes = 0;
  private stderr = '';
  private isReady = false;
  private ended = false;
  /** The process of the child itself. Commands of the sandbox are around it. */
  private pid: number | undefined;
  /** Settles when all files are sent that were queued before. */
  private sending: Promise<unknown> = Promise.resolve();
  /** Ends the program that runs for the current file. */
  private tool: AbortController | undefined;
  /** Resident memory when it was last measured. */
  rssBytes = 0;
  /** Number of answered files. */
  served = 0;

  /** Starts a child process running `script` behind the words of `prefix`. */
  constructor(script: URL, prefix: readonly string[], events: ChildEvents) {
    this.events = events;
    // The environment is empty: a parser that is taken over finds no credentials.
    const [command = '', ...args] = [...prefix, process.execPath, ...nodeArguments(script)];
    this.process = spawn(command, args, {
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // A process group of its own: the commands of a sandbox that is still being made end together.
      detached: true,
      windowsHide: true,
    });
    this.pid = this.process.pid;
    this.work = this.startWork();
    yieldToOthers(this.pid);
    this.channel = this.process.stdio[3] as Duplex;
    this.watch = setInterval(() => this.checkLimits(), WORK_CHECK_MS);
    this.watch.unref();
    this.listen();
  }

  /** Ids of the requests without an answer, oldest first. The child works on the first. */
  get pending(): readonly number[] {
    return this.waiting.map(({ id }) => id);
  }

  /** Returns true if the child has worked on its current file for longer; false for an idle child. */
  exceeds(limitMs: number): boolean {
    return this.waiting.length > 0 && this.work.exceeds(limitMs);
  }

  /** Queues a request behind earlier ones. It may take `timeMs` of processor time from when the child begins it. */
  send(id: number, request: ProcessRequest, timeMs: number): void {
    if (this.waiting.length === 0) this.work = this.startWork();
    this.waiting.push({ id, timeMs, chunks: [], blocks: [], parts: [], members: undefined, toolsMs: 0 });
    this.sending = this.sending.then(() => this.sendFile(id, request));
  }

  end(reason: EndReason): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.watch);
    killGroup(this.process.pid);
    this.tool?.abort();
    this.channel.destroy();
    this.events.onEnd(reason, this.pending);
  }

  /** Sends a file, and its request with the last part. The child has no right to read the file. */
  private async sendFile(id: number, { path, ...request }: ProcessRequest): Promise<void> {
    const size = request.size > FILE_BYTES_MAX ? 0 : request.size;
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      for (let from = 0; !this.ended; ) {
        const part = Buffer.allocUnsafe(Math.min(PART_BYTES, size - from));
        const { bytesRead } = await file.read(part, 0, part.length, from);
        from += bytesRead;
        const bytes = part.subarray(0, bytesRead);
        if (from < size && bytesRead > 0) await this.write({ id, size, bytes });
        else {
          await this.write({ id, size, bytes, request });
          return;
        }
      }
    } catch (error) {
      const failure = (error as NodeJS.ErrnoException).code === 'ENOENT' ? MISSING : UNREADABLE;
      await this.write({ id, failure });
    } finally {
      await file?.close();
    }
  }

  /** Writes a message. Resolves when the system has taken it, or when the child has ended. */
  private write(message: ChildRequest): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => this.channel.write(encodeFrame(message), () => resolve()));
  }

  private listen(): void {
    const reader = new FrameReader((value) => this.onReply(value as ChildReply), FRAME_BYTES_MAX, FRAME_VALUES_MAX);
    this.channel.on('data', (part: Buffer) => {
      this.receivedBytes += part.length;
      try {
        if (this.receivedBytes > OUTCOME_BYTES_MAX) this.end('memory');
        else if (!this.ended) reader.push(part);
      } catch {
        this.end('crash');
      }
    });
    this.channel.on('error', () => this.end('crash'));
    this.process.stderr?.setEncoding('latin1').on('data', (part: string) => {
      this.stderr = (this.stderr + part).slice(-STDERR_UNITS_KEPT);
    });
    this.process.on('error', () => this.end('crash'));
    // 'close' comes after everything that the process wrote, including its last answers.
    this.process.on('close', () => this.end(/out of memory|allocation failed/i.test(this.stderr) ? 'memory' : 'crash'));
  }

  private onReply(reply: ChildReply): void {
    if ('ready' in reply) {
      // A second one would give the current file more time.
      if (this.isReady) this.end('crash');
      this.isReady = true;
      this.pid = innermost(this.pid);
      yieldToOthers(this.pid);
      this.work = this.startWork();
      return;
    }
    const current = this.waiting[0];
    if (current?.id !== reply.id) {
      this.end('crash');
      return;
    }
    if ('chunks' in reply) {
      for (const chunk of reply.chunks) current.chunks.push(chunk);
      return;
    }
    if ('blocks' in reply) {
      for (const block of reply.blocks) current.blocks.push(block);
      return;
    }
    if ('member' in reply) {
      this.onMember(current, reply.member);
      return;
    }
    if ('call' in reply) {
      void this.onCall(current, reply.call);
      return;
    }
    this.waiting.shift();
    this.served += 1;
    this.receivedBytes = 0;
    this.work = this.startWork();
    if (reply.outcome.ok && current.chunks.length > 0) {
      for (const chunk of reply.outcome.file.chunks) current.chunks.push(chunk);
      reply.outcome.file.chunks = current.chunks;
    }
    if (reply.outcome.ok && reply.outcome.file.inspected) reply.outcome.file.inspected.blocks = current.blocks;
    const { id, outcome } = reply;
    if (!current.members) this.events.onOutcome(id, outcome);
    else {
      current.members.then(
        () => this.events.onOutcome(id, outcome),
        () => this.events.onOutcome(id, { ok: false, failure: MEMBERS_NOT_STORED }),
      );
    }
  }

  private onMember(current: Waiting, { last, bytes, ...member }: MemberPart): void {
    current.parts.push(bytes);
    if (!last) return;
    const whole = Buffer.concat(current.parts);
    current.parts = [];
    this.channel.pause();
    const taken = this.events.onMember(current.id, { ...member, bytes: whole });
    const both = Promise.all([current.members, taken]).then(() => undefined);
    current.members = both;
    // The failure becomes the outcome of the file.
    both.catch(() => undefined).finally(() => this.channel.resume());
  }

  /** Runs a program for the child. The program's time does not count as the child's own. */
  private async onCall(current: Waiting, call: ToolCall | ServiceCall): Promise<void> {
    if (this.tool) {
      this.end('crash');
      return;
    }
    this.receivedBytes = 0;
    this.tool = new AbortController();
    const startedAt = performance.now();
    const answered: ToolAnswer & Used =
      current.toolsMs > TOOLS_TIME_MS_MAX
        ? { ok: false, failure: TOOLS_TOO_LONG }
        : await this.events.onCall(current.id, call, this.tool.signal);
    this.tool = undefined;
    if (this.ended) return;
    const took = performance.now() - startedAt;
    const { usedMs = took, ...answer } = answered;
    current.toolsMs += usedMs;
    this.work.leaveOut(took);
    void this.write({ id: current.id, answer });
  }

  private startWork(): WorkTime {
    const { pid } = this;
    return startWork(() => processorMsOfTree(pid));
  }

  private checkLimits(): void {
    const current = this.waiting[0];
    if (!current) return;
    const limitMs = this.isReady ? current.timeMs : START_MS_MAX;
    if (!this.tool && this.exceeds(limitMs)) {
      this.end('time');
      return;
    }
    this.rssBytes = residentBytes(this.pid);
    if (this.rssBytes > CHILD_RSS_BYTES_MAX) this.end('memory');
  }
}

/** Returns arguments that allow reading the package only: a parser that is tricked into anything else fails. */
function nodeArguments(script: URL): string[] {
  return [
    '--permission',
    ...packagePaths(script).flatMap((path) => [`--allow-fs-read=${path}`]),
    `--max-old-space-size=${CHILD_HEAP_MIB_MAX}`,
    '--max-semi-space-size=8',
    '--no-warnings',
    fileURLToPath(script),
  ];
}

/** Returns the last process in the line of the process's only children: the program that the commands of a sandbox started. */
export function innermost(pid: number | undefined): number | undefined {
  try {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')[0];
    return child ? innermost(Number(child)) : pid;
  } catch {
    return pid;
  }
}

/** Returns 0 if the process has ended, or if the system has no /proc. Only the heap limit applies then. */
export function residentBytes(pid: number | undefined): number {
  try {
    // Synchronous: the kernel answers from memory, and an asynchronous read takes ten times the processor time.
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/**
 * Lowers the priority of a child, so that searches and the database come first on a machine with few cores. Linux gives each thread a
 * priority of its own; threads that start later have that of the thread that starts them.
 *
 * A child leads a session. Where Linux shares the processors among sessions (`sched_autogroup_enabled`, on by default in most
 * distributions), the priority of a process counts within its session only, and the session has one of its own.
 */
export function yieldToOthers(pid: number | undefined, niceness = CHILD_NICENESS): void {
  try {
    if (pid === undefined) return;
    for (const thread of threadsOf(pid)) setPriority(thread, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The system forbids it or has no such file, or the child has ended. The child then runs with its present priority.
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}
