/** Which waiting jobs can have the place of a running job that may end early, and which runs have a job. */
import type { Queryable, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { JobKind } from './queue.ts';
import { IS_WAITING } from './turn.ts';

/** A running job keeps its place this long, however many others wait: to go on, it must read again some of what it knew. */
export const TURN_MS = 10 * 60_000;
/** A waiting job that gets no place within this time, because another job took it, is given another place. */
const PROMISED_MS = 60_000;

export interface Places {
  /**
   * Returns whether a job that waits gets the place of the caller. Each waiting job gets one place of this process.
   *
   * @param full tenants that have as many places in this process as they may: their jobs cannot use another place.
   */
  give(kind: JobKind, full: readonly string[]): Promise<boolean>;
}

export function openPlaces(system: Queryable): Places {
  const promised = new Map<string, number>();
  return {
    async give(kind, full) {
      const now = performance.now();
      for (const [id, at] of promised) if (now - at > PROMISED_MS) promised.delete(id);
      // A job that has had a turn waits for one turn of the others. Otherwise a single job that waits would make all change places.
      const waiting = await system.query<{ id: string }>(sql`
        select j.id from pgboss.job j where j.name = ${kind} and ${IS_WAITING} and coalesce(j.group_id, '') <> all(${[...full]}::text[])
          and (j.data ->> 'again' is null or j.created_on < now() - make_interval(secs => ${TURN_MS / 1000}))
        order by j.priority desc, j.created_on limit ${promised.size + 1}`);
      const next = waiting.find(({ id }) => !promised.has(id));
      if (next) promised.set(next.id, now);
      return next !== undefined;
    },
  };
}

/** Returns the runs of a tenant that have a job which waits or runs. @param tx runs as the owner. */
export async function listRunsWithJob(tx: Tx): Promise<{ runId: string; isWorkedOn: boolean }[]> {
  // The condition is that of two indexes of pg-boss, so that ended jobs are not read: with 100,000 of them, a tenth of the time.
  return tx.query(sql`
    select j.data ->> 'runId' as run_id, bool_or(j.state = 'active') as is_worked_on from pgboss.job j
    where j.name in ('ingest-run', 'origin-run') and (j.state < 'active' and not j.blocked or j.state = 'active')
      and j.group_id = ${tx.tenantId} group by 1`);
}
