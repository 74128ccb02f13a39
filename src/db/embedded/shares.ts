/** Who keeps others waiting, and how long. */

/** A turn counts for about this time: after it, a third is left. */
const MEMORY_MS = 1_000;
/** A tenant is busy if a request that comes at any time waits this long for its turns: for one of 155 ms in the last second. */
const BUSY_MS = 12;
/** A tenant is not busy beside another that keeps others waiting much longer. Otherwise the victims of a busy tenant are held back. */
const OF_LONGEST = 0.75;
/** Others that use less than a turn of 5 ms are no reason to hold a tenant back. */
const OTHERS_MS = 0.0125;
const OWNERS_MAX = 1_000;

export interface Shares {
  /** @param usedMs the time in which the engine worked for the owner in one turn. */
  add(owner: string, usedMs: number): void;
  /** Whether the owner lately kept others waiting long, while there were others. */
  isBusy(owner: string): boolean;
}

/** @param now returns milliseconds. */
export function openShares(now: () => number = () => performance.now()): Shares {
  const waits = new Map<string, { ms: number; at: number }>();
  const left = ({ ms, at }: { ms: number; at: number }): number => ms * Math.exp((at - now()) / MEMORY_MS);
  const lately = (owner: string): number => left(waits.get(owner) ?? { ms: 0, at: 0 });
  return {
    add(owner, usedMs) {
      if (waits.size >= OWNERS_MAX) for (const [one, wait] of waits) if (left(wait) < OTHERS_MS) waits.delete(one);
      // Requests that come during the turn wait for half of it on average. A long turn therefore counts more than many short turns.
      const waitMs = (usedMs / MEMORY_MS) * (usedMs / 2);
      waits.set(owner, { ms: lately(owner) + waitMs, at: now() });
    },
    isBusy(owner) {
      const own = lately(owner);
      if (own < BUSY_MS) return false;
      let [others, longest] = [0, 0];
      for (const [one, wait] of waits) {
        if (one === owner) continue;
        others += left(wait);
        longest = Math.max(longest, left(wait));
      }
      return others >= OTHERS_MS && own >= OF_LONGEST * longest;
    },
  };
}
