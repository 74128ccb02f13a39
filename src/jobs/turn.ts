/** The order of waiting jobs: tenants take turns, however many jobs each of them has enqueued. */
import type { AnyTx } from '../db/database.ts';
import { keepPlan, raw, sql } from '../db/sql.ts';
import type { JobKind } from './queue.ts';

export const IS_WAITING = raw("j.state < 'active' and not j.blocked and j.start_after <= now()");

/**
 * Returns the priority of a tenant's next job. Workers take the job with the highest priority first, and of equal ones the oldest.
 *
 * A job comes one turn after the last job of its tenant that waits, but not before the turn that is due now. The first job of a tenant is
 * therefore due at once, and the hundredth after 99 turns, in which other tenants get their jobs run. The turn of the oldest waiting job is
 * due: new jobs never come before it, so it runs even if there are always more tenants with one job than workers. Jobs whose delay is not
 * over do not count.
 *
 * @param tx runs as the owner.
 */
export async function priorityOfNext(tx: AnyTx, kind: JobKind, tenantId: string): Promise<number> {
  // The statement reads all waiting jobs of the kind: no index of pg-boss has the order of time or the tenant. It takes 3 to 5 ms of
  // processor time with 10,000 jobs. The jobs of one transaction are equally old.
  const [turn] = await tx.query<{ due: number; last: number | null }>(
    keepPlan(sql`
    with waiting as not materialized (
      select j.priority, j.created_on, j.group_id from pgboss.job j
      where j.name = ${kind} and ${IS_WAITING})
    select coalesce((select w.priority from waiting w order by w.created_on, w.priority desc limit 1), 0) as due,
      (select min(w.priority) from waiting w where w.group_id = ${tenantId}) as last`),
  );
  const { due, last } = turn!;
  return last === null ? due : Math.min(due, last - 1);
}
