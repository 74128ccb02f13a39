/** Builds the worker: a handler for each kind of job. It runs in the API's process or, with a PostgreSQL server, in its own. */

import { agentHost } from './app.ts';
import type { Database } from './db/database.ts';
import { type Maintenance, startMaintenance } from './db/maintenance.ts';
import { reasonOf, ServiceError } from './errors.ts';
import { agentRun, collectAgentRuns } from './features/agents/background.ts';
import type { Deps } from './http/deps.ts';
import type { JobOutcome } from './http/operations/metrics.ts';
import { deleteGroup } from './ingest/removal/delete-group.ts';
import { deleteFiles } from './ingest/removal/delete-source.ts';
import { ingestRun } from './ingest/run-ingest.ts';
import { reprocess, wakeReprocessing } from './ingest/runs/reprocess.ts';
import { hasDueSchedule, startScheduled } from './ingest/runs/start-scheduled.ts';
import { buildTables } from './ingest/tables/build-tables.ts';
import { redactTable } from './ingest/tables/redact-table.ts';
import { analyzeChunks, wakeAnalysis } from './ingest/upkeep/analyze-chunks.ts';
import { COLLECT_INTERVAL_MS, collectGarbage } from './ingest/upkeep/collect-garbage.ts';
import { embedChunks } from './ingest/vectors/embed-chunks.ts';
import { wakeAllEmbedding } from './ingest/vectors/embed-queue.ts';
import { JOB_KINDS, type JobHandler, type JobWork } from './jobs/queue.ts';

const DELETIONS_AT_ONCE = 1;
const BUILDS_AT_ONCE = 1;
/** Agent runs in the background that a process works on. Most of the time they wait for the chat model. */
const AGENT_RUNS_AT_ONCE = 4;
/** A run of an origin waits for the network most of the time. A long one gives its place to others: see ingest/origins/turn.ts. */
const ORIGIN_RUNS_PER_JOB = 5;
/** Each place asks the database for a job every 5 s, also when there is none. With few places for other jobs this limit does not count. */
const MORE_ORIGIN_RUNS_MAX = 12;
/** Interval between two checks for due schedules. */
const SCHEDULE_INTERVAL_MS = 15_000;

export interface Worker {
  start(): Promise<void>;
  /** Claims no more jobs, waits `graceMs` for the running jobs, then releases them. */
  stop(graceMs: number): Promise<void>;
}

/** Returns a worker that is not started yet. */
export function buildWorker(given: Deps, { scheduleIntervalMs = SCHEDULE_INTERVAL_MS } = {}): Worker {
  const deps = given.db.kind === 'embedded' ? { ...given, db: oneAtATime(given.db) } : given;
  const timers: NodeJS.Timeout[] = [];
  let maintenance: Maintenance | undefined;
  // Garbage is collected by a job: only one of several workers collects at a time, and a stop waits for the job.
  const collect = (): void => {
    deps.db.system
      .transaction((tx) => deps.queue.enqueue(tx, 'collect-garbage', {}))
      .catch((error) => deps.log.warn({ err: error }, 'the job that collects garbage could not be queued'));
  };
  const lookForDueRuns = (): void => {
    const enqueue = (): Promise<void> =>
      deps.db.system.transaction((tx) => deps.queue.enqueue(tx, 'start-scheduled', {}));
    hasDueSchedule(deps)
      .then((isDue) => (isDue ? enqueue() : undefined))
      .catch((error) => deps.log.warn({ err: error }, 'the check for due schedules failed'));
  };
  return {
    async start() {
      await wakeAllEmbedding(deps);
      await wakeAnalysis(deps);
      await wakeReprocessing(deps);
      const work = timed(deps, {
        'ingest-run': { handler: ingestRun(deps), concurrency: deps.config.workerConcurrency },
        // A separate kind of job: these runs may wait hours for their origin, and uploads must not wait behind them.
        'origin-run': { handler: ingestRun(deps), ...placesOfOriginRuns(deps.config.workerConcurrency) },
        'delete-group': { handler: deleteGroup(deps), concurrency: DELETIONS_AT_ONCE },
        'delete-files': { handler: deleteFiles(deps), concurrency: DELETIONS_AT_ONCE },
        'collect-garbage': { handler: inTurn(collectGarbage(deps), collectAgentRuns({ deps })), concurrency: 1 },
        'start-scheduled': { handler: startScheduled(deps), concurrency: 1 },
        'table-build': { handler: buildTables(deps), concurrency: BUILDS_AT_ONCE },
        'table-redact': { handler: redactTable(deps), concurrency: BUILDS_AT_ONCE },
        'embed-chunks': { handler: embedChunks(deps), concurrency: deps.config.workerConcurrency },
        'analyze-chunks': { handler: analyzeChunks(deps), concurrency: 1 },
        reprocess: { handler: reprocess(deps), concurrency: 1 },
        'agent-run': { handler: agentRun(agentHost(deps)), concurrency: AGENT_RUNS_AT_ONCE },
      });
      await deps.queue.work(work);
      maintenance = startMaintenance(deps.db, deps.log);
      timers.push(setInterval(collect, COLLECT_INTERVAL_MS).unref());
      timers.push(setInterval(lookForDueRuns, scheduleIntervalMs).unref());
      // Starts the schedules that became due while no worker ran.
      lookForDueRuns();
    },
    async stop(graceMs) {
      for (const timer of timers) clearInterval(timer);
      await deps.queue.stop(graceMs);
      await maintenance?.stop();
    },
  };
}

/** Returns how many runs of origins go on at once. A tenant has no more places than for other jobs: the rest is for other tenants. */
function placesOfOriginRuns(jobs: number): { concurrency: number; ofTenant: number } {
  return {
    concurrency: Math.min(ORIGIN_RUNS_PER_JOB * jobs, jobs + MORE_ORIGIN_RUNS_MAX),
    ofTenant: Math.max(1, jobs - 1),
  };
}

function inTurn(...handlers: JobHandler[]): JobHandler {
  return async (payload, context) => {
    for (const handler of handlers) await handler(payload, context);
  };
}

/** Returns what the log says of an error. An expected failure needs no stack. */
function described(error: unknown): { err: unknown } | { reason: string } {
  return error instanceof ServiceError ? { reason: reasonOf(error) } : { err: error };
}

/** Returns handlers that count their run times and log their failures. */
function timed({ metrics, log }: Pick<Deps, 'metrics' | 'log'>, work: JobWork): JobWork {
  const entries = JOB_KINDS.map((kind) => {
    const { handler, ...places } = work[kind];
    const observed: JobHandler = async (payload, context) => {
      const begun = performance.now();
      let outcome: JobOutcome = 'failed';
      try {
        await handler(payload, context);
        outcome = 'done';
      } catch (error) {
        if (!context.signal.aborted)
          log.error(
            { ...described(error), kind, tenantId: payload.tenantId, lastAttempt: context.lastAttempt },
            'a job failed',
          );
        throw error;
      } finally {
        if (outcome === 'failed' && context.signal.aborted) outcome = 'aborted';
        metrics.job(kind, outcome, (performance.now() - begun) / 1000);
      }
    };
    return [kind, { handler: observed, ...places }];
  });
  return Object.fromEntries(entries) as JobWork;
}

/**
 * Returns a database that lets one transaction of the worker run at a time. The embedded database runs transactions one after the other,
 * in the order of their arrival. A search then waits for at most one transaction of the worker, however many runs are active.
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
