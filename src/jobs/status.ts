/**
 * Job status of source groups and runs, and which may follow which.
 *
 * PostgreSQL enforces the table (trigger source_group_status_guard); this copy is for decisions and display, and a test
 * compares the two.
 */

export const JOB_STATUSES = [
  'unknown',
  'queued',
  'not_started',
  'managed',
  'starting',
  'started',
  'success',
  'failure',
  'canceling',
  'canceled',
  'deleting',
  'delete_job_failure',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  not_started: ['queued', 'deleting'],
  queued: ['starting', 'canceling', 'deleting'],
  starting: ['started', 'failure', 'canceling', 'unknown', 'deleting'],
  started: ['success', 'failure', 'managed', 'canceling', 'unknown', 'deleting'],
  unknown: ['queued', 'failure', 'deleting'],
  success: ['queued', 'deleting'],
  failure: ['queued', 'deleting'],
  managed: ['queued', 'deleting'],
  canceling: ['canceled', 'success', 'failure', 'deleting'],
  canceled: ['queued', 'deleting'],
  deleting: ['delete_job_failure'],
  delete_job_failure: ['deleting'],
};

/** Whether the status machine has this step. */
export function mayFollow(from: JobStatus, to: JobStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Statuses in which a worker has work to do or is doing it: none may last (invariant I6). */
export const ACTIVE_STATUSES: readonly JobStatus[] = ['queued', 'starting', 'started', 'canceling', 'unknown'];

/** Whether work is left to do: see ACTIVE_STATUSES. */
export function isActive(status: JobStatus): boolean {
  return ACTIVE_STATUSES.includes(status);
}
