/** Tenants, each with its own partition of the chunk table: own BM25 statistics, own indexes, deletion at once. */
import type { Database, Queryable, Tx } from '../db/database.ts';
import { identifier, raw, type Sql, sql } from '../db/sql.ts';
import { appendAudit } from './audit-store.ts';
import { createVectorPartition, vectorPartition } from './vector-store.ts';

export interface Tenant {
  id: string;
  name: string;
  /** The number in the names of its chunk partition and indexes. */
  partitionNo: number;
  createdAt: Date;
}

/** BM25 parameters of the index, tuned on the evaluation sets: k1 above 1 favours English a little, below 1 Japanese and Korean. */
export const BM25_K1 = 0.9;
export const BM25_B = 0.75;

/**
 * Version of what the analyzer (text/analyzer.ts) makes of a text. Raise it with every change: chunks of an older version
 * are analyzed anew after the next start.
 */
export const ANALYZER_VERSION = 6;

/** The tenant's partition of `chunk`. */
export function chunkPartition(partitionNo: number): string {
  return `chunk_${partitionNo}`;
}

/** The index over `terms` of the tenant's partition; BM25 queries name it. */
export function termsIndex(partitionNo: number): string {
  return `chunk_${partitionNo}_terms`;
}

/** The tenant's partition of `text_index`, which replaces `termsIndex` where the database has no BM25 index. */
export function textIndex(partitionNo: number): string {
  return `text_index_${partitionNo}`;
}

/** @throws a unique violation when the name or the id is taken. */
export async function createTenant(db: Database, tenant: { id: string; name: string }): Promise<Tenant> {
  return db.system.transaction(async (tx) => {
    const [created] = await tx.query<Tenant>(
      sql`insert into tenant (id, name, analyzer_version) values (${tenant.id}, ${tenant.name}, ${ANALYZER_VERSION}) returning ${TENANT_COLUMNS}`,
    );
    await createPartition(tx, created!, db.hasTextSearch);
    await createVectorPartition(tx, created!);
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

/** All tenants, oldest first. */
export async function listTenants(db: Database): Promise<Tenant[]> {
  return db.system.query<Tenant>(sql`select ${TENANT_COLUMNS} from tenant order by partition_no`);
}

/** Of all tenants, in the order in which a transaction may lock something of each. */
export async function listTenantIds(system: Queryable): Promise<string[]> {
  const rows = await system.query<{ id: string }>(sql`select id from tenant order by id`);
  return rows.map(({ id }) => id);
}

/** Tenants with chunks whose terms another version of the analyzer made. */
export async function listOutdatedTenants(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from tenant where analyzer_version <> ${ANALYZER_VERSION} order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Locks the tenant. The last chunk analyzed anew, null before the first; undefined when nothing is to be done. */
export async function lockOutdated(tx: Tx, tenantId: string): Promise<string | null | undefined> {
  const [tenant] = await tx.query<{ analyzedTo: string | null }>(sql`
    select analyzed_to from tenant
    where id = ${tenantId} and analyzer_version <> ${ANALYZER_VERSION} for update`);
  return tenant?.analyzedTo;
}

/** `to` is the last chunk analyzed anew, null when all are. */
export async function saveAnalyzed(tx: Tx, tenantId: string, to: string | null): Promise<void> {
  const version = to === null ? sql`${ANALYZER_VERSION}` : raw('analyzer_version');
  await tx.query(sql`update tenant set analyzed_to = ${to}, analyzer_version = ${version} where id = ${tenantId}`);
}

/** Removes the tenant and every row of it. Returns false when there was none. Blob files are left to the collector. */
export async function deleteTenant(db: Database, id: string): Promise<boolean> {
  return db.system.transaction(async (tx) => {
    const [tenant] = await tx.query<Tenant>(sql`select ${TENANT_COLUMNS} from tenant where id = ${id} for update`);
    if (!tenant) return false;
    await tx.query(sql`drop table if exists ${identifier(chunkPartition(tenant.partitionNo))}`);
    await tx.query(sql`drop table if exists ${identifier(vectorPartition(tenant.partitionNo))}`);
    await tx.query(sql`drop table if exists ${identifier(textIndex(tenant.partitionNo))}`);
    await tx.query(sql`delete from tenant where id = ${id}`);
    return true;
  });
}

/** No plan depends on the distribution of long texts and of arrays, and sampling them takes ANALYZE seconds instead of milliseconds. */
const UNSAMPLED_COLUMNS = ['content', 'context', 'heading_path', 'metadata', 'pages', 'terms'];

const TENANT_COLUMNS = raw('id, name, partition_no, created_at');

/** The policies of the parent do not guard a partition that is named directly: it gets its own. */
async function createPartition(tx: Tx, tenant: Tenant, hasTextSearch: boolean): Promise<void> {
  const partition = identifier(chunkPartition(tenant.partitionNo));
  const literal = raw(`'${tenant.id}'`);
  await tx.query(sql`create table ${partition} partition of chunk for values in (${literal})`);
  for (const column of UNSAMPLED_COLUMNS) {
    await tx.query(sql`alter table ${partition} alter column ${identifier(column)} set statistics 0`);
  }
  await tx.query(termsIndexStatement(tenant, hasTextSearch));
  await tx.query(sql`select protect_tenant_rows(${chunkPartition(tenant.partitionNo)})`);
}

/** Makes either form of the index, of the chunks that are there too. Without bound values: it may be run as a script. */
export function termsIndexStatement(
  { id, partitionNo }: Pick<Tenant, 'id' | 'partitionNo'>,
  hasTextSearch: boolean,
): Sql {
  if (!hasTextSearch) return sql`select create_text_index(${raw(`'${id}'`)}, ${raw(String(partitionNo))})`;
  return sql`create index ${identifier(termsIndex(partitionNo))} on ${identifier(chunkPartition(partitionNo))} using bm25 (terms)
    with (text_config = 'simple', k1 = ${raw(String(BM25_K1))}, b = ${raw(String(BM25_B))})`;
}
