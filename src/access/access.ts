/**
 * What a request may see: the limits of its key and, while authorization is on, a policy for a principal. Every read of content
 * takes an `Access`. The access is built in the transaction of the read and never cached, so a changed policy takes effect with the
 * next request in every process.
 */
import type { Config } from '../config.ts';
import type { Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { Clock } from '../util/time.ts';
import type { GroupLimits } from './limits.ts';
import { type CompiledPolicy, compilePolicy, NOTHING } from './policy-sql.ts';
import { findRules } from './policy-store.ts';

export const DEFAULT_POLICY = 'default';

/** The end user for whom content is returned. */
export interface Principal {
  /** Null if the request names no principal, who then has no attributes. */
  id: string | null;
  policy: string;
  /** The time of the request: attributes may have expired. */
  at: Date;
}

export interface Access extends GroupLimits {
  /** Null while authorization is off. */
  policy: CompiledPolicy | null;
}

/** Returns the principal that a request names; null while authorization is off. */
export function principalOf(
  { config, clock }: { config: Pick<Config, 'authorization'>; clock: Clock },
  named: { principal_id?: string | undefined; authz_policy?: string | undefined },
): Principal | null {
  if (!config.authorization) return null;
  return { id: named.principal_id ?? null, policy: named.authz_policy ?? DEFAULT_POLICY, at: clock.now() };
}

/**
 * Returns what the caller may see. A policy that does not exist allows nothing.
 *
 * @throws the database's error: a request whose policy cannot be read must fail, not return an empty answer.
 */
export async function openAccess(
  tx: Tx,
  { sourceGroupIds, tagIds }: GroupLimits,
  principal: Principal | null,
): Promise<Access> {
  if (principal === null) return { sourceGroupIds, tagIds, policy: null };
  const { policy, attributes } = await findRules(tx, principal);
  return { sourceGroupIds, tagIds, policy: policy ? compilePolicy(policy, attributes) : NOTHING };
}

/** Returns true if the access excludes nothing of the tenant. */
export function isUnrestricted({ policy, sourceGroupIds, tagIds }: Access): boolean {
  return policy === null && seesWholeTenant({ sourceGroupIds, tagIds }, null);
}

/** Returns true if neither the limits of a key nor a policy for a principal may exclude something. */
export function seesWholeTenant({ sourceGroupIds, tagIds }: GroupLimits, principal: Principal | null): boolean {
  return principal === null && sourceGroupIds === null && tagIds === null;
}

/** Returns what a request may see that may name a principal and a policy. */
export function accessOf(
  uses: Parameters<typeof principalOf>[0],
  tx: Tx,
  caller: GroupLimits,
  named: Parameters<typeof principalOf>[1],
): Promise<Access> {
  return openAccess(tx, caller, principalOf(uses, named));
}

/** Returns the condition that source `s`, in group `g`, may have visible chunks. */
export function mayShowSource({ policy }: Pick<Access, 'policy'>): Sql {
  return policy?.source ?? raw('true');
}

/** Returns the condition that chunk `c` is visible, in a source for which `mayShowSource` holds. */
export function mayShowChunk({ policy }: Pick<Access, 'policy'>): Sql {
  return policy?.chunk ?? raw('true');
}

/**
 * Returns the condition that source `s` has a visible chunk, or has no chunks and is visible by itself. `mayShowSource` must hold
 * for the source.
 */
export function showsSomething({ policy }: Pick<Access, 'policy'>): Sql {
  if (!policy?.chunk) return raw('true');
  return sql`case when s.chunk_count = 0 then coalesce(${policy.chunkless ?? raw('true')}, false) else exists (
    select from chunk c where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation and ${policy.chunk}) end`;
}

/** Returns the condition that every chunk of source `s` is visible. */
export function showsEverything({ policy }: Pick<Access, 'policy'>): Sql {
  if (!policy?.chunk) return raw('true');
  return sql`not exists (
    select from chunk c where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation
      and not coalesce(${policy.chunk}, false))`;
}
