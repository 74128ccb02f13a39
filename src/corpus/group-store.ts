/** SQL of the table source_group. */

import { type GroupLimits, hasTag, visibleTag, withinLimits } from '../access/limits.ts';
import { json, type Tx } from '../db/database.ts';
import { containsText, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, keepPlan, raw, sql } from '../db/sql.ts';
import type { ApiMetadata } from '../filters/metadata.ts';
import type { JobStatus } from '../jobs/status.ts';
import type { ChunkMetadataKey } from './values.ts';

export interface SourceGroup {
  id: string;
  sourceType: string;
  name: string;
  status: JobStatus;
  /** Group metadata set through the API: key -> value. */
  metadata: Record<string, string>;
  chunkMetadataKeys: ChunkMetadataKey[];
  chunkMetadatasCount: number;
  errorTitle: string | null;
  errorMessage: string | null;
  /** Every new run raises this number; results of an older run are refused. */
  generation: number;
  uploadAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Marks the group as deleted: nothing of the group is returned from this time on. */
  deletedAt: Date | null;
}

/** The type of groups of uploaded files. A group of any other type is synchronised with an origin. */
export const UPLOADED = 'local_file';

export interface GroupFilter {
  sourceType?: string | undefined;
  status?: JobStatus | undefined;
  tagId?: string | undefined;
  /** The whole name. */
  name?: string | undefined;
  /** Text that the name contains. */
  q?: string | undefined;
}

const GROUP_COLUMNS =
  raw(`g.id, g.source_type, g.name, g.status, g.metadata, g.chunk_metadata_keys, g.chunk_metadatas_count,
  g.error_title, g.error_message, g.generation, g.upload_at, g.created_at, g.started_at, g.ended_at, g.deleted_at`);

export type NewGroup = Pick<SourceGroup, 'id' | 'sourceType' | 'name' | 'chunkMetadataKeys' | 'uploadAt' | 'createdAt'>;

/** Inserts a group with the status `queued`: the caller inserts its first run in the same transaction. */
export async function insertGroup(tx: Tx, group: NewGroup): Promise<void> {
  await tx.query(sql`
    insert into source_group (tenant_id, id, source_type, name, status, chunk_metadata_keys, upload_at, created_at)
    values (${tx.tenantId}, ${group.id}, ${group.sourceType}, ${group.name}, 'queued', ${json(group.chunkMetadataKeys)},
            ${group.uploadAt}, ${group.createdAt})`);
}

/** Returns whether a group of this type has the name. Until the transaction ends, other transactions that ask for the name wait. */
export async function lockGroupName(tx: Tx, sourceType: string, name: string): Promise<boolean> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`group name ${tx.tenantId} ${name}`}, 0))`);
  const rows = await tx.query(sql`
    select 1 as one from source_group
    where tenant_id = ${tx.tenantId} and source_type = ${sourceType} and name = ${name} and deleted_at is null limit 1`);
  return rows.length > 0;
}

/** Returns the group, also while it is being deleted: the row exists until the deletion job has finished. */
export async function findGroup(tx: Tx, id: string, limits: GroupLimits): Promise<SourceGroup | undefined> {
  const [group] = await tx.query<SourceGroup>(sql`
    select ${GROUP_COLUMNS} from source_group g where g.tenant_id = ${tx.tenantId} and g.id = ${id} and ${withinLimits(limits)}`);
  return group;
}

export function listGroups(
  tx: Tx,
  limits: GroupLimits,
  filter: GroupFilter,
  page: PageRequest,
): Promise<Listed<SourceGroup>> {
  const conditions = [sql`g.tenant_id = ${tx.tenantId}`, withinLimits(limits)];
  if (filter.sourceType !== undefined) conditions.push(sql`g.source_type = ${filter.sourceType}`);
  if (filter.status !== undefined) conditions.push(sql`g.status = ${filter.status}`);
  if (filter.tagId !== undefined) conditions.push(hasTag(visibleTag(filter.tagId, limits)));
  if (filter.name !== undefined) conditions.push(sql`g.name = ${filter.name}`);
  if (filter.q !== undefined) conditions.push(containsText(raw('g.name'), filter.q));
  const matching = sql`source_group g where ${join(conditions, ' and ')}`;
  return readPage<SourceGroup>(tx, GROUP_COLUMNS, matching, raw('g.id'), page);
}

/** Locks and returns the group. Every change of a group, its sources or its runs takes this lock first: the lock is the fence. */
export async function lockGroup(tx: Tx, id: string): Promise<SourceGroup | undefined> {
  const [group] = await tx.query<SourceGroup>(
    keepPlan(sql`
    select ${GROUP_COLUMNS} from source_group g where g.tenant_id = ${tx.tenantId} and g.id = ${id} for update`),
  );
  return group;
}

export interface GroupChange {
  startedAt?: Date;
  endedAt?: Date | null;
  deletedAt?: Date;
  error?: { title: string; message: string } | null;
  /** The new generation. */
  generation?: number;
}

/** Changes the status and the members of `change`. The database refuses illegal transitions. */
export async function setGroupStatus(tx: Tx, id: string, status: JobStatus, change: GroupChange = {}): Promise<void> {
  const sets = [sql`status = ${status}`];
  if (change.startedAt !== undefined) sets.push(sql`started_at = ${change.startedAt}`);
  if (change.endedAt !== undefined) sets.push(sql`ended_at = ${change.endedAt}`);
  if (change.deletedAt !== undefined) sets.push(sql`deleted_at = ${change.deletedAt}`);
  if (change.generation !== undefined) sets.push(sql`generation = ${change.generation}`);
  if (change.error !== undefined) {
    sets.push(sql`error_title = ${change.error?.title ?? null}, error_message = ${change.error?.message ?? null}`);
  }
  await tx.query(sql`update source_group set ${join(sets)} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Renames the group, which must be locked. */
export async function setGroupName(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query(sql`update source_group set name = ${name} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Replaces the metadata of the group, which must be locked. */
export async function saveGroupMetadata(tx: Tx, id: string, metadata: ApiMetadata): Promise<void> {
  await tx.query(
    sql`update source_group set metadata = ${json(metadata)} where tenant_id = ${tx.tenantId} and id = ${id}`,
  );
}

/** Adds `delta`, which may be negative, to the group's count. */
export async function addChunkMetadatasCount(tx: Tx, id: string, delta: number): Promise<void> {
  await tx.query(sql`
    update source_group set chunk_metadatas_count = chunk_metadatas_count + ${delta}
    where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Deletes the row and, by cascade, its runs and tag links. Batches have deleted the chunks and sources before. */
export async function removeGroup(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from source_group where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Returns the groups whose deletion began before `deletedBefore` and has not ended. */
export async function listOverdueDeletions(tx: Tx, deletedBefore: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select g.id from source_group g
    where g.tenant_id = ${tx.tenantId} and g.status = 'deleting' and g.deleted_at < ${deletedBefore}`);
  return rows.map((row) => row.id);
}
