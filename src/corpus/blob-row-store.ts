/**
 * SQL of the tables blob and upload: which raw files the store holds, and which are on their way in.
 *
 * The order that keeps an acknowledged file from being removed as unreferenced: an upload first reserves (rows locked,
 * upload row written), then renames its files into place, then commits its sources and drops the reservation. Whoever
 * removes a blob locks its row, sees neither a source nor a reservation, and removes the file before that lock is gone.
 */
import type { Queryable, Tx } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { raw, sql } from '../db/sql.ts';

/** A reservation older than this belongs to a request that a crash ended. */
export const UPLOAD_RESERVATION_SECONDS = 3600;

/** Neither a source, nor a new version of one, nor an upload needs blob `b`. */
export const UNNEEDED = raw(`not exists (select from source s where s.tenant_id = b.tenant_id and s.blob_hash = b.hash)
  and not exists (select from source_update n where n.tenant_id = b.tenant_id and n.blob_hash = b.hash)
  and not exists (select from upload u where u.tenant_id = b.tenant_id and b.hash = any(u.hashes))`);

/** First step: names the blobs. From its commit on nobody removes one of them. */
export async function insertReservation(
  tx: Tx,
  tenantId: string,
  uploadId: string,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into upload (tenant_id, id, hashes, created_at) values (${tenantId}, ${uploadId}, ${[...hashes]}::text[], ${now})`);
}

/**
 * Second step: makes the blobs' rows, after whoever was removing one of them has finished. May be done in parts.
 *
 * @param blobs sorted by hash: two uploads of the same files lock the rows in the same order.
 */
export async function insertBlobRows(
  tx: Tx,
  tenantId: string,
  blobs: readonly { hash: string; size: number }[],
  now: Date,
): Promise<void> {
  const given = recordset({ hash: 'text', size: 'bigint' }, blobs);
  await tx.query(sql`
    insert into blob (tenant_id, created_at, ${given.columns})
    select ${tenantId}::uuid, ${now}::timestamptz, ${given.values} from ${given.table}
    on conflict (tenant_id, hash) do update set size = excluded.size`);
}

/** Returns false when there was none: it had become stale, and its blobs may be gone. */
export async function releaseReservation(tx: Tx, tenantId: string, uploadId: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from upload where tenant_id = ${tenantId} and id = ${uploadId} returning id`);
  return rows.length > 0;
}

/** Drops reservations that crashed requests left. */
export async function dropStaleReservations(tx: Queryable, tenantId: string, now: Date): Promise<void> {
  await tx.query(sql`
    delete from upload where tenant_id = ${tenantId}
      and created_at < ${now}::timestamptz - make_interval(secs => ${UPLOAD_RESERVATION_SECONDS})`);
}

/**
 * Removes the rows among `hashes` that no source and no upload needs, and returns their hashes. The caller removes the
 * files before the transaction ends.
 */
export async function removeUnneededBlobRows(tx: Tx, tenantId: string, hashes: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(hashes)].sort();
  // Two statements: the second sees what was committed while the first waited for its locks.
  await tx.query(sql`
    select from blob where tenant_id = ${tenantId} and hash = any(${wanted}::text[]) order by hash for update`);
  const rows = await tx.query<{ hash: string }>(sql`
    delete from blob b where b.tenant_id = ${tenantId} and b.hash = any(${wanted}::text[])
      and ${UNNEEDED}
    returning b.hash`);
  return rows.map((row) => row.hash);
}

/** Some hashes that no source needs: leftovers of crashes and deletions. */
export async function listUnneededBlobs(tx: Queryable, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ hash: string }>(sql`
    select b.hash from blob b where b.tenant_id = ${tenantId}
      and ${UNNEEDED}
    limit ${limit}`);
  return rows.map((row) => row.hash);
}
