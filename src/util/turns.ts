/** Divides the work of many callers into short turns, so that together they never block the event loop for long. */

/** Maximum work of all callers together in one turn of the event loop. The last step of a turn may exceed it. */
const TURN_MS_MAX = 8;
/** The same maximum in units of work, such as characters, for steps that are too short to measure. */
const TURN_UNITS_MAX = 16_384;

export interface Turns {
  /** Call before each step. Returns a promise to wait for, or undefined if the step may start now. */
  wait(): Promise<void> | undefined;
  /** Call after each step with its time and its units of work. */
  spent(ms: number, units: number): void;
}

/** Returns turns that callers share. */
export function openTurns(): Turns {
  let busyMs = 0;
  let busyUnits = 0;
  let isDue = false;
  const waiting: (() => void)[] = [];
  // One caller per turn, because all callers that resume together would work in the same turn.
  function next(): void {
    busyMs = 0;
    busyUnits = 0;
    waiting.shift()?.();
    isDue = waiting.length > 0;
    if (isDue) setImmediate(next);
  }
  return {
    wait() {
      if (busyMs < TURN_MS_MAX && busyUnits < TURN_UNITS_MAX) return undefined;
      if (!isDue) setImmediate(next);
      isDue = true;
      return new Promise((resolve) => waiting.push(resolve));
    },
    spent(ms, units) {
      busyMs += ms;
      busyUnits += units;
    },
  };
}
