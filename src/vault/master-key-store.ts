/** SQL of the table master_key: which master key the stored secrets are sealed with. One row, or none before the first secret. */
import type { Queryable, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** Any constant that no other advisory lock uses. */
const MASTER_KEY_LOCK = 8_310_453;

/** Until the transaction ends, no rotation begins. */
export async function holdMasterKey(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(${MASTER_KEY_LOCK})`);
}

/** Until the transaction ends, nobody seals or opens a secret. */
export async function lockMasterKey(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${MASTER_KEY_LOCK})`);
}

export async function findMasterKeyId(tx: Queryable): Promise<string | undefined> {
  const [row] = await tx.query<{ keyId: string }>(sql`select key_id from master_key`);
  return row?.keyId;
}

/** For the first secret; does nothing when a key is named already. */
export async function nameFirstMasterKey(system: Queryable, keyId: string): Promise<void> {
  await system.query(sql`insert into master_key (key_id) values (${keyId}) on conflict do nothing`);
}

export async function setMasterKeyId(tx: Tx, keyId: string): Promise<void> {
  await tx.query(sql`
    insert into master_key (key_id) values (${keyId})
    on conflict (single) do update set key_id = excluded.key_id, since = now()`);
}

export async function forgetMasterKeyId(tx: Tx): Promise<void> {
  await tx.query(sql`delete from master_key`);
}
