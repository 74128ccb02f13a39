/** Prepares the first start: creates the tenant `default` and an API key with all scopes, so that the service can be used at once. */
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GeneratedApiKey, generateApiKey, readApiKey } from './access/api-key.ts';
import { SCOPES } from './access/caller.ts';
import type { Config } from './config.ts';
import { hasApiKey, insertApiKey } from './corpus/api-key-store.ts';
import { appendAudit } from './corpus/audit-store.ts';
import { createTenant, findTenantByName, type Tenant } from './corpus/tenant-store.ts';
import type { Database } from './db/database.ts';
import { makeFolder } from './util/folders.ts';
import { newId } from './util/ids.ts';
import { ConfigError } from './util/settings/settings-reader.ts';

const DEFAULT_TENANT = 'default';
const ADMIN_KEY_FILE = 'admin.key';

/**
 * Creates the default tenant and its first key, unless they exist. Returns the key if this call created it. The key may be shown on a
 * terminal only. It is also in `<data dir>/admin.key`, which only the owner can read.
 */
export async function bootstrap(db: Database, config: Config): Promise<string | undefined> {
  const given = config.bootstrapKey === null ? undefined : readApiKey(config.bootstrapKey);
  if (config.bootstrapKey !== null && !given) {
    throw new ConfigError(
      'PINAKES_BOOTSTRAP_KEY',
      'has a wrong checksum (make a key with: pinakes keys generate)',
      'pk_…',
    );
  }
  const tenant = (await findTenantByName(db, DEFAULT_TENANT)) ?? (await makeTenant(db));
  if (await hasApiKey(db.system, tenant.id)) return undefined;
  const generated = given ?? generateApiKey();
  // The file is written first: after a crash between the two writes, the next start finds no key and makes another.
  await writeKeyFile(config.dataDir, generated.key);
  await insertFirstKey(db, tenant.id, generated);
  return generated.key;
}

/** Creates the default tenant. If two replicas start on an empty database at once, the second one uses the tenant of the first. */
async function makeTenant(db: Database): Promise<Tenant> {
  try {
    return await createTenant(db, { id: newId(), name: DEFAULT_TENANT });
  } catch (error) {
    const tenant = await findTenantByName(db, DEFAULT_TENANT);
    if (!tenant) throw error;
    return tenant;
  }
}

async function insertFirstKey(db: Database, tenantId: string, generated: GeneratedApiKey): Promise<void> {
  await issueOperatorKey(db, tenantId, 'admin', generated, new Date());
}

/** Stores a key with all scopes for the operator. It has no issuing key. */
export async function issueOperatorKey(
  db: Database,
  tenantId: string,
  name: string,
  { publicId, hash }: GeneratedApiKey,
  createdAt: Date,
): Promise<void> {
  const id = newId();
  await db.system.transaction(async (tx) => {
    await insertApiKey(tx, tenantId, {
      id,
      publicId,
      hash,
      name,
      scopes: SCOPES,
      sourceGroupIds: null,
      tagIds: null,
      expiresAt: null,
      issuedBy: null,
      rootId: id,
      familyId: id,
      createdAt,
    });
    await appendAudit(tx, {
      tenantId,
      actor: null,
      action: 'issue',
      objectKind: 'api_key',
      objectId: id,
      details: { name, scopes: SCOPES, expires: null, source_group_ids: null, tag_ids: null },
    });
  });
}

async function writeKeyFile(dataDir: string, key: string): Promise<void> {
  makeFolder(dataDir);
  const file = join(dataDir, ADMIN_KEY_FILE);
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${key}\n`, { mode: 0o600, flush: true });
  await chmod(temporary, 0o600); // the mode above is ignored if the file existed
  await rename(temporary, file);
}
