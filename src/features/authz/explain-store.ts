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

interface FactRow {
  sourceId: string;
  generation: number;
  groupId: string;
  groupName: string;
  groupMetadata: Facts['group']['metadata'];
  tags: Facts['tags'];
  metadata: Facts['source']['metadata'];
  originMetadata: Facts['source']['originMetadata'];
}

const COLUMNS = sql`s.id as source_id, s.generation, g.id as group_id, g.name as group_name, g.metadata as group_metadata,
  s.metadata, s.origin_metadata,
  (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name)), '[]') from tag_source_group l
   join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
   where l.tenant_id = g.tenant_id and l.source_group_id = g.id) as tags`;

/** Returns the facts about a source within the limits of the API key. They hold no chunk. */
export async function findSourceFacts(tx: Tx, id: string, limits: GroupLimits): Promise<KnownFacts | undefined> {
  const [row] = await tx.query<FactRow>(sql`
    select ${COLUMNS} from ${SOURCE_TABLES}
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and ${ALIVE} and ${withinLimits(limits)}`);
  return row && toFacts(row, null);
}

/** Returns the facts about a chunk within the limits of the API key. */
export async function findChunkFacts(tx: Tx, id: string, limits: GroupLimits): Promise<KnownFacts | undefined> {
  const [row] = await tx.query<FactRow & { chunk: ChunkMetadata }>(sql`
    select ${COLUMNS}, c.metadata as chunk from chunk c join ${SOURCE_TABLES} on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tx.tenantId} and c.id = ${id} and ${ALIVE} and ${SERVED} and ${withinLimits(limits)}`);
  return row && toFacts(row, { metadata: row.chunk });
}

type ChunkMetadata = NonNullable<Facts['chunk']>['metadata'];

/** Returns the first chunk of the source that meets the condition, or else its first chunk. Null when the source has no chunks. */
export async function findDecidingChunk(
  tx: Tx,
  { sourceId, generation }: KnownFacts,
  condition: Sql,
): Promise<Facts['chunk']> {
  const first = async (conditions: readonly Sql[]): Promise<Facts['chunk']> => {
    const [chunk] = await tx.query<{ metadata: ChunkMetadata }>(sql`
      select c.metadata from chunk c where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId}
        and c.generation = ${generation} and ${join(conditions, ' and ')} order by c.ordinal limit 1`);
    return chunk ?? null;
  };
  return (await first([condition])) ?? (await first([sql`true`]));
}

function toFacts(row: FactRow, chunk: Facts['chunk']): KnownFacts {
  return {
    sourceId: row.sourceId,
    generation: row.generation,
    group: { id: row.groupId, name: row.groupName, metadata: row.groupMetadata },
    tags: row.tags,
    source: { metadata: row.metadata, originMetadata: row.originMetadata },
    chunk,
  };
}
