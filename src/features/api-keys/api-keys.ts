/** Rules for API keys: a key can issue, rotate and revoke only keys that may do no more than itself. */

import { generateApiKey } from '../../access/api-key.ts';
import type { Caller, Scope } from '../../access/caller.ts';
import {
  type ApiKeyRow,
  countApiKeysLocked,
  findGroupIds,
  findTagIds,
  insertApiKey,
  lockApiKeys,
  replaceApiKey,
  revokeApiKey,
} from '../../corpus/api-key-store.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, invalidAt, notFound, orNotFound, ServiceError } from '../../errors.ts';
import { unauthenticated } from '../../http/auth.ts';
import type { Deps } from '../../http/deps.ts';
import { isId, newId } from '../../util/ids.ts';

export const LIMIT_IDS_MAX = 100;
/** Maximum number of keys of one tenant. Revoked and expired keys do not count. */
export const API_KEYS_MAX = 10_000;

/** An API key without its hidden columns. */
export type ApiKeyView = Omit<ApiKeyRow, 'publicId' | 'revokedAt' | 'rootId' | 'familyId' | 'replacedBy'>;

export interface KeyRequest {
  name: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
}

type Uses = Pick<Deps, 'db' | 'clock' | 'auth'>;

/** The rights of a key, to compare two keys. */
type Rights = Pick<KeyRequest, 'scopes' | 'expiresAt' | 'sourceGroupIds' | 'tagIds'>;

/**
 * Issues a key and returns it. The service cannot show the key again.
 *
 * @throws ServiceError forbidden when the new key would have rights that the caller's key has not.
 * @throws ServiceError conflict when the tenant has API_KEYS_MAX keys.
 * @throws ServiceError not_found for a source group or tag that the tenant does not have.
 */
export async function issueApiKey(
  uses: Uses,
  caller: Caller,
  request: KeyRequest,
): Promise<{ row: ApiKeyView; key: string }> {
  const now = uses.clock.now();
  if (request.expiresAt !== null && request.expiresAt <= now)
    throw invalidAt(['expires_time'], 'must be in the future.');
  const wanted = { ...request, scopes: [...new Set(request.scopes)] };
  if (!liesWithin(wanted, caller)) {
    throw new ServiceError(
      'forbidden',
      'The scopes, limits and expiry of a new key must lie within those of the key that issues it.',
    );
  }
  const { key, ...stored } = generateApiKey();
  const id = newId(now.getTime());
  const row = await uses.db.transaction(caller.tenantId, async (tx) => {
    await lockLivingKeys(tx, caller, now);
    await assertRoom(tx, now);
    const groupIds = unique(wanted.sourceGroupIds);
    const tagIds = unique(wanted.tagIds);
    if ((await findGroupIds(tx, groupIds)).length < groupIds.length) throw notFound();
    if ((await findTagIds(tx, tagIds)).length < tagIds.length) throw notFound();
    const issued = {
      ...wanted,
      id,
      sourceGroupIds: wanted.sourceGroupIds && groupIds,
      tagIds: wanted.tagIds && tagIds,
      issuedBy: caller.apiKeyId,
      createdAt: now,
      lastUsedAt: null,
    };
    await insertApiKey(tx, caller.tenantId, { ...issued, ...stored, rootId: caller.rootKeyId, familyId: id });
    await recordChange(tx, caller, 'issue', 'api_key', id, {
      name: wanted.name,
      scopes: wanted.scopes,
      expires: wanted.expiresAt,
      source_group_ids: wanted.sourceGroupIds,
      tag_ids: wanted.tagIds,
    });
    return issued;
  });
  return { row, key };
}

/**
 * Issues a successor with the name, scopes, limits and expiry of an old key. The old key ends after the grace time, or at its own
 * expiry if this is earlier.
 *
 * @throws ServiceError not_found; forbidden when the old key has rights that the caller's key has not; conflict when the old key has
 *   expired or was rotated before.
 */
export async function rotateApiKey(
  uses: Uses,
  caller: Caller,
  id: string,
  graceSeconds: number,
): Promise<{ row: ApiKeyView; key: string }> {
  const now = uses.clock.now();
  const { key, ...stored } = generateApiKey();
  const successorId = newId(now.getTime());
  const row = await uses.db.transaction(caller.tenantId, async (tx) => {
    const old = await lockKeyWithin(tx, caller, now, id);
    if (old.replacedBy !== null) throw conflict(`This key was rotated before: rotate its successor ${old.replacedBy}.`);
    if (old.expiresAt !== null && old.expiresAt <= now) throw conflict('This key has expired.');
    await assertRoom(tx, now);
    const successor = { ...old, id: successorId, issuedBy: caller.apiKeyId, createdAt: now, lastUsedAt: null };
    await insertApiKey(tx, caller.tenantId, { ...successor, ...stored });
    const graceEnd = new Date(now.getTime() + graceSeconds * 1000);
    const end = old.expiresAt !== null && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    await replaceApiKey(tx, id, successorId, end);
    await recordChange(tx, caller, 'rotate', 'api_key', id, {
      name: old.name,
      replaced_by: successorId,
      ends: end.toISOString(),
    });
    return successor;
  });
  uses.auth.forget();
  return { row, key };
}

/** Revokes a key and returns it. @throws ServiceError not_found; forbidden when the key has rights that the caller's key has not. */
export async function revokeOwnApiKey(uses: Uses, caller: Caller, id: string): Promise<ApiKeyView> {
  const revoked = await uses.db.transaction(caller.tenantId, async (tx) => {
    const now = uses.clock.now();
    const row = await lockKeyWithin(tx, caller, now, id);
    await revokeApiKey(tx, id, now);
    await recordChange(tx, caller, 'revoke', 'api_key', id, { name: row.name });
    return row;
  });
  uses.auth.forget();
  return revoked;
}

/** Locks and returns a key. @throws ServiceError not_found; forbidden when the key has rights that the caller's key has not. */
async function lockKeyWithin(tx: Tx, caller: Caller, now: Date, id: string): Promise<ApiKeyRow> {
  const row = orNotFound((await lockLivingKeys(tx, caller, now, id)).find((one) => one.id === id));
  if (!liesWithin({ ...row, scopes: row.scopes as Scope[] }, caller)) {
    throw new ServiceError(
      'forbidden',
      'A key can rotate and revoke only keys that lie within its own scopes, limits and expiry.',
    );
  }
  return row;
}

/**
 * Locks the caller's key and others, and checks the caller's key again. Authentication may be up to a second old, and a key that was
 * revoked or replaced meanwhile must not create another key.
 *
 * @throws ServiceError unauthenticated
 */
async function lockLivingKeys(tx: Tx, caller: Caller, now: Date, ...others: readonly string[]): Promise<ApiKeyRow[]> {
  const rows = await lockApiKeys(tx, [caller.apiKeyId, ...others]);
  const own = rows.find((row) => row.id === caller.apiKeyId);
  const isAsAuthenticated = own && own.expiresAt?.getTime() === caller.expiresAt?.getTime();
  if (!isAsAuthenticated || (own.expiresAt !== null && own.expiresAt <= now)) throw unauthenticated();
  return rows;
}

/** Checks the number of keys. @throws ServiceError conflict when the tenant has API_KEYS_MAX keys. */
async function assertRoom(tx: Tx, now: Date): Promise<void> {
  if ((await countApiKeysLocked(tx, now)) >= API_KEYS_MAX)
    throw conflict(`There are ${API_KEYS_MAX} API keys already: revoke some first.`);
}

/** Whether `outer` may do everything that `inner` may do. */
function liesWithin(inner: Rights, outer: Rights): boolean {
  return (
    inner.scopes.every((scope) => outer.scopes.includes(scope)) &&
    (outer.expiresAt === null || (inner.expiresAt !== null && inner.expiresAt <= outer.expiresAt)) &&
    isSubset(inner.sourceGroupIds, outer.sourceGroupIds) &&
    isSubset(inner.tagIds, outer.tagIds)
  );
}

/** Whether `outer` has all ids of `inner`. Null stands for all ids. */
function isSubset(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  return outer === null || (inner?.every((id) => outer.includes(id)) ?? false);
}

function unique(ids: readonly string[] | null): string[] {
  const result = [...new Set(ids ?? [])];
  if (!result.every(isId)) throw notFound();
  return result;
}
