/** SQL of the table idempotency_key. */
import type { Database, Queryable, Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';

export interface IdempotencyRow {
  route: string;
  bodyHash: Buffer | null;
  responseStatus: number | null;
  responseBody: string | null;
}

interface Slot {
  tenantId: string;
  apiKeyId: string;
  key: string;
  /** Identifies a claim that is renewed; null for a claim that is not. */
  claimId: string | null;
}

/**
 * Claims the key for this request. Returns undefined if the key was free, else the row of the request that holds the key.
 *
 * @param times.expiredBefore older claims have expired and are deleted.
 * @param times.abandonedBefore older claims without an answer belong to a process that died; they are deleted too.
 * @param times.lostBefore the same for claims that are renewed.
 */
export async function claimIdempotencyKey(
  db: Database,
  slot: Slot,
  route: string,
  bodyHash: Buffer | null,
  times: { now: Date; expiredBefore: Date; abandonedBefore: Date; lostBefore: Date },
): Promise<IdempotencyRow | undefined> {
  return db.transaction(slot.tenantId, async (tx) => {
    await tx.query(sql`
      delete from idempotency_key
      where tenant_id = ${slot.tenantId} and (created_at < ${times.expiredBefore}
        or (response_status is null
          and created_at < case when claim_id is null then ${times.abandonedBefore}::timestamptz else ${times.lostBefore} end))`);
    const inserted = await tx.query(sql`
      insert into idempotency_key (tenant_id, api_key_id, key, route, body_hash, claim_id, created_at)
      values (${slot.tenantId}, ${slot.apiKeyId}, ${slot.key}, ${route}, ${bodyHash}, ${slot.claimId}, ${times.now})
      on conflict do nothing returning key`);
    if (inserted.length > 0) return undefined;
    const [row] = await tx.query<IdempotencyRow>(sql`
      select route, body_hash, response_status, response_body from idempotency_key
      where tenant_id = ${slot.tenantId} and api_key_id = ${slot.apiKeyId} and key = ${slot.key}`);
    return row;
  });
}

/** Returns the condition of the row while this claim holds the key. */
function isHeld({ tenantId, apiKeyId, key, claimId }: Slot): Sql {
  return sql`tenant_id = ${tenantId} and api_key_id = ${apiKeyId} and key = ${key} and response_status is null
    and claim_id is not distinct from ${claimId}::uuid`;
}

/** Returns false if another request holds the key now. */
export async function saveIdempotentAnswer(
  tx: Queryable,
  slot: Slot,
  bodyHash: Buffer | null,
  status: number,
  body: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update idempotency_key set body_hash = ${bodyHash}, response_status = ${status}, response_body = ${body}
    where ${isHeld(slot)} returning key`);
  return rows.length > 0;
}

export async function renewIdempotencyKey(db: Database, slot: Slot, now: Date): Promise<void> {
  await db.query(slot.tenantId, sql`update idempotency_key set created_at = ${now} where ${isHeld(slot)}`);
}

/** Releases the key after a failed request: the client may use the key again. */
export async function releaseIdempotencyKey(db: Database, slot: Slot): Promise<void> {
  await db.query(slot.tenantId, sql`delete from idempotency_key where ${isHeld(slot)}`);
}

/** Deletes claims without an answer, at the start of a process that owns the database: the processes that held them are gone. */
export async function dropUnansweredIdempotencyKeys(system: Queryable): Promise<void> {
  await system.query(sql`delete from idempotency_key where response_status is null`);
}

/** Deletes expired answers; IDEMPOTENCY_HOURS says how long an answer is kept. */
export async function dropExpiredIdempotencyKeys(tx: Tx, createdBefore: Date): Promise<void> {
  await tx.query(sql`delete from idempotency_key where tenant_id = ${tx.tenantId} and created_at < ${createdBefore}`);
}
