/** Keys of tenants, derived from the master key and stored nowhere. A rotation of the master key changes them. */
import { hkdfSync } from 'node:crypto';
import { ensureKeyFile, type KeySettings, loadKeyring } from './key-files.ts';

const KEY_BYTES = 32;

/**
 * Returns the tenant's key for a purpose.
 *
 * @param masterKeyId the id in the database; undefined before the first secret, which selects the configured key.
 * @throws Error when that master key is missing.
 */
export async function tenantKey(
  config: KeySettings,
  masterKeyId: string | undefined,
  tenantId: string,
  purpose: string,
): Promise<Uint8Array> {
  if (config.masterKey === null) await ensureKeyFile(config.dataDir);
  const { keys, primary } = await loadKeyring(config);
  const masterKey = masterKeyId === undefined ? primary : keys.get(masterKeyId);
  if (!masterKey) throw new Error(`the master key ${masterKeyId ?? ''} is missing`);
  return new Uint8Array(hkdfSync('sha256', masterKey.key, tenantId, `pinakes ${purpose}`, KEY_BYTES));
}
