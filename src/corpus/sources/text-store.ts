/** SQL of the table source_text: the extracted text of sources, in segments. */
import type { Tx } from '../../db/database.ts';
import { recordset } from '../../db/recordset.ts';
import { keepPlan, sql } from '../../db/sql.ts';

export interface TextSegment {
  sourceId: string;
  /** The generation of the source, as in chunks. */
  generation: number;
  /** Code points, half-open. */
  startOffset: number;
  endOffset: number;
  content: string;
}

export async function deleteTexts(tx: Tx, versions: readonly { id: string; generation: number }[]): Promise<void> {
  const ids = versions.map(({ id }) => id);
  await tx.query(
    keepPlan(sql`
    delete from source_text where tenant_id = ${tx.tenantId} and source_id = any(${ids}::uuid[])
      and (source_id, generation) in (
        select * from unnest(${ids}::uuid[], ${versions.map(({ generation }) => generation)}::int[]))`),
  );
}

export async function insertTexts(tx: Tx, segments: readonly TextSegment[]): Promise<void> {
  if (segments.length === 0) return;
  const given = recordset(
    { source_id: 'uuid', generation: 'int', start_offset: 'int', end_offset: 'int', content: 'text' },
    segments,
  );
  await tx.query(
    keepPlan(sql`
    insert into source_text (tenant_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${given.values} from ${given.table}`),
  );
}

/** Deletes up to `limit` segments of a source's text; returns the number of deleted segments. */
export async function removeTextsOfSource(tx: Tx, sourceId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from source_text where tenant_id = ${tx.tenantId} and source_id = ${sourceId} and (generation, start_offset) in (
      select generation, start_offset from source_text where tenant_id = ${tx.tenantId} and source_id = ${sourceId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/**
 * Deletes up to `limit` segments in the group whose generation differs from the generation of their source; returns the number of
 * deleted segments.
 */
export async function removeReplacedTexts(tx: Tx, groupId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from source_text where tenant_id = ${tx.tenantId} and (source_id, generation, start_offset) in (
      select t.source_id, t.generation, t.start_offset from source s join source_text t
        on t.tenant_id = ${tx.tenantId} and t.source_id = s.id and t.generation <> s.generation
      where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.mixed limit ${limit})
    returning 1 as one`);
  return rows.length;
}
