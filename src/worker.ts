/** buildWorker(deps): job kind -> handler. Runs in the serving process or, with a PostgreSQL server, in its own. */

import type { Database } from './db/database.ts';
import { type Maintenance, startMaintenance } from './db/maintenance.ts';
import type { Deps } from './http/deps.ts';
import type { JobOutcome } from './http/operations/metrics.ts';
import { deleteGroup } from './ingest/removal/delete-group.ts';
import { deleteFiles, deleteSource } from './ingest/removal/delete-source.ts';
import { ingestRun } from './ingest/run-ingest.ts';
import { reprocess, wakeReprocessing } from './ingest/runs/reprocess.ts';
import { hasDueSchedule, startScheduled } from './ingest/runs/start-scheduled.ts';
import { analyzeChunks, wakeAnalysis } from './ingest/upkeep/analyze-chunks.ts';
import { buildColumn } from './ingest/upkeep/build-column.ts';
import { collectGarbage } from './ingest/upkeep/collect-garbage.ts';
import { embedChunks } from './ingest/vectors/embed-chunks.ts';
import { wakeAllEmbedding } from './ingest/vectors/embed-queue.ts';
import { JOB_KINDS, type JobHandler, type JobWork } from './jobs/queue.ts';

const DELETIONS_AT_ONCE = 1;
const BUILDS_AT_ONCE = 1;
const COLLECT_INTERVAL_MS = 60_000;
/** How late a schedule may be noticed. */
const SCHEDULE_INTERVAL_MS = 15_000;

export interface Worker {
  start(): Promise<void>;
  /** Takes no more jobs, waits `graceMs` for the running ones, then hands them back. */
  stop(graceMs: number): Promise<void>;
}

export function buildWorker(given: Deps, { scheduleIntervalMs = SCHEDULE_INTERVAL_MS } = {}): Worker {
  const deps = given.db.kind === 'embedded' ? { ...given, db: oneAtATime(given.db) } : given;
  const timers: NodeJS.Timeout[] = [];
  let maintenance: Maintenance | undefined;
  // A job, not a call: of several workers one at a time collects, and a stop waits for it.
  const collect = (): void => {
    deps.db.system
      .transaction((tx) => deps.queue.enqueue(tx, 'collect-garbage', {}))
      .catch((error) => deps.log.warn({ err: error }, 'the collection of garbage could not be scheduled'));
  };
  const lookForDueRuns = (): void => {
    const enqueue = (): Promise<void> =>
      deps.db.system.transaction((tx) => deps.queue.enqueue(tx, 'start-scheduled', {}));
    hasDueSchedule(deps)
      .then((isDue) => (isDue ? enqueue() : undefined))
      .catch((error) => deps.log.warn({ err: error }, 'the schedules could not be looked at'));
  };
  return {
    async start() {
      await wakeAllEmbedding(deps);
      await wakeAnalysis(deps);
      await wakeReprocessing(deps);
      const work = timed(deps, {
        'ingest-run': { handler: ingestRun(deps), concurrency: deps.config.workerConcurrency },
        // Of a kind of their own: they may wait for their origin for hours, and uploads must not wait for them.
        'origin-run': { handler: ingestRun(deps), concurrency: deps.config.workerConcurrency },
        'delete-group': { handler: deleteGroup(deps), concurrency: DELETIONS_AT_ONCE },
        'delete-source': { handler: deleteSource(deps), concurrency: DELETIONS_AT_ONCE },
        'delete-files': { handler: deleteFiles(deps), concurrency: DELETIONS_AT_ONCE },
        'collect-garbage': { handler: collectGarbage(deps), concurrency: 1 },
        'start-scheduled': { handler: startScheduled(deps), concurrency: 1 },
        'build-column': { handler: buildColumn(deps), concurrency: BUILDS_AT_ONCE },
        'embed-chunks': { handler: embedChunks(deps), concurrency: deps.config.workerConcurrency },
        'analyze-chunks': { handler: analyzeChunks(deps), concurrency: 1 },
        reprocess: { handler: reprocess(deps), concurrency: 1 },
      });
      await deps.queue.work(work);
      maintenance = startMaintenance(deps.db, deps.log);
      timers.push(setInterval(collect, COLLECT_INTERVAL_MS).unref());
      timers.push(setInterval(lookForDueRuns, scheduleIntervalMs).unref());
      // What was missed while no worker ran.
      lookForDueRuns();
    },
    async stop(graceMs) {
      for (const timer of timers) clearInterval(timer);
      await deps.queue.stop(graceMs);
      await maintenance?.stop();
    },
  };
}

/** Returns handlers that count their run times and log their failures. */
function timed({ metrics, log }: Pick<Deps, 'metrics' | 'log'>, work: JobWork): JobWork {
  const entries = JOB_KINDS.map((kind) => {
    const { handler, concurrency } = work[kind];
    const observed: JobHandler = async (payload, context) => {
      const begun = performance.now();
      let outcome: JobOutcome = 'failed';
      try {
        await handler(payload, context);
        outcome = 'done';
      } catch (error) {
        const { tenantId } = payload;
        if (!context.signal.aborted)
          log.error({ err: error, kind, tenantId, lastAttempt: context.lastAttempt }, 'a job failed');
        throw error;
      } finally {
        if (outcome === 'failed' && context.signal.aborted) outcome = 'aborted';
        metrics.job(kind, outcome, (performance.now() - begun) / 1000);
      }
    };
    return [kind, { handler: observed, concurrency }];
  });
  return Object.fromEntries(entries) as JobWork;
}

/**
 * The embedded engine runs one transaction after the other, first come, first served. With at most one of the worker's in
 * that queue, a search waits for one of them, however many runs are active.
 */
function oneAtATime(db: Database): Database {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...db,
    transaction(tenantId, fn, options) {
      const turn = last.then(() => db.transaction(tenantId, fn, options));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
