/**
 * SQL of the tables blob and upload: which raw files are stored, and which files an upload is about to store.
 *
 * The collector must never remove a file of an acknowledged upload. An upload therefore reserves its blobs first, then renames
 * its files into place, then commits its sources and releases the reservation. The collector locks the row of a blob, checks
 * that no source and no reservation needs the blob, and removes the file before it releases the lock.
 */
import { lockAgainstBackup } from '../db/backup-lock.ts';
import type { Tx } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { raw, sql } from '../db/sql.ts';

/** An older reservation belongs to a request that crashed. */
const UPLOAD_RESERVATION_SECONDS = 3600;

/** The condition that no source, no new version of a source, no table and no upload needs blob `b`. */
export const UNNEEDED = raw(`not exists (select from source s where s.tenant_id = b.tenant_id and s.blob_hash = b.hash)
  and not exists (select from source_update n where n.tenant_id = b.tenant_id and n.blob_hash = b.hash)
  and not exists (select from source_table t where t.tenant_id = b.tenant_id and t.blob_hash = b.hash)
  and not exists (select from source_table_copy c where c.tenant_id = b.tenant_id and c.blob_hash = b.hash)
  and not exists (select from upload u where u.tenant_id = b.tenant_id and b.hash = any(u.hashes))`);

/** First step of an upload: reserves the blobs. Nobody removes a reserved blob once this step has committed. */
export async function insertReservation(tx: Tx, uploadId: string, hashes: readonly string[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into upload (tenant_id, id, hashes, created_at) values (${tx.tenantId}, ${uploadId}, ${[...hashes]}::text[], ${now})`);
}

/**
 * Second step of an upload: inserts the rows of the blobs. The insert waits for transactions that remove one of these blobs.
 * The caller may split the blobs over several calls.
 *
 * @param blobs sorted by hash, so that two uploads of the same files lock the rows in the same order.
 */
export async function insertBlobRows(
  tx: Tx,
  blobs: readonly { hash: string; size: number }[],
  now: Date,
): Promise<void> {
  const given = recordset({ hash: 'text', size: 'bigint' }, blobs);
  await tx.query(sql`
    insert into blob (tenant_id, created_at, ${given.columns})
    select ${tx.tenantId}::uuid, ${now}::timestamptz, ${given.values} from ${given.table}
    on conflict (tenant_id, hash) do update set size = excluded.size`);
}

/** Removes the reservation. Returns false if the reservation had expired; its blobs may have been removed since. */
export async function releaseReservation(tx: Tx, uploadId: string): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from upload where tenant_id = ${tx.tenantId} and id = ${uploadId} returning id`,
  );
  return rows.length > 0;
}

/** Removes expired reservations, which crashed requests left behind. */
export async function dropStaleReservations(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`
    delete from upload where tenant_id = ${tx.tenantId}
      and created_at < ${now}::timestamptz - make_interval(secs => ${UPLOAD_RESERVATION_SECONDS})`);
}

/**
 * Deletes the rows among `hashes` that no source and no upload needs, and returns their hashes. The caller must delete the
 * files before the transaction ends. While a backup runs, deletes nothing: the collector removes these blobs afterwards.
 */
export async function removeUnneededBlobRows(tx: Tx, hashes: readonly string[]): Promise<string[]> {
  if (!(await lockAgainstBackup(tx))) return [];
  const wanted = [...new Set(hashes)].sort();
  // Two statements: the snapshot of the second includes what others committed while the first waited for its locks.
  await tx.query(sql`
    select from blob where tenant_id = ${tx.tenantId} and hash = any(${wanted}::text[]) order by hash for update`);
  const rows = await tx.query<{ hash: string }>(sql`
    delete from blob b where b.tenant_id = ${tx.tenantId} and b.hash = any(${wanted}::text[])
      and ${UNNEEDED}
    returning b.hash`);
  return rows.map((row) => row.hash);
}

/** Returns up to `limit` hashes of blobs that nothing needs; crashes and deletions leave such blobs behind. */
export async function listUnneededBlobs(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ hash: string }>(sql`
    select b.hash from blob b where b.tenant_id = ${tx.tenantId}
      and ${UNNEEDED}
    limit ${limit}`);
  return rows.map((row) => row.hash);
}
