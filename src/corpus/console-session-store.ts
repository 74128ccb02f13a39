/**
 * SQL of the tables console_session and console_link. Both are read above row-level security: only the secret of the cookie or of the
 * link tells which tenant calls.
 */

import type { SystemDatabase, Tx } from '../db/database.ts';
import { keepPlan, sql } from '../db/sql.ts';
import type { AuthenticationRow } from './api-key-store.ts';

export interface SessionRow extends AuthenticationRow {
  sessionId: string;
  usedAt: Date;
  sessionExpiresAt: Date;
}

export interface NewSession {
  id: string;
  apiKeyId: string;
  hash: Buffer;
  now: Date;
  expiresAt: Date;
}

/** Returns the session with its key. Undefined for an unknown session, and once its key was rotated: the grace time is for programs. */
export async function findSession(system: SystemDatabase, hash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await system.query<SessionRow>(
    keepPlan(sql`
    select c.id as session_id, c.used_at, c.expires_at as session_expires_at,
      k.id, k.tenant_id, t.partition_no, k.secret_hash, k.scopes, k.source_group_ids, k.tag_ids, k.expires_at, k.revoked_at,
      k.root_id, k.family_id, k.replaced_by
    from console_session c join api_key k on k.tenant_id = c.tenant_id and k.id = c.api_key_id join tenant t on t.id = c.tenant_id
    where c.secret_hash = ${hash} and k.replaced_by is null`),
  );
  return row;
}

/** Inserts a session. Deletes the key's expired sessions, and its oldest ones if it would have more than `sessionsMax`. */
export async function insertSession(tx: Tx, session: NewSession, sessionsMax: number): Promise<void> {
  const { id, apiKeyId, hash, now, expiresAt } = session;
  await tx.query(sql`
    insert into console_session (tenant_id, id, api_key_id, secret_hash, created_at, used_at, expires_at)
    values (${tx.tenantId}, ${id}, ${apiKeyId}, ${hash}, ${now}, ${now}, ${expiresAt})`);
  await tx.query(sql`
    delete from console_session c where c.tenant_id = ${tx.tenantId} and (c.expires_at <= ${now} or c.id in (
      select o.id from console_session o where o.tenant_id = ${tx.tenantId} and o.api_key_id = ${apiKeyId}
      order by o.id desc offset ${sessionsMax}))`);
}

/** Records that the session is in use. */
export async function touchSession(
  system: SystemDatabase,
  { tenantId, sessionId }: SessionRow,
  at: Date,
): Promise<void> {
  await system.query(
    sql`update console_session set used_at = ${at} where tenant_id = ${tenantId} and id = ${sessionId} and used_at < ${at}`,
  );
}

/** Deletes a session. Returns false if it was deleted before. */
export async function deleteSession(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from console_session where tenant_id = ${tx.tenantId} and id = ${id} returning id`,
  );
  return rows.length > 0;
}

/** Inserts a sign-in link for the tenant's oldest operator's key that works. Returns false if there is no such key. */
export async function insertLink(
  tx: Tx,
  link: { id: string; hash: Buffer; now: Date; expiresAt: Date },
): Promise<boolean> {
  await tx.query(sql`delete from console_link where tenant_id = ${tx.tenantId} and expires_at <= ${link.now}`);
  const rows = await tx.query(sql`
    insert into console_link (tenant_id, id, api_key_id, secret_hash, expires_at)
    select ${tx.tenantId}::uuid, ${link.id}::uuid, k.id, ${link.hash}::bytea, ${link.expiresAt}::timestamptz from api_key k
    where k.tenant_id = ${tx.tenantId} and k.issued_by is null and k.revoked_at is null and k.replaced_by is null
      and (k.expires_at is null or k.expires_at > ${link.expiresAt}::timestamptz)
    order by k.id limit 1 returning id`);
  return rows.length > 0;
}

/** Deletes the link and returns the key that it signs in with. Undefined for an unknown, used or expired link, or if the key has ended. */
export async function takeLink(
  system: SystemDatabase,
  hash: Buffer,
  now: Date,
): Promise<AuthenticationRow | undefined> {
  const [row] = await system.query<AuthenticationRow>(sql`
    with used as (delete from console_link l where l.secret_hash = ${hash} returning l.tenant_id, l.api_key_id, l.expires_at)
    select k.id, k.tenant_id, t.partition_no, k.secret_hash, k.scopes, k.source_group_ids, k.tag_ids, k.expires_at, k.revoked_at,
      k.root_id, k.family_id, k.replaced_by
    from used u join api_key k on k.tenant_id = u.tenant_id and k.id = u.api_key_id join tenant t on t.id = u.tenant_id
    where u.expires_at > ${now} and k.replaced_by is null`);
  return row;
}
