/**
 * What a request may see: the limits of its key and, while authorization is on, the policy that it names, for the principal that
 * it names. Every read of content takes an `Access`, and it is made in the transaction of the read, never kept: a change is
 * effective in the next one, in every process.
 */
import type { Config } from '../config.ts';
import type { Queryable } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { Clock } from '../util/time.ts';
import type { GroupLimits } from './limits.ts';
import { type CompiledPolicy, compilePolicy, NOTHING } from './policy-sql.ts';
import { findRules } from './policy-store.ts';

export const DEFAULT_POLICY = 'default';

/** For whom content is returned. */
export interface Principal {
  /** Null: not named, so without attributes. */
  id: string | null;
  policy: string;
  /** When it asks: attributes may have expired. */
  at: Date;
}

export interface Access extends GroupLimits {
  /** Null: authorization is off. */
  policy: CompiledPolicy | null;
}

/** Null while authorization is off. */
export function principalOf(
  { config, clock }: { config: Pick<Config, 'authorization'>; clock: Clock },
  named: { principal_id?: string | undefined; authz_policy?: string | undefined },
): Principal | null {
  if (!config.authorization) return null;
  return { id: named.principal_id ?? null, policy: named.authz_policy ?? DEFAULT_POLICY, at: clock.now() };
}

/** @throws what the database throws: without its policy a request sees nothing, and is not answered as if that were all. */
export async function openAccess(
  tx: Queryable,
  tenantId: string,
  { sourceGroupIds, tagIds }: GroupLimits,
  principal: Principal | null,
): Promise<Access> {
  if (principal === null) return { sourceGroupIds, tagIds, policy: null };
  const { policy, attributes } = await findRules(tx, tenantId, principal);
  return { sourceGroupIds, tagIds, policy: policy ? compilePolicy(policy, attributes) : NOTHING };
}

/** Of a request that names a principal and a policy, or does not. */
export function accessOf(
  uses: Parameters<typeof principalOf>[0],
  tx: Queryable,
  caller: GroupLimits & { tenantId: string },
  named: Parameters<typeof principalOf>[1],
): Promise<Access> {
  return openAccess(tx, caller.tenantId, caller, principalOf(uses, named));
}

/** Source `s`, in group `g`, is one of those that may have visible chunks. */
export function mayShowSource({ policy }: Pick<Access, 'policy'>): Sql {
  return policy?.source ?? raw('true');
}

/** Chunk `c` is visible, in a source for which `mayShowSource` holds. */
export function mayShowChunk({ policy }: Pick<Access, 'policy'>): Sql {
  return policy?.chunk ?? raw('true');
}

/** Source `s`, in group `g` and for which `mayShowSource` holds, has a chunk that is visible, or none and is visible by itself. */
export function showsSomething({ policy }: Pick<Access, 'policy'>): Sql {
  if (!policy?.chunk) return raw('true');
  return sql`case when s.chunk_count = 0 then coalesce(${policy.chunkless ?? raw('true')}, false) else exists (
    select from chunk c where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation and ${policy.chunk}) end`;
}

/** No chunk of source `s` is hidden. */
export function showsEverything({ policy }: Pick<Access, 'policy'>): Sql {
  if (!policy?.chunk) return raw('true');
  return sql`not exists (
    select from chunk c where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation
      and not coalesce(${policy.chunk}, false))`;
}
