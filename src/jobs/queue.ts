/** The job queue: pg-boss on the same database. A job is a row, enqueued in its caller's transaction, ids as payload. */
import type { Tx } from '../db/database.ts';

export const JOB_KINDS = [
  'ingest-run',
  'origin-run',
  'delete-group',
  'delete-source',
  'delete-files',
  'collect-garbage',
  'start-scheduled',
  'build-column',
  'embed-chunks',
  'analyze-chunks',
  'reprocess',
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Ids only. */
export type JobPayload = Readonly<Record<string, string>>;

export interface JobContext {
  /** Aborts when the job is cancelled, its heartbeat is lost, or the worker stops. */
  signal: AbortSignal;
  /** True when no further attempt follows a failure of this one: record the failure for the user. */
  lastAttempt: boolean;
}

/** May run twice for the same payload: fences are checked in the transaction that writes the result. */
export type JobHandler = (payload: JobPayload, context: JobContext) => Promise<void>;

/** `concurrency` jobs of a kind run at once in a process. */
export type JobWork = Record<JobKind, { handler: JobHandler; concurrency: number }>;

export interface JobQueue {
  /** Visible to workers when `tx` commits. Works inside tenant and system transactions. */
  enqueue(tx: Tx, kind: JobKind, payload: JobPayload, options?: { startAfterSeconds?: number }): Promise<void>;
  /** Starts working. */
  work(handlers: JobWork): Promise<void>;
  /** Stops taking jobs, waits `graceMs` for running ones, then aborts their signals and hands them back. */
  stop(graceMs: number): Promise<void>;
}
