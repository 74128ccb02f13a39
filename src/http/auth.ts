/** Authenticates callers by `x-api-key`. Missing, unknown, expired and revoked keys get the same answer. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readApiKey } from '../access/api-key.ts';
import type { Caller, Scope } from '../access/caller.ts';
import { type AuthenticationRow, findKeyForAuthentication } from '../corpus/api-key-store.ts';
import type { SystemDatabase } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import type { Clock } from '../util/time.ts';

/** A revocation by another process takes effect within this time. A revocation by this process takes effect at once. */
export const KEY_CACHE_MS = 900;
const KEY_CACHE_ENTRIES_MAX = 10_000;

export interface Authenticator {
  /** Returns the caller of a request. @throws ServiceError unauthenticated, always with the same message. */
  authenticate(header: string | string[] | undefined): Promise<Caller>;
  /** Empties the cache. Must be called after a key changed. */
  forget(): void;
}

/** Caches at most KEY_CACHE_ENTRIES_MAX keys, each for KEY_CACHE_MS. */
export function openAuthenticator(system: SystemDatabase, clock: Clock): Authenticator {
  const cache = new Map<string, { row: AuthenticationRow; loadedAt: number }>();
  let epoch = 0;

  async function load(publicId: string): Promise<AuthenticationRow | undefined> {
    const now = clock.now().getTime();
    const cached = cache.get(publicId);
    // If the clock was set back, the entry counts as expired.
    if (cached && now >= cached.loadedAt && now - cached.loadedAt < KEY_CACHE_MS) return cached.row;
    const epochBefore = epoch;
    const row = await findKeyForAuthentication(system, publicId);
    cache.delete(publicId);
    // A row that was read before `forget` may be stale, so it is not cached.
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
        rootKeyId: row.rootId,
        keyFamilyId: row.familyId,
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

/** Returns the error for missing, unknown, expired and revoked keys. */
export function unauthenticated(): ServiceError {
  return new ServiceError(
    'unauthenticated',
    'A valid API key is needed in the header x-api-key. For /mcp and /v1 it may also be the bearer token.',
  );
}

/** Returns the key in `x-api-key`, else in `Authorization: Bearer`. The doors `/v1` and `/mcp` accept both. */
export function keyOrBearer(headers: IncomingHttpHeaders): string | string[] | undefined {
  return headers['x-api-key'] ?? /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
