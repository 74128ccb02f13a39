/** How fast one credential may ask: a bucket that refills evenly, and a pause where the server asks for one. */
import type { Clock } from '../../util/time.ts';

const KEYS_MAX = 1_000;

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface Pace {
  /** Resolves when the next request with this key may be sent; in the order of the calls. @throws the signal's reason. */
  turn(key: string, signal: AbortSignal): Promise<void>;
  /** Nobody with this key goes on before `ms` milliseconds have passed. */
  hold(key: string, ms: number): void;
}

/** `burst` requests may follow each other at once after a rest. */
export function openPace(perSecond: number, burst: number, clock: Clock, sleep: Sleep): Pace {
  const intervalMs = 1000 / perSecond;
  const lead = (burst - 1) * intervalMs;
  const keys = new Map<string, { next: number; heldUntil: number }>();
  const now = (): number => clock.now().getTime();
  const entryOf = (key: string) => {
    const entry = keys.get(key) ?? { next: 0, heldUntil: 0 };
    keys.delete(key);
    // Oldest first: a bucket that was not used for long is full again anyway.
    if (keys.size >= KEYS_MAX) keys.delete(keys.keys().next().value!);
    keys.set(key, entry);
    return entry;
  };
  return {
    async turn(key, signal) {
      const entry = entryOf(key);
      const start = Math.max(entry.next, now() - lead);
      entry.next = start + intervalMs;
      for (let at = start; at > now(); at = entry.heldUntil) await sleep(at - now(), signal);
      while (entry.heldUntil > now()) await sleep(entry.heldUntil - now(), signal);
    },
    hold(key, ms) {
      const entry = entryOf(key);
      entry.heldUntil = Math.max(entry.heldUntil, now() + ms);
    },
  };
}
