/** Reads the catalogue of tables as a caller may see it. Writes are in tables/store.ts. */
import { type Access, mayShowChunk, mayShowSource, showsEverything, showsSomething } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import { SOURCE_PATH } from '../../corpus/sources/paths.ts';
import type { Tx } from '../../db/database.ts';
import { type Listed, type PageRequest, readPage } from '../../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../../db/sql.ts';
import { ALIVE, SOURCE_TABLES, visibleSource } from '../../retrieval/query/filter-sql.ts';
import { STAND_IN } from '../../tables/reader-names.ts';
import { TABLE_COLUMNS, type TableRow } from '../../tables/store.ts';

/** A table with what its reader may see of it. */
export interface CatalogueTable extends Omit<TableRow, 'sourceId'> {
  /** Null while the table of an address waits for its file. */
  sourceId: string | null;
  /** The schedule on which the file of an address is read; empty without one, null for other tables. */
  rrule: string | null;
  /** Why the last run could not read the file. */
  refreshError: string | null;
  /** The caller sees every chunk of the table. */
  seesAll: boolean;
  /** The ingest rules under which the text of the served version was read; OLDER_RULES if the source has a newer text. */
  redactedBy: string;
  bytes: number;
  /** The name and the path of the source. */
  sourceName: string;
  sourcePath: string | null;
  servedGeneration: number;
}

const FROM = raw(`source_table t join source_group g on g.tenant_id = t.tenant_id and g.id = t.source_group_id
  left join source s on s.tenant_id = t.tenant_id and s.id = t.source_id`);

/** No rules have this name, so those of now apply to what is shown. */
const OLDER_RULES = raw(`'older'`);

/** The place of table `t` in the served text. */
const PLACE = raw(`s.tables -> (t.position ->> 'index')::int`);
const CHUNKS_OF_TABLE = sql`c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation
  and c.end_offset > (${PLACE} ->> 'start')::int and c.start_offset < (${PLACE} ->> 'end')::int`;

/**
 * The condition that some row of table `t` is visible. A version of an older text is visible to those who see the whole source. A table
 * that waits for its file is hidden from principals, because no policy can be applied to it.
 */
function visible(access: Access): Sql {
  const some = access.policy?.chunk
    ? sql`case when t.version = 0 then ${showsSomething(access)} when t.generation <> s.generation then ${showsEverything(access)}
        else exists (select from chunk c where ${CHUNKS_OF_TABLE} and ${mayShowChunk(access)}) end`
    : raw('true');
  const waits = sql`t.source_id is null and g.deleted_at is null and ${raw(access.policy ? 'false' : 'true')}`;
  return sql`${withinLimits(access)} and (${waits}
    or t.source_id is not null and ${ALIVE} and t.hidden_at is null and ${mayShowSource(access)} and ${some})`;
}

function columns(access: Access): Sql {
  const all = access.policy?.chunk
    ? sql`case when t.generation <> s.generation then ${showsEverything(access)}
        else not exists (select from chunk c where ${CHUNKS_OF_TABLE} and not coalesce(${mayShowChunk(access)}, false)) end`
    : raw('true');
  return sql`${TABLE_COLUMNS}, t.bytes, t.refresh_error,
    case when t.generation <> s.generation then ${OLDER_RULES} else coalesce(s.redacted_by, '') end as redacted_by,
    coalesce(s.generation, 0) as served_generation, coalesce(s.name, '') as source_name, ${SOURCE_PATH} as source_path, ${all} as sees_all,
    case when t.url is not null then (select o.rrule from connector_setting o
      where o.tenant_id = t.tenant_id and o.source_group_id = t.source_group_id) end as rrule`;
}

export interface TableFilter {
  sourceId?: string | undefined;
  sourceGroupId?: string | undefined;
  name?: string | undefined;
  ids?: readonly string[] | undefined;
}

function matching(tenantId: string, access: Access, { sourceId, sourceGroupId, name, ids }: TableFilter): Sql {
  const parts = [
    sql`t.tenant_id = ${tenantId} and ${visible(access)}`,
    sourceId === undefined ? raw('true') : sql`t.source_id = ${sourceId}::uuid`,
    sourceGroupId === undefined ? raw('true') : sql`t.source_group_id = ${sourceGroupId}::uuid`,
    ids === undefined ? raw('true') : sql`t.id = any(${[...ids]}::uuid[])`,
    name === undefined
      ? raw('true')
      : sql`(lower(t.name) = lower(${name}) or t.sql_name = lower(${name})
          or ${STAND_IN}::text || replace(t.id::text, '-', '') = lower(${name}))`,
  ] as const;
  return sql`${FROM} where ${join(parts, ' and ')}`;
}

export function listVisibleTables(
  tx: Tx,
  access: Access,
  filter: TableFilter,
  page: PageRequest,
): Promise<Listed<CatalogueTable>> {
  return readPage<CatalogueTable>(tx, columns(access), matching(tx.tenantId, access, filter), raw('t.id'), page);
}

export type TableNames = Pick<CatalogueTable, 'tableId' | 'name' | 'sqlName' | 'sourceName' | 'sourcePath'>;

export function listVisibleNames(tx: Tx, access: Access, filter: TableFilter): Promise<TableNames[]> {
  return tx.query<TableNames>(sql`
    select t.id as table_id, t.name, t.sql_name, coalesce(s.name, '') as source_name, ${SOURCE_PATH} as source_path
    from ${matching(tx.tenantId, access, filter)}`);
}

export async function findVisibleTable(tx: Tx, id: string, access: Access): Promise<CatalogueTable | undefined> {
  const [table] = await tx.query<CatalogueTable>(sql`
    select ${columns(access)} from ${FROM} where t.tenant_id = ${tx.tenantId} and t.id = ${id} and ${visible(access)}`);
  return table;
}

/** Returns the ordinals of the visible chunks of a table; null if all of its chunks are visible. */
export async function visibleParts(tx: Tx, table: CatalogueTable, access: Access): Promise<ReadonlySet<number> | null> {
  if (table.seesAll) return null;
  if (table.generation !== table.servedGeneration) return new Set();
  const rows = await tx.query<{ ordinal: number }>(sql`
    select c.ordinal from ${FROM} join chunk c on ${CHUNKS_OF_TABLE}
    where t.tenant_id = ${tx.tenantId} and t.id = ${table.tableId} and ${mayShowChunk(access)}`);
  return new Set(rows.map(({ ordinal }) => ordinal));
}

/** Returns the name and the path of a visible source. */
export async function findSourceTables(
  tx: Tx,
  sourceId: string,
  access: Access,
): Promise<{ name: string; path: string | null } | undefined> {
  const [source] = await tx.query<{ name: string; path: string | null }>(sql`
    select s.name, ${SOURCE_PATH} as path from ${SOURCE_TABLES}
    where s.tenant_id = ${tx.tenantId} and s.id = ${sourceId} and ${visibleSource(access)}`);
  return source;
}

/** Returns the indices of the source's tables of which the caller sees a chunk. */
export async function visiblePlaces(tx: Tx, sourceId: string, access: Access): Promise<ReadonlySet<number>> {
  const some = access.policy?.chunk
    ? sql`exists (select from chunk c where c.tenant_id = s.tenant_id and c.source_id = s.id and c.generation = s.generation
        and c.end_offset > (p.place ->> 'start')::int and c.start_offset < (p.place ->> 'end')::int and ${mayShowChunk(access)})`
    : raw('true');
  const rows = await tx.query<{ index: number }>(sql`
    select (p.number - 1)::int as index from source s
    join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    cross join lateral jsonb_array_elements(s.tables) with ordinality as p(place, number)
    where s.tenant_id = ${tx.tenantId} and s.id = ${sourceId} and ${some}`);
  return new Set(rows.map(({ index }) => index));
}
