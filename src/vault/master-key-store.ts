/** SQL of the table master_key: the id of the master key of all stored secrets. One row, or none before the first secret. */
import type { Queryable, SystemTx, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** Any constant that no other advisory lock uses. */
const MASTER_KEY_LOCK = 8_310_454;

/** Blocks rotations until the transaction ends. */
export async function lockMasterKeyShared(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(${MASTER_KEY_LOCK})`);
}

/** Blocks everybody who seals or opens a secret until the transaction ends. */
export async function lockMasterKey(tx: SystemTx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${MASTER_KEY_LOCK})`);
}

export async function findMasterKeyId(tx: Queryable): Promise<string | undefined> {
  const [row] = await tx.query<{ keyId: string }>(sql`select key_id from master_key`);
  return row?.keyId;
}

/** Stores the id of the master key for the first secret. Does nothing when an id is stored already. */
export async function setFirstMasterKeyId(system: Queryable, keyId: string): Promise<void> {
  await system.query(sql`insert into master_key (key_id) values (${keyId}) on conflict do nothing`);
}

export async function setMasterKeyId(tx: SystemTx, keyId: string): Promise<void> {
  await tx.query(sql`
    insert into master_key (key_id) values (${keyId})
    on conflict (single) do update set key_id = excluded.key_id, since = now()`);
}

export async function deleteMasterKeyId(tx: SystemTx): Promise<void> {
  await tx.query(sql`delete from master_key`);
}
