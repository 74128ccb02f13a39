/** SQL of the tables source and source_text. */
import { json, type Queryable, type Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { TypedMetadata } from '../ingest/parsed.ts';
import { type GroupLimits, type PageRequest, withinLimits } from './group-store.ts';
import type { ApiMetadata } from './metadata.ts';

export interface Source {
  id: string;
  sourceGroupId: string;
  sourceType: string;
  name: string;
  url: string | null;
  /** The archive or mail that it was in. */
  parentSourceId: string | null;
  fileType: string;
  fileSize: number;
  status: 'pending' | 'ready' | 'failed';
  originMetadata: TypedMetadata;
  /** API records: key -> value. */
  metadata: Record<string, string>;
  language: string | null;
  contentAt: Date;
  textLength: number;
  chunkCount: number;
  warnings: string[];
  createdAt: Date;
}

export interface NewSource {
  id: string;
  name: string;
  fileType: string;
  fileSize: number;
  blobHash: string;
  contentAt: Date;
}

/** A source that a run has to process. */
export interface PendingSource {
  id: string;
  name: string;
  fileSize: number;
  blobHash: string;
  generation: number;
  /** Times a worker began with it in this run, this one included. */
  attempts: number;
  createdAt: Date;
  /** The archive or mail that it was in. */
  parentSourceId: string | null;
  memberDepth: number;
}

/** A file that was found inside another. */
export interface NewMember {
  id: string;
  name: string;
  fileSize: number;
  blobHash: string;
}

/** What processing one source came to; the part of it that the source row keeps. */
export interface SourceResult {
  id: string;
  status: 'ready' | 'failed';
  /** Null keeps what the upload guessed. */
  fileType: string | null;
  language: string | null;
  textLength: number;
  chunkCount: number;
  chunkMetadatasCount: number;
  originMetadata: TypedMetadata;
  warnings: string[];
}

export interface TextSegment {
  sourceId: string;
  /** Code points, half-open. */
  startOffset: number;
  endOffset: number;
  content: string;
}

/** Of source `s`. */
export const SOURCE_COLUMNS =
  raw(`s.id, s.source_group_id as "sourceGroupId", s.source_type as "sourceType", s.name, s.url,
  s.parent_source_id as "parentSourceId",
  s.file_type as "fileType", s.file_size as "fileSize", s.status, s.origin_metadata as "originMetadata", s.metadata,
  s.language, s.content_at as "contentAt", s.text_length as "textLength", s.chunk_count as "chunkCount", s.warnings,
  s.created_at as "createdAt"`);

/** All rows in one statement: an upload has up to 2,000. */
export async function insertSources(
  tx: Tx,
  tenantId: string,
  group: { id: string; sourceType: string; createdAt: Date },
  sources: readonly NewSource[],
): Promise<void> {
  const rows = sources.map((source) => ({
    id: source.id,
    name: source.name,
    file_type: source.fileType,
    file_size: source.fileSize,
    blob_hash: source.blobHash,
    content_at: source.contentAt,
  }));
  await tx.query(sql`
    insert into source (tenant_id, id, source_group_id, source_type, name, file_type, file_size, blob_hash, status, content_at, created_at)
    select ${tenantId}::uuid, r.id, ${group.id}::uuid, ${group.sourceType}::text, r.name, r.file_type, r.file_size, r.blob_hash,
           'pending', r.content_at, ${group.createdAt}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, name text, file_type text, file_size bigint, blob_hash text, content_at timestamptz)`);
}

/** Sources of a group that is not being deleted, in order of creation, with one row more when there is a next page. */
export async function listSourcesOfGroup(
  tx: Queryable,
  tenantId: string,
  groupId: string,
  page: PageRequest,
): Promise<{ rows: Source[]; total: number }> {
  const matching = sql`s.tenant_id = ${tenantId} and s.source_group_id = ${groupId} and s.deleted_at is null
    and exists (select from source_group g where g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null)`;
  const after = page.afterId === undefined ? raw('true') : sql`s.id > ${page.afterId}::uuid`;
  const rows = await tx.query<Source>(sql`
    select ${SOURCE_COLUMNS} from source s where ${matching} and ${after} order by s.id limit ${page.limit + 1}`);
  const [count] = await tx.query<{ total: number }>(sql`select count(*) as total from source s where ${matching}`);
  return { rows, total: count?.total ?? 0 };
}

/**
 * Takes the next pending sources after `afterId` in order of id, and counts the attempt before it is made: a file that
 * kills the worker is recognised by its attempts.
 *
 * @param suspects false: those with fewer than `suspectAttempts` attempts so far; true: the others.
 */
export async function claimPendingSources(
  tx: Tx,
  tenantId: string,
  groupId: string,
  claim: { afterId: string | null; limit: number; suspectAttempts: number; suspects: boolean },
): Promise<PendingSource[]> {
  const after = claim.afterId === null ? raw('true') : sql`id > ${claim.afterId}::uuid`;
  const attempts: Sql = claim.suspects
    ? sql`attempts >= ${claim.suspectAttempts}`
    : sql`attempts < ${claim.suspectAttempts}`;
  const rows = await tx.query<PendingSource>(sql`
    update source set attempts = attempts + 1
    where tenant_id = ${tenantId} and id in (
      select id from source
      where tenant_id = ${tenantId} and source_group_id = ${groupId} and status = 'pending' and deleted_at is null
        and ${after} and ${attempts}
      order by id limit ${claim.limit})
    returning id, name, file_size as "fileSize", blob_hash as "blobHash", generation, attempts, created_at as "createdAt",
      parent_source_id as "parentSourceId", member_depth as "memberDepth"`);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Takes the attempt back: the worker stopped in order before it could finish these. */
export async function releaseClaims(tx: Tx, tenantId: string, sourceIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update source set attempts = greatest(attempts - 1, 0)
    where tenant_id = ${tenantId} and id = any(${sourceIds}::uuid[]) and status = 'pending'`);
}

/** Writes results of sources that are still pending; returns the ids of those. The others were deleted meanwhile. */
export async function saveSourceResults(
  tx: Tx,
  tenantId: string,
  results: readonly SourceResult[],
): Promise<Set<string>> {
  const rows = results.map((result) => ({
    id: result.id,
    status: result.status,
    file_type: result.fileType,
    language: result.language,
    text_length: result.textLength,
    chunk_count: result.chunkCount,
    chunk_metadatas_count: result.chunkMetadatasCount,
    origin_metadata: result.originMetadata,
    warnings: result.warnings,
  }));
  const saved = await tx.query<{ id: string }>(sql`
    update source s set status = r.status, file_type = coalesce(r.file_type, s.file_type), language = r.language,
      text_length = r.text_length, chunk_count = r.chunk_count, chunk_metadatas_count = r.chunk_metadatas_count,
      origin_metadata = r.origin_metadata, warnings = r.warnings
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, status text, file_type text, language text,
      text_length int, chunk_count int, chunk_metadatas_count int, origin_metadata jsonb, warnings jsonb)
    where s.tenant_id = ${tenantId} and s.id = r.id and s.status = 'pending' and s.deleted_at is null
    returning s.id`);
  return new Set(saved.map((row) => row.id));
}

/** Makes sources of the files inside a source: they stand in its group, as old as it is at its origin. */
export async function insertMembers(
  tx: Tx,
  tenantId: string,
  parentId: string,
  members: readonly NewMember[],
  now: Date,
): Promise<void> {
  const rows = members.map((member) => ({
    id: member.id,
    name: member.name,
    file_size: member.fileSize,
    blob_hash: member.blobHash,
  }));
  await tx.query(sql`
    insert into source (tenant_id, id, source_group_id, source_type, name, file_type, file_size, blob_hash, status, content_at,
      created_at, parent_source_id, member_depth, origin_metadata)
    select p.tenant_id, r.id, p.source_group_id, p.source_type, r.name, 'unknown', r.file_size, r.blob_hash, 'pending',
      p.content_at, ${now}::timestamptz, p.id, p.member_depth + 1,
      jsonb_build_object('parent_source_id', jsonb_build_object('val', p.id::text, 'type', 'string'))
    from source p, json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, name text, file_size bigint, blob_hash text)
    where p.tenant_id = ${tenantId} and p.id = ${parentId}`);
}

/** True when a source still waits for its result. */
export async function isPending(tx: Tx, tenantId: string, sourceId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from source where tenant_id = ${tenantId} and id = ${sourceId} and status = 'pending' and deleted_at is null`);
  return rows.length > 0;
}

export async function deleteTexts(tx: Tx, tenantId: string, sourceIds: readonly string[]): Promise<void> {
  await tx.query(sql`delete from source_text where tenant_id = ${tenantId} and source_id = any(${sourceIds}::uuid[])`);
}

export async function insertTexts(tx: Tx, tenantId: string, segments: readonly TextSegment[]): Promise<void> {
  if (segments.length === 0) return;
  const rows = segments.map((segment) => ({
    source_id: segment.sourceId,
    start_offset: segment.startOffset,
    end_offset: segment.endOffset,
    content: segment.content,
  }));
  await tx.query(sql`
    insert into source_text (tenant_id, source_id, start_offset, end_offset, content)
    select ${tenantId}::uuid, r.source_id, r.start_offset, r.end_offset, r.content
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(source_id uuid, start_offset int, end_offset int, content text)`);
}

export interface SourceCounts {
  pending: number;
  ready: number;
  failed: number;
  /** Of the files of all of them. */
  bytes: number;
}

export async function countSources(tx: Queryable, tenantId: string, groupId: string): Promise<SourceCounts> {
  const [counts] = await tx.query<SourceCounts>(sql`
    select count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'ready') as ready,
           count(*) filter (where status = 'failed') as failed, coalesce(sum(file_size), 0)::float8 as bytes
    from source where tenant_id = ${tenantId} and source_group_id = ${groupId} and deleted_at is null`);
  return counts!;
}

/** A new run tries failed sources again; ready ones are unchanged. */
export async function resetFailedSources(tx: Tx, tenantId: string, groupId: string): Promise<void> {
  await tx.query(sql`
    update source set status = 'pending', attempts = 0
    where tenant_id = ${tenantId} and source_group_id = ${groupId} and status in ('failed', 'pending') and deleted_at is null`);
}

/** Removes up to `limit` sources (their text goes with them) and returns their blobs' hashes. Their chunks must be gone. */
export async function removeSources(tx: Tx, tenantId: string, groupId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ blob_hash: string }>(sql`
    delete from source where tenant_id = ${tenantId} and id in (
      select id from source where tenant_id = ${tenantId} and source_group_id = ${groupId} order by id limit ${limit})
    returning blob_hash`);
  return rows.map((row) => row.blob_hash);
}

/**
 * Locks a source that a caller with these limits may see, for the rest of the transaction, and returns its API records.
 *
 * @param groupId only a source of this group exists for the caller, when given.
 */
export async function lockSourceMetadata(
  tx: Tx,
  tenantId: string,
  id: string,
  limits: GroupLimits,
  groupId?: string,
): Promise<ApiMetadata | undefined> {
  const inGroup = groupId === undefined ? raw('true') : sql`g.id = ${groupId}::uuid`;
  const [source] = await tx.query<{ metadata: ApiMetadata }>(sql`
    select s.metadata from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null and g.deleted_at is null
      and ${inGroup} and ${withinLimits(limits)}
    for update of s`);
  return source?.metadata;
}

/** Replaces the API records; the source must be locked. Origin records stay. */
export async function saveSourceMetadata(tx: Tx, tenantId: string, id: string, metadata: ApiMetadata): Promise<void> {
  await tx.query(sql`update source set metadata = ${json(metadata)} where tenant_id = ${tenantId} and id = ${id}`);
}

/** Whether a source is hidden. It is found until it is removed; in a deleted group only when it was hidden by itself. */
export async function findTombstone(
  tx: Queryable,
  tenantId: string,
  id: string,
  limits: GroupLimits,
): Promise<{ sourceGroupId: string; deletedAt: Date | null } | undefined> {
  const [source] = await tx.query<{ sourceGroupId: string; deletedAt: Date | null }>(sql`
    select s.source_group_id as "sourceGroupId", s.deleted_at as "deletedAt"
    from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tenantId} and s.id = ${id} and (s.deleted_at is not null or g.deleted_at is null)
      and ${withinLimits(limits)}`);
  return source;
}

/** Hides a source with all that was found inside it, and returns them. Its group must be locked. Nothing when it is hidden already or gone. */
export async function tombstoneSource(
  tx: Tx,
  tenantId: string,
  id: string,
  now: Date,
): Promise<{ status: Source['status']; chunkMetadatasCount: number }[]> {
  return tx.query<{ status: Source['status']; chunkMetadatasCount: number }>(sql`
    with recursive hidden as (
      select id from source where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
      union all
      select s.id from hidden h join source s on s.parent_source_id = h.id
      where s.tenant_id = ${tenantId} and s.deleted_at is null)
    update source set deleted_at = ${now} where tenant_id = ${tenantId} and id in (select id from hidden)
    returning status, chunk_metadatas_count as "chunkMetadatasCount"`);
}

/** A hidden source and what is left of those inside it, the innermost first and itself last. */
export async function listTombstonesInside(tx: Queryable, tenantId: string, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with recursive hidden as (
      select id, member_depth from source where tenant_id = ${tenantId} and id = ${id} and deleted_at is not null
      union all
      select s.id, s.member_depth from hidden h join source s on s.parent_source_id = h.id
      where s.tenant_id = ${tenantId} and s.deleted_at is not null)
    select id from hidden order by member_depth desc, id`);
  return rows.map((row) => row.id);
}

/** Removes up to `limit` segments of a source's text; returns how many. */
export async function removeTextsOfSource(tx: Tx, tenantId: string, sourceId: string, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from source_text where tenant_id = ${tenantId} and source_id = ${sourceId} and start_offset in (
      select start_offset from source_text where tenant_id = ${tenantId} and source_id = ${sourceId} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Removes the row of a hidden source and returns its blob's hash; undefined when there is none. Its chunks must be gone. */
export async function removeTombstonedSource(tx: Tx, tenantId: string, id: string): Promise<string | undefined> {
  const [source] = await tx.query<{ blobHash: string }>(sql`
    delete from source where tenant_id = ${tenantId} and id = ${id} and deleted_at is not null
    returning blob_hash as "blobHash"`);
  return source?.blobHash;
}

/** Some sources that were hidden before `deletedBefore` and are not yet removed; those of deleted groups go with them. */
export async function listOverdueTombstones(
  tx: Queryable,
  tenantId: string,
  deletedBefore: Date,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select s.id from source s where s.tenant_id = ${tenantId} and s.deleted_at < ${deletedBefore}
      and exists (select from source_group g where g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null)
    order by s.deleted_at limit ${limit}`);
  return rows.map((row) => row.id);
}
