/** Rules for API keys: a key issues, rotates and revokes only keys that lie within itself. */

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
import { appendAudit } from '../../corpus/audit-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { invalidRequest, notFound, ServiceError } from '../../errors.ts';
import { type Authenticator, unauthenticated } from '../../http/auth.ts';
import { isId, newId } from '../../util/ids.ts';
import type { Clock } from '../../util/time.ts';

export const LIMIT_IDS_MAX = 100;
/** Of one tenant; revoked keys do not count. */
export const API_KEYS_MAX = 10_000;

export type ShownApiKey = Omit<ApiKeyRow, 'publicId' | 'revokedAt' | 'issuedBy' | 'replacedBy'>;

export interface KeyRequest {
  name: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
}

interface Uses {
  db: Database;
  clock: Clock;
  auth: Authenticator;
}

/** What one key may do, to be compared with another. */
type Reach = Pick<KeyRequest, 'scopes' | 'expiresAt' | 'sourceGroupIds' | 'tagIds'>;

/**
 * Issues a key and returns it: the only time that anyone sees it.
 *
 * @throws ServiceError forbidden when it would reach further than the caller's own key.
 * @throws ServiceError conflict when the tenant has API_KEYS_MAX keys.
 * @throws ServiceError not_found for a source group or tag that the tenant does not have.
 */
export async function issueApiKey(
  uses: Uses,
  caller: Caller,
  request: KeyRequest,
): Promise<{ row: ShownApiKey; key: string }> {
  const now = uses.clock.now();
  if (request.expiresAt !== null && request.expiresAt <= now)
    throw invalidRequest('/expires_time: must be in the future.');
  const wanted = { ...request, scopes: [...new Set(request.scopes)] };
  if (!liesWithin(wanted, caller)) {
    throw new ServiceError(
      'forbidden',
      'The scopes, limits and expiry of a new key must lie within those of the key that issues it.',
    );
  }
  const generated = generateApiKey();
  const id = newId(now.getTime());
  await uses.db.transaction(caller.tenantId, async (tx) => {
    await lockLivingKeys(tx, caller, now);
    await assertRoom(tx, caller);
    const groupIds = unique(wanted.sourceGroupIds);
    const tagIds = unique(wanted.tagIds);
    if ((await findGroupIds(tx, caller.tenantId, groupIds)).length < groupIds.length) throw notFound();
    if ((await findTagIds(tx, caller.tenantId, tagIds)).length < tagIds.length) throw notFound();
    await insertApiKey(tx, caller.tenantId, {
      id,
      publicId: generated.publicId,
      hash: generated.hash,
      name: wanted.name,
      scopes: wanted.scopes,
      sourceGroupIds: wanted.sourceGroupIds && groupIds,
      tagIds: wanted.tagIds && tagIds,
      expiresAt: wanted.expiresAt,
      issuedBy: caller.apiKeyId,
      createdAt: now,
    });
    await record(tx, caller, 'issue', id, reachOf(wanted));
  });
  const row = {
    id,
    name: wanted.name,
    scopes: wanted.scopes,
    sourceGroupIds: wanted.sourceGroupIds && unique(wanted.sourceGroupIds),
    tagIds: wanted.tagIds && unique(wanted.tagIds),
    expiresAt: wanted.expiresAt,
    createdAt: now,
  };
  return { row, key: generated.key };
}

/**
 * Issues a key with the name, scopes, limits and expiry of another, which ends after the grace time (or before, if it was
 * to expire before).
 *
 * @throws ServiceError not_found; forbidden when the key reaches further than the caller's own; conflict when it has
 *   expired or was rotated before: a second successor would end with its grace time.
 */
export async function rotateApiKey(
  uses: Uses,
  caller: Caller,
  id: string,
  graceSeconds: number,
): Promise<{ row: ShownApiKey; key: string }> {
  const now = uses.clock.now();
  const generated = generateApiKey();
  const successorId = newId(now.getTime());
  const row = await uses.db.transaction(caller.tenantId, async (tx) => {
    const old = await lockOwnKey(tx, caller, now, id);
    if (old.replacedBy !== null)
      throw new ServiceError('conflict', `This key was rotated before: rotate its successor ${old.replacedBy}.`);
    if (old.expiresAt !== null && old.expiresAt <= now) throw new ServiceError('conflict', 'This key has expired.');
    await assertRoom(tx, caller);
    await insertApiKey(tx, caller.tenantId, {
      id: successorId,
      publicId: generated.publicId,
      hash: generated.hash,
      name: old.name,
      scopes: old.scopes,
      sourceGroupIds: old.sourceGroupIds,
      tagIds: old.tagIds,
      expiresAt: old.expiresAt,
      issuedBy: caller.apiKeyId,
      createdAt: now,
    });
    const graceEnd = new Date(now.getTime() + graceSeconds * 1000);
    const end = old.expiresAt !== null && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    await replaceApiKey(tx, caller.tenantId, id, successorId, end);
    await record(tx, caller, 'rotate', id, { replaced_by: successorId, ends: end.toISOString() });
    return { ...old, id: successorId, createdAt: now };
  });
  uses.auth.forget();
  return { row, key: generated.key };
}

/** @throws ServiceError not_found; forbidden when the key reaches further than the caller's own. */
export async function revokeOwnApiKey(uses: Uses, caller: Caller, id: string): Promise<ShownApiKey> {
  const revoked = await uses.db.transaction(caller.tenantId, async (tx) => {
    const now = uses.clock.now();
    const row = await lockOwnKey(tx, caller, now, id);
    await revokeApiKey(tx, caller.tenantId, id, now);
    await record(tx, caller, 'revoke', id, { name: row.name });
    return row;
  });
  uses.auth.forget();
  return revoked;
}

function record(
  tx: Tx,
  caller: Caller,
  action: 'issue' | 'rotate' | 'revoke',
  objectId: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { tenantId, apiKeyId: actor } = caller;
  return appendAudit(tx, { tenantId, actor, action, objectKind: 'api_key', objectId, details });
}

function reachOf({ name, scopes, expiresAt, sourceGroupIds, tagIds }: KeyRequest): Record<string, unknown> {
  return { name, scopes, expires: expiresAt, source_group_ids: sourceGroupIds, tag_ids: tagIds };
}

/** @throws ServiceError not_found; forbidden when the key reaches further than the caller's own. */
async function lockOwnKey(tx: Tx, caller: Caller, now: Date, id: string): Promise<ApiKeyRow> {
  const row = (await lockLivingKeys(tx, caller, now, id)).find((one) => one.id === id);
  if (!row) throw notFound();
  const reach: Reach = {
    scopes: row.scopes as Scope[],
    expiresAt: row.expiresAt,
    sourceGroupIds: row.sourceGroupIds,
    tagIds: row.tagIds,
  };
  if (!liesWithin(reach, caller)) {
    throw new ServiceError(
      'forbidden',
      'A key can rotate and revoke only keys that lie within its own scopes, limits and expiry.',
    );
  }
  return row;
}

/**
 * Locks the caller's key and others. Authentication may be a second old: a key that is revoked or replaced at this moment
 * must not leave a key behind that outlives it.
 *
 * @throws ServiceError unauthenticated
 */
async function lockLivingKeys(tx: Tx, caller: Caller, now: Date, ...others: readonly string[]): Promise<ApiKeyRow[]> {
  const rows = await lockApiKeys(tx, caller.tenantId, [caller.apiKeyId, ...others]);
  const own = rows.find((row) => row.id === caller.apiKeyId);
  const isAsAuthenticated = own && own.expiresAt?.getTime() === caller.expiresAt?.getTime();
  if (!isAsAuthenticated || (own.expiresAt !== null && own.expiresAt <= now)) throw unauthenticated();
  return rows;
}

/** @throws ServiceError conflict */
async function assertRoom(tx: Tx, { tenantId }: Caller): Promise<void> {
  if ((await countApiKeysLocked(tx, tenantId)) >= API_KEYS_MAX)
    throw new ServiceError('conflict', `There are ${API_KEYS_MAX} API keys already: revoke some first.`);
}

/** True when everything `inner` may do, `outer` may do as well. */
export function liesWithin(inner: Reach, outer: Reach): boolean {
  return (
    inner.scopes.every((scope) => outer.scopes.includes(scope)) &&
    (outer.expiresAt === null || (inner.expiresAt !== null && inner.expiresAt <= outer.expiresAt)) &&
    isSubset(inner.sourceGroupIds, outer.sourceGroupIds) &&
    isSubset(inner.tagIds, outer.tagIds)
  );
}

/** null = everything. */
function isSubset(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  return outer === null || (inner?.every((id) => outer.includes(id)) ?? false);
}

function unique(ids: readonly string[] | null): string[] {
  const result = [...new Set(ids ?? [])];
  if (!result.every(isId)) throw notFound();
  return result;
}
