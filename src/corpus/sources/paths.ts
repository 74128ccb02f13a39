/** The paths of sources, as parts of statements. */

import { raw, type Sql } from '../../db/sql.ts';

/** The path of source `s`: of an uploaded file in its group, or of a file in its repository. Null for other sources. */
export const SOURCE_PATH_SQL = `case when s.source_type = 'repo' then
  (select o.origin_id from source_origin o where o.tenant_id = s.tenant_id and o.source_id = s.id) else s.path end`;
export const SOURCE_PATH = raw(SOURCE_PATH_SQL);

/**
 * The path whose folders the source is found by. The path of a page has only the pages above it. A source inside a file has its folders
 * in its name.
 */
export const folderPath = (source: 's' | 't'): Sql =>
  raw(`case when ${source}.parent_source_id is null then case ${source}.source_type when 'local_file' then ${source}.path
    when 'page' then (${source}.origin_metadata -> 'path' ->> 'val') || '/'
    when 'drive' then ${source}.origin_metadata -> 'path' ->> 'val'
    when 'repo' then ${source}.origin_metadata -> 'path' ->> 'val' end end`);
