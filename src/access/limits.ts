/** The source groups that an API key may see, as a type and as SQL. */
import { join, raw, type Sql, sql } from '../db/sql.ts';

/** The source groups that a key may see; null means no limit. */
export interface GroupLimits {
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
}

/** Returns the condition that a key with these limits may see the group `g`. */
export function withinLimits(limits: GroupLimits): Sql {
  const conditions: Sql[] = [];
  if (limits.sourceGroupIds) conditions.push(sql`g.id = any(${limits.sourceGroupIds}::uuid[])`);
  if (limits.tagIds) conditions.push(hasTag(limits.tagIds));
  return conditions.length === 0 ? raw('true') : join(conditions, ' and ');
}

/** Returns the condition that group `g` has one of the tags. */
export function hasTag(tagIds: readonly string[]): Sql {
  return sql`exists (select from tag_source_group l where l.tenant_id = g.tenant_id and l.source_group_id = g.id
    and l.tag_id = any(${tagIds}::uuid[]))`;
}

/** Returns the tag if the key may see it, else nothing: for a key that is limited to tags, other tags do not exist. */
export function visibleTag(tagId: string, { tagIds }: GroupLimits): string[] {
  return tagIds === null || tagIds.includes(tagId) ? [tagId] : [];
}
