/** buildWorker(deps): job kind -> handler. Runs in the serving process or, with a PostgreSQL server, in its own. */
import type { Deps } from './deps.ts';
import { deleteGroup } from './ingest/delete-group.ts';
import { ingestRun } from './ingest/run-ingest.ts';

const DELETIONS_AT_ONCE = 1;

export interface Worker {
  start(): Promise<void>;
  /** Takes no more jobs, waits `graceMs` for the running ones, then hands them back. */
  stop(graceMs: number): Promise<void>;
}

export function buildWorker(deps: Deps): Worker {
  return {
    start: () =>
      deps.queue.work({
        'ingest-run': { handler: ingestRun(deps), concurrency: deps.config.workerConcurrency },
        'delete-group': { handler: deleteGroup(deps), concurrency: DELETIONS_AT_ONCE },
        'collect-garbage': { handler: async () => undefined, concurrency: 1 },
      }),
    stop: (graceMs) => deps.queue.stop(graceMs),
  };
}
