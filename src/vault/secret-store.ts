/** SQL of the table secret. Values are sealed before they reach SQL, and only `openSecret` and `openOneTimeCredential` open them. */
import { lockAdditions } from '../db/additions.ts';
import type { Database, Queryable, SystemTx, Tx } from '../db/database.ts';
import { containsText, countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';
import { ensureKeyFile, type KeySettings, loadKeyring } from './key-files.ts';
import { findMasterKeyId, lockMasterKeyShared, setFirstMasterKeyId } from './master-key-store.ts';
import { type MasterKey, openValue, rewrapKey, type SealedValue, sealValue } from './seal.ts';

export const SECRET_TYPES = ['drive', 'repo', 'page', 'database'] as const;
export type SecretType = (typeof SECRET_TYPES)[number];

/** Rows that one statement of a rotation updates. */
const REWRAPPED_ROWS_AT_ONCE = 500;

/** A secret without its value. */
export interface Secret {
  id: string;
  name: string;
  type: SecretType;
  description: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewSecret extends Omit<Secret, 'updatedAt'> {
  value: string;
  /** Makes the secret the one-time credential of that source group. Lists and lookups by id leave it out. */
  sourceGroupId?: string;
}

/** Members that are undefined stay unchanged. */
export interface SecretChange {
  name: string;
  description?: string | undefined;
  value?: string | undefined;
  updatedAt: Date;
}

export interface VaultDeps {
  db: Database;
  config: KeySettings;
}

interface SealedRow extends SealedValue {
  tenantId: string;
  id: string;
}

/** Leaves out one-time credentials. */
const STORED = raw('source_group_id is null');
const COLUMNS = raw('id, name, type, description, created_at, updated_at');

/** Must be called before the transaction that seals, because a tenant's transaction may not write the id of the master key. */
export async function prepareToSeal({ db, config }: VaultDeps): Promise<void> {
  if ((await findMasterKeyId(db.system)) !== undefined) return;
  if (config.masterKey === null) await ensureKeyFile(config.dataDir);
  const { primary } = await loadKeyring(config);
  await setFirstMasterKeyId(db.system, primary!.id);
}

/** Inserts a secret. The caller has called `prepareToSeal`. */
export async function insertSecret(tx: Tx, config: KeySettings, secret: NewSecret): Promise<Secret> {
  const owner = { tenantId: tx.tenantId, secretId: secret.id };
  const { sealed, wrappedKey, keyId } = sealValue(await currentKey(tx, config), owner, secret.value);
  const [row] = await tx.query<Secret>(sql`
    insert into secret (tenant_id, id, name, type, description, sealed, wrapped_key, key_id, created_at, updated_at, source_group_id)
    values (${tx.tenantId}, ${secret.id}, ${secret.name}, ${secret.type}, ${secret.description}, ${sealed}, ${wrappedKey}, ${keyId},
            ${secret.createdAt}, ${secret.createdAt}, ${secret.sourceGroupId ?? null})
    returning ${COLUMNS}`);
  return row!;
}

/** Returns the changed secret; undefined when there is none. Before a change of the value, the caller calls `prepareToSeal`. */
export async function updateSecret(
  tx: Tx,
  config: KeySettings,
  id: string,
  change: SecretChange,
): Promise<Secret | undefined> {
  const sets = [sql`name = ${change.name}`, sql`updated_at = ${change.updatedAt}`];
  if (change.description !== undefined) sets.push(sql`description = ${change.description}`);
  if (change.value !== undefined) {
    const owner = { tenantId: tx.tenantId, secretId: id };
    const { sealed, wrappedKey, keyId } = sealValue(await currentKey(tx, config), owner, change.value);
    sets.push(sql`sealed = ${sealed}, wrapped_key = ${wrappedKey}, key_id = ${keyId}`);
  }
  const [row] = await tx.query<Secret>(
    sql`update secret set ${join(sets)} where tenant_id = ${tx.tenantId} and id = ${id} and ${STORED} returning ${COLUMNS}`,
  );
  return row;
}

/**
 * Returns the value for the connector that uses it; undefined when the tenant has no such secret. The value must never get into a job,
 * a log or an error.
 *
 * @throws SealBroken
 */
export async function openSecret(
  { db, config }: VaultDeps,
  tenantId: string,
  id: string,
): Promise<{ type: SecretType; value: string } | undefined> {
  return openWhere({ db, config }, tenantId, sql`id = ${id} and ${STORED}`);
}

/** Returns the credential that a source group was created with; undefined when it was erased or there was none. @throws SealBroken */
export async function openOneTimeCredential(
  deps: VaultDeps,
  tenantId: string,
  groupId: string,
): Promise<string | undefined> {
  return (await openWhere(deps, tenantId, sql`source_group_id = ${groupId}`))?.value;
}

async function openWhere(
  { db, config }: VaultDeps,
  tenantId: string,
  condition: Sql,
): Promise<{ type: SecretType; value: string } | undefined> {
  return db.transaction(tenantId, async (tx) => {
    await lockMasterKeyShared(tx);
    const [row] = await tx.query<SealedRow & { type: SecretType }>(sql`
      select tenant_id, id, type, sealed, wrapped_key, key_id from secret where tenant_id = ${tenantId} and ${condition}`);
    return row && { type: row.type, value: await openRow(row, config) };
  });
}

export async function hasOneTimeCredential(tx: Tx, groupId: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select from secret where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`,
  );
  return rows.length > 0;
}

/** Deletes the one-time credential, at the end of the first run with any outcome, and when the group is deleted. Idempotent. */
export async function eraseOneTimeCredential(tx: Tx, groupId: string): Promise<void> {
  await tx.query(sql`delete from secret where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}

export async function findSecret(tx: Tx, id: string): Promise<Secret | undefined> {
  const [row] = await tx.query<Secret>(
    sql`select ${COLUMNS} from secret where tenant_id = ${tx.tenantId} and id = ${id} and ${STORED}`,
  );
  return row;
}

/** Returns at most `limit` secrets after `afterId` in order of creation, and the number of all secrets. */
export async function listSecrets(
  db: Database,
  tenantId: string,
  q: string | undefined,
  page: PageRequest,
): Promise<Listed<Secret>> {
  const named = q === undefined ? raw('true') : containsText(raw('name'), q);
  const matching = sql`secret where tenant_id = ${tenantId} and ${STORED} and ${named}`;
  return db.transaction(tenantId, (tx) => readPage<Secret>(tx, COLUMNS, matching, raw('id'), page));
}

/** Counts the tenant's secrets. Nobody else adds a secret until the transaction ends. */
export async function countSecretsLocked(tx: Tx): Promise<number> {
  await lockAdditions(tx, 'secret');
  return countRows(tx, sql`secret where tenant_id = ${tx.tenantId} and ${STORED}`);
}

/** Returns the deleted secret; undefined when there was none. */
export async function deleteSecret(tx: Tx, id: string): Promise<Secret | undefined> {
  const [row] = await tx.query<Secret>(
    sql`delete from secret where tenant_id = ${tx.tenantId} and id = ${id} and ${STORED} returning ${COLUMNS}`,
  );
  return row;
}

/** Counts the secrets of all tenants. */
export function countSecrets(system: Queryable): Promise<number> {
  return countRows(system, sql`secret`);
}

/** Wraps all data keys of all tenants with `to`. Returns their number. @throws SealBroken, or Error for a missing master key. */
export async function rewrapSecrets(
  tx: SystemTx,
  keys: ReadonlyMap<string, MasterKey>,
  to: MasterKey,
): Promise<number> {
  for (let done = 0; ; ) {
    const rows = await tx.query<SealedRow>(sql`
      select tenant_id, id, sealed, wrapped_key, key_id from secret where key_id <> ${to.id}
      order by tenant_id, id limit ${REWRAPPED_ROWS_AT_ONCE} for update`);
    if (rows.length === 0) return done;
    const wrapped = rows.map((row) => rewrapKey(keyOf(row, keys), to, ownerOf(row), row.wrappedKey));
    await tx.query(sql`
      update secret s set wrapped_key = v.wrapped_key, key_id = ${to.id}
      from unnest(${rows.map((row) => row.tenantId)}::uuid[], ${rows.map((row) => row.id)}::uuid[], ${wrapped}::bytea[])
        as v (tenant_id, id, wrapped_key)
      where s.tenant_id = v.tenant_id and s.id = v.id`);
    done += rows.length;
  }
}

/** Returns the ids of secrets of any tenant that do not open, for `doctor --check`. */
export async function findBrokenSecrets(system: Queryable, config: KeySettings): Promise<string[]> {
  const { keys } = await loadKeyring(config);
  const rows = await system.query<SealedRow>(sql`select tenant_id, id, sealed, wrapped_key, key_id from secret`);
  return rows.filter((row) => !opens(row, keys)).map((row) => row.id);
}

function opens(row: SealedRow, keys: ReadonlyMap<string, MasterKey>): boolean {
  try {
    openValue(keyOf(row, keys), ownerOf(row), row);
    return true;
  } catch {
    return false;
  }
}

async function openRow(row: SealedRow, config: KeySettings): Promise<string> {
  const { keys } = await loadKeyring(config);
  return openValue(keyOf(row, keys), ownerOf(row), row);
}

/** Returns the master key in use. No rotation replaces it until the transaction ends. */
async function currentKey(tx: Tx, config: KeySettings): Promise<MasterKey> {
  await lockMasterKeyShared(tx);
  const id = await findMasterKeyId(tx);
  return keyOf({ keyId: id ?? 'none' }, (await loadKeyring(config)).keys);
}

function keyOf(row: Pick<SealedRow, 'keyId'>, keys: ReadonlyMap<string, MasterKey>): MasterKey {
  const key = keys.get(row.keyId);
  if (!key) throw new Error(`the master key ${row.keyId}, which stored secrets are sealed with, is missing`);
  return key;
}

function ownerOf(row: SealedRow): { tenantId: string; secretId: string } {
  return { tenantId: row.tenantId, secretId: row.id };
}
