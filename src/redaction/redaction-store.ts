/** SQL of the table redaction_policy: one policy for each tenant. */
import { json, type Queryable, type Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { RedactionPolicy, RedactionRule } from './redaction-policy.ts';

export interface StoredRedactionPolicy extends RedactionPolicy {
  createdAt: Date;
  updatedAt: Date;
}

/** Returns the tenant's policy; undefined if the tenant has none. */
export async function findRedactionPolicy(tx: Tx): Promise<StoredRedactionPolicy | undefined> {
  const [row] = await tx.query<StoredRedactionPolicy>(sql`
    select version, enabled, rules, created_at, updated_at
    from redaction_policy where tenant_id = ${tx.tenantId} and rules is not null`);
  return row;
}

/** Returns SQL for the version of the policy in force, null without one. Callers compare it to invalidate compiled policies. */
export function redactionVersion(tenantId: string): Sql {
  return sql`(select version from redaction_policy where tenant_id = ${tenantId} and enabled and rules is not null)`;
}

/** Returns the tenants that have, or had, a policy. */
export async function listTenantsWithRedaction(system: Queryable): Promise<string[]> {
  const rows = await system.query<{ tenantId: string }>(sql`select tenant_id from redaction_policy order by tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Saves the policy in place of the previous one, and returns the stored policy. */
export async function saveRedactionPolicy(
  tx: Tx,
  { enabled, rules, now }: { enabled: boolean; rules: readonly RedactionRule[]; now: Date },
): Promise<StoredRedactionPolicy> {
  const [row] = await tx.query<StoredRedactionPolicy>(sql`
    insert into redaction_policy as p (tenant_id, version, enabled, rules, created_at, updated_at)
    values (${tx.tenantId}, 1, ${enabled}, ${json(rules)}, ${now}, ${now})
    on conflict (tenant_id) do update set version = p.version + 1, enabled = excluded.enabled, rules = excluded.rules,
      created_at = case when p.rules is null then excluded.created_at else p.created_at end, updated_at = excluded.updated_at
    returning version, enabled, rules, created_at, updated_at`);
  return row!;
}

/** Deletes the policy and returns it; undefined without one. The row keeps the version, so that no later policy reuses one. */
export async function deleteRedactionPolicy(tx: Tx, now: Date): Promise<StoredRedactionPolicy | undefined> {
  const policy = await findRedactionPolicy(tx);
  if (!policy) return undefined;
  await tx.query(sql`
    update redaction_policy set rules = null, enabled = false, version = version + 1, updated_at = ${now}
    where tenant_id = ${tx.tenantId}`);
  return policy;
}
