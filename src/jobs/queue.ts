/** The job-queue port: pg-boss on the same database. A job is a row, inserted in the caller's transaction, with ids as payload. */
import type { AnyTx, Tx } from '../db/database.ts';

export const JOB_KINDS = [
  'ingest-run',
  'origin-run',
  'delete-group',
  'delete-files',
  'collect-garbage',
  'start-scheduled',
  'table-build',
  'table-redact',
  'embed-chunks',
  'analyze-chunks',
  'reprocess',
  'agent-run',
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Ids only, and `again` if the job goes on with work of an earlier one, which gave its place to others. */
export type JobPayload = Readonly<Record<string, string>>;

export interface JobContext {
  /** Aborts when the job is cancelled, its heartbeat is lost, or the worker stops. */
  signal: AbortSignal;
  /** True when the queue does not retry the job after a failure: the handler then records the failure for the user. */
  lastAttempt: boolean;
}

/** May run twice for the same payload, so the handler checks its fence in the transaction that writes the result. */
export type JobHandler = (payload: JobPayload, context: JobContext) => Promise<void>;

export interface KindOfWork {
  handler: JobHandler;
  /** A process runs at most this many jobs of the kind at once. */
  concurrency: number;
  /** Of one tenant. Default: one less than all, so that one worker stays free for other tenants. */
  ofTenant?: number;
}

export type JobWork = Record<JobKind, KindOfWork>;

export interface JobQueue {
  /** Adds a job, which workers see when `tx` commits. Works in tenant and system transactions. */
  enqueue(tx: AnyTx, kind: JobKind, payload: JobPayload, options?: { startAfterSeconds?: number }): Promise<void>;
  /**
   * Returns whether a running job of the tenant should end, because a job of the kind waits that can use its place. If it returns true, the
   * caller ends soon: other running jobs then keep their places.
   */
  givesPlace(kind: JobKind, tenantId: string): Promise<boolean>;
  /** Returns the runs of a tenant that have a job. `isWorkedOn`: a worker has it. The others wait. */
  listRunsWithJob(tx: Tx): Promise<{ runId: string; isWorkedOn: boolean }[]>;
  /** Starts workers for all kinds. */
  work(handlers: JobWork): Promise<void>;
  /** Stops claiming jobs, waits `graceMs` for jobs in flight, then aborts their signals and releases them. */
  stop(graceMs: number): Promise<void>;
}
