/** Authenticates callers by `x-api-key`, or by a session of the console. All that do not work get the same answer. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readApiKey } from '../access/api-key.ts';
import type { Caller, Scope } from '../access/caller.ts';
import { type AuthenticationRow, findKeyForAuthentication } from '../corpus/api-key-store.ts';
import { findSession, type SessionRow, touchSession } from '../corpus/console-session-store.ts';
import type { SystemDatabase } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import { setRecent } from '../util/recent.ts';
import type { Clock } from '../util/time.ts';
import { type HttpRequest, hashSecret, sessionSecretOf } from './console-session.ts';

/** New requests notice a revocation by another process within this time, and one by this process at once. */
export const KEY_CACHE_MS = 500;
const KEY_CACHE_ENTRIES_MAX = 10_000;
/** A session of the console ends when nobody has used it for this time. */
export const SESSION_IDLE_SECONDS = 12 * 3_600;
/** The last use of a session is written this often at most. */
const SESSION_TOUCH_MS = 5 * 60_000;

export interface Authenticator {
  /** Returns the caller of a request. @throws ServiceError unauthenticated, always with the same message. */
  authenticate(header: string | string[] | undefined): Promise<Caller>;
  /** Returns the caller of a session of the console. `secret` is the value of its cookie. @throws ServiceError unauthenticated */
  authenticateSession(secret: string): Promise<Caller>;
  /** Empties the cache. Must be called after a key changed. */
  forget(): void;
}

/** Caches at most KEY_CACHE_ENTRIES_MAX keys, each for KEY_CACHE_MS. */
export function openAuthenticator(system: SystemDatabase, clock: Clock): Authenticator {
  const cache = new Map<string, { row: AuthenticationRow; loadedAt: number }>();
  /** Look-ups in flight. Requests of one key that come at the same time share one: others would wait for all of them. */
  const loading = new Map<string, Promise<AuthenticationRow | undefined>>();
  let epoch = 0;

  async function load<Row extends AuthenticationRow>(
    name: string,
    find: () => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const now = clock.now().getTime();
    const cached = cache.get(name);
    // If the clock was set back, the entry counts as expired.
    if (cached && now >= cached.loadedAt && now - cached.loadedAt < KEY_CACHE_MS) return cached.row as Row;
    const running = loading.get(name);
    if (running) return (await running) as Row | undefined;
    const epochBefore = epoch;
    const lookUp = find();
    loading.set(name, lookUp);
    const row = await lookUp.finally(() => loading.get(name) === lookUp && loading.delete(name));
    // A row that was read before `forget` may be stale, so it is not cached.
    if (row && epoch === epochBefore) setRecent(cache, name, { row, loadedAt: now }, KEY_CACHE_ENTRIES_MAX);
    else cache.delete(name);
    return row;
  }

  return {
    async authenticate(header) {
      const key = typeof header === 'string' ? readApiKey(header) : undefined;
      const row = key && (await load(`key ${key.publicId}`, () => findKeyForAuthentication(system, key.publicId)));
      if (!key || !row || !timingSafeEqual(row.secretHash, key.hash)) throw unauthenticated();
      return callerOf(row, clock.now());
    },
    async authenticateSession(secret) {
      const hash = hashSecret(secret);
      const row = await load(`session ${hash.toString('base64')}`, () => findSession(system, hash));
      const now = clock.now();
      if (!row || !isLive(row, now)) throw unauthenticated();
      if (now.getTime() - row.usedAt.getTime() >= SESSION_TOUCH_MS) {
        row.usedAt = now;
        await touchSession(system, row, now);
      }
      return { ...callerOf(row, now), sessionId: row.sessionId };
    },
    forget() {
      epoch++;
      cache.clear();
      loading.clear();
    },
  };
}

/** Returns the caller: by the API key if the request has one, else by the console's session. @throws ServiceError unauthenticated */
export function authenticateRequest(auth: Authenticator, request: HttpRequest): Promise<Caller> {
  const key = request.headers['x-api-key'];
  const secret = key === undefined ? sessionSecretOf(request) : undefined;
  return secret === undefined ? auth.authenticate(key) : auth.authenticateSession(secret);
}

/** Returns the caller of a key. @throws ServiceError unauthenticated if the key has ended. */
export function callerOf(row: AuthenticationRow, now: Date): Caller {
  if (row.revokedAt !== null) throw unauthenticated();
  if (row.expiresAt !== null && row.expiresAt <= now) throw unauthenticated();
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
}

/** Whether the session itself has not ended. Its key is checked apart. */
function isLive({ usedAt, sessionExpiresAt }: SessionRow, now: Date): boolean {
  return sessionExpiresAt > now && now.getTime() - usedAt.getTime() < SESSION_IDLE_SECONDS * 1000;
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
