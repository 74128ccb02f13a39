/** Reads the facts that policies ask about one source or chunk, for an explanation. */

import type { Facts } from '../../access/evaluate.ts';
import { type GroupLimits, withinLimits } from '../../access/limits.ts';
import type { Tx } from '../../db/database.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import { ALIVE, SERVED, SOURCE_TABLES } from '../../retrieval/query/filter-sql.ts';

export interface KnownFacts extends Facts {
  sourceId: string;
  generation: number;
}

const COLUMNS = sql`s.id as source_id, s.generation,
  jsonb_build_object('id', g.id, 'name', g.name, 'metadata', g.metadata) as "group",
  jsonb_build_object('metadata', s.metadata, 'originMetadata', s.origin_metadata) as source,
  (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name)), '[]') from tag_source_group l
   join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
   where l.tenant_id = g.tenant_id and l.source_group_id = g.id) as tags`;

/** Returns the facts about a source within the limits of the API key. They hold no chunk. */
export async function findSourceFacts(tx: Tx, id: string, limits: GroupLimits): Promise<KnownFacts | undefined> {
  const [facts] = await tx.query<KnownFacts>(sql`
    select ${COLUMNS}, null as chunk from ${SOURCE_TABLES}
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and ${ALIVE} and ${withinLimits(limits)}`);
  return facts;
}

/** Returns the facts about a chunk within the limits of the API key. */
export async function findChunkFacts(tx: Tx, id: string, limits: GroupLimits): Promise<KnownFacts | undefined> {
  const [facts] = await tx.query<KnownFacts>(sql`
    select ${COLUMNS}, jsonb_build_object('metadata', c.metadata) as chunk
    from chunk c join ${SOURCE_TABLES} on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tx.tenantId} and c.id = ${id} and ${ALIVE} and ${SERVED} and ${withinLimits(limits)}`);
  return facts;
}

/** Returns the first chunk of the source that meets the condition, or else its first chunk. Null when the source has no chunks. */
export async function findDecidingChunk(
  tx: Tx,
  { sourceId, generation }: KnownFacts,
  condition: Sql,
): Promise<Facts['chunk']> {
  const first = async (conditions: readonly Sql[]): Promise<Facts['chunk']> => {
    const [chunk] = await tx.query<NonNullable<Facts['chunk']>>(sql`
      select c.metadata from chunk c where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId}
        and c.generation = ${generation} and ${join(conditions, ' and ')} order by c.ordinal limit 1`);
    return chunk ?? null;
  };
  return (await first([condition])) ?? (await first([sql`true`]));
}
