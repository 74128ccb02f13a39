/** The source groups that an API key may see, as a type and as SQL. */
import { join, raw, type Sql, sql } from '../db/sql.ts';

/** What a key may see; null = not limited. */
export interface GroupLimits {
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
}

/** The group `g` is one that a key with these limits may see. */
export function withinLimits(limits: GroupLimits): Sql {
  const conditions: Sql[] = [];
  if (limits.sourceGroupIds) conditions.push(sql`g.id = any(${limits.sourceGroupIds}::uuid[])`);
  if (limits.tagIds) conditions.push(hasTag(limits.tagIds));
  return conditions.length === 0 ? raw('true') : join(conditions, ' and ');
}

export function hasTag(tagIds: readonly string[]): Sql {
  return sql`exists (select from tag_source_group l where l.tenant_id = g.tenant_id and l.source_group_id = g.id
    and l.tag_id = any(${tagIds}::uuid[]))`;
}

/** For a key that is limited to tags, the others do not exist, wherever they are linked. */
export function visibleTag(tagId: string, { tagIds }: GroupLimits): string[] {
  return tagIds === null || tagIds.includes(tagId) ? [tagId] : [];
}
