/** The tables that a request may query, and the parts of them that it may see. A row is visible as the chunk is that holds it. */
import { type Access, mayShowChunk } from '../../access/access.ts';
import { SOURCE_PATH } from '../../corpus/sources/paths.ts';
import type { Tx } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import { type ReaderNames, STAND_IN } from '../../tables/reader-names.ts';
import type { StoredTable } from '../../tables/table.ts';
import { SERVED, SOURCE_TABLES, visibleSource } from '../query/filter-sql.ts';
import { type HitRow, hitColumns, visibleChunks, withPlace } from '../reading/hits.ts';

/** A table with its Parquet file. */
export interface QueriedTable
  extends Pick<
    StoredTable,
    'tenantId' | 'tableId' | 'sourceId' | 'generation' | 'name' | 'sqlName' | 'description' | 'version' | 'columns'
  > {
  blobHash: string;
  totalRows: number;
  rowCount: number;
  /** Size of the Parquet file. */
  bytes: number;
  /** The ingest rules under which the source was read. */
  redactedBy: string;
  /** Number of chunks of the source. */
  chunkCount: number;
  /** The name and the path of the source. */
  sourceName: string;
  sourcePath: string | null;
}

/** A table with what of it is visible, and with the names that its reader uses. */
export interface OpenedTable {
  table: ReaderNames<QueriedTable>;
  /** Ordinals of the visible parts; null: all. */
  parts: number[] | null;
}

/** A chunk, and the code point of its source's text with which it begins. */
export interface PartRow {
  chunk: HitRow;
  startsAt: number;
}

/** How the tables are chosen: by their ids, by their sources, or by names in a text; without a member, all. */
export interface Wanted {
  ids?: readonly string[] | undefined;
  sourceIds?: readonly string[];
  namesIn?: string;
}

const COLUMNS = sql`t.tenant_id, t.id as table_id, t.source_id, t.generation, t.name, t.sql_name, t.description, t.version, t.columns,
  t.blob_hash, t.row_count, t.total_rows, t.bytes, s.redacted_by, s.chunk_count, s.name as source_name, ${SOURCE_PATH} as source_path`;

/** Returns up to `limit` tables of which the request may see something, oldest first. The file of a table is of the served text. */
export function listQueryable(
  tx: Tx,
  access: Access,
  { ids, sourceIds, namesIn }: Wanted,
  limit: number,
): Promise<QueriedTable[]> {
  const conditions = [
    sql`t.tenant_id = ${tx.tenantId} and t.blob_hash is not null and t.hidden_at is null and t.generation = s.generation`,
    visibleSource(access),
  ];
  if (ids) conditions.push(sql`t.id = any(${ids}::uuid[])`);
  if (sourceIds) conditions.push(sql`t.source_id = any(${sourceIds}::uuid[])`);
  if (namesIn !== undefined) {
    const standIn = sql`${STAND_IN}::text || replace(t.id::text, '-', '')`;
    conditions.push(sql`(strpos(lower(${namesIn}), t.sql_name) > 0 or strpos(lower(${namesIn}), ${standIn}) > 0)`);
  }
  return tx.query<QueriedTable>(sql`
    select ${COLUMNS} from source_table t join ${SOURCE_TABLES} on s.tenant_id = t.tenant_id and s.id = t.source_id
    where ${join(conditions, ' and ')} order by t.id limit ${limit}`);
}

/** Returns the ordinals of the visible chunks of the table's source, ascending; null if all are visible. */
export async function readVisibleParts(
  tx: Tx,
  table: Pick<QueriedTable, 'sourceId' | 'generation' | 'chunkCount'>,
  access: Access,
): Promise<number[] | null> {
  if (!access.policy?.chunk) return null;
  const rows = await tx.query<{ ordinal: number }>(sql`
    select c.ordinal from chunk c join ${SOURCE_TABLES} on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${table.sourceId} and c.generation = ${table.generation}
      and ${SERVED} and ${mayShowChunk(access)} order by c.ordinal`);
  return rows.length === table.chunkCount ? null : rows.map(({ ordinal }) => ordinal);
}

/** Returns the visible chunks with these ordinals, as `findChunk` of reading/lookup.ts returns one. */
export async function readPartRows(
  tx: Tx,
  table: Pick<QueriedTable, 'sourceId' | 'generation'>,
  access: Access,
  ordinals: readonly number[],
): Promise<Map<number, PartRow>> {
  const rows = await tx.query<HitRow & { ordinal: number; startsAt: number }>(sql`
    select ${hitColumns(access)}, c.ordinal, c.start_offset as starts_at ${visibleChunks(tx.tenantId, access)}
      and c.source_id = ${table.sourceId} and c.generation = ${table.generation} and c.ordinal = any(${[...ordinals]}::int[])`);
  return new Map(
    rows.map(({ ordinal, startsAt, ...row }) => [ordinal, { chunk: withPlace(row as HitRow, access), startsAt }]),
  );
}
