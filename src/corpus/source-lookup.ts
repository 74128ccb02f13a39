/** Statements that read the table source, some with locks. Statements that write it are in source-store.ts. */

import { type GroupLimits, withinLimits } from '../access/limits.ts';
import type { Tx } from '../db/database.ts';
import { type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { ServiceError } from '../errors.ts';
import type { ApiMetadata } from '../filters/metadata.ts';
import { ACTIVE_STATUSES } from '../jobs/status.ts';
import { type Source, WAITS, WITH_UPDATE } from './source-store.ts';
import { SOURCE_PATH } from './sources/paths.ts';
import { findQuotas, type Quotas } from './tenant-store.ts';

/** The condition that the newest version of source `s` could not be read. */
export const NEWEST_FAILED = raw(`(s.status = 'failed' or exists (
  select from source_update u where u.tenant_id = s.tenant_id and u.source_id = s.id and u.status = 'failed'))`);

/** The columns of `Source`, selected from source `s`. */
export const SOURCE_COLUMNS = sql`s.id, s.source_group_id, s.source_type, s.name, ${SOURCE_PATH} as path, s.url,
  s.parent_source_id, s.file_type, s.file_size, s.status, s.origin_metadata, s.metadata, s.language, s.content_at,
  s.text_length, s.chunk_count, s.warnings, s.created_at,
  (select u.status from source_update u where u.tenant_id = s.tenant_id and u.source_id = s.id) as update_status,
  coalesce((select u.blob_hash from source_update u where u.tenant_id = s.tenant_id and u.source_id = s.id), s.blob_hash) as newest_hash,
  case when ${NEWEST_FAILED} then (
    select jsonb_build_object('title', e.title, 'message', e.message, 'stage', e.stage, 'retryable', e.retryable) from run_error e
    where e.tenant_id = s.tenant_id and e.source_id = s.id order by e.run_id desc limit 1) end as error`;

/** Returns one page of the group's sources, with one extra row if a next page exists. A deleted group has no sources. */
export function listSourcesOfGroup(tx: Tx, groupId: string, page: PageRequest): Promise<Listed<Source>> {
  const matching = sql`source s where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.deleted_at is null
    and exists (select from source_group g where g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null)`;
  return readPage<Source>(tx, SOURCE_COLUMNS, matching, raw('s.id'), page);
}

/** Returns true if the source, or a new version of it, still waits for its result. */
export async function isPending(tx: Tx, sourceId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from ${WITH_UPDATE} where s.tenant_id = ${tx.tenantId} and s.id = ${sourceId} and ${WAITS} and s.deleted_at is null`);
  return rows.length > 0;
}

/** A source that was found inside another source. */
export interface Member {
  id: string;
  name: string;
  status: Source['status'];
  /** The source, or a new version of it, waits to be read. */
  waits: boolean;
  /** Hash of the newest bytes, read or not. */
  newestHash: string;
  fileSize: number;
}

/** Returns the sources found inside the source `parentId`, in order of creation. */
export async function listMembers(tx: Tx, parentId: string): Promise<Member[]> {
  return tx.query<Member>(sql`
    select s.id, s.name, s.status, ${WAITS} as waits, coalesce(u.blob_hash, s.blob_hash) as newest_hash, s.file_size
    from ${WITH_UPDATE}
    where s.tenant_id = ${tx.tenantId} and s.parent_source_id = ${parentId} and s.deleted_at is null order by s.id`);
}

/** An uploaded file of a group. */
export interface StoredFile {
  sourceId: string;
  path: string;
  name: string;
  status: Source['status'];
  /** Size of the newest bytes. */
  fileSize: number;
  /** Hash of the bytes that are served, or that wait for their first read. */
  blobHash: string;
  /** Hash of the new version that waits or failed; null without a new version. */
  updateHash: string | null;
  /** The file, or a new version of it, waits to be read. */
  waits: boolean;
}

/** Returns the uploaded files of a group, oldest first; with `paths`, only the files at these paths. */
export async function listFiles(tx: Tx, groupId: string, paths?: readonly string[]): Promise<StoredFile[]> {
  const wanted = paths ? sql`s.path = any(${[...paths]}::text[])` : raw('s.path is not null');
  return tx.query<StoredFile>(sql`
    select s.id as source_id, s.path, s.name, s.status, coalesce(u.file_size, s.file_size) as file_size,
      s.blob_hash, u.blob_hash as update_hash, ${WAITS} as waits
    from ${WITH_UPDATE}
    where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and ${wanted} and s.deleted_at is null order by s.id`);
}

/** Returns up to `limit` deleted sources of a group. Sources inside a deleted source are left out. */
export async function listTombstonesOfGroup(tx: Tx, groupId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select s.id from source s left join source p on p.tenant_id = s.tenant_id and p.id = s.parent_source_id
    where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.deleted_at is not null and p.deleted_at is null
    order by s.id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Returns the groups without an active run whose sources have chunks or text of an old generation. */
export async function listMixedGroups(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select distinct s.source_group_id as id from source s
    join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null
    where s.tenant_id = ${tx.tenantId} and s.mixed and not g.status = any(${[...ACTIVE_STATUSES]}::text[])`);
  return rows.map((row) => row.id);
}

/**
 * Locks the source and returns its API records. Returns undefined if `limits` do not allow the caller to see the source.
 *
 * @param groupId if given, the source must belong to this group.
 */
export async function lockSourceMetadata(
  tx: Tx,
  id: string,
  limits: GroupLimits,
  groupId?: string,
): Promise<ApiMetadata | undefined> {
  const inGroup = groupId === undefined ? raw('true') : sql`g.id = ${groupId}::uuid`;
  const [source] = await tx.query<{ metadata: ApiMetadata }>(sql`
    select s.metadata from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and s.deleted_at is null and g.deleted_at is null
      and ${inGroup} and ${withinLimits(limits)}
    for update of s`);
  return source?.metadata;
}

/**
 * Returns whether the source is deleted, as long as its row exists. In a deleted group, only sources that were deleted before
 * the group are found.
 */
export async function findTombstone(
  tx: Tx,
  id: string,
  limits: GroupLimits,
): Promise<{ sourceGroupId: string; deletedAt: Date | null } | undefined> {
  const [source] = await tx.query<{ sourceGroupId: string; deletedAt: Date | null }>(sql`
    select s.source_group_id, s.deleted_at
    from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and (s.deleted_at is not null or g.deleted_at is null)
      and ${withinLimits(limits)}`);
  return source;
}

/** Returns a deleted source and the remaining sources inside it, the innermost first and the source itself last. */
export async function listTombstonesInside(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with recursive hidden as (
      select id, member_depth from source where tenant_id = ${tx.tenantId} and id = ${id} and deleted_at is not null
      union all
      select s.id, s.member_depth from hidden h join source s on s.parent_source_id = h.id
      where s.tenant_id = ${tx.tenantId} and s.deleted_at is not null)
    select id from hidden order by member_depth desc, id`);
  return rows.map((row) => row.id);
}

/** Returns up to `limit` sources that were deleted before `deletedBefore` and not removed. Sources of deleted groups are left out. */
export async function listOverdueTombstones(tx: Tx, deletedBefore: Date, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select s.id from source s where s.tenant_id = ${tx.tenantId} and s.deleted_at < ${deletedBefore}
      and exists (select from source_group g where g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null)
    order by s.deleted_at limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Returns the condition that `s` was read under other ingest rules than `mark` names, and has no new version. */
const isOutdated = (tenantId: string, mark: string): Sql =>
  sql`s.tenant_id = ${tenantId} and s.redacted_by <> ${mark} and s.status = 'ready' and s.deleted_at is null and u.source_id is null`;

/**
 * Returns the groups with sources that were read under other ingest rules than `mark` names. A source whose new version waits
 * or is being read counts too: it may be read under the rules of a moment ago.
 */
export async function listOutdatedGroups(tx: Tx, mark: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select distinct s.source_group_id as id from ${WITH_UPDATE}
    join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null
    where s.tenant_id = ${tx.tenantId} and s.redacted_by <> ${mark} and s.status = 'ready' and s.deleted_at is null
      and (u.source_id is null or u.status = 'pending') order by id`);
  return rows.map(({ id }) => id);
}

/** Returns the group's sources that were read under other ingest rules, as new versions with the bytes that are served. */
export async function listOutdatedSources(
  tx: Tx,
  groupId: string,
  mark: string,
): Promise<{ sourceId: string; blobHash: string; fileSize: number; contentAt: null }[]> {
  return tx.query(sql`
    select s.id as source_id, s.blob_hash, s.file_size, null as content_at
    from ${WITH_UPDATE} where ${isOutdated(tx.tenantId, mark)} and s.source_group_id = ${groupId}`);
}

/**
 * Returns the sources whose newest version failed with the error `title` in a run that was queued before the last change of the redaction
 * policy.
 */
export async function listBlockedSources(tx: Tx, title: string): Promise<{ sourceId: string; groupId: string }[]> {
  return tx.query(sql`
    select s.id as source_id, s.source_group_id as group_id from source s
    join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id and g.deleted_at is null
    join redaction_policy p on p.tenant_id = s.tenant_id
    join lateral (select e.run_id, e.title from run_error e where e.tenant_id = s.tenant_id and e.source_id = s.id
      order by e.run_id desc limit 1) e on e.title = ${title}
    join run r on r.tenant_id = s.tenant_id and r.id = e.run_id and r.created_at < p.updated_at
    where s.tenant_id = ${tx.tenantId} and s.deleted_at is null and ${NEWEST_FAILED}`);
}

/** Maximum number of sources in a group, including sources inside other sources. */
export const GROUP_SOURCES_MAX = 50_000;
/** Maximum bytes of a group's files: nested archives could unpack to far more than the limit of one archive. */
export const GROUP_BYTES_MAX = 20 * 1024 ** 3;

export interface SourceCounts {
  pending: number;
  ready: number;
  failed: number;
  /** Number of ready sources with a new version that waits to be read. */
  updating: number;
  /** Bytes of the files of all sources. */
  bytes: number;
}

export async function countSources(tx: Tx, groupId: string): Promise<SourceCounts> {
  const [counts] = await tx.query<SourceCounts>(sql`
    select count(*) filter (where s.status = 'pending') as pending, count(*) filter (where s.status = 'ready') as ready,
           count(*) filter (where s.status = 'failed') as failed, count(*) filter (where u.status = 'pending') as updating,
           coalesce(sum(s.file_size), 0)::float8 as bytes
    from ${WITH_UPDATE} where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.deleted_at is null`);
  return counts!;
}

/** Returns the number and the bytes of these sources and of all sources inside them. */
export async function measureSources(tx: Tx, ids: readonly string[]): Promise<{ files: number; bytes: number }> {
  const [size] = await tx.query<{ files: number; bytes: number }>(sql`
    with recursive measured as (
      select id, file_size from source where tenant_id = ${tx.tenantId} and id = any(${[...ids]}::uuid[]) and deleted_at is null
      union all
      select s.id, s.file_size from measured m join source s on s.parent_source_id = m.id
      where s.tenant_id = ${tx.tenantId} and s.deleted_at is null)
    select count(*) as files, coalesce(sum(file_size), 0)::float8 as bytes from measured`);
  return size!;
}

/** Returns how many of the sources are in the group and not deleted, and how many of these have failed or wait. */
export async function countFiles(
  tx: Tx,
  groupId: string,
  ids: readonly string[],
): Promise<{ found: number; unread: number }> {
  const [counts] = await tx.query<{ found: number; unread: number }>(sql`
    select count(*) as found, count(*) filter (where s.status <> 'ready' or u.source_id is not null) as unread
    from ${WITH_UPDATE}
    where s.tenant_id = ${tx.tenantId} and s.source_group_id = ${groupId} and s.id = any(${[...ids]}::uuid[]) and s.deleted_at is null`);
  return counts!;
}

/** What the tenant may still add. Infinity: not limited. */
export type QuotaRoom = Quotas;

const UNLIMITED: QuotaRoom = {
  bytes: Number.POSITIVE_INFINITY,
  groups: Number.POSITIVE_INFINITY,
  files: Number.POSITIVE_INFINITY,
};

/**
 * Returns the room; what is deleted does not count. Until the transaction ends, other transactions that ask wait, so that together
 * they stay within the quotas.
 *
 * @param defaults the quotas of tenants without their own.
 */
export async function lockQuotaRoom(tx: Tx, defaults: Quotas): Promise<QuotaRoom> {
  const quotas = await findQuotas(tx, defaults);
  if (!isAnySet(quotas)) return { ...UNLIMITED };
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`quota ${tx.tenantId}`}, 0))`);
  const used = await countUse(tx);
  const left = (name: keyof Quotas): number =>
    quotas[name] === 0 ? Number.POSITIVE_INFINITY : quotas[name] - used[name];
  return { bytes: left('bytes'), groups: left('groups'), files: left('files') };
}

/** Returns the quotas of the tenant and what counts towards them; null if the tenant has no quotas. */
export async function readQuotaUse(tx: Tx, defaults: Quotas): Promise<{ quotas: Quotas; used: Quotas } | null> {
  const quotas = await findQuotas(tx, defaults);
  return isAnySet(quotas) ? { quotas, used: await countUse(tx) } : null;
}

function isAnySet({ bytes, groups, files }: Quotas): boolean {
  return bytes !== 0 || groups !== 0 || files !== 0;
}

async function countUse(tx: Tx): Promise<Quotas> {
  const [used] = await tx.query<Quotas>(sql`
    select count(*) as files, coalesce(sum(s.file_size), 0)::float8 as bytes,
      (select count(*) from source_group where tenant_id = ${tx.tenantId} and deleted_at is null) as groups
    from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tx.tenantId} and s.deleted_at is null and g.deleted_at is null`);
  return used!;
}

/** @throws ServiceError too_large for bytes, conflict for groups and files, when there is not enough room. */
export function checkQuota(room: QuotaRoom, { bytes = 0, groups = 0, files = 0 }: Partial<QuotaRoom>): void {
  if (groups > room.groups) throw full('conflict', 'source groups');
  if (files > room.files) throw full('conflict', 'files');
  if (bytes > 0 && bytes > room.bytes) throw full('too_large', 'bytes');
}

function full(code: 'conflict' | 'too_large', what: string): ServiceError {
  return new ServiceError(
    code,
    `The tenant's quota of ${what} would be exceeded. Delete sources, or ask the operator for a larger quota.`,
  );
}
