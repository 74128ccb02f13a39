/** Who is calling: `x-api-key` -> Caller. One constant answer for missing, unknown, expired and revoked keys. */
import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '../access/api-key.ts';
import type { Caller, Scope } from '../access/caller.ts';
import { type AuthenticationRow, findKeyForAuthentication } from '../corpus/api-key-store.ts';
import type { SystemDatabase } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import type { Clock } from '../util/time.ts';

/** A revocation by another process acts after this time at the latest; one by this process acts at once. */
export const KEY_CACHE_MS = 900;
const KEY_CACHE_ENTRIES_MAX = 10_000;

export interface Authenticator {
  /** @throws ServiceError unauthenticated, always with the same message. */
  authenticate(header: string | string[] | undefined): Promise<Caller>;
  /** Forgets what is cached, after a key changed. */
  forget(): void;
}

/** Caches at most KEY_CACHE_ENTRIES_MAX keys, each for KEY_CACHE_MS. */
export function openAuthenticator(system: SystemDatabase, clock: Clock): Authenticator {
  const cache = new Map<string, { row: AuthenticationRow; loadedAt: number }>();
  let epoch = 0;

  async function load(publicId: string): Promise<AuthenticationRow | undefined> {
    const now = clock.now().getTime();
    const cached = cache.get(publicId);
    // A clock that was set back must not keep an entry alive.
    if (cached && now >= cached.loadedAt && now - cached.loadedAt < KEY_CACHE_MS) return cached.row;
    const epochBefore = epoch;
    const row = await findKeyForAuthentication(system, publicId);
    cache.delete(publicId);
    // A row read before `forget` may be stale: not kept.
    if (row && epoch === epochBefore) {
      if (cache.size >= KEY_CACHE_ENTRIES_MAX) cache.delete(cache.keys().next().value!);
      cache.set(publicId, { row, loadedAt: now });
    }
    return row;
  }

  return {
    async authenticate(header) {
      const key = typeof header === 'string' ? readApiKey(header) : undefined;
      const row = key && (await load(key.publicId));
      if (!key || !row || !timingSafeEqual(row.secretHash, key.hash)) throw unauthenticated();
      if (row.revokedAt !== null) throw unauthenticated();
      if (row.expiresAt !== null && row.expiresAt <= clock.now()) throw unauthenticated();
      return {
        tenantId: row.tenantId,
        partitionNo: row.partitionNo,
        apiKeyId: row.id,
        scopes: row.scopes as Scope[],
        sourceGroupIds: row.sourceGroupIds,
        tagIds: row.tagIds,
        expiresAt: row.expiresAt,
      };
    },
    forget() {
      epoch++;
      cache.clear();
    },
  };
}

/** The one answer for missing, unknown, expired and revoked keys. */
export function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'A valid API key is needed in the header x-api-key.');
}
