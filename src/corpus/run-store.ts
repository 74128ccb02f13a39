/** SQL of the tables run and run_error. */

import { type GroupLimits, withinLimits } from '../access/limits.ts';
import type { Tx } from '../db/database.ts';
import { containsText, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { recordset } from '../db/recordset.ts';
import { join, keepPlan, raw, sql } from '../db/sql.ts';
import type { ProgressStep, RunStatistics } from '../jobs/progress.ts';
import { ACTIVE_STATUSES, type JobStatus } from '../jobs/status.ts';
import { NEWEST_FAILED } from './source-lookup.ts';
import { SOURCE_PATH_SQL } from './sources/paths.ts';
import type { FileFailure, FilePlace } from './values.ts';

/** What a run reads: `origin` asks the origin; `stored` reads the stored files again and does not ask the origin. */
export type RunReads = 'origin' | 'stored';

export interface Run extends RunStatistics {
  id: string;
  sourceGroupId: string;
  status: JobStatus;
  stage: string | null;
  reads: RunReads;
  /** The generation of the group that this run writes. */
  generation: number;
  /** Number of workers that have claimed the run; only the last of them may write. */
  attempt: number;
  filesDone: number;
  filesTotal: number;
  chunksDone: number;
  errorTitle: string | null;
  errorMessage: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface RunError extends FilePlace {
  id: string;
  /** Null if the item of the origin never became a source. */
  sourceId: string | null;
  name: string;
  stage: string;
  title: string;
  message: string;
  retryable: boolean;
  createdAt: Date;
}

export interface NewRunError extends FileFailure, Partial<FilePlace> {
  id: string;
  sourceId: string | null;
  name: string;
  /** The origin's id of an item that could not be listed or fetched. */
  originId?: string;
}

const RUN_COLUMNS = raw(`r.id, r.source_group_id, r.status, r.stage, r.reads, r.generation, r.attempt,
  r.files_done, r.files_total, r.chunks_done, r.scanned, r.added, r.updated, r.unchanged, r.skipped, r.deleted, r.failed,
  r.error_title, r.error_message, r.created_at, r.started_at, r.ended_at`);

export interface RunFilter {
  sourceGroupId?: string | undefined;
  status?: JobStatus | undefined;
  /** By the time of creation: at or after `from`, before `before`. */
  from?: Date | undefined;
  before?: Date | undefined;
  /** Text that the status, the stage or the error contains. */
  q?: string | undefined;
  /** Whether `q` leaves the messages of errors out: redaction rules may hide parts of them from the caller. */
  hidesMessages?: boolean;
}

/** The texts in which the filter `q` of a list of runs searches. */
const RUN_WORDS = raw(`concat_ws(e'\\n', r.status, r.stage, r.error_title, r.error_message)`);
const RUN_WORDS_WITHOUT_MESSAGE = raw(`concat_ws(e'\\n', r.status, r.stage, r.error_title)`);

export interface NewRun {
  id: string;
  /** `origin` if absent. */
  reads?: RunReads;
  sourceGroupId: string;
  generation: number;
  /** Number of files that the run looks at; `unchanged` of them need no work. */
  scanned: number;
  unchanged: number;
  createdAt: Date;
}

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  await tx.query(sql`
    insert into run (tenant_id, id, source_group_id, status, reads, generation, files_done, files_total, scanned, unchanged, created_at)
    values (${tx.tenantId}, ${run.id}, ${run.sourceGroupId}, 'queued', ${run.reads ?? 'origin'}, ${run.generation}, ${run.unchanged},
            ${run.scanned}, ${run.scanned}, ${run.unchanged}, ${run.createdAt})`);
}

/** Returns the run if `limits` allow the caller to see its group and the group is not deleted. */
export async function findRun(tx: Tx, id: string, limits: GroupLimits): Promise<Run | undefined> {
  const [run] = await tx.query<Run>(sql`
    select ${RUN_COLUMNS} from run r join source_group g on g.tenant_id = r.tenant_id and g.id = r.source_group_id
    where r.tenant_id = ${tx.tenantId} and r.id = ${id} and g.deleted_at is null and ${withinLimits(limits)}`);
  return run;
}

export async function findGroupIdOfRun(tx: Tx, id: string): Promise<string | undefined> {
  const [run] = await tx.query<{ groupId: string }>(sql`
    select source_group_id as group_id from run where tenant_id = ${tx.tenantId} and id = ${id}`);
  return run?.groupId;
}

/** Locks and returns the run; the group must be locked before. */
export async function lockRun(tx: Tx, id: string): Promise<Run | undefined> {
  const [run] = await tx.query<Run>(
    keepPlan(sql`
    select ${RUN_COLUMNS} from run r where r.tenant_id = ${tx.tenantId} and r.id = ${id} for update`),
  );
  return run;
}

export function listRuns(tx: Tx, limits: GroupLimits, filter: RunFilter, page: PageRequest): Promise<Listed<Run>> {
  const conditions = [sql`r.tenant_id = ${tx.tenantId}`, withinLimits(limits)];
  if (filter.sourceGroupId !== undefined) conditions.push(sql`r.source_group_id = ${filter.sourceGroupId}`);
  if (filter.status !== undefined) conditions.push(sql`r.status = ${filter.status}`);
  if (filter.from !== undefined) conditions.push(sql`r.created_at >= ${filter.from}`);
  if (filter.before !== undefined) conditions.push(sql`r.created_at < ${filter.before}`);
  const words = filter.hidesMessages ? RUN_WORDS_WITHOUT_MESSAGE : RUN_WORDS;
  if (filter.q !== undefined) conditions.push(containsText(words, filter.q));
  const matching = sql`run r join source_group g on g.tenant_id = r.tenant_id and g.id = r.source_group_id
    where ${join(conditions, ' and ')}`;
  return readPage<Run>(tx, RUN_COLUMNS, matching, raw('r.id'), page);
}

/** Returns runs that are active or have ended since `since`, oldest first, at most `limit`. */
export function listMovingRuns(tx: Tx, limits: GroupLimits, since: Date, limit: number): Promise<Run[]> {
  return tx.query<Run>(sql`
    select ${RUN_COLUMNS} from run r join source_group g on g.tenant_id = r.tenant_id and g.id = r.source_group_id
    where r.tenant_id = ${tx.tenantId} and (r.ended_at is null or r.ended_at > ${since}) and g.deleted_at is null
      and ${withinLimits(limits)}
    order by r.id limit ${limit}`);
}

/** Claims the run for a worker and returns the attempt number, which fences out every earlier worker. */
export async function claimRun(tx: Tx, id: string, now: Date): Promise<number> {
  const [run] = await tx.query<{ attempt: number }>(sql`
    update run set attempt = attempt + 1, status = 'starting', heartbeat_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${id} returning attempt`);
  return run!.attempt;
}

export async function setRunStatus(
  tx: Tx,
  id: string,
  status: JobStatus,
  change: {
    stage?: string | null;
    startedAt?: Date;
    endedAt?: Date;
    error?: { title: string; message: string } | null;
  } = {},
): Promise<void> {
  const stage = change.stage === undefined ? raw('stage') : sql`${change.stage}::text`;
  await tx.query(sql`
    update run set status = ${status}, stage = ${stage}, started_at = coalesce(started_at, ${change.startedAt ?? null}::timestamptz),
      ended_at = coalesce(${change.endedAt ?? null}::timestamptz, ended_at),
      error_title = coalesce(${change.error?.title ?? null}::text, error_title),
      error_message = coalesce(${change.error?.message ?? null}::text, error_message)
    where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Counts of files that a listing found. Listed files that no other count includes wait to be read. */
export interface ListedStep {
  listed: number;
  unchanged: number;
  updated: number;
  skipped: number;
  failed: number;
}

export const NOTHING_LISTED: ListedStep = { listed: 0, unchanged: 0, updated: 0, skipped: 0, failed: 0 };

/**
 * Adds a step of the listing to the run's figures.
 *
 * @param waiting number of files that the listing has found but not looked at; the total includes them. Undefined keeps the
 *   present total.
 */
export async function addListed(tx: Tx, id: string, step: ListedStep, now: Date, waiting?: number): Promise<void> {
  const { listed, unchanged, updated, skipped, failed } = step;
  const before = waiting === undefined ? raw('files_total') : sql`scanned + ${waiting}`;
  await tx.query(sql`
    update run set files_total = ${before} + ${listed}, scanned = scanned + ${listed},
      files_done = files_done + ${unchanged + updated + skipped + failed}, unchanged = unchanged + ${unchanged},
      updated = updated + ${updated}, skipped = skipped + ${skipped}, failed = failed + ${failed}, heartbeat_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Ends the listing: the run's total becomes the finished files plus the files that wait to be read. */
export async function settleTotals(tx: Tx, id: string, waiting: number): Promise<void> {
  await tx.query(sql`
    update run set files_total = files_done + ${waiting}, scanned = files_done + ${waiting}, stage = 'parse'
    where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Adds deleted sources, whose items were gone at the origin, to the run's figures. */
export async function addDeleted(tx: Tx, id: string, sources: number): Promise<void> {
  await tx.query(sql`
    update run set deleted = deleted + ${sources} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

export async function addProgress(tx: Tx, id: string, step: ProgressStep, now: Date): Promise<void> {
  await tx.query(
    keepPlan(sql`
    update run set files_done = files_done + ${step.filesDone}, chunks_done = chunks_done + ${step.chunksDone},
      added = added + ${step.added}, updated = updated + ${step.updated}, failed = failed + ${step.failed}, heartbeat_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${id}`),
  );
}

/** Counts deleted files as skipped in the active run of the group's generation, if one exists. The group must be locked. */
export async function countSkipped(tx: Tx, groupId: string, generation: number, files: number): Promise<void> {
  await tx.query(sql`
    update run set files_done = files_done + ${files}, skipped = skipped + ${files}
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and generation = ${generation}
      and status = any(${[...ACTIVE_STATUSES]}::text[])`);
}

/** Sends the worker's heartbeat. Returns false if another worker has claimed the run, or if the run must stop. */
export async function beatRun(tx: Tx, id: string, attempt: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update run r set heartbeat_at = ${now} from source_group g
    where r.tenant_id = ${tx.tenantId} and r.id = ${id} and r.attempt = ${attempt} and r.status in ('starting', 'started')
      and g.tenant_id = r.tenant_id and g.id = r.source_group_id and g.deleted_at is null
    returning r.id`);
  return rows.length > 0;
}

const ERROR_COLUMNS = {
  id: 'uuid',
  source_id: 'uuid',
  origin_id: 'text',
  name: 'text',
  path: { type: 'text', insert: `coalesce(r.path, ${SOURCE_PATH_SQL})` },
  url: { type: 'text', insert: 'coalesce(r.url, s.url)' },
  stage: 'text',
  title: 'text',
  message: 'text',
  retryable: 'boolean',
} as const;

/** Saves errors, at most one per run and source: a later failure of the same file replaces the earlier one. */
export async function insertRunErrors(tx: Tx, runId: string, errors: readonly NewRunError[]): Promise<void> {
  if (errors.length === 0) return;
  const given = recordset(ERROR_COLUMNS, errors);
  await tx.query(sql`
    insert into run_error (tenant_id, run_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${runId}::uuid, ${given.values} from ${given.table}
    left join source s on s.tenant_id = ${tx.tenantId} and s.id = r.source_id
    on conflict (tenant_id, run_id, source_id) do update set stage = excluded.stage, title = excluded.title,
      message = excluded.message, retryable = excluded.retryable`);
}

const RUN_ERROR_COLUMNS = raw(
  'e.id, e.source_id, e.name, e.path, e.url, e.stage, e.title, e.message, e.retryable, e.created_at',
);

export function listRunErrors(tx: Tx, runId: string, page: PageRequest): Promise<Listed<RunError>> {
  const matching = sql`run_error e where e.tenant_id = ${tx.tenantId} and e.run_id = ${runId}`;
  return readPage<RunError>(tx, RUN_ERROR_COLUMNS, matching, raw('e.id'), page);
}

/** Returns whether an item could not be listed or fetched in the run for a reason that may pass. */
export async function hasTemporaryFailures(tx: Tx, runId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as one from run_error
    where tenant_id = ${tx.tenantId} and run_id = ${runId} and stage in ('list', 'fetch') and retryable limit 1`);
  return rows.length > 0;
}

/** Returns active runs without a heartbeat since `beatBefore`, also those that wait for a worker. */
export async function listStalledRuns(
  tx: Tx,
  beatBefore: Date,
): Promise<Pick<Run, 'id' | 'sourceGroupId' | 'status' | 'reads'>[]> {
  return tx.query(sql`
    select r.id, r.source_group_id, r.status, r.reads from run r
    where r.tenant_id = ${tx.tenantId} and r.status = any(${[...ACTIVE_STATUSES]}::text[])
      and coalesce(r.heartbeat_at, r.created_at) < ${beatBefore}
    order by r.id`);
}

/**
 * Deletes runs that ended before `endedBefore`, with their errors. The newest run of each group stays, and so do runs that say why
 * a file is failed.
 */
export async function dropOldRuns(tx: Tx, endedBefore: Date): Promise<void> {
  await tx.query(sql`
    delete from run r where r.tenant_id = ${tx.tenantId} and r.ended_at < ${endedBefore} and exists (
      select from run n where n.tenant_id = r.tenant_id and n.source_group_id = r.source_group_id and n.id > r.id)
      and not exists (
        select from run_error e join source s on s.tenant_id = e.tenant_id and s.id = e.source_id and s.deleted_at is null
        where e.tenant_id = r.tenant_id and e.run_id = r.id and ${NEWEST_FAILED} and not exists (
          select from run_error l where l.tenant_id = e.tenant_id and l.source_id = e.source_id and l.run_id > e.run_id))`);
}
