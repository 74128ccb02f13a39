/** SQL of the table metadata_column, and lists of the values of a column, which are in the table metadata_value. */

import { type Access, mayShowSource, showsSomething } from '../access/access.ts';
import { type GroupLimits, withinLimits } from '../access/limits.ts';
import type { Tx } from '../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';

export const COLUMN_TYPES = ['string', 'integer'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface MetadataColumn {
  id: string;
  key: string;
  type: ColumnType;
  description: string;
  /** Number of sources whose value is not a 64-bit integer. */
  coercionFailures: number;
}

/** The facts about a column that a filter needs. */
export type ColumnRef = Pick<MetadataColumn, 'key' | 'type'>;

export interface ColumnValue {
  value: string;
  /** Number of sources that have the value. */
  count: number;
}

const GROUP_OF_SOURCE = raw('join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id');
/** The condition that value `v` is a 64-bit integer. */
export const IS_INTEGER = raw('metadata_integer(v.text_value) is not null');

function columnFields(limits: GroupLimits): Sql {
  return sql`k.id, k.key, k.type, k.description, case when k.type = 'integer' then (
    select count(*) from metadata_value v join source s on s.tenant_id = v.tenant_id and s.id = v.source_id ${GROUP_OF_SOURCE}
    where v.tenant_id = k.tenant_id and v.key = k.key and not (${IS_INTEGER})
      and s.deleted_at is null and g.deleted_at is null and ${withinLimits(limits)}) else 0 end as coercion_failures`;
}

/** Locks the tenant's columns until the transaction ends: nobody else declares a column. */
export async function lockColumns(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('metadata_column ' || ${tx.tenantId}::text, 0))`);
}

export function countColumns(tx: Tx): Promise<number> {
  return countRows(tx, sql`metadata_column where tenant_id = ${tx.tenantId}`);
}

/** Declares a column. The caller holds `lockColumns`, and no column with this key exists. */
export async function insertColumn(
  tx: Tx,
  column: Pick<MetadataColumn, 'id' | 'key' | 'type' | 'description'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into metadata_column (tenant_id, id, key, type, description, created_at)
    values (${tx.tenantId}, ${column.id}, ${column.key}, ${column.type}, ${column.description}, ${now})`);
}

/** Returns the column with the key. `limits` name the sources whose coercion failures are counted. */
export async function findColumn(tx: Tx, key: string, limits: GroupLimits): Promise<MetadataColumn | undefined> {
  const [column] = await tx.query<MetadataColumn>(sql`
    select ${columnFields(limits)} from metadata_column k
    where k.tenant_id = ${tx.tenantId} and k.key = ${key}`);
  return column;
}

/** Returns the declared columns among `keys`. */
export async function findColumnRefs(tx: Tx, keys: readonly string[]): Promise<ColumnRef[]> {
  return tx.query<ColumnRef>(sql`
    select k.key, k.type from metadata_column k
    where k.tenant_id = ${tx.tenantId} and k.key = any(${keys}::text[])`);
}

export function listColumns(tx: Tx, limits: GroupLimits, page: PageRequest): Promise<Listed<MetadataColumn>> {
  const matching = sql`metadata_column k where k.tenant_id = ${tx.tenantId}`;
  return readPage<MetadataColumn>(tx, columnFields(limits), matching, raw('k.id'), page);
}

export async function deleteColumn(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from metadata_column where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/**
 * Returns at most `limit` distinct values of the ready sources that the caller may see, in order: integers by size, text by
 * bytes.
 */
export async function listValues(
  tx: Tx,
  column: ColumnRef,
  access: Access,
  request: { prefix?: string | undefined; after?: string | undefined; limit: number },
): Promise<ColumnValue[]> {
  const value: Sql = column.type === 'string' ? raw('v.text_value') : raw('v.number_value::text');
  const conditions = [
    sql`v.tenant_id = ${tx.tenantId} and v.key = ${column.key}`,
    ...(column.type === 'integer' ? [IS_INTEGER] : []),
    raw("s.deleted_at is null and s.status = 'ready' and g.deleted_at is null"),
    withinLimits(access),
    mayShowSource(access),
    showsSomething(access),
  ];
  if (request.prefix) conditions.push(sql`starts_with(${value}, ${request.prefix.normalize('NFC')})`);
  if (request.after !== undefined) {
    conditions.push(
      column.type === 'string'
        ? sql`v.text_value > ${request.after.normalize('NFC')}`
        : sql`v.number_value > ${request.after}::numeric`,
    );
  }
  const order = raw(column.type === 'string' ? 'v.text_value' : 'v.number_value');
  return tx.query<ColumnValue>(sql`
    select ${value} as value, count(*) as count
    from metadata_value v join source s on s.tenant_id = v.tenant_id and s.id = v.source_id ${GROUP_OF_SOURCE}
    where ${join(conditions, ' and ')} group by ${order} order by ${order} limit ${request.limit}`);
}
