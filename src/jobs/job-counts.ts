/** The jobs that wait: their number, for metrics, and all of them, for a copy of the database. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { JOB_KINDS, type JobKind, type JobPayload } from './queue.ts';

/** A longer queue counts as this long, so that the time of a count is bounded. */
export const WAITING_JOBS_MAX = 10_000;

/** Returns the number of waiting jobs of every kind. The statement uses pg-boss's index of waiting jobs. */
export async function countWaitingJobs(system: Queryable): Promise<{ kind: JobKind; waiting: number }[]> {
  return system.query(sql`
    select k.kind, (
      select count(*) from (
        select from pgboss.job j where j.name = k.kind and j.state < 'active' and not j.blocked limit ${WAITING_JOBS_MAX}) w
    ) as waiting
    from unnest(${[...JOB_KINDS]}::text[]) as k(kind)`);
}

/** Returns the jobs that wait or run, oldest first. No service may run on the database. */
export async function listUnfinishedJobs(system: Queryable): Promise<{ kind: JobKind; payload: JobPayload }[]> {
  const [queue] = await system.query<{ isThere: boolean }>(
    sql`select to_regclass('pgboss.job') is not null as is_there`,
  );
  if (!queue!.isThere) return [];
  const jobs = await system.query<{ kind: JobKind; data: string }>(sql`
    select name as kind, data::text as data from pgboss.job
    where state <= 'active' and name = any(${[...JOB_KINDS]}::text[]) order by created_on`);
  return jobs.map(({ kind, data }) => ({ kind, payload: JSON.parse(data) as JobPayload }));
}
