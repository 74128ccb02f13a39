/** SQL of the table source. */
import { json, type SystemTx, type Tx } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { keepPlan, raw, type Sql, sql } from '../db/sql.ts';
import type { ApiMetadata } from '../filters/metadata.ts';
import { ownValue } from '../util/own-value.ts';
import { folderPath, SOURCE_PATH } from './sources/paths.ts';
import type { FileFailure, PendingSource, SourceResult, TypedMetadata } from './values.ts';

export interface Source {
  id: string;
  sourceGroupId: string;
  sourceType: string;
  name: string;
  /** The path of an uploaded file, unique within its group; null for every other source. */
  path: string | null;
  url: string | null;
  /** The source of the file that contained this file. */
  parentSourceId: string | null;
  fileType: string;
  fileSize: number;
  /** SHA-256 of the newest bytes, read or not. */
  newestHash: string;
  status: 'pending' | 'ready' | 'failed';
  updateStatus: 'pending' | 'failed' | null;
  error: FileFailure | null;
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
  /** Only for an uploaded file. */
  path?: string;
  url?: string | null;
  originMetadata?: TypedMetadata;
}

const NEW_SOURCE_COLUMNS = {
  id: 'uuid',
  name: 'text',
  path: 'text',
  url: 'text',
  file_type: 'text',
  file_size: 'bigint',
  blob_hash: 'text',
  content_at: 'timestamptz',
  origin_metadata: { type: 'jsonb', insert: "marked_records('{}', coalesce(r.origin_metadata, '{}'))" },
} as const;

/** Inserts the sources in one statement: an upload has up to 2,000. */
export async function insertSources(
  tx: Tx,
  group: { id: string; sourceType: string; createdAt: Date },
  sources: readonly NewSource[],
): Promise<void> {
  if (sources.length === 0) return;
  const given = recordset(NEW_SOURCE_COLUMNS, sources);
  await tx.query(sql`
    insert into source (tenant_id, source_group_id, source_type, status, created_at, ${given.columns})
    select ${tx.tenantId}::uuid, ${group.id}::uuid, ${group.sourceType}::text, 'pending', ${group.createdAt}::timestamptz, ${given.values}
    from ${given.table}`);
}

/** The condition that source `s`, or its new version `u`, waits to be read. */
export const WAITS = raw("(s.status = 'pending' or coalesce(u.status = 'pending', false))");
export const WITH_UPDATE = raw(
  'source s left join source_update u on u.tenant_id = s.tenant_id and u.source_id = s.id',
);

/**
 * Claims the next waiting sources after `afterId`, in order of id, and counts the attempt in advance: a file that kills its worker
 * is recognised by the number of its attempts.
 *
 * @param claim.suspects false claims sources with fewer than `suspectAttempts` attempts; true claims the other sources.
 * @param claim.only a further condition on the source `s`.
 */
export async function claimPendingSources(
  tx: Tx,
  groupId: string,
  claim: { afterId: string | null; limit: number; suspectAttempts: number; suspects: boolean; only?: Sql },
): Promise<PendingSource[]> {
  const { tenantId } = tx;
  const after = (id: Sql): Sql => (claim.afterId === null ? raw('true') : sql`${id} > ${claim.afterId}::uuid`);
  const attempts: Sql = claim.suspects
    ? sql`s.attempts >= ${claim.suspectAttempts}`
    : sql`s.attempts < ${claim.suspectAttempts}`;
  const only = claim.only ?? raw('true');
  // The union lets each half use its own index of waiting rows: most sources of a group do not wait.
  const rows = await tx.query<PendingSource>(
    keepPlan(sql`
    with waiting as (
      (select s.id from source s
      where s.tenant_id = ${tenantId} and s.source_group_id = ${groupId} and s.status = 'pending' and s.deleted_at is null
        and ${after(raw('s.id'))} and ${attempts} and ${only}
      order by s.id limit ${claim.limit})
      union
      (select s.id from source_update u join source s on s.tenant_id = u.tenant_id and s.id = u.source_id and s.deleted_at is null
      where u.tenant_id = ${tenantId} and u.source_group_id = ${groupId} and u.status = 'pending'
        and ${after(raw('u.source_id'))} and ${attempts} and ${only}
      order by s.id limit ${claim.limit})
      order by id limit ${claim.limit})
    update source t set attempts = t.attempts + 1
    from waiting w left join source_update u on u.tenant_id = ${tenantId} and u.source_id = w.id
    left join source_origin o on o.tenant_id = ${tenantId} and o.source_id = w.id
    where t.tenant_id = ${tenantId} and t.id = w.id
    returning t.id, t.name, coalesce(u.file_size, t.file_size) as file_size, coalesce(u.blob_hash, t.blob_hash) as blob_hash,
      t.generation + (u.source_id is not null)::int as generation, u.source_id is not null as is_update, t.attempts,
      t.created_at, t.parent_source_id, t.member_depth, t.url,
      case when t.parent_source_id is not null then t.name when t.source_type = 'repo' then o.origin_id else t.path end as group_path,
      ${folderPath('t')} as folder_path,
      o.metadata -> 'charset' ->> 'val' as charset`),
  );
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Releases claimed sources and takes their attempts back: the worker stopped in good order before it finished them. */
export async function releaseClaims(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update source t set attempts = greatest(t.attempts - 1, 0) from ${WITH_UPDATE}
    where t.tenant_id = ${tx.tenantId} and t.id = any(${sourceIds}::uuid[]) and s.tenant_id = t.tenant_id and s.id = t.id and ${WAITS}`);
}

/** Sets the attempts of the sources to 0, because they get new bytes. */
export async function resetAttempts(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await tx.query(sql`
    update source set attempts = 0 where tenant_id = ${tx.tenantId} and id = any(${[...sourceIds]}::uuid[])`);
}

/** The effect of a saved result on its source. */
export interface SavedResult {
  /** True if the result belongs to a new version of a served source. */
  wasUpdate: boolean;
  chunkMetadatasAdded: number;
}

const RESULT_COLUMNS = {
  id: 'uuid',
  status: 'text',
  file_type: 'text',
  language: 'text',
  text_length: 'int',
  chunk_count: 'int',
  chunk_metadatas_count: 'int',
  chunk_metadata_bytes: 'bigint',
  origin_metadata: 'jsonb',
  content_at: 'timestamptz',
  warnings: 'jsonb',
  tables: 'jsonb',
  includes: 'jsonb',
  redacted_by: 'text',
} as const;

/**
 * Saves the results of sources that still wait, and returns the effects by source id. The other sources were deleted meanwhile.
 * A new version that was read replaces the served version; a new version that could not be read changes nothing.
 * The sub-select reads the counter before the update: a statement does not see its own changes.
 */
export async function saveSourceResults(tx: Tx, results: readonly SourceResult[]): Promise<Map<string, SavedResult>> {
  const { tenantId } = tx;
  const given = recordset(RESULT_COLUMNS, results).table;
  const saved = await tx.query<SavedResult & { id: string }>(
    keepPlan(sql`
    update source t set status = r.status, file_type = coalesce(r.file_type, t.file_type), language = r.language,
      text_length = r.text_length, chunk_count = r.chunk_count, chunk_metadatas_count = r.chunk_metadatas_count,
      chunk_metadata_bytes = r.chunk_metadata_bytes, origin_metadata = marked_records(r.origin_metadata, o.metadata),
      warnings = r.warnings, tables = r.tables, includes = r.includes, redacted_by = r.redacted_by,
      member_deleted = false,
      content_at = coalesce(case when o.source_id is null then r.content_at end, u.content_at, t.content_at),
      generation = t.generation + (u.source_id is not null)::int, mixed = t.mixed or u.source_id is not null,
      blob_hash = coalesce(u.blob_hash, t.blob_hash), file_size = coalesce(u.file_size, t.file_size)
    from ${given} left join source_update u on u.tenant_id = ${tenantId} and u.source_id = r.id
    left join source_origin o on o.tenant_id = ${tenantId} and o.source_id = r.id
    where t.tenant_id = ${tenantId} and t.id = r.id and t.deleted_at is null
      and (t.status = 'pending' or u.status = 'pending') and (u.source_id is null or r.status = 'ready')
    returning t.id, u.source_id is not null as was_update, t.chunk_metadatas_count -
      (select s.chunk_metadatas_count from source s where s.tenant_id = ${tenantId} and s.id = t.id) as chunk_metadatas_added`),
  );
  if (results.every(({ status }) => status === 'ready')) return new Map(saved.map(({ id, ...result }) => [id, result]));
  const failed = await tx.query<{ id: string }>(sql`
    select s.id from ${given} join ${WITH_UPDATE} on s.id = r.id
    where s.tenant_id = ${tenantId} and s.deleted_at is null and r.status = 'failed' and u.status = 'pending'`);
  const unchanged = failed.map(({ id }) => [id, { wasUpdate: true, chunkMetadatasAdded: 0 }] as const);
  return new Map([...saved.map(({ id, ...result }) => [id, result] as const), ...unchanged]);
}

/** Marks the sources as mixed: from now on they may have chunks and text of other generations. */
export async function setMixed(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update source set mixed = true where tenant_id = ${tx.tenantId} and id = any(${[...sourceIds]}::uuid[]) and not mixed`);
}

/** Invalidates the caches of searches when chunks change without their sources: even an update of no row fires the trigger. */
export async function invalidateChunkCaches(tx: SystemTx, tenantId: string): Promise<void> {
  await tx.query(sql`update source set mixed = mixed where tenant_id = ${tenantId} and false`);
}

/** Clears the mark `mixed`: the group's sources have only chunks and text of their own generation. */
export async function clearMixed(tx: Tx, groupId: string): Promise<void> {
  await tx.query(sql`
    update source set mixed = false where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and mixed`);
}

/** A change of a source's facts; its bytes stay. */
export interface ChangedSource {
  id: string;
  name: string;
  url: string | null;
  /** Null keeps the present value. */
  contentAt: Date | null;
  /** The metadata that the origin reports now; it replaces the metadata in the table source_origin. */
  metadata: TypedMetadata;
}

/** Saves changed facts of sources. Must run before `saveItemFacts`, which replaces the metadata of the previous listing. */
export async function changeSources(tx: Tx, changes: readonly ChangedSource[]): Promise<void> {
  if (changes.length === 0) return;
  const given = recordset(
    { id: 'uuid', name: 'text', url: 'text', content_at: 'timestamptz', metadata: 'jsonb' },
    changes,
  );
  await tx.query(sql`
    update source s set name = r.name, url = r.url, content_at = coalesce(r.content_at, s.content_at),
      origin_metadata = (s.origin_metadata - coalesce(array(select jsonb_object_keys(o.metadata)), '{}'))
        || marked_records('{}', r.metadata)
    from ${given.table}
    left join source_origin o on o.tenant_id = ${tx.tenantId} and o.source_id = r.id
    where s.tenant_id = ${tx.tenantId} and s.id = r.id`);
}

/** Gives uploaded files another path and name. */
export async function renameSources(
  tx: Tx,
  files: readonly { id: string; path: string; name: string }[],
): Promise<void> {
  if (files.length === 0) return;
  const given = recordset({ id: 'uuid', path: 'text', name: 'text' }, files);
  await tx.query(sql`
    update source s set path = r.path, name = r.name from ${given.table}
    where s.tenant_id = ${tx.tenantId} and s.id = r.id`);
}

/** Gives sources that were never served other bytes; they wait to be read. */
export async function restartSources(
  tx: Tx,
  versions: readonly { sourceId: string; blobHash: string; fileSize: number; contentAt: Date | null }[],
): Promise<void> {
  if (versions.length === 0) return;
  const given = recordset(
    { source_id: 'uuid', blob_hash: 'text', file_size: 'bigint', content_at: 'timestamptz' },
    versions,
  );
  await tx.query(sql`
    update source s set status = 'pending', attempts = 0, blob_hash = r.blob_hash, file_size = r.file_size,
      content_at = coalesce(r.content_at, s.content_at)
    from ${given.table}
    where s.tenant_id = ${tx.tenantId} and s.id = r.source_id and s.status <> 'ready' and s.deleted_at is null`);
}

/** Marks pending sources as failed; a later run retries them. */
export async function failPending(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await tx.query(sql`
    update source set status = 'failed'
    where tenant_id = ${tx.tenantId} and id = any(${[...sourceIds]}::uuid[]) and status = 'pending'`);
}

/**
 * Inserts sources for the files inside a source. They belong to the same group and have the same content time and API records as the
 * parent. The parent is locked, so that a change of its records meets all of its members.
 */
export async function insertMembers(
  tx: Tx,
  parentId: string,
  members: readonly Pick<NewSource, 'id' | 'name' | 'fileSize' | 'blobHash'>[],
  now: Date,
): Promise<void> {
  if (members.length === 0) return;
  const given = recordset({ id: 'uuid', name: 'text', file_size: 'bigint', blob_hash: 'text' }, members);
  await tx.query(sql`
    insert into source (tenant_id, source_group_id, source_type, file_type, status, content_at, created_at, parent_source_id,
      member_depth, origin_metadata, metadata, ${given.columns})
    select p.tenant_id, p.source_group_id, p.source_type, 'unknown', 'pending', p.content_at, ${now}::timestamptz, p.id,
      p.member_depth + 1, jsonb_build_object('parent_source_id', jsonb_build_object('val', p.id::text, 'type', 'string')),
      p.metadata, ${given.values}
    from (select * from source where tenant_id = ${tx.tenantId} and id = ${parentId} for update) p, ${given.table}`);
}

/** Makes failed sources and new versions wait again, so that a new run retries them; ready sources stay ready. */
export async function resetFailedSources(tx: Tx, groupId: string, ids?: string[]): Promise<void> {
  await tx.query(sql`
    update source s set status = case when s.status = 'ready' then 'ready' else 'pending' end, attempts = 0
    where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and ${ids ? sql`s.id = any(${ids}::uuid[])` : raw('true')}
      and s.deleted_at is null and (s.status in ('failed', 'pending')
        or exists (select from source_update u where u.tenant_id = s.tenant_id and u.source_id = s.id))`);
}

/** Deletes up to `limit` sources with their text and returns the hashes of their blobs. Their chunks must be deleted before. */
export async function removeSources(tx: Tx, groupId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ blobHash: string }>(sql`
    delete from source where tenant_id = ${tx.tenantId} and id in (
      select id from source where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} order by id limit ${limit})
    returning blob_hash`);
  return rows.map((row) => row.blobHash);
}

/**
 * Replaces the API records `before` of the source, which must be locked. Origin records stay. Files inside the source get the same change,
 * so that a policy that looks at a record decides about an archive and its files alike. Records that were set on such a file stay.
 */
export async function saveSourceMetadata(
  tx: Tx,
  id: string,
  before: ApiMetadata,
  metadata: ApiMetadata,
): Promise<void> {
  await tx.query(sql`update source set metadata = ${json(metadata)} where tenant_id = ${tx.tenantId} and id = ${id}`);
  const set = Object.entries(metadata).filter(([key, value]) => ownValue(before, key) !== value);
  const removed = Object.entries(before).filter(([key]) => !Object.hasOwn(metadata, key));
  await tx.query(sql`
    with recursive member as (
      select id from source where tenant_id = ${tx.tenantId} and parent_source_id = ${id}
      union all
      select s.id from member m join source s on s.tenant_id = ${tx.tenantId} and s.parent_source_id = m.id)
    update source s set metadata = (s.metadata - array(
        select r.key from jsonb_each_text(${json(Object.fromEntries(removed))}) r where s.metadata ->> r.key = r.value))
      || ${json(Object.fromEntries(set))}
    from member m where s.tenant_id = ${tx.tenantId} and s.id = m.id`);
}

/** What `tombstoneSources` returns about a source. */
export interface TombstonedSource {
  id: string;
  /** The source, or a new version of it, waited to be read. */
  waits: boolean;
  chunkMetadatasCount: number;
  path: string | null;
}

/**
 * Marks sources, and all sources inside them, as deleted and returns them. Their group must be locked. Sources that are deleted
 * already are skipped.
 */
export async function tombstoneSources(tx: Tx, ids: readonly string[], now: Date): Promise<TombstonedSource[]> {
  return tx.query<TombstonedSource>(sql`
    with recursive hidden as (
      select id from source where tenant_id = ${tx.tenantId} and id = any(${[...ids]}::uuid[]) and deleted_at is null
      union all
      select s.id from hidden h join source s on s.parent_source_id = h.id
      where s.tenant_id = ${tx.tenantId} and s.deleted_at is null)
    update source t set deleted_at = ${now} from hidden h join ${WITH_UPDATE} on s.tenant_id = ${tx.tenantId} and s.id = h.id
    where t.tenant_id = ${tx.tenantId} and t.id = h.id
    returning t.id, ${WAITS} as waits, t.chunk_metadatas_count, ${SOURCE_PATH} as path`);
}

/** Notes at the source that holds this member, if any, that one of its members was deleted. It holds until the source is read again. */
export async function noteDeletedMember(tx: Tx, memberId: string): Promise<void> {
  await tx.query(sql`
    update source p set member_deleted = true from source m
    where m.tenant_id = ${tx.tenantId} and m.id = ${memberId} and p.tenant_id = ${tx.tenantId} and p.id = m.parent_source_id`);
}

/** Deletes the row of a source that is marked as deleted, and returns the hash of its blob. Its chunks must be deleted before. */
export async function removeTombstonedSource(tx: Tx, id: string): Promise<string | undefined> {
  const [source] = await tx.query<{ blobHash: string }>(sql`
    delete from source where tenant_id = ${tx.tenantId} and id = ${id} and deleted_at is not null returning blob_hash`);
  return source?.blobHash;
}
