/** SQL of the tool `list_sources`. */
import type { Access } from '../../access/access.ts';
import { visiblePath } from '../../corpus/sources/paths.ts';
import type { Tx } from '../../db/database.ts';
import { afterCursor, type PageRequest, pageOf } from '../../db/page-sql.ts';
import { raw, sql } from '../../db/sql.ts';
import { SOURCE_TABLES, visibleSource } from '../../retrieval/query/filter-sql.ts';

export interface ListedSource {
  id: string;
  sourceGroupId: string;
  sourceGroupName: string;
  sourceType: string;
  fileType: string;
  name: string;
  path: string | null;
  url: string | null;
  contentAt: Date;
}

export interface SourceFilter {
  sourceGroupId?: string | undefined;
  sourceTypes?: readonly string[] | undefined;
  fileTypes?: readonly string[] | undefined;
  ids?: readonly string[] | undefined;
}

/** Returns one page of the sources that have visible chunks, with one extra row if a next page exists. */
export function listVisibleSources(
  tx: Tx,
  access: Access,
  { sourceGroupId, sourceTypes, fileTypes, ids }: SourceFilter,
  page: PageRequest,
): Promise<ListedSource[]> {
  const ofGroup = sourceGroupId === undefined ? raw('true') : sql`s.source_group_id = ${sourceGroupId}::uuid`;
  const ofType = sourceTypes === undefined ? raw('true') : sql`s.source_type = any(${[...sourceTypes]}::text[])`;
  const ofFile = fileTypes === undefined ? raw('true') : sql`s.file_type = any(${[...fileTypes]}::text[])`;
  const named = ids === undefined ? raw('true') : sql`s.id = any(${[...ids]}::uuid[])`;
  return tx.query<ListedSource>(sql`
    select s.id, s.source_group_id, g.name as source_group_name, s.source_type, s.file_type, s.name,
      ${visiblePath(access)} as path, s.url, s.content_at
    from ${SOURCE_TABLES}
    where s.tenant_id = ${tx.tenantId} and ${visibleSource(access)}
      and ${ofGroup} and ${ofType} and ${ofFile} and ${named}
      and ${afterCursor(raw('s.id'), page)} ${pageOf(raw('s.id'), page)}`);
}
