/** The order of waiting jobs: tenants take turns, however many jobs each of them has enqueued. */
import type { Tx } from '../db/database.ts';
import { keepPlan, sql } from '../db/sql.ts';
import type { JobKind } from './queue.ts';

/**
 * Returns the priority of a tenant's next job. Workers take the job with the highest priority first, and of equal ones the oldest.
 *
 * A job comes one turn after the last job of its tenant that waits, but not before the turn that is due now. The first job of a tenant is
 * therefore due at once, and the hundredth after 99 turns, in which other tenants get their jobs run.
 *
 * @param tx runs as the owner.
 */
export async function priorityOfNext(tx: Tx, kind: JobKind, tenantId: string): Promise<number> {
  // Both statements use pg-boss's index of waiting jobs.
  const [turn] = await tx.query<{ due: number; last: number | null }>(
    keepPlan(sql`
    select coalesce((select j.priority from pgboss.job j
        where j.name = ${kind} and j.state < 'active' and not j.blocked and j.start_after <= now()
        order by j.priority desc limit 1), 0) as due,
      (select j.priority from pgboss.job j
        where j.name = ${kind} and j.state < 'active' and not j.blocked and j.group_id = ${tenantId}
        order by j.priority limit 1) as last`),
  );
  const { due, last } = turn!;
  return last === null ? due : Math.min(due, last - 1);
}
