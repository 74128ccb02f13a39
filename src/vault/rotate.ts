/**
 * Which master key counts, and its change.
 *
 * The database names the key that all secrets are sealed with. With a key file, a rotation writes `master.key.next`, wraps
 * every data key anew and names the new key in one transaction, then renames the file: at any moment the key that the
 * database names is in one of the two files. With a key from the environment, the operator sets the new key and, as
 * PINAKES_MASTER_KEY_PREVIOUS, the old one; until the rotation, everyone goes on with the old one.
 */

import { appendAudit } from '../corpus/audit-store.ts';
import { listTenantIds } from '../corpus/tenant-store.ts';
import type { Database, Tx } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import type { CrashPoints } from '../util/crash.ts';
import { ConfigError } from '../util/settings-reader.ts';
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
import { findMasterKeyId, forgetMasterKeyId, lockMasterKey, setMasterKeyId } from './master-key-store.ts';
import type { MasterKey } from './seal.ts';
import { countSecrets, findBrokenSecrets, rewrapSecrets } from './secret-store.ts';

interface VaultDeps {
  db: Database;
  config: KeySettings;
}

/**
 * At the start of every role: ends what an interrupted rotation left, makes the key file where one is needed, and refuses
 * to go on without the key of the stored secrets.
 *
 * @throws ConfigError
 */
export async function settleMasterKey({ db, config }: VaultDeps): Promise<void> {
  await db.system.transaction(async (tx) => {
    await lockMasterKey(tx);
    const current = await findMasterKeyId(tx);
    const { keys } = await settleFiles(config, current);
    if (current !== undefined && !keys.has(current)) {
      if ((await countSecrets(tx)) > 0) throw wrongKey(config, current);
      // Nothing is sealed with it any more.
      await forgetMasterKeyId(tx);
    }
    if (config.masterKey === null) await ensureKeyFile(config.dataDir);
  });
}

export interface Rotation {
  /** Secrets whose data keys were wrapped anew. */
  secrets: number;
  keyId: string;
  previousKeyId: string | null;
  origin: Keyring['origin'];
}

/**
 * Seals every secret with a new master key: a generated one in the key file, or the one that PINAKES_MASTER_KEY names.
 *
 * Interrupted at any point, either the old key counts or the new one, and the one that counts is kept.
 *
 * @throws ServiceError conflict when there is no key to change to, or the old one is not at hand.
 */
export async function rotateMasterKey({ db, config, crash }: VaultDeps & { crash: CrashPoints }): Promise<Rotation> {
  const rotation = await db.system.transaction(async (tx) => {
    await lockMasterKey(tx);
    const current = await findMasterKeyId(tx);
    const keyring = await settleFiles(config, current);
    if (current !== undefined && !keyring.keys.has(current) && (await countSecrets(tx)) > 0) {
      throw new ServiceError('conflict', wrongKey(config, current).message);
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
  tx: Tx,
  { keys }: Keyring,
  to: MasterKey,
  current: string | undefined,
): Promise<Omit<Rotation, 'origin'>> {
  const secrets = await rewrapSecrets(tx, keys, to);
  await setMasterKeyId(tx, to.id);
  return { secrets, keyId: to.id, previousKeyId: current ?? null };
}

/** In every tenant's log: each has data that the key protects. */
async function record(tx: Tx, { keyId, previousKeyId }: Rotation): Promise<void> {
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

/** The key to change to. A key that was set and is not in use yet is one; else a new file makes one. */
async function newKey(config: KeySettings, { primary }: Keyring, current: string | undefined): Promise<MasterKey> {
  const isSet = primary !== undefined && current !== undefined && primary.id !== current;
  if (isSet) return primary;
  if (config.masterKey === null) return writeNextKey(config.dataDir);
  if (primary && current === undefined) return primary;
  throw new ServiceError(
    'conflict',
    'The secrets are sealed with PINAKES_MASTER_KEY already. Set it to a new key, set PINAKES_MASTER_KEY_PREVIOUS to the old one, restart, and rotate again.',
  );
}

/** Ends an interrupted rotation: its key has become the one that counts, or never will. */
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

/** For `pinakes doctor`: reads only. `thorough` opens every secret. */
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
    return { ok: secrets === 0, detail: `${secrets} secrets are sealed with the key ${current}, which is not at hand` };
  }
  const broken = thorough ? await findBrokenSecrets(db.system, config) : [];
  if (broken.length > 0)
    return { ok: false, detail: `${broken.length} secrets do not open: ${broken.slice(0, 5).join(', ')}` };
  const rest = primary?.id === current ? '' : `; ${where} is another key: run pinakes rotate-master-key`;
  return { ok: true, detail: `${secrets} secrets ${thorough ? 'open' : 'are sealed'} with the key ${current}${rest}` };
}
