/**
 * Limits of our own work, in processor time: a limit by the clock would end good work because other programs keep the machine busy.
 * Waiting for another service has limits by the clock.
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** Work that hangs without computing ends after this many times its limit, by the clock. */
export const CLOCK_TIMES = 10;
/** How often a limit is checked. */
export const WORK_CHECK_MS = 50;
/** Linux reports processor time in hundredths of a second. */
const TICK_MS = 10;
/** Places in `stat` behind the name of the program: time of the program and of the kernel for it, and both for its ended children. */
const [UTIME, CSTIME] = [11, 14];
const OWN_TIMES = 2;

export interface WorkTime {
  /** Returns true if the work has used `limitMs` of processor time, or CLOCK_TIMES as much by the clock. */
  exceeds(limitMs: number): boolean;
  /** Returns the processor time that counts. It is at least a share of the time by the clock. */
  usedMs(): number;
  /** Leaves out a time by the clock in which the work waited for something else. */
  leaveOut(ms: number): void;
}

/** Starts to measure. Where `processorMs` returns undefined, as on systems other than Linux, all time by the clock counts. */
export function startWork(processorMs: () => number | undefined): WorkTime {
  let startedAt = performance.now();
  const before = processorMs();
  const usedMs = (): number => {
    const elapsed = performance.now() - startedAt;
    const now = processorMs();
    return before === undefined || now === undefined ? elapsed : Math.max(now - before, elapsed / CLOCK_TIMES);
  };
  return {
    usedMs,
    // A limit that has not passed by the clock holds. Most work therefore ends without a second look at the processor time.
    exceeds: (limitMs) => performance.now() - startedAt > limitMs && usedMs() > limitMs,
    leaveOut: (ms) => {
      startedAt += ms;
    },
  };
}

/** Calls `end` when the work has exceeded its limit. Returns the function that ends the watch. */
export function whenExceeded(work: WorkTime, limitMs: number, end: () => void): () => void {
  const check = (): void => {
    // Work uses its time no faster than the clock, so it needs no look before the rest has passed. Many searches may wait.
    const leftMs = limitMs - work.usedMs();
    if (leftMs < 0) end();
    else timer = setTimeout(check, Math.max(WORK_CHECK_MS, leftMs));
  };
  let timer = setTimeout(check, limitMs);
  return () => clearTimeout(timer);
}

/** Returns the folder of this thread in /proc. Returns undefined on a system that has no such folder. */
export function folderOfThread(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}`;
  } catch {
    return undefined;
  }
}

/** Returns the processor time of a process and of all that it started, or undefined. */
export function processorMsOfTree(pid: number | undefined): number | undefined {
  const times = timesIn(`/proc/${pid}`);
  if (!times) return undefined;
  const children = textOf(`/proc/${pid}/task/${pid}/children`)?.match(/\d+/g) ?? [];
  return sum([...times, ...children.map((child) => processorMsOfTree(Number(child)) ?? 0)]);
}

/** Returns the processor time of a thread by its folder in /proc, or undefined. */
export function processorMsOfThread(folder: string | undefined): number | undefined {
  const times = folder === undefined ? undefined : timesIn(folder);
  // The children of a thread are those of its process.
  return times && sum(times.slice(0, OWN_TIMES));
}

function timesIn(folder: string): number[] | undefined {
  const stat = textOf(`${folder}/stat`);
  // The name of the program may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.slice(UTIME, CSTIME + 1).map((ticks) => Number(ticks) * TICK_MS);
}

/** Synchronous: the kernel answers from memory. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
