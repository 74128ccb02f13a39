/**
 * The rotation of the master key.
 *
 * The database stores the id of the key that all secrets are sealed with. With a key file, a rotation writes `master.key.next`. Then
 * one transaction wraps all data keys again and stores the id of the new key. At last the rotation renames the file. So the key of the
 * stored id is always in one of the two files. With a key from the environment, the operator sets the new key, and the old key as
 * PINAKES_MASTER_KEY_PREVIOUS. Until the rotation, all processes use the old key.
 */

import { appendAudit } from '../corpus/audit-store.ts';
import { listTenantIds } from '../corpus/tenant-store.ts';
import type { SystemTx } from '../db/database.ts';
import { conflict } from '../errors.ts';
import { countOf } from '../util/count-of.ts';
import type { CrashPoints } from '../util/crash.ts';
import { ConfigError } from '../util/settings/settings-reader.ts';
import {
  dropNextKey,
  ensureKeyFile,
  type Keyring,
  type KeySettings,
  keyFile,
  loadKeyring,
  promoteNextKey,
  writeNextKey,
} from './key-files.ts';
import { deleteMasterKeyId, findMasterKeyId, lockMasterKey, setMasterKeyId } from './master-key-store.ts';
import type { MasterKey } from './seal.ts';
import { countSecrets, findBrokenSecrets, rewrapSecrets, type VaultDeps } from './secret-store.ts';

/**
 * Ends or undoes an interrupted rotation and creates the key file where one is needed, at the start of every role.
 *
 * @throws ConfigError when the key of the stored secrets is missing.
 */
export async function settleMasterKey({ db, config }: VaultDeps): Promise<void> {
  await db.system.transaction(async (tx) => {
    await lockMasterKey(tx);
    const current = await findMasterKeyId(tx);
    const { keys } = await settleFiles(config, current);
    if (current !== undefined && !keys.has(current)) {
      if ((await countSecrets(tx)) > 0) throw wrongKey(config, current);
      // No secret is sealed with this key.
      await deleteMasterKeyId(tx);
    }
    if (config.masterKey === null) await ensureKeyFile(config.dataDir);
  });
}

export interface Rotation {
  /** The number of secrets whose data keys were wrapped again. */
  secrets: number;
  keyId: string;
  previousKeyId: string | null;
  origin: Keyring['origin'];
}

/**
 * Seals every secret with a new master key: a generated key in the key file, or the key of PINAKES_MASTER_KEY.
 *
 * After an interruption at any point, either the old key or the new key is in use, and this key still exists.
 *
 * @throws ServiceError conflict when there is no new key, or the old key is missing.
 */
export async function rotateMasterKey({ db, config, crash }: VaultDeps & { crash: CrashPoints }): Promise<Rotation> {
  const rotation = await db.system.transaction(async (tx) => {
    await lockMasterKey(tx);
    const current = await findMasterKeyId(tx);
    const keyring = await settleFiles(config, current);
    if (current !== undefined && !keyring.keys.has(current) && (await countSecrets(tx)) > 0) {
      throw conflict(wrongKey(config, current).message);
    }
    const to = await newKey(config, keyring, current);
    crash.reach('rotate.key_written');
    const done = { ...(await rewrapAll(tx, keyring, to, current)), origin: keyring.origin };
    await record(tx, done);
    return done;
  });
  crash.reach('rotate.committed');
  if (rotation.origin === 'file') await promoteIfNext(config, rotation.keyId);
  return rotation;
}

async function rewrapAll(
  tx: SystemTx,
  { keys }: Keyring,
  to: MasterKey,
  current: string | undefined,
): Promise<Omit<Rotation, 'origin'>> {
  const secrets = await rewrapSecrets(tx, keys, to);
  await setMasterKeyId(tx, to.id);
  return { secrets, keyId: to.id, previousKeyId: current ?? null };
}

/** Adds the rotation to the audit log of every tenant, because the key protects data of every tenant. */
async function record(tx: SystemTx, { keyId, previousKeyId }: Rotation): Promise<void> {
  for (const tenantId of await listTenantIds(tx)) {
    await appendAudit(tx, {
      tenantId,
      actor: null,
      action: 'rotate',
      objectKind: 'master_key',
      objectId: keyId,
      details: { previous: previousKeyId },
    });
  }
}

/** Returns the new key: a configured key that is not in use yet, else a generated key in a new file. @throws ServiceError conflict */
async function newKey(config: KeySettings, { primary }: Keyring, current: string | undefined): Promise<MasterKey> {
  const isSet = primary !== undefined && current !== undefined && primary.id !== current;
  if (isSet) return primary;
  if (config.masterKey === null) return writeNextKey(config.dataDir);
  if (primary && current === undefined) return primary;
  throw conflict(
    'The secrets are sealed with PINAKES_MASTER_KEY already. Set it to a new key, set PINAKES_MASTER_KEY_PREVIOUS to the old one, ' +
      'restart, and rotate again.',
  );
}

/** Ends or undoes an interrupted rotation, according to the id in the database. Returns the keys after that. */
async function settleFiles(config: KeySettings, current: string | undefined): Promise<Keyring> {
  const keyring = await loadKeyring(config);
  if (keyring.next !== undefined && keyring.next.id === current) await promoteNextKey(config.dataDir);
  else await dropNextKey(config.dataDir);
  return loadKeyring(config);
}

async function promoteIfNext(config: KeySettings, keyId: string): Promise<void> {
  if ((await loadKeyring(config)).next?.id === keyId) await promoteNextKey(config.dataDir);
}

function wrongKey(config: KeySettings, keyId: string): ConfigError {
  const [problem, example] =
    config.masterKey === null
      ? [
          `is not set, and ${keyFile(config.dataDir)} is not the key of the stored secrets`,
          '"$(cat backup/master.key)"',
        ]
      : ['is not the key of the stored secrets', '"$(cat old.key)" or, before a rotation, PINAKES_MASTER_KEY_PREVIOUS'];
  return new ConfigError('PINAKES_MASTER_KEY', `${problem} (key id ${keyId})`, example);
}

/** Returns the state of the master key for `pinakes doctor`. Reads only. `thorough` opens every secret. */
export async function examineMasterKey(
  { db, config }: VaultDeps,
  thorough: boolean,
): Promise<{ ok: boolean; detail: string }> {
  const { keys, primary, origin } = await loadKeyring(config);
  const current = await findMasterKeyId(db.system);
  const where = origin === 'file' ? keyFile(config.dataDir) : 'PINAKES_MASTER_KEY';
  if (current === undefined) return { ok: true, detail: `${where}, no secrets yet` };
  const secrets = await countSecrets(db.system);
  if (!keys.has(current)) {
    return {
      ok: secrets === 0,
      detail: `${countOf(secrets, 'secret is', 'secrets are')} sealed with the key ${current}, which is missing`,
    };
  }
  const broken = thorough ? await findBrokenSecrets(db.system, config) : [];
  if (broken.length > 0)
    return {
      ok: false,
      detail: `${countOf(broken.length, 'secret does', 'secrets do')} not open: ${broken.slice(0, 5).join(', ')}`,
    };
  const rest = primary?.id === current ? '' : `; ${where} is another key: run pinakes rotate-master-key`;
  const count = thorough
    ? countOf(secrets, 'secret opens', 'secrets open')
    : countOf(secrets, 'secret is sealed', 'secrets are sealed');
  return { ok: true, detail: `${count} with the key ${current}${rest}` };
}
