/** Finds the credential with which a run reads its origin. */
import { OriginError } from '../../connectors/connector.ts';
import type { Setting } from '../../corpus/setting-store.ts';
import { openOneTimeCredential, openSecret } from '../../vault/secret-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/**
 * Returns the decrypted credential, or null when the origin needs none. The credential must never reach a job, a log or
 * an error.
 *
 * @throws OriginError when the credential was erased or deleted; SealBroken.
 */
export async function openCredential(
  deps: Pick<IngestDeps, 'db' | 'config'>,
  tenantId: string,
  setting: Pick<Setting, 'sourceGroupId' | 'secretId' | 'needsCredential'>,
): Promise<string | null> {
  if (!setting.needsCredential) return null;
  if (setting.secretId === null) {
    const credential = await openOneTimeCredential(deps, tenantId, setting.sourceGroupId);
    if (credential === undefined)
      throw gone('The credential that the source was created with was erased after its first run.');
    return credential;
  }
  const secret = await openSecret(deps, tenantId, setting.secretId);
  if (!secret) throw gone(`The secret ${setting.secretId} was deleted.`);
  return secret.value;
}

function gone(what: string): OriginError {
  const message = `${what} Create the source again with a stored secret.`;
  return new OriginError({ title: 'The credential of the source is gone', message, retryable: false });
}
