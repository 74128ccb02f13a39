/** SQL of the table idempotency_key. */
import type { Database, Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';

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
}

/**
 * Claims the key for this request. Returns undefined if the key was free, else the row of the request that holds the key.
 *
 * @param times.expiredBefore older claims have expired and are deleted.
 * @param times.abandonedBefore older claims without an answer belong to a process that died; they are deleted too.
 */
export async function claimIdempotencyKey(
  db: Database,
  slot: Slot,
  route: string,
  bodyHash: Buffer | null,
  times: { now: Date; expiredBefore: Date; abandonedBefore: Date },
): Promise<IdempotencyRow | undefined> {
  return db.transaction(slot.tenantId, async (tx) => {
    await tx.query(sql`
      delete from idempotency_key
      where tenant_id = ${slot.tenantId} and (created_at < ${times.expiredBefore}
        or (response_status is null and created_at < ${times.abandonedBefore}))`);
    const inserted = await tx.query(sql`
      insert into idempotency_key (tenant_id, api_key_id, key, route, body_hash, created_at)
      values (${slot.tenantId}, ${slot.apiKeyId}, ${slot.key}, ${route}, ${bodyHash}, ${times.now})
      on conflict do nothing returning key`);
    if (inserted.length > 0) return undefined;
    const [row] = await tx.query<IdempotencyRow>(sql`
      select route, body_hash, response_status, response_body from idempotency_key
      where tenant_id = ${slot.tenantId} and api_key_id = ${slot.apiKeyId} and key = ${slot.key}`);
    return row;
  });
}

export async function saveIdempotentAnswer(
  tx: Queryable,
  slot: Slot,
  bodyHash: Buffer | null,
  status: number,
  body: string,
): Promise<void> {
  await tx.query(sql`
    update idempotency_key set body_hash = ${bodyHash}, response_status = ${status}, response_body = ${body}
    where tenant_id = ${slot.tenantId} and api_key_id = ${slot.apiKeyId} and key = ${slot.key}`);
}

/** Releases the key after a failed request: the client may use the key again. */
export async function releaseIdempotencyKey(db: Database, slot: Slot): Promise<void> {
  await db.query(
    slot.tenantId,
    sql`
    delete from idempotency_key
    where tenant_id = ${slot.tenantId} and api_key_id = ${slot.apiKeyId} and key = ${slot.key} and response_status is null`,
  );
}

/** Deletes claims without an answer, at the start of a process that owns the database: the processes that held them are gone. */
export async function dropUnansweredIdempotencyKeys(system: Queryable): Promise<void> {
  await system.query(sql`delete from idempotency_key where response_status is null`);
}

/** Deletes expired answers; IDEMPOTENCY_HOURS says how long an answer is kept. */
export async function dropExpiredIdempotencyKeys(tx: Queryable, tenantId: string, createdBefore: Date): Promise<void> {
  await tx.query(sql`delete from idempotency_key where tenant_id = ${tenantId} and created_at < ${createdBefore}`);
}
