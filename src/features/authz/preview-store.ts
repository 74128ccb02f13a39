/** Compares what two policies show, for a preview. */

import { mayShowSource, showsSomething } from '../../access/access.ts';
import { type GroupLimits, withinLimits } from '../../access/limits.ts';
import type { CompiledPolicy } from '../../access/policy-sql.ts';
import { SOURCE_PATH } from '../../corpus/sources/paths.ts';
import type { Tx } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { type Size, sourceSizes } from '../../retrieval/query/filter-cost.ts';
import { ALIVE, SOURCE_TABLES } from '../../retrieval/query/filter-sql.ts';

export interface PreviewCounts {
  total: number;
  visible: number;
  visibleBefore: number;
  appearing: number;
  disappearing: number;
}

export interface PreviewedSource {
  id: string;
  name: string;
  path: string | null;
  visible: boolean;
  visibleBefore: boolean;
}

export async function readSizes(tx: Tx): Promise<{ sources: Size; chunks: Size }> {
  const [sources] = await tx.query<Size>(sourceSizes(tx.tenantId));
  const [chunks] = await tx.query<Size>(sql`
    select coalesce(sum(s.chunk_count), 0) as rows, coalesce(sum(s.chunk_metadata_bytes), 0) as bytes
    from source s where s.tenant_id = ${tx.tenantId} and s.deleted_at is null`);
  return { sources: sources!, chunks: chunks! };
}

/** Returns how many sources each policy shows, and a sample of `limit` sources: first those that only one policy shows. */
export async function comparePolicies(
  tx: Tx,
  limits: GroupLimits,
  { now, before, limit }: { now: CompiledPolicy; before: CompiledPolicy; limit: number },
): Promise<PreviewCounts & { sample: PreviewedSource[] }> {
  const [counts] = await tx.query<PreviewCounts & { sample: PreviewedSource[] }>(sql`
    with v as materialized (
      select s.id, s.name, ${shows(now)} as visible, ${shows(before)} as before
      from ${SOURCE_TABLES} where s.tenant_id = ${tx.tenantId} and ${ALIVE} and ${withinLimits(limits)})
    select count(*) as total, count(*) filter (where visible) as visible, count(*) filter (where before) as visible_before,
      count(*) filter (where visible and not before) as appearing,
      count(*) filter (where before and not visible) as disappearing,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'visible', visible, 'visibleBefore', before, 'path',
         (select ${SOURCE_PATH} from source s where s.tenant_id = ${tx.tenantId} and s.id = first.id))), '[]')
       from (select * from v order by visible <> before desc, visible desc, id desc limit ${limit}) first) as sample
    from v`);
  return counts!;
}

function shows(policy: CompiledPolicy): Sql {
  return sql`coalesce(${mayShowSource({ policy })} and ${showsSomething({ policy })}, false)`;
}
