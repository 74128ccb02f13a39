/** Queries of the list of all sources. Each answer is one statement for the page and one for the counts. */
import { type GroupLimits, hasTag, visibleTag, withinLimits } from '../../access/limits.ts';
import { SOURCE_COLUMNS } from '../../corpus/source-lookup.ts';
import type { Source } from '../../corpus/source-store.ts';
import { OUTER_PATH } from '../../corpus/sources/paths.ts';
import { IS_COPY } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { containsText } from '../../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../../db/sql.ts';

export const SOURCE_STATES = ['pending', 'ready', 'failed'] as const;
/** The status of the newest version of a source, read or not. */
export type SourceState = (typeof SOURCE_STATES)[number];

export const SOURCE_SORTS = ['time', 'content_time', 'name', 'size', 'chunks'] as const;
export type SourceSort = (typeof SOURCE_SORTS)[number];

export interface SourceFilter {
  /** Text that the name contains, or the path if `inPath` says so; of a source inside another source, the name. */
  q?: string | undefined;
  inPath?: boolean | undefined;
  /** Only these sources. */
  ids?: readonly string[] | undefined;
  state?: SourceState | undefined;
  fileTypes?: readonly string[] | undefined;
  sourceGroupId?: string | undefined;
  tagId?: string | undefined;
  parentSourceId?: string | undefined;
}

export interface SourcePage {
  sort: SourceSort;
  order: 'asc' | 'desc';
  limit: number;
  /** The last row of the page before: the value that it is sorted by, and its id. */
  after?: { value: string | number; id: string } | undefined;
}

export interface ListedSource extends Source {
  sourceGroupName: string;
  groupStatus: string;
  state: SourceState;
  attempts: number;
  /** Chunks of the source wait for their vectors. */
  embeds: boolean;
  /** The value that the row is sorted by; null when the list is sorted by time. */
  sortValue: string | number | null;
}

const STATE = raw("case when s.status = 'ready' then coalesce(u.status, 'ready') else s.status end");
const FROM = raw(`source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
  left join source_update u on u.tenant_id = s.tenant_id and u.source_id = s.id`);

/** The value of each sort, and its type. Ids sort by time. */
const SORTS: Record<SourceSort, { value: Sql; type: Sql }> = {
  time: { value: raw('null::int'), type: raw('int') },
  content_time: { value: raw('floor(extract(epoch from s.content_at) * 1000)::bigint'), type: raw('bigint') },
  name: { value: raw('lower(s.name)'), type: raw('text') },
  size: { value: raw('s.file_size'), type: raw('bigint') },
  chunks: { value: raw('s.chunk_count'), type: raw('int') },
};

function matching(tenantId: string, limits: GroupLimits, filter: SourceFilter): Sql {
  const conditions = [
    sql`s.tenant_id = ${tenantId}`,
    raw('s.deleted_at is null and g.deleted_at is null'),
    withinLimits(limits),
  ];
  if (filter.q !== undefined) {
    const inName = containsText(raw('s.name'), filter.q);
    const inPath = containsText(sql`coalesce(${OUTER_PATH}, '')`, filter.q);
    conditions.push(filter.inPath ? sql`(${inName} or ${inPath})` : inName);
  }
  if (filter.ids !== undefined) conditions.push(sql`s.id = any(${[...filter.ids]}::uuid[])`);
  if (filter.state !== undefined) conditions.push(sql`${STATE} = ${filter.state}`);
  if (filter.fileTypes !== undefined) conditions.push(sql`s.file_type = any(${[...filter.fileTypes]}::text[])`);
  if (filter.sourceGroupId !== undefined) conditions.push(sql`s.source_group_id = ${filter.sourceGroupId}`);
  if (filter.tagId !== undefined) conditions.push(hasTag(visibleTag(filter.tagId, limits)));
  if (filter.parentSourceId !== undefined) conditions.push(sql`s.parent_source_id = ${filter.parentSourceId}`);
  return join(conditions, ' and ');
}

/** Returns one page, with one extra row if a next page exists. Details are read for the rows of the page only. */
export function listAllSources(
  tx: Tx,
  limits: GroupLimits,
  filter: SourceFilter,
  { sort, order, limit, after }: SourcePage,
): Promise<ListedSource[]> {
  const { value, type } = SORTS[sort];
  const direction = raw(order);
  const by = sort === 'time' ? sql`s.id ${direction}` : sql`${value} ${direction}, s.id ${direction}`;
  return tx.query<ListedSource>(sql`
    with page as materialized (
      select s.id, ${value} as sort_value, ${STATE} as state, g.name as source_group_name, g.status as group_status from ${FROM}
      where ${matching(tx.tenantId, limits, filter)} and ${behind(sort, order, value, type, after)}
      order by ${by} limit ${limit + 1})
    select ${SOURCE_COLUMNS}, s.attempts, p.sort_value, p.state, p.source_group_name, p.group_status,
      (select exists (select from embedding_waiting w where w.tenant_id = ${tx.tenantId} and w.refused is null)) and exists (
        select from chunk c join embedding_waiting w on w.tenant_id = c.tenant_id and w.chunk_id = c.id and w.refused is null
          and w.generation = any(array(select g.generation from embedding_generation g
            where g.tenant_id = ${tx.tenantId} and g.status <> 'retired' and not ${IS_COPY}))
        where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation) as embeds
    from page p join source s on s.tenant_id = ${tx.tenantId} and s.id = p.id
    order by ${sort === 'time' ? sql`p.id ${direction}` : sql`p.sort_value ${direction}, p.id ${direction}`}`);
}

/** Returns the condition for rows behind the last row of the page before. */
function behind(sort: SourceSort, order: 'asc' | 'desc', value: Sql, type: Sql, after: SourcePage['after']): Sql {
  if (after === undefined) return raw('true');
  const than = raw(order === 'desc' ? '<' : '>');
  if (sort === 'time') return sql`s.id ${than} ${after.id}::uuid`;
  return sql`(${value}, s.id) ${than} (${after.value}::${type}, ${after.id}::uuid)`;
}

export interface SourceCount {
  state: SourceState;
  fileType: string;
  count: number;
}

/** Returns the numbers of matching sources by state and file type. The filters by state and file type are not applied. */
export function countAllSources(
  tx: Tx,
  limits: GroupLimits,
  { state: _state, fileTypes: _fileTypes, ...filter }: SourceFilter,
): Promise<SourceCount[]> {
  return tx.query<SourceCount>(sql`
    select ${STATE} as state, s.file_type, count(*) as count from ${FROM}
    where ${matching(tx.tenantId, limits, filter)} group by 1, 2`);
}

/** Returns ids and names of the first matching sources, at most `limit`. */
export function listSourceNames(
  tx: Tx,
  limits: GroupLimits,
  { state: _state, fileTypes: _fileTypes, ...filter }: SourceFilter,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return tx.query(sql`
    select s.id, s.name from ${FROM} where ${matching(tx.tenantId, limits, filter)} order by s.id limit ${limit}`);
}

/** A value of a filter, and the number of sources that have it. */
export interface Facet {
  id: string;
  name: string;
  count: number;
}

/** Returns the source groups with the most matching sources. The filter by source group is not applied. */
export function countByGroup(
  tx: Tx,
  limits: GroupLimits,
  { sourceGroupId: _group, ...filter }: SourceFilter,
  limit: number,
): Promise<Facet[]> {
  return tx.query<Facet>(sql`
    select g.id, g.name, count(*) as count from ${FROM} where ${matching(tx.tenantId, limits, filter)}
    group by g.id, g.name order by 3 desc, 1 limit ${limit}`);
}

/** Returns the tags whose source groups have the most matching sources. The filter by tag is not applied. */
export function countByTag(
  tx: Tx,
  limits: GroupLimits,
  { tagId: _tag, ...filter }: SourceFilter,
  limit: number,
): Promise<Facet[]> {
  const visible = limits.tagIds === null ? raw('true') : sql`t.id = any(${limits.tagIds}::uuid[])`;
  return tx.query<Facet>(sql`
    select t.id, t.name, count(*) as count from ${FROM}
    join tag_source_group l on l.tenant_id = g.tenant_id and l.source_group_id = g.id
    join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
    where ${matching(tx.tenantId, limits, filter)} and ${visible}
    group by t.id, t.name order by 3 desc, 1 limit ${limit}`);
}
