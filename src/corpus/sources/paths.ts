/** The paths of sources, as parts of statements. */

import { type Access, mayShowSource, showsSomething } from '../../access/access.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';

/** Stands in a path between a file and a file inside it. */
export const INSIDE = ' › ';

/** The path of source `s` that is not inside another source, else null. It is cheap enough to search the paths of all sources. */
export const OUTER_PATH = raw(`case when s.source_type = 'repo' then
  (select o.origin_id from source_origin o where o.tenant_id = s.tenant_id and o.source_id = s.id) else s.path end`);

/**
 * The path of source `s`: of an uploaded file in its group, or of a file in its repository. The path of a file inside a file is the path
 * of that file, or its name if it has none, and its own name. Null for other sources. It is not stored, because a file moves with all
 * files inside it.
 */
export const SOURCE_PATH = pathOf(raw('true'));
export const SOURCE_PATH_SQL = SOURCE_PATH.text;

/** Returns the path of source `s` for a reader; null if the policy hides a file around the source. */
export function visiblePath(access: Pick<Access, 'policy'>): Sql {
  if (access.policy === null) return SOURCE_PATH;
  return pathOf(sql`${mayShowSource(access)} and ${showsSomething(access)}`);
}

/** @param isNamed the condition on source `s` in group `g` that paths of files inside it may name it. */
function pathOf(isNamed: Sql): Sql {
  return sql`(case when s.parent_source_id is null then ${OUTER_PATH} else (
    with recursive around (tenant_id, id, path) as (
      select s.tenant_id, s.parent_source_id, s.name
      union all
      select s.tenant_id, s.parent_source_id, ${raw(`
        case when s.parent_source_id is null then coalesce(${OUTER_PATH.text}, s.name) else s.name end || '${INSIDE}' || a.path`)}
      from around a join source s on s.tenant_id = a.tenant_id and s.id = a.id
      join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
      where ${isNamed})
    select path from around where id is null) end)`;
}

/**
 * The path whose folders the source is found by. The path of a page has only the pages above it. A source inside a file has its folders
 * in its name.
 */
export const folderPath = (source: 's' | 't'): Sql =>
  raw(`case when ${source}.parent_source_id is null then case ${source}.source_type when 'local_file' then ${source}.path
    when 'page' then (${source}.origin_metadata -> 'path' ->> 'val') || '/'
    when 'drive' then ${source}.origin_metadata -> 'path' ->> 'val'
    when 'repo' then ${source}.origin_metadata -> 'path' ->> 'val' end end`);
