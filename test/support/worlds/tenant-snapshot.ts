/** A snapshot of a tenant, to show that nothing has changed. */
import type { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql.ts';
import { ACTIVE_STATUSES } from '../../../src/jobs/status.ts';
import { eventually } from '../upload.ts';

/** Returns the number of rows of each kind of a tenant, and their states, as soon as no run of the tenant is in flight. */
export async function tenantSnapshot(db: Database, tenantId: string): Promise<unknown> {
  const active = sql`select from source_group where tenant_id = ${tenantId} and status = any(${ACTIVE_STATUSES}::text[]) limit 1`;
  await eventually(async () => (await db.query(tenantId, active)).length === 0);
  return db.query(
    tenantId,
    sql`select (select count(*) from source where tenant_id = ${tenantId} and deleted_at is null) as sources,
      (select array_agg((metadata, deleted_at)::text order by id) from source where tenant_id = ${tenantId}) as metadata,
      (select array_agg((name, status, metadata)::text order by id) from source_group where tenant_id = ${tenantId}) as groups,
      (select count(*) from run where tenant_id = ${tenantId}) as runs,
      (select count(*) from api_key where tenant_id = ${tenantId} and revoked_at is null) as keys,
      (select array_agg(s::text order by id) from secret s where tenant_id = ${tenantId}) as secrets,
      (select array_agg((id, rrule, deleted_at)::text order by id) from connector_setting where tenant_id = ${tenantId}) as settings,
      (select count(*) from message where tenant_id = ${tenantId}) as messages,
      (select array_agg((principal_id, attributes)::text order by id) from subject where tenant_id = ${tenantId}) as subjects,
      (select array_agg((name, version)::text order by id) from authz_policy where tenant_id = ${tenantId}) as policies,
      (select array_agg((id, name, status, version)::text order by id) from source_table where tenant_id = ${tenantId}) as tables,
      (select count(*) from chunk where tenant_id = ${tenantId}) as chunks`,
  );
}
