/** One child process and what it is working on: started, fed, watched for memory and time, ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { encodeFrame, FrameReader } from './frames.ts';
import type { ProcessOutcome, ProcessRequest } from './parsed.ts';
import type { ChildReply, ChildRequest } from './process-child.ts';

/** Resident memory of a child; a worker thread's own limits do not see WASM and buffers. */
export const CHILD_RSS_BYTES_MAX = 512 * 1024 * 1024;
/** A child that kept this much after a file is replaced, so that files do not pay for each other. */
export const CHILD_RSS_BYTES_REUSED = 288 * 1024 * 1024;
const CHILD_HEAP_MIB_MAX = 400;
/** Bytes of one outcome. */
const OUTCOME_BYTES_MAX = 400 * 1024 * 1024;
const WATCH_INTERVAL_MS = 100;
const STDERR_UNITS_KEPT = 2000;
const PAGE_BYTES = 4096;

export type EndReason = 'memory' | 'time' | 'crash' | 'closed';

export interface ChildEvents {
  onOutcome(id: number, outcome: ProcessOutcome): void;
  /** Called once. Requests without outcome are the caller's again, oldest first. */
  onEnd(reason: EndReason, unfinished: readonly number[]): void;
}

export interface WatchedChild {
  send(id: number, request: ProcessRequest, timeMs: number): void;
  /** Ids sent and not answered, oldest first; the child works on the first. */
  readonly pending: readonly number[];
  /** Milliseconds since the child began its current file; 0 when idle. */
  busyMs(): number;
  /** Resident bytes at the last look, or 0. */
  readonly rssBytes: number;
  readonly served: number;
  end(reason: EndReason): void;
}

/** Starts a child process running `script`. Limits are enforced from here, by killing it. */
export function startChild(script: URL, events: ChildEvents): WatchedChild {
  const child = spawn(process.execPath, nodeArguments(script), {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const channel = child.stdio[3] as Duplex;
  const waiting: { id: number; timeMs: number }[] = [];
  let startedAt = 0;
  let ended = false;
  const state = { rssBytes: 0, served: 0 };

  const end = (reason: EndReason) => {
    if (ended) return;
    ended = true;
    clearInterval(watch);
    child.kill('SIGKILL');
    events.onEnd(
      reason,
      waiting.map(({ id }) => id),
    );
  };
  const watch = setInterval(() => {
    const current = waiting[0];
    if (!current) return;
    if (performance.now() - startedAt > current.timeMs) return end('time');
    residentBytes(child).then(
      (bytes) => {
        state.rssBytes = bytes;
        if (bytes > CHILD_RSS_BYTES_MAX && waiting.length > 0) end('memory');
      },
      () => undefined,
    );
  }, WATCH_INTERVAL_MS);
  watch.unref();

  const reader = new FrameReader((value) => {
    const { id, outcome } = value as ChildReply;
    if (waiting[0]?.id !== id) return end('crash');
    waiting.shift();
    state.served += 1;
    startedAt = performance.now();
    events.onOutcome(id, outcome);
  }, OUTCOME_BYTES_MAX);
  channel.on('data', (part: Buffer) => {
    try {
      if (!ended) reader.push(part);
    } catch {
      end('crash');
    }
  });
  const stderr = collectStderr(child);
  channel.on('error', () => end('crash'));
  child.on('error', () => end('crash'));
  child.on('exit', () => end(/heap out of memory|Array buffer allocation failed/i.test(stderr()) ? 'memory' : 'crash'));

  return {
    send(id, request, timeMs) {
      if (waiting.length === 0) startedAt = performance.now();
      waiting.push({ id, timeMs });
      channel.write(encodeFrame({ id, request } satisfies ChildRequest));
    },
    get pending() {
      return waiting.map(({ id }) => id);
    },
    busyMs: () => (waiting.length === 0 ? 0 : performance.now() - startedAt),
    get rssBytes() {
      return state.rssBytes;
    },
    get served() {
      return state.served;
    },
    end,
  };
}

/** Read-only rights: a parser that is tricked into writing or starting something fails. */
function nodeArguments(script: URL): string[] {
  return [
    '--permission',
    '--allow-fs-read=*',
    `--max-old-space-size=${CHILD_HEAP_MIB_MAX}`,
    '--no-warnings',
    script.pathname,
  ];
}

function collectStderr(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.setEncoding('latin1').on('data', (part: string) => {
    kept = (kept + part).slice(-STDERR_UNITS_KEPT);
  });
  return () => kept;
}

/** Resident memory by /proc; rejects where there is none, and the heap limit alone remains. */
async function residentBytes(child: ChildProcess): Promise<number> {
  const statm = await readFile(`/proc/${child.pid}/statm`, 'latin1');
  return Number(statm.split(' ')[1]) * PAGE_BYTES;
}
