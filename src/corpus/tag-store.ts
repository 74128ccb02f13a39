/** SQL of the tables tag and tag_source_group. */

import { type GroupLimits, withinLimits } from '../access/limits.ts';
import { lockAdditions } from '../db/additions.ts';
import type { Tx } from '../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';

export interface Tag {
  id: string;
  name: string;
  description: string;
}

export interface TagLink {
  /** Identifies the link and is its position in lists. */
  id: string;
  tagId: string;
  sourceGroupId: string;
}

/** A key that is limited to tags sees only these tags; null means no limit. */
type TagLimit = Pick<GroupLimits, 'tagIds'>;

const TAG_COLUMNS = raw('t.id, t.name, t.description');
const LINK_COLUMNS = raw('l.id, l.tag_id, l.source_group_id');

function visible({ tagIds }: TagLimit): Sql {
  return tagIds ? sql`t.id = any(${tagIds}::uuid[])` : raw('true');
}

/** Returns all tags that the caller may see, oldest first. */
export async function listTags(tx: Tx, limit: TagLimit): Promise<Tag[]> {
  return tx.query<Tag>(sql`
    select ${TAG_COLUMNS} from tag t where t.tenant_id = ${tx.tenantId} and ${visible(limit)} order by t.id`);
}

export async function findTag(tx: Tx, id: string, limit: TagLimit): Promise<Tag | undefined> {
  const [tag] = await tx.query<Tag>(sql`
    select ${TAG_COLUMNS} from tag t where t.tenant_id = ${tx.tenantId} and t.id = ${id} and ${visible(limit)}`);
  return tag;
}

/** Counts the tenant's tags. Nobody else can add a tag until the transaction ends. */
export async function countTagsLocked(tx: Tx): Promise<number> {
  await lockAdditions(tx, 'tag');
  return countRows(tx, sql`tag where tenant_id = ${tx.tenantId}`);
}

/** @throws a unique violation when the name is taken. */
export async function insertTag(tx: Tx, tag: Tag, createdAt: Date): Promise<void> {
  await tx.query(sql`
    insert into tag (tenant_id, id, name, description, created_at)
    values (${tx.tenantId}, ${tag.id}, ${tag.name}, ${tag.description}, ${createdAt})`);
}

/**
 * Changes the tag and returns it; undefined if the tag does not exist. An absent description keeps the old one.
 *
 * @throws a unique violation when the name is taken.
 */
export async function updateTag(
  tx: Tx,
  id: string,
  change: { name: string; description?: string | undefined },
): Promise<Tag | undefined> {
  const [tag] = await tx.query<Tag>(sql`
    update tag t set name = ${change.name}, description = coalesce(${change.description ?? null}::text, t.description)
    where t.tenant_id = ${tx.tenantId} and t.id = ${id} returning ${TAG_COLUMNS}`);
  return tag;
}

/** Deletes the tag and, by cascade, its links. Returns the tag; undefined if it does not exist. */
export async function deleteTag(tx: Tx, id: string): Promise<Tag | undefined> {
  const [tag] = await tx.query<Tag>(sql`
    delete from tag t where t.tenant_id = ${tx.tenantId} and t.id = ${id} returning ${TAG_COLUMNS}`);
  return tag;
}

/**
 * Links a tag and a group unless they are linked already. Returns false if one of them does not exist, or if the group is deleted
 * or outside the limits.
 */
export async function insertLink(tx: Tx, link: TagLink, limits: GroupLimits): Promise<boolean> {
  // The key-share locks keep both rows until the link is inserted.
  const found = await tx.query(sql`
    select from tag t join source_group g on g.tenant_id = t.tenant_id
    where t.tenant_id = ${tx.tenantId} and t.id = ${link.tagId} and g.id = ${link.sourceGroupId} and g.deleted_at is null
      and ${withinLimits(limits)}
    for key share`);
  if (found.length === 0) return false;
  await tx.query(sql`
    insert into tag_source_group (tenant_id, id, tag_id, source_group_id)
    values (${tx.tenantId}, ${link.id}, ${link.tagId}, ${link.sourceGroupId})
    on conflict (tenant_id, tag_id, source_group_id) do nothing`);
  return true;
}

/** Deletes a link. Returns false if the link does not exist, or if the group is deleted or outside the limits. */
export async function deleteLink(tx: Tx, link: Omit<TagLink, 'id'>, limits: GroupLimits): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from tag_source_group l using source_group g
    where l.tenant_id = ${tx.tenantId} and l.tag_id = ${link.tagId} and l.source_group_id = ${link.sourceGroupId}
      and g.tenant_id = l.tenant_id and g.id = l.source_group_id and g.deleted_at is null and ${withinLimits(limits)}
    returning 1 as one`);
  return rows.length > 0;
}

export function listLinks(
  tx: Tx,
  limits: GroupLimits,
  filter: { tagId?: string | undefined; sourceGroupId?: string | undefined },
  page: PageRequest,
): Promise<Listed<TagLink>> {
  const conditions = [sql`l.tenant_id = ${tx.tenantId}`, raw('g.deleted_at is null'), withinLimits(limits)];
  if (limits.tagIds) conditions.push(sql`l.tag_id = any(${limits.tagIds}::uuid[])`);
  if (filter.tagId !== undefined) conditions.push(sql`l.tag_id = ${filter.tagId}`);
  if (filter.sourceGroupId !== undefined) conditions.push(sql`l.source_group_id = ${filter.sourceGroupId}`);
  const matching = sql`tag_source_group l join source_group g on g.tenant_id = l.tenant_id and g.id = l.source_group_id
    where ${join(conditions, ' and ')}`;
  return readPage<TagLink>(tx, LINK_COLUMNS, matching, raw('l.id'), page);
}
