/** The number of waiting jobs, for metrics. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { JOB_KINDS, type JobKind } from './queue.ts';

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
