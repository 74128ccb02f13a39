/** Limits the request rate of each credential: a token bucket, and a pause when the server asks for one. */
import { setRecent } from '../../util/recent.ts';
import type { Clock } from '../../util/time.ts';

const KEYS_MAX = 1_000;

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface Pace {
  /** Resolves when the next request with this key may be sent, in the order of the calls. @throws the signal's reason. */
  waitForTurn(key: string, signal: AbortSignal): Promise<void>;
  /** No request with this key is sent before `ms` milliseconds have passed. */
  pause(key: string, ms: number): void;
}

/** Opens a rate limit. `burst` requests may follow each other at once after a rest. */
export function openPace(perSecond: number, burst: number, clock: Clock, sleep: Sleep): Pace {
  const intervalMs = 1000 / perSecond;
  const lead = (burst - 1) * intervalMs;
  const keys = new Map<string, { next: number; pausedUntil: number }>();
  const now = (): number => clock.now().getTime();
  const entryOf = (key: string) => {
    const entry = keys.get(key) ?? { next: 0, pausedUntil: 0 };
    // Drops the least recently used bucket, which is full again anyway.
    setRecent(keys, key, entry, KEYS_MAX);
    return entry;
  };
  return {
    async waitForTurn(key, signal) {
      const entry = entryOf(key);
      const start = Math.max(entry.next, now() - lead);
      entry.next = start + intervalMs;
      for (let at = start; at > now(); at = entry.pausedUntil) await sleep(at - now(), signal);
      while (entry.pausedUntil > now()) await sleep(entry.pausedUntil - now(), signal);
    },
    pause(key, ms) {
      const entry = entryOf(key);
      entry.pausedUntil = Math.max(entry.pausedUntil, now() + ms);
    },
  };
}
