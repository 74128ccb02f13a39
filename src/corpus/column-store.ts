/**
 * SQL of the tables metadata_column and metadata_column_value. Database triggers update the values whenever metadata changes.
 * This module only fills in the values of sources that existed before their column was declared.
 */

import { type Access, mayShowSource, showsSomething } from '../access/access.ts';
import { type GroupLimits, withinLimits } from '../access/limits.ts';
import type { Queryable, Tx } from '../db/database.ts';
import type { PageRequest } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';

export const COLUMN_TYPES = ['string', 'integer'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface MetadataColumn {
  id: string;
  key: string;
  type: ColumnType;
  description: string;
  /** `building`: some sources do not have their values in the index yet. */
  status: 'building' | 'ready';
  /** Number of sources whose value is not a 64-bit integer; while building, among the sources seen so far. */
  coercionFailures: number;
}

/** The facts about a column that a filter needs. */
export type ColumnRef = Pick<MetadataColumn, 'id' | 'key' | 'type' | 'status'>;

export interface ColumnValue {
  value: string;
  /** Number of sources that have the value. */
  count: number;
}

const INDEXED_PREFIX_LENGTH = 100;
const GROUP_OF_SOURCE = raw('join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id');

function columnFields(limits: GroupLimits): Sql {
  return sql`k.id, k.key, k.type, k.description, k.status, (
    select count(*) from metadata_column_value v join source s on s.tenant_id = v.tenant_id and s.id = v.source_id ${GROUP_OF_SOURCE}
    where v.tenant_id = k.tenant_id and v.column_id = k.id and v.text_value is null and v.int_value is null
      and s.deleted_at is null and g.deleted_at is null and ${withinLimits(limits)}) as coercion_failures`;
}

/**
 * Locks the tenant's metadata and columns until the transaction ends: nobody else changes metadata or declares, builds or
 * removes a column. The call waits for transactions that have changed metadata.
 */
export async function lockColumns(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(sql`select lock_metadata_columns(${tenantId}::uuid, true)`);
}

/** Returns the number of declared columns; columns that are being deleted do not count. */
export async function countColumns(tx: Queryable, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*) as count from metadata_column where tenant_id = ${tenantId} and deleted_at is null`,
  );
  return row?.count ?? 0;
}

/** Declares a column. The caller holds `lockColumns`, and no column with this key exists. */
export async function insertColumn(
  tx: Tx,
  tenantId: string,
  column: Pick<MetadataColumn, 'id' | 'key' | 'type' | 'description'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into metadata_column (tenant_id, id, key, type, description, touched_at, created_at)
    values (${tenantId}, ${column.id}, ${column.key}, ${column.type}, ${column.description}, ${now}, ${now})`);
}

/** Returns the column with the key. `limits` name the sources whose coercion failures are counted. */
export async function findColumn(
  tx: Queryable,
  tenantId: string,
  key: string,
  limits: GroupLimits,
): Promise<MetadataColumn | undefined> {
  const [column] = await tx.query<MetadataColumn>(sql`
    select ${columnFields(limits)} from metadata_column k
    where k.tenant_id = ${tenantId} and k.key = ${key} and k.deleted_at is null`);
  return column;
}

/** Returns the declared columns among `keys`. */
export async function findColumnRefs(tx: Queryable, tenantId: string, keys: readonly string[]): Promise<ColumnRef[]> {
  return tx.query<ColumnRef>(sql`
    select k.id, k.key, k.type, k.status from metadata_column k
    where k.tenant_id = ${tenantId} and k.key = any(${keys}::text[]) and k.deleted_at is null`);
}

/** Returns one page in order of creation, with one extra row if a next page exists; `total` counts all columns. */
export async function listColumns(
  tx: Queryable,
  tenantId: string,
  limits: GroupLimits,
  page: PageRequest,
): Promise<{ rows: MetadataColumn[]; total: number }> {
  const after = page.afterId === undefined ? raw('true') : sql`k.id > ${page.afterId}::uuid`;
  const rows = await tx.query<MetadataColumn>(sql`
    select ${columnFields(limits)} from metadata_column k
    where k.tenant_id = ${tenantId} and k.deleted_at is null and ${after} order by k.id limit ${page.limit + 1}`);
  return { rows, total: await countColumns(tx, tenantId) };
}

/** Marks the column as deleted; `purgeStep` deletes its values later. The caller holds `lockColumns`. */
export async function tombstoneColumn(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
  await tx.query(sql`
    update metadata_column set deleted_at = ${now}, touched_at = ${now} where tenant_id = ${tenantId} and id = ${id}`);
}

/**
 * Returns a table (source_id, text_value, int_value) of the sources that have a value of the column's type. While the column is
 * building, the values are computed from the metadata. Answers therefore do not depend on the progress of the build.
 */
export function columnValues(tenantId: string, column: ColumnRef): Sql {
  const value = column.type === 'string' ? 'text_value' : 'int_value';
  if (column.status === 'ready') {
    return sql`(select v.source_id, v.text_value, v.int_value from metadata_column_value v
      where v.tenant_id = ${tenantId} and v.column_id = ${column.id} and v.${raw(value)} is not null)`;
  }
  const computed = sql`(select s.id as source_id, merged_metadata_value(s.metadata, s.origin_metadata, ${column.key}::text) as value
    from source s where s.tenant_id = ${tenantId})`;
  if (column.type === 'string') {
    return sql`(select b.source_id, normalize(b.value) as text_value, null::numeric as int_value from ${computed} b
      where b.value is not null)`;
  }
  return sql`(select b.source_id, null::text as text_value, metadata_integer(b.value) as int_value from ${computed} b
    where metadata_integer(b.value) is not null)`;
}

/** Returns the value of source `s` as text, computed from its metadata; null if no value has the column's type. */
export function computedValue({ key, type }: ColumnRef): Sql {
  const merged = sql`merged_metadata_value(s.metadata, s.origin_metadata, ${key}::text)`;
  return type === 'string' ? merged : sql`(metadata_integer(${merged})::text)`;
}

/** Returns the condition that `v.text_value` is one of `values`, which must be in NFC. The index on prefixes can serve it. */
export function textIsOneOf(values: readonly string[]): Sql {
  const prefixes = [...new Set(values.map((value) => [...value].slice(0, INDEXED_PREFIX_LENGTH).join('')))];
  return sql`(left(v.text_value, ${raw(String(INDEXED_PREFIX_LENGTH))}) collate "C" = any(${prefixes}::text[])
    and v.text_value collate "C" = any(${values}::text[]))`;
}

/**
 * Returns at most `limit` distinct values of the ready sources that the caller may see, in order: integers by size, text by
 * bytes.
 */
export async function listValues(
  tx: Queryable,
  tenantId: string,
  column: ColumnRef,
  access: Access,
  request: { prefix?: string | undefined; after?: string | undefined; limit: number },
): Promise<ColumnValue[]> {
  const value: Sql = column.type === 'string' ? raw('v.text_value') : raw('v.int_value::text');
  const conditions = [
    raw("s.deleted_at is null and s.status = 'ready' and g.deleted_at is null"),
    withinLimits(access),
    mayShowSource(access),
    showsSomething(access),
  ];
  if (request.prefix) conditions.push(sql`starts_with(${value}, ${request.prefix.normalize('NFC')})`);
  if (request.after !== undefined) {
    conditions.push(
      column.type === 'string'
        ? sql`v.text_value collate "C" > ${request.after.normalize('NFC')}`
        : sql`v.int_value > ${request.after}::numeric`,
    );
  }
  return tx.query<ColumnValue>(sql`
    select ${value} as value, count(*) as count
    from ${columnValues(tenantId, column)} v join source s on s.tenant_id = ${tenantId} and s.id = v.source_id ${GROUP_OF_SOURCE}
    where ${join(conditions, ' and ')}
    group by v.int_value, v.text_value collate "C", v.text_value
    order by v.int_value, v.text_value collate "C" limit ${request.limit}`);
}

/**
 * Fills in the values of the next `limit` sources, or marks the column as ready if no source is left. Returns true if nothing
 * is left to do, for example because the column was deleted.
 */
export async function buildStep(tx: Tx, tenantId: string, id: string, limit: number, now: Date): Promise<boolean> {
  await lockColumns(tx, tenantId);
  const [column] = await tx.query<{ key: string; type: ColumnType; builtTo: string | null }>(sql`
    select k.key, k.type, k.built_to from metadata_column k
    where k.tenant_id = ${tenantId} and k.id = ${id} and k.deleted_at is null and k.status = 'building'`);
  if (!column) return true;
  const after = column.builtTo === null ? raw('true') : sql`s.id > ${column.builtTo}::uuid`;
  const batch = await tx.query<{ id: string }>(sql`
    select s.id from source s where s.tenant_id = ${tenantId} and ${after} order by s.id limit ${limit}`);
  const last = batch.at(-1);
  if (!last) {
    await tx.query(sql`
      update metadata_column set status = 'ready', touched_at = ${now} where tenant_id = ${tenantId} and id = ${id}`);
    return true;
  }
  await fill(
    tx,
    tenantId,
    { ...column, id },
    batch.map((source) => source.id),
  );
  await tx.query(sql`
    update metadata_column set built_to = ${last.id}, touched_at = ${now} where tenant_id = ${tenantId} and id = ${id}`);
  return false;
}

/** Inserts the values of the sources. An existing value stays: a later change of the metadata wrote it, so it is right. */
async function fill(
  tx: Tx,
  tenantId: string,
  column: Pick<MetadataColumn, 'id' | 'key' | 'type'>,
  sourceIds: readonly string[],
): Promise<void> {
  const value = column.type === 'string' ? raw('normalize(m.value), null') : raw('null, metadata_integer(m.value)');
  // The lock waits for uncommitted deletions of sources: a value must not outlive its source.
  await tx.query(sql`
    insert into metadata_column_value (tenant_id, source_id, column_id, text_value, int_value)
    select ${tenantId}::uuid, m.id, ${column.id}::uuid, ${value} from (
      select s.id, merged_metadata_value(s.metadata, s.origin_metadata, ${column.key}::text) as value
      from source s where s.tenant_id = ${tenantId} and s.id = any(${sourceIds}::uuid[]) for key share) m
    where m.value is not null
    on conflict (tenant_id, column_id, source_id) do nothing`);
}

/** Deletes up to `limit` values of a deleted column, and the column itself after its last value. Returns true when done. */
export async function purgeStep(tx: Tx, tenantId: string, id: string, limit: number, now: Date): Promise<boolean> {
  const hidden = await tx.query(sql`
    update metadata_column set touched_at = ${now}
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is not null returning 1 as one`);
  if (hidden.length === 0) return true;
  const removed = await tx.query(sql`
    delete from metadata_column_value where tenant_id = ${tenantId} and column_id = ${id} and source_id in (
      select source_id from metadata_column_value where tenant_id = ${tenantId} and column_id = ${id} limit ${limit})
    returning 1 as one`);
  if (removed.length > 0) return false;
  await tx.query(sql`delete from metadata_column where tenant_id = ${tenantId} and id = ${id}`);
  return true;
}

/** Claims and returns columns whose job sent no heartbeat since `before`. A claim counts as a heartbeat. */
export async function claimStalledColumns(tx: Tx, tenantId: string, before: Date, now: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update metadata_column k set touched_at = ${now}
    where k.tenant_id = ${tenantId} and (k.status = 'building' or k.deleted_at is not null) and k.touched_at < ${before}
    returning k.id`);
  return rows.map((row) => row.id);
}
