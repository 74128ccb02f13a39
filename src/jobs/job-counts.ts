/** How many jobs wait, for metrics. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { JOB_KINDS, type JobKind } from './queue.ts';

/** A longer queue is counted as this long: counting must not take longer the more jobs wait. */
export const WAITING_JOBS_MAX = 10_000;

/** Every kind once. Read from pg-boss's own index of the jobs that wait. */
export async function countWaitingJobs(system: Queryable): Promise<{ kind: JobKind; waiting: number }[]> {
  return system.query(sql`
    select k.kind, (
      select count(*) from (
        select from pgboss.job j where j.name = k.kind and j.state < 'active' and not j.blocked limit ${WAITING_JOBS_MAX}) w
    ) as waiting
    from unnest(${[...JOB_KINDS]}::text[]) as k(kind)`);
}
