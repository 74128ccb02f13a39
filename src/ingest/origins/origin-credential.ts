/** The credential that a run reads its origin with. */
import { OriginError } from '../../connectors/connector.ts';
import type { Setting } from '../../corpus/setting-store.ts';
import { openOneTimeCredential, openSecret } from '../../vault/secret-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/**
 * Never put it into a job, a log or an error. Null when the origin is read without one.
 *
 * @throws OriginError when there was one and it is gone; SealBroken.
 */
export async function openCredential(
  deps: Pick<IngestDeps, 'db' | 'config'>,
  tenantId: string,
  setting: Pick<Setting, 'sourceGroupId' | 'secretId' | 'needsCredential'>,
): Promise<string | null> {
  if (!setting.needsCredential) return null;
  if (setting.secretId === null) {
    const given = await openOneTimeCredential(deps, tenantId, setting.sourceGroupId);
    if (given === undefined)
      throw gone('The credential that the source was created with was erased after its first run.');
    return given;
  }
  const secret = await openSecret(deps, tenantId, setting.secretId);
  if (!secret) throw gone(`The secret ${setting.secretId} was deleted.`);
  return secret.value;
}

function gone(what: string): OriginError {
  const message = `${what} Create the source again with a stored secret.`;
  return new OriginError({ title: 'The credential of the source is gone', message, retryable: false });
}
