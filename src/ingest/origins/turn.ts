/** A run that reads an origin for long gives its place to others that wait, and goes on when its turn comes again. */
import type { IngestDeps } from '../ingest-deps.ts';

/** A run keeps its place this long, however many others wait: to go on, it must read again some of what it knew. */
export const TURN_MS = 10 * 60_000;
/** Interval between two looks for runs that wait. */
const LOOK_MS = 10_000;

export interface Turn {
  /** Returns whether the time of the run is over and other runs wait. */
  isOver(): Promise<boolean>;
}

export function beginTurn({ clock, queue }: Pick<IngestDeps, 'clock' | 'queue'>): Turn {
  let nextLook = clock.now().getTime() + TURN_MS;
  return {
    async isOver() {
      const now = clock.now().getTime();
      if (now < nextLook) return false;
      nextLook = now + LOOK_MS;
      return queue.isAnyWaiting('origin-run');
    },
  };
}
