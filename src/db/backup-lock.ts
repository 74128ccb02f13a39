/** The lock that keeps the stored files while a backup copies the database and then the files. */
import type { AnyTx } from './database.ts';
import { sql } from './sql.ts';

/** Any constant that no other advisory lock uses. */
export const BACKUP_LOCK = 8_310_455;

/** Keeps a backup from beginning until the transaction ends. Returns false while a backup runs: then no stored file may be deleted. */
export async function lockAgainstBackup(tx: AnyTx): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as locked`,
  );
  return row?.locked === true;
}
