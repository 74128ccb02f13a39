/** Who uses the session how much. */

/** Use counts for about this time: after it, a third is left. */
const MEMORY_MS = 1_000;
/** A tenant is busy if it used this much of the session lately. */
const BUSY_MS = 250;
/** Less use by all others together is no reason to hold a tenant back. */
const OTHERS_MS = 1;
const OWNERS_MAX = 1_000;

export interface Shares {
  add(owner: string, usedMs: number): void;
  /** Whether the owner used much lately while others used some. */
  isBusy(owner: string): boolean;
}

/** @param now returns milliseconds. */
export function openShares(now: () => number = () => performance.now()): Shares {
  const uses = new Map<string, { ms: number; at: number }>();
  const left = ({ ms, at }: { ms: number; at: number }): number => ms * Math.exp((at - now()) / MEMORY_MS);
  const lately = (owner: string): number => left(uses.get(owner) ?? { ms: 0, at: 0 });
  return {
    add(owner, usedMs) {
      if (uses.size >= OWNERS_MAX) for (const [one, use] of uses) if (left(use) < OTHERS_MS) uses.delete(one);
      uses.set(owner, { ms: lately(owner) + usedMs, at: now() });
    },
    isBusy(owner) {
      const own = lately(owner);
      if (own < BUSY_MS) return false;
      let others = -own;
      for (const use of uses.values()) others += left(use);
      return others >= OTHERS_MS;
    },
  };
}
