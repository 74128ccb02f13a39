/** The statements that change the table chunk. Searches read the table in retrieval/. */
import type { SystemTx, Tx } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { sql } from '../db/sql.ts';
import { folderPath } from './sources/paths.ts';
import type { ChunkDraft, TypedMetadata } from './values.ts';

export interface NewChunk extends ChunkDraft {
  id: string;
  sourceId: string;
  /** The generation of the source that the chunk was made for. Searches find only chunks of the source's current generation. */
  generation: number;
}

const CHUNK_COLUMNS = {
  id: 'uuid',
  source_id: 'uuid',
  generation: 'int',
  ordinal: 'int',
  start_offset: 'int',
  end_offset: 'int',
  start_line: 'int',
  end_line: 'int',
  content: 'text',
  context: 'text',
  heading_path: 'text[]',
  pages: 'int[]',
  metadata: 'jsonb',
  terms: 'text',
} as const;

/**
 * Inserts the chunks in one statement. A chunk whose id exists already is skipped: equal ids mean equal chunks. Metadata values are
 * stored in NFC: a filter compares in NFC, and the database would take 0.2 ms to normalize a long value.
 */
export async function insertChunks(tx: Tx, groupId: string, chunks: readonly NewChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  const given = recordset(
    CHUNK_COLUMNS,
    chunks.map((chunk) => ({ ...chunk, metadata: inNfc(chunk.metadata) })),
  );
  await tx.query(sql`
    insert into chunk (tenant_id, source_group_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${groupId}::uuid, ${given.values} from ${given.table}
    on conflict (tenant_id, id) do nothing`);
}

function inNfc(metadata: TypedMetadata): TypedMetadata {
  const records = Object.entries(metadata).map(([key, value]) => [key, { ...value, val: value.val.normalize('NFC') }]);
  return Object.fromEntries(records);
}

export async function deleteChunksOfSources(
  tx: Tx,
  versions: readonly { id: string; generation: number }[],
): Promise<void> {
  const ids = versions.map(({ id }) => id);
  await tx.query(sql`
    delete from chunk where tenant_id = ${tx.tenantId} and source_id = any(${ids}::uuid[])
      and (source_id, generation) in (
        select * from unnest(${ids}::uuid[], ${versions.map(({ generation }) => generation)}::int[]))`);
}

/** Returns the ids of up to `limit` chunks in the group whose generation differs from the generation of their source. */
export async function listReplacedChunks(tx: Tx, groupId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from source s cross join lateral (
      select id from chunk where tenant_id = ${tx.tenantId} and source_id = s.id and generation <> s.generation
      limit ${limit}) c
    where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.mixed limit ${limit}`);
  return rows.map((row) => row.id);
}

export async function removeChunks(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from chunk where tenant_id = ${tx.tenantId} and id = any(${[...ids]}::uuid[])`);
}

/** Deletes up to `limit` chunks of the group; returns the number of deleted chunks. */
export async function removeChunksOfGroup(tx: Tx, groupId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from chunk where tenant_id = ${tx.tenantId} and id in (
      select id from chunk where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Deletes up to `limit` chunks of the source; returns the number of deleted chunks. */
export async function removeChunksOfSource(tx: Tx, sourceId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from chunk where tenant_id = ${tx.tenantId} and id in (
      select id from chunk where tenant_id = ${tx.tenantId} and source_id = ${sourceId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Deletes chunks of pending sources. A large source leaves such chunks if its run ends before the source is complete. */
export async function deleteChunksOfPendingSources(tx: Tx, groupId: string): Promise<void> {
  await tx.query(sql`
    delete from chunk where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and source_id in (
      select id from source where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and status = 'pending')`);
}

/** A chunk with the texts that its terms are made from. */
export interface AnalyzedChunk {
  id: string;
  content: string;
  context: string | null;
  headingPath: string[];
  /**
   * The title of the file, else the name of the source. The name is left out if the source was read under ingest rules: the
   * stored name is not redacted.
   */
  title: string;
  /** The name of the source; null if the source was read under ingest rules. */
  name: string | null;
  /** Further names that the file gives itself. */
  aliases: string | null;
  /** The path whose folders the source is found by; null if the source was read under ingest rules. */
  folderPath: string | null;
  isFirst: boolean;
  language: string | null;
  isCode: boolean;
}

/** Returns the tenant's next `limit` chunks after the id `after`, in order of id. */
export async function listChunksToAnalyze(
  tx: SystemTx,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<AnalyzedChunk[]> {
  return tx.query<AnalyzedChunk>(sql`
    select c.id, c.content, c.context, c.heading_path, s.language, coalesce(s.file_type = 'code', false) as is_code,
           coalesce(s.origin_metadata -> 'title' ->> 'val', n.name, '') as title,
           n.name, n.folder_path, s.origin_metadata -> 'aliases' ->> 'val' as aliases, c.ordinal = 0 as is_first
    from (select * from chunk where tenant_id = ${tenantId} and (${after}::uuid is null or id > ${after}::uuid)
          order by id limit ${limit}) c
    left join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    left join lateral (select s.name, ${folderPath('s')} as folder_path where s.redacted_by = '') n on true
    order by c.id`);
}

export async function saveTerms(tx: SystemTx, tenantId: string, chunks: readonly { id: string; terms: string }[]) {
  const given = recordset({ id: 'uuid', terms: 'text' }, chunks);
  await tx.query(sql`
    update chunk c set terms = r.terms from ${given.table}
    where c.tenant_id = ${tenantId} and c.id = r.id and c.terms <> r.terms`);
}
