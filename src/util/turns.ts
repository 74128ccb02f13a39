/** Work of many callers that would hold the event loop: after some milliseconds of it, whoever did it, others run. */

/** Of all callers together, in one turn of the loop; beside it, the one step that went over. */
const TURN_MS_MAX = 8;
/** The same in units of work, such as characters: where the clock says little. */
const TURN_UNITS_MAX = 16_384;

export interface Turns {
  /** To be asked before each step: undefined, or when it may be made. */
  wait(): Promise<void> | undefined;
  /** To be told after each step. */
  spent(ms: number, units: number): void;
}

export function openTurns(): Turns {
  let busyMs = 0;
  let busyUnits = 0;
  let isDue = false;
  const waiting: (() => void)[] = [];
  // One at a time: all that are let go at once would work in the same turn.
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
