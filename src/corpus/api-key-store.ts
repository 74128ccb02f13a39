/** SQL of the table api_key. Authentication reads the table above row-level security: only the key tells which tenant calls. */

import type { GroupLimits } from '../access/limits.ts';
import { lockAdditions } from '../db/additions.ts';
import type { Database, Queryable, SystemDatabase, Tx } from '../db/database.ts';
import { containsText, countRows, type PageRequest, readPage } from '../db/page-sql.ts';
import { recordset } from '../db/recordset.ts';
import { join, keepPlan, raw, type Sql, sql } from '../db/sql.ts';

export interface ApiKeyRow {
  id: string;
  name: string;
  publicId: string;
  scopes: readonly string[];
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  issuedBy: string | null;
  /** The operator's key from which this key descends, or the key itself. */
  rootId: string;
  /** The first key of the chain of rotations. */
  familyId: string;
  /** The key that replaced this one when it was rotated; null for a key that was not rotated. */
  replacedBy: string | null;
  createdAt: Date;
  /** When a request came with the key last, to the minute. */
  lastUsedAt: Date | null;
}

export interface AuthenticationRow
  extends Omit<ApiKeyRow, 'name' | 'publicId' | 'issuedBy' | 'createdAt' | 'lastUsedAt'> {
  tenantId: string;
  partitionNo: number;
  secretHash: Buffer;
}

export type NewApiKey = Omit<ApiKeyRow, 'revokedAt' | 'replacedBy' | 'lastUsedAt'> & { hash: Buffer };

const columns = sql`id, name, public_id, scopes, source_group_ids, tag_ids, expires_at, revoked_at, issued_by, root_id, family_id,
  replaced_by, created_at, last_used_at`;

export function findKeyForAuthentication(
  system: SystemDatabase,
  publicId: string,
): Promise<AuthenticationRow | undefined> {
  return findAuthenticationRow(system, sql`k.public_id = ${publicId}`);
}

/** Returns the key of work that goes on without a request. */
export function findKeyForJob(
  system: SystemDatabase,
  tenantId: string,
  id: string,
): Promise<AuthenticationRow | undefined> {
  return findAuthenticationRow(system, sql`k.tenant_id = ${tenantId} and k.id = ${id}`);
}

async function findAuthenticationRow(system: SystemDatabase, condition: Sql): Promise<AuthenticationRow | undefined> {
  const [row] = await system.query<AuthenticationRow>(
    keepPlan(sql`
    select k.id, k.tenant_id, t.partition_no, k.secret_hash, k.scopes, k.source_group_ids, k.tag_ids, k.expires_at, k.revoked_at,
      k.root_id, k.family_id, k.replaced_by
    from api_key k join tenant t on t.id = k.tenant_id
    where ${condition}`),
  );
  return row;
}

/** Works in tenant transactions and in system transactions. */
export async function insertApiKey(tx: Queryable, tenantId: string, key: NewApiKey): Promise<void> {
  await tx.query(sql`
    insert into api_key (tenant_id, id, public_id, name, secret_hash, scopes, source_group_ids, tag_ids, expires_at, issued_by, root_id,
      family_id, created_at)
    values (${tenantId}, ${key.id}, ${key.publicId}, ${key.name}, ${key.hash}, ${key.scopes}, ${key.sourceGroupIds}, ${key.tagIds},
            ${key.expiresAt}, ${key.issuedBy}, ${key.rootId}, ${key.familyId}, ${key.createdAt})`);
}

/**
 * Returns one page in order of creation, with one extra row if a next page exists; `total` counts all matches. Revoked keys are left
 * out. A limited key sees only keys whose limits lie within its own limits.
 */
export async function listApiKeys(
  db: Database,
  tenantId: string,
  limits: GroupLimits,
  q: string | undefined,
  page: PageRequest,
) {
  const named = q === undefined ? raw('true') : containsText(raw('name'), q);
  const visible = sql`api_key where ${visibleTo(tenantId, limits)} and revoked_at is null and ${named}`;
  return db.transaction(tenantId, (tx) => readPage<ApiKeyRow>(tx, columns, visible, raw('id'), page));
}

function visibleTo(tenantId: string, limits: GroupLimits): Sql {
  const conditions = [sql`tenant_id = ${tenantId}`];
  if (limits.sourceGroupIds) conditions.push(sql`source_group_ids <@ ${limits.sourceGroupIds}::uuid[]`);
  if (limits.tagIds) conditions.push(sql`tag_ids <@ ${limits.tagIds}::uuid[]`);
  return join(conditions, ' and ');
}

/** Returns true if the key exists, revoked or not, and `limits` allow the caller to see it. */
export async function isVisibleApiKey(
  db: Database,
  tenantId: string,
  limits: GroupLimits,
  id: string,
): Promise<boolean> {
  const rows = await db.query(tenantId, sql`select from api_key where ${visibleTo(tenantId, limits)} and id = ${id}`);
  return rows.length > 0;
}

/** The last use of a key. */
export interface KeyUse {
  tenantId: string;
  apiKeyId: string;
  at: Date;
}

/** Saves when keys were used last. Another process may have saved a later time. */
export async function saveKeyUses(system: Queryable, uses: readonly KeyUse[]): Promise<void> {
  const given = recordset({ tenant_id: 'uuid', api_key_id: 'uuid', at: 'timestamptz' }, uses);
  await system.query(sql`
    update api_key k set last_used_at = r.at from ${given.table}
    where k.tenant_id = r.tenant_id and k.id = r.api_key_id and (k.last_used_at is null or k.last_used_at < r.at)`);
}

/** Returns a key; undefined if it does not exist. */
export async function findApiKey(tx: Tx, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await tx.query<ApiKeyRow>(
    sql`select ${columns} from api_key where tenant_id = ${tx.tenantId} and id = ${id}`,
  );
  return row;
}

/** Counts the tenant's keys that are neither revoked nor expired. Nobody else can add a key until the transaction ends. */
export async function countApiKeysLocked(tx: Tx, now: Date): Promise<number> {
  await lockAdditions(tx, 'api_key');
  const active = sql`api_key where tenant_id = ${tx.tenantId} and revoked_at is null and (expires_at is null or expires_at > ${now})`;
  return countRows(tx, active);
}

/** Locks and returns the keys among `ids` that are not revoked. The fixed order of ids prevents deadlocks between two callers. */
export async function lockApiKeys(tx: Tx, ids: readonly string[]): Promise<ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(sql`
    select ${columns} from api_key where tenant_id = ${tx.tenantId} and id = any (${ids}::uuid[]) and revoked_at is null
    order by id for update`);
}

/** Records that the key `by` replaced this key, and when this key expires. */
export async function replaceApiKey(tx: Tx, id: string, by: string, expiresAt: Date): Promise<void> {
  await tx.query(sql`
    update api_key set replaced_by = ${by}, expires_at = ${expiresAt} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

export async function revokeApiKey(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(sql`update api_key set revoked_at = ${at} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Returns the ids that name source groups of the tenant; deleted groups are left out. */
export async function findGroupIds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: string }>(sql`
    select id from source_group where tenant_id = ${tx.tenantId} and id = any (${ids}::uuid[]) and deleted_at is null`);
  return rows.map((row) => row.id);
}

/** Returns the ids that name tags of the tenant. */
export async function findTagIds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    sql`select id from tag where tenant_id = ${tx.tenantId} and id = any (${ids}::uuid[])`,
  );
  return rows.map((row) => row.id);
}

/** Returns true if the tenant has, or ever had, a key. */
export async function hasApiKey(system: Queryable, tenantId: string): Promise<boolean> {
  const rows = await system.query(sql`select from api_key where tenant_id = ${tenantId} limit 1`);
  return rows.length > 0;
}
