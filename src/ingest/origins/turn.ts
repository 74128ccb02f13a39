/** A run that reads an origin for long gives its place to others that wait, and goes on when its turn comes again. */

import { TURN_MS } from '../../jobs/places.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Interval between two looks for runs that wait. */
const LOOK_MS = 10_000;

export interface Turn {
  /** Returns whether the time of the run is over and its place is given to another run. */
  isOver(): Promise<boolean>;
}

export function beginTurn({ clock, queue }: Pick<IngestDeps, 'clock' | 'queue'>, tenantId: string): Turn {
  let nextLook = clock.now().getTime() + TURN_MS;
  return {
    async isOver() {
      const now = clock.now().getTime();
      if (now < nextLook) return false;
      nextLook = now + LOOK_MS;
      return queue.givesPlace('origin-run', tenantId);
    },
  };
}
