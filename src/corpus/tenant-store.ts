/** SQL of the table tenant. Each tenant has its own partition of the table chunk: its own BM25 statistics, indexes and fast deletion. */
import type { Config } from '../config.ts';
import { lockAgainstBackup } from '../db/backup-lock.ts';
import type { Database, Queryable, SystemTx, Tx } from '../db/database.ts';
import { identifier, raw, type Sql, sql } from '../db/sql.ts';
import { conflict } from '../errors.ts';
import { appendAudit } from './audit-store.ts';
import { createVectorPartition, vectorPartition } from './vector-store.ts';

export interface Tenant {
  id: string;
  name: string;
  /** The number in the names of its chunk partition and indexes. */
  partitionNo: number;
  createdAt: Date;
}

/** BM25 parameters of the index, tuned on the evaluation sets. k1 above 1 slightly favours English; below 1, Japanese and Korean. */
export const BM25_K1 = 0.9;
export const BM25_B = 0.75;

/**
 * Version of the analyzer (text/analyzer.ts). Raise it with every change of the analyzer's output: after the next start, chunks
 * of an older version are analyzed again.
 */
export const ANALYZER_VERSION = 17;

/** Returns the name of the tenant's partition of `chunk`. */
export function chunkPartition(partitionNo: number): string {
  return `chunk_${partitionNo}`;
}

/** Returns the name of the index over `terms` of the tenant's partition; BM25 queries name the index. */
export function termsIndex(partitionNo: number): string {
  return `chunk_${partitionNo}_terms`;
}

/** Returns the name of the tables that replace the index where the database has no BM25 index. */
export function textIndex(partitionNo: number): string {
  return `text_index_${partitionNo}`;
}

/** Creates the tenant with its partitions. @throws a unique violation if the name or the id is taken. */
export async function createTenant(db: Database, tenant: { id: string; name: string }): Promise<Tenant> {
  return db.system.transaction(async (tx) => {
    const [created] = await tx.query<Tenant>(
      sql`insert into tenant (id, name, analyzer_version) values (${tenant.id}, ${tenant.name}, ${ANALYZER_VERSION})
          returning ${TENANT_COLUMNS}`,
    );
    await createPartitions(tx, created!);
    await tx.query(termsIndexStatement(created!, db.hasTextSearch));
    await appendAudit(tx, {
      tenantId: tenant.id,
      actor: null,
      action: 'create',
      objectKind: 'tenant',
      objectId: tenant.id,
      details: { name: tenant.name },
    });
    return created!;
  });
}

export async function findTenantByName(db: Database, name: string): Promise<Tenant | undefined> {
  const [tenant] = await db.system.query<Tenant>(sql`select ${TENANT_COLUMNS} from tenant where name = ${name}`);
  return tenant;
}

/** Returns the name of a tenant that exists. */
export async function findTenantName(tx: Queryable, id: string): Promise<string> {
  const [tenant] = await tx.query<{ name: string }>(sql`select name from tenant where id = ${id}`);
  return tenant!.name;
}

/** What all sources of one tenant may have together. 0: not limited. */
export type Quotas = Config['quotas'];

/** Quotas that the operator set for one tenant. Null: that of the settings counts. */
export type OwnQuotas = { [name in keyof Quotas]: number | null };
export type QuotaChange = { [name in keyof Quotas]?: number | null | undefined };

/** Returns the quotas that hold for a tenant that exists: its own, otherwise those of the settings. */
export async function findQuotas(tx: Tx, defaults: Quotas): Promise<Quotas> {
  const own = await findOwnQuotas(tx, tx.tenantId);
  return {
    bytes: own.bytes ?? defaults.bytes,
    groups: own.groups ?? defaults.groups,
    files: own.files ?? defaults.files,
  };
}

export async function findOwnQuotas(tx: Queryable, tenantId: string): Promise<OwnQuotas> {
  const [own] = await tx.query<OwnQuotas>(sql`
    select quota_bytes::float8 as bytes, quota_groups::float8 as groups, quota_files::float8 as files
    from tenant where id = ${tenantId}`);
  return own!;
}

/** Sets the tenant's own quotas, and records the change in the audit log. Absent ones stay. */
export async function saveQuotas(db: Database, tenantId: string, change: QuotaChange): Promise<void> {
  const { bytes, groups, files } = change;
  await db.system.transaction(async (tx) => {
    // One statement: a second operator who sets another quota at the same time must not undo this one.
    const [own] = await tx.query<OwnQuotas>(sql`
      update tenant set quota_bytes = ${bytes === undefined ? raw('quota_bytes') : sql`${bytes}::bigint`},
        quota_groups = ${groups === undefined ? raw('quota_groups') : sql`${groups}::bigint`},
        quota_files = ${files === undefined ? raw('quota_files') : sql`${files}::bigint`}
      where id = ${tenantId}
      returning quota_bytes::float8 as bytes, quota_groups::float8 as groups, quota_files::float8 as files`);
    await appendAudit(tx, {
      tenantId,
      actor: null,
      action: 'change',
      objectKind: 'tenant',
      objectId: tenantId,
      details: { quotas: { bytes: own!.bytes, files: own!.files, groups: own!.groups } },
    });
  });
}

/** Returns all tenants, oldest first. */
export async function listTenants(db: { system: Queryable }): Promise<Tenant[]> {
  return db.system.query<Tenant>(sql`select ${TENANT_COLUMNS} from tenant order by partition_no`);
}

/** Returns the ids of all tenants, in the order in which a transaction must take locks of several tenants. */
export async function listTenantIds(system: Queryable): Promise<string[]> {
  const rows = await system.query<{ id: string }>(sql`select id from tenant order by id`);
  return rows.map(({ id }) => id);
}

/** Returns the tenants whose terms an older version of the analyzer made. */
export async function listOutdatedTenants(tx: SystemTx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from tenant where analyzer_version <> ${ANALYZER_VERSION} order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Locks the tenant and returns its last analyzed chunk, null before the first; undefined if all chunks are up to date. */
export async function lockOutdated(tx: SystemTx, tenantId: string): Promise<string | null | undefined> {
  const [tenant] = await tx.query<{ analyzedTo: string | null }>(sql`
    select analyzed_to from tenant
    where id = ${tenantId} and analyzer_version <> ${ANALYZER_VERSION} for update`);
  return tenant?.analyzedTo;
}

/** Saves the progress: `to` is the last analyzed chunk, null if all chunks are analyzed. */
export async function saveAnalyzed(tx: SystemTx, tenantId: string, to: string | null): Promise<void> {
  const version = to === null ? sql`${ANALYZER_VERSION}` : raw('analyzer_version');
  await tx.query(sql`update tenant set analyzed_to = ${to}, analyzer_version = ${version} where id = ${tenantId}`);
}

/**
 * Deletes the tenant and all its rows. Returns false if the tenant does not exist. The caller then deletes its blobs.
 *
 * @throws ServiceError conflict while a backup runs, because the backup may name these blobs.
 */
export async function deleteTenant(db: Database, id: string): Promise<boolean> {
  return db.system.transaction(async (tx) => {
    if (!(await lockAgainstBackup(tx)))
      throw conflict('A backup of this database runs. Delete the tenant when it has ended.');
    const [tenant] = await tx.query<Tenant>(sql`select ${TENANT_COLUMNS} from tenant where id = ${id} for update`);
    if (!tenant) return false;
    await tx.query(sql`drop table if exists ${identifier(chunkPartition(tenant.partitionNo))}`);
    await tx.query(sql`drop table if exists ${identifier(vectorPartition(tenant.partitionNo))}`);
    await tx.query(sql`drop table if exists ${identifier(textIndex(tenant.partitionNo))}`);
    await tx.query(sql`delete from tenant where id = ${id}`);
    return true;
  });
}

/** ANALYZE skips these columns: no plan depends on long texts and arrays, and sampling them takes seconds instead of milliseconds. */
const UNSAMPLED_COLUMNS = ['content', 'context', 'heading_path', 'metadata', 'pages', 'terms'];

const TENANT_COLUMNS = raw('id, name, partition_no, created_at');

/**
 * Creates the tenant's partitions without the index over terms (`termsIndexStatement`). They have policies of their own: the policies of
 * the parent do not guard a partition that is named directly.
 */
export async function createPartitions(tx: SystemTx, tenant: Pick<Tenant, 'id' | 'partitionNo'>): Promise<void> {
  const partition = identifier(chunkPartition(tenant.partitionNo));
  const literal = raw(`'${tenant.id}'`);
  await tx.query(sql`create table ${partition} partition of chunk for values in (${literal})`);
  for (const column of UNSAMPLED_COLUMNS) {
    await tx.query(sql`alter table ${partition} alter column ${identifier(column)} set statistics 0`);
  }
  await tx.query(sql`select protect_tenant_rows(${chunkPartition(tenant.partitionNo)})`);
  await createVectorPartition(tx, tenant);
}

/** Returns the statement that creates either form of the index. The statement binds no values, so it can be part of a script. */
export function termsIndexStatement(
  { id, partitionNo }: Pick<Tenant, 'id' | 'partitionNo'>,
  hasTextSearch: boolean,
): Sql {
  if (!hasTextSearch) return sql`select create_text_index(${raw(`'${id}'`)}, ${raw(String(partitionNo))})`;
  return sql`create index ${identifier(termsIndex(partitionNo))} on ${identifier(chunkPartition(partitionNo))} using bm25 (terms)
    with (text_config = 'simple', k1 = ${raw(String(BM25_K1))}, b = ${raw(String(BM25_B))})`;
}
