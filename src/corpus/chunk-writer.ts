/** The statements that change the table chunk. Reading is in retrieval/. */
import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { ChunkDraft } from './values.ts';

export interface NewChunk extends ChunkDraft {
  id: string;
  sourceId: string;
  /** Of its source: only chunks of the source's own generation are found. */
  generation: number;
}

/** All rows in one statement. An id that is there already stays as it is: equal ids mean equal chunks. */
export async function insertChunks(
  tx: Tx,
  tenantId: string,
  groupId: string,
  chunks: readonly NewChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map((chunk) => ({
    id: chunk.id,
    source_id: chunk.sourceId,
    generation: chunk.generation,
    ordinal: chunk.ordinal,
    start_offset: chunk.startOffset,
    end_offset: chunk.endOffset,
    content: chunk.content,
    context: chunk.context,
    heading_path: chunk.headingPath,
    pages: chunk.pages,
    metadata: chunk.metadata,
    terms: chunk.terms,
  }));
  await tx.query(sql`
    insert into chunk (tenant_id, id, source_id, source_group_id, generation, ordinal, start_offset, end_offset, content, context,
                       heading_path, pages, metadata, terms)
    select ${tenantId}::uuid, r.id, r.source_id, ${groupId}::uuid, r.generation, r.ordinal, r.start_offset, r.end_offset, r.content, r.context,
           r.heading_path, r.pages, r.metadata, r.terms
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, source_id uuid, generation int, ordinal int, start_offset int, end_offset int, content text, context text,
           heading_path text[], pages int[], metadata jsonb, terms text)
    on conflict (tenant_id, id) do nothing`);
}

/** Of one generation of each source. */
export async function deleteChunksOfSources(
  tx: Tx,
  tenantId: string,
  versions: readonly { id: string; generation: number }[],
): Promise<void> {
  const ids = versions.map(({ id }) => id);
  await tx.query(sql`
    delete from chunk where tenant_id = ${tenantId} and source_id = any(${ids}::uuid[])
      and (source_id, generation) in (
        select * from unnest(${ids}::uuid[], ${versions.map(({ generation }) => generation)}::int[]))`);
}

/** Up to `limit` chunks of the group's sources that are of another generation than their source. */
export async function listReplacedChunks(tx: Tx, tenantId: string, groupId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from source s cross join lateral (
      select id from chunk where tenant_id = ${tenantId} and source_id = s.id and generation <> s.generation
      limit ${limit}) c
    where s.tenant_id = ${tenantId} and s.source_group_id = ${groupId} and s.mixed limit ${limit}`);
  return rows.map((row) => row.id);
}

export async function removeChunks(tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from chunk where tenant_id = ${tenantId} and id = any(${[...ids]}::uuid[])`);
}

/** Removes up to `limit` chunks of the group; returns how many. */
export async function removeChunksOfGroup(tx: Tx, tenantId: string, groupId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from chunk where tenant_id = ${tenantId} and id in (
      select id from chunk where tenant_id = ${tenantId} and source_group_id = ${groupId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Removes up to `limit` chunks of the source; returns how many. */
export async function removeChunksOfSource(tx: Tx, tenantId: string, sourceId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from chunk where tenant_id = ${tenantId} and id in (
      select id from chunk where tenant_id = ${tenantId} and source_id = ${sourceId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Removes what a large source left behind when its run ended before it was complete. */
export async function deleteChunksOfPendingSources(tx: Tx, tenantId: string, groupId: string): Promise<void> {
  await tx.query(sql`
    delete from chunk where tenant_id = ${tenantId} and source_group_id = ${groupId} and source_id in (
      select id from source where tenant_id = ${tenantId} and source_group_id = ${groupId} and status = 'pending')`);
}

/** A chunk with what its terms are made of. */
export interface AnalyzedChunk {
  id: string;
  content: string;
  context: string | null;
  headingPath: string[];
  /** Of the file, or else the name of the source; empty where that was read under ingest rules: the stored name is as it came. */
  title: string;
  language: string | null;
}

/** The next chunks of the tenant in the order of their ids, after `after`. */
export async function listChunksToAnalyze(
  tx: Tx,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<AnalyzedChunk[]> {
  return tx.query<AnalyzedChunk>(sql`
    select c.id, c.content, c.context, c.heading_path as "headingPath", s.language,
           coalesce(s.origin_metadata -> 'title' ->> 'val', case when s.redacted_by = '' then s.name end, '') as title
    from (select * from chunk where tenant_id = ${tenantId} and (${after}::uuid is null or id > ${after}::uuid)
          order by id limit ${limit}) c
    left join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    order by c.id`);
}

export async function saveTerms(tx: Tx, tenantId: string, chunks: readonly { id: string; terms: string }[]) {
  await tx.query(sql`
    update chunk c set terms = r.terms
    from json_to_recordset(${JSON.stringify(chunks)}::text::json) as r(id uuid, terms text)
    where c.tenant_id = ${tenantId} and c.id = r.id and c.terms <> r.terms`);
}
