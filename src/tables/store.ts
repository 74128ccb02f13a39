/** SQL of the tables source_table and source_table_copy: the catalogue of tables. Reads what a build needs of a source. */

import { type GroupLimits, withinLimits } from '../access/limits.ts';
import type { TablePlace } from '../corpus/values.ts';
import { json, type Tx } from '../db/database.ts';
import { countRows } from '../db/page-sql.ts';
import { keepPlan, raw, type Sql, sql } from '../db/sql.ts';
import type { BuiltTable, ColumnSetting } from './build/build-table.ts';
import type { StoredTable, TablePosition, TableWarning } from './table.ts';

export const TABLES_PER_TENANT_MAX = 100_000;

/** A row of the catalogue with what only builds and changes need. */
export interface TableRow extends StoredTable {
  placeKey: string;
  /** The address of the file, if the table was asked for by its address. */
  url: string | null;
  requested: boolean;
  errorMessage: string | null;
  columnSettings: Record<string, ColumnSetting>;
  schemaPolicy: 'accept' | 'freeze';
  hiddenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export const TABLE_COLUMNS: Sql =
  raw(`t.tenant_id, t.id as table_id, t.source_id, t.source_group_id, t.generation, t.position, t.name,
  t.sql_name, t.description, t.status, t.version, t.blob_hash, t.row_count, t.total_rows, t.columns, t.warnings, t.place_key,
  t.url, t.requested, t.error_message, t.column_settings, t.schema_policy, t.hidden_at, t.created_at, t.updated_at`);

/** A source whose tables can be built. */
export interface TableSource {
  id: string;
  sourceGroupId: string;
  name: string;
  language: string | null;
  generation: number;
  tables: TablePlace[];
  /** The raw file, whose further rows are read if the text does not have all. */
  blobHash: string;
  fileSize: number;
  charset: string | null;
}

/** Returns a source that is searchable, or undefined. */
export async function findTableSource(
  tx: Tx,
  sourceId: string,
  limits: GroupLimits = { sourceGroupIds: null, tagIds: null },
): Promise<TableSource | undefined> {
  const [source] = await tx.query<TableSource>(sql`
    select s.id, s.source_group_id, s.name, s.language, s.generation, s.tables, s.blob_hash, s.file_size,
      o.metadata -> 'charset' ->> 'val' as charset
    from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    left join source_origin o on o.tenant_id = s.tenant_id and o.source_id = s.id
    where s.tenant_id = ${tx.tenantId} and s.id = ${sourceId} and s.status = 'ready' and s.deleted_at is null and g.deleted_at is null
      and ${withinLimits(limits)}`);
  return source;
}

/** Returns all tables of a source, also hidden ones. */
export function listTablesOfSource(tx: Tx, sourceId: string): Promise<TableRow[]> {
  return tx.query<TableRow>(sql`
    select ${TABLE_COLUMNS} from source_table t
    where t.tenant_id = ${tx.tenantId} and t.source_id = ${sourceId} order by t.id`);
}

/** Returns those of the sources that have tables, or for which the table of an address waits. */
export async function findSourcesWithTables(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ sourceId: string }>(
    keepPlan(sql`
    select s.id as source_id from source s where s.tenant_id = ${tx.tenantId} and s.id = any(${[...ids]}::uuid[]) and (
      exists (select from source_table t where t.tenant_id = s.tenant_id and t.source_id = s.id)
      or exists (select from source_table t
        where t.tenant_id = s.tenant_id and t.source_group_id = s.source_group_id and t.source_id is null))`),
  );
  return rows.map(({ sourceId }) => sourceId);
}

export function countTables(tx: Tx): Promise<number> {
  return countRows(tx, sql`source_table t where t.tenant_id = ${tx.tenantId}`);
}

/** Returns the SQL names of the tenant's tables that begin with `base`. */
export async function listSqlNames(tx: Tx, base: string): Promise<Set<string>> {
  const rows = await tx.query<{ sqlName: string }>(sql`
    select t.sql_name from source_table t where t.tenant_id = ${tx.tenantId} and starts_with(t.sql_name, ${base})`);
  return new Set(rows.map(({ sqlName }) => sqlName));
}

export interface NewTable {
  id: string;
  /** Null with `url`: the table waits for its file. */
  sourceId: string | null;
  sourceGroupId: string;
  placeKey: string | null;
  position: TablePosition;
  name: string;
  sqlName: string;
  description: string | null;
  requested: boolean;
  schemaPolicy: 'accept' | 'freeze';
  /** The address of the file, and the number of the table in it; null: its only table. */
  address?: { url: string; index: number | null };
}

/** Inserts a table that is to be built. */
export async function insertTable(tx: Tx, table: NewTable, now: Date): Promise<void> {
  await tx.query(sql`
    insert into source_table (tenant_id, id, source_id, source_group_id, generation, place_key, position, name, sql_name, description,
      requested, status, schema_policy, url, wanted_index, created_at, updated_at)
    values (${tx.tenantId}, ${table.id}, ${table.sourceId}, ${table.sourceGroupId}, 0, ${table.placeKey}, ${json(table.position)},
      ${table.name}, ${table.sqlName}, ${table.description}, ${table.requested}, 'building', ${table.schemaPolicy},
      ${table.address?.url ?? null}, ${table.address?.index ?? null}::int, ${now}, ${now})`);
}

/** Makes the tables wait for a build. Their present versions stay served. */
export async function markBuilding(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx.query(sql`
    update source_table set status = 'building', hidden_at = null, updated_at = ${now}
    where tenant_id = ${tx.tenantId} and id = any(${[...ids]}::uuid[])`);
}

/** Records why a table could not be built. Its present version stays served. */
export async function failTable(tx: Tx, id: string, message: string, now: Date): Promise<void> {
  await tx.query(sql`
    update source_table set status = 'failed', error_message = ${message}, updated_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/**
 * Makes a new version the served one. Returns false if the source was deleted or has got a newer version: the file is then of a text
 * that no longer exists.
 */
export async function commitTable(
  tx: Tx,
  table: { sourceId: string; tableId: string; generation: number; position: TablePosition },
  built: BuiltTable & { blobHash: string },
  now: Date,
): Promise<boolean> {
  const { sourceId, tableId } = table;
  const sources = await tx.query(sql`
    select from source s where s.tenant_id = ${tx.tenantId} and s.id = ${sourceId} and s.generation = ${table.generation}
      and s.status = 'ready' and s.deleted_at is null for share`);
  if (sources.length === 0) return false;
  const rows = await tx.query(sql`
    update source_table t set status = 'ready', error_message = null, generation = ${table.generation}, version = t.version + 1,
      position = ${json(table.position)}, blob_hash = ${built.blobHash}, bytes = ${built.bytes}, row_count = ${built.rowCount},
      total_rows = ${built.totalRows}, columns = ${json(built.columns)}, warnings = ${json(built.warnings)},
      description = coalesce(t.description, ${built.caption === '' ? null : built.caption}), updated_at = ${now}
    where t.tenant_id = ${tx.tenantId} and t.id = ${tableId} returning t.version`);
  await tx.query(sql`
    delete from source_table_copy c where c.tenant_id = ${tx.tenantId} and c.table_id = ${tableId}`);
  return rows.length > 0;
}

/** Deletes tables. The garbage collector removes their files. */
export async function deleteTables(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from source_table where tenant_id = ${tx.tenantId} and id = any(${[...ids]}::uuid[])`);
}

/** Hides a table that comes with its source, until the source changes. */
export async function hideTable(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(sql`
    update source_table set hidden_at = ${now}, blob_hash = null, updated_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${id}`);
  await tx.query(sql`delete from source_table_copy where tenant_id = ${tx.tenantId} and table_id = ${id}`);
}

/** Saves what a user has set. */
export async function changeTable(
  tx: Tx,
  table: Pick<TableRow, 'tableId' | 'name' | 'sqlName' | 'description' | 'columnSettings' | 'schemaPolicy' | 'columns'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update source_table set name = ${table.name}, sql_name = ${table.sqlName}, description = ${table.description},
      column_settings = ${json(table.columnSettings)}, schema_policy = ${table.schemaPolicy}, columns = ${json(table.columns)},
      updated_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${table.tableId}`);
}

export interface WaitingTable {
  tableId: string;
  /** The number of the table in the file; null: its only table. */
  wantedIndex: number | null;
}

/** Returns the tables of a source group whose file was not read yet. */
export function listWaiting(tx: Tx, groupId: string): Promise<WaitingTable[]> {
  return tx.query<WaitingTable>(sql`
    select t.id as table_id, t.wanted_index from source_table t
    where t.tenant_id = ${tx.tenantId} and t.source_group_id = ${groupId} and t.source_id is null`);
}

/** Makes a waiting table one of a source, so that it can be built. */
export async function bindWaiting(
  tx: Tx,
  tableId: string,
  place: { sourceId: string; placeKey: string; position: TablePosition },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update source_table set source_id = ${place.sourceId}, place_key = ${place.placeKey}, position = ${json(place.position)},
      status = 'building', error_message = null, updated_at = ${now}
    where tenant_id = ${tx.tenantId} and id = ${tableId} and source_id is null`);
}

/** Records why a run could not read the file of the group's tables; null: it could. */
export async function saveRefreshError(tx: Tx, groupId: string, error: string | null): Promise<void> {
  await tx.query(sql`
    update source_table set refresh_error = ${error}
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and url is not null
      and refresh_error is distinct from ${error}::text`);
}

/** Returns sources with tables that have waited for their build since `before`, and makes the tables wait again. */
export async function claimStalledTables(tx: Tx, before: Date, now: Date): Promise<string[]> {
  const rows = await tx.query<{ sourceId: string }>(sql`
    update source_table t set updated_at = ${now}
    where t.tenant_id = ${tx.tenantId} and t.status = 'building' and t.source_id is not null and t.updated_at < ${before}
    returning t.source_id`);
  return [...new Set(rows.map(({ sourceId }) => sourceId))];
}

/** Returns the end, ordinal and first page of each chunk of a version of a source, in order. */
export async function readChunkEnds(
  tx: Tx,
  sourceId: string,
  generation: number,
): Promise<{ endOffset: number; ordinal: number; page: number | null }[]> {
  return tx.query(sql`
    select c.end_offset, c.ordinal, c.pages[1] as page from chunk c
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId} and c.generation = ${generation} order by c.ordinal`);
}

/** Returns up to `limit` segments of the text that begin at or after `from` or contain it, in order. */
export function readSegments(
  tx: Tx,
  source: { id: string; generation: number },
  from: number,
  limit: number,
): Promise<{ startOffset: number; endOffset: number; content: string }[]> {
  return tx.query(sql`
    select t.start_offset, t.end_offset, t.content from source_text t
    where t.tenant_id = ${tx.tenantId} and t.source_id = ${source.id} and t.generation = ${source.generation}
      and t.end_offset > ${from}::int
    order by t.start_offset limit ${limit}`);
}

/** Returns a table with its file and the ingest rules under which its source was read; undefined if it has no file. */
export async function findTableToRedact(
  tx: Tx,
  id: string,
): Promise<
  (Pick<StoredTable, 'tableId' | 'version' | 'columns'> & { blobHash: string; redactedBy: string }) | undefined
> {
  const [table] = await tx.query<StoredTable & { blobHash: string; redactedBy: string }>(sql`
    select t.id as table_id, t.version, t.columns, t.blob_hash, s.redacted_by
    from source_table t join source s on s.tenant_id = t.tenant_id and s.id = t.source_id
    where t.tenant_id = ${tx.tenantId} and t.id = ${id} and t.blob_hash is not null and t.hidden_at is null`);
  return table;
}

/** Returns the blob of a table's copy with a version of the redaction policy applied, if it was made. */
export async function findCopy(
  tx: Tx,
  table: Pick<StoredTable, 'tableId' | 'version'>,
  redactionVersion: number,
): Promise<string | undefined> {
  const [copy] = await tx.query<{ blobHash: string }>(sql`
    select c.blob_hash from source_table_copy c where c.tenant_id = ${tx.tenantId} and c.table_id = ${table.tableId}
      and c.version = ${table.version} and c.redaction_version = ${redactionVersion}`);
  return copy?.blobHash;
}

/** Saves a copy, if the table still has this version. Copies of other versions of the policy are deleted. */
export async function saveCopy(
  tx: Tx,
  { tableId, version }: Pick<StoredTable, 'tableId' | 'version'>,
  redactionVersion: number,
  blobHash: string,
  now: Date,
): Promise<void> {
  const { tenantId } = tx;
  await tx.query(sql`
    delete from source_table_copy where tenant_id = ${tenantId} and table_id = ${tableId} and redaction_version <> ${redactionVersion}`);
  await tx.query(sql`
    insert into source_table_copy (tenant_id, table_id, version, redaction_version, blob_hash, created_at)
    select ${tenantId}::uuid, t.id, t.version, ${redactionVersion}::int, ${blobHash}::text, ${now}::timestamptz from source_table t
    where t.tenant_id = ${tenantId} and t.id = ${tableId} and t.version = ${version}
    on conflict (tenant_id, table_id, version, redaction_version) do update set blob_hash = excluded.blob_hash`);
}

/** Adds a warning to the served version. */
export function withWarning(warnings: readonly TableWarning[], warning: TableWarning): TableWarning[] {
  return [...warnings.filter(({ code }) => code !== warning.code), warning];
}

/** Returns the hashes of the files of all tables of a source: the served versions and their redacted copies. */
export async function listTableBlobs(tx: Tx, sourceId: string): Promise<string[]> {
  const rows = await tx.query<{ hash: string }>(sql`
    select t.blob_hash as hash from source_table t
    where t.tenant_id = ${tx.tenantId} and t.source_id = ${sourceId} and t.blob_hash is not null
    union select c.blob_hash from source_table_copy c join source_table t on t.tenant_id = c.tenant_id and t.id = c.table_id
    where t.tenant_id = ${tx.tenantId} and t.source_id = ${sourceId}`);
  return rows.map((row) => row.hash);
}
