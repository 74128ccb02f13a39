/** Signs browsers in to the console and out again. A browser gives its API key once and then has a cookie that only the server reads. */

import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '../../access/api-key.ts';
import { type AuthenticationRow, findKeyForAuthentication } from '../../corpus/api-key-store.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { deleteSession, findSession, insertLink, insertSession, takeLink } from '../../corpus/console-session-store.ts';
import { findTenantByName } from '../../corpus/tenant-store.ts';
import { conflict, ServiceError } from '../../errors.ts';
import { callerOf, unauthenticated } from '../../http/auth.ts';
import { hashSecret, newSecret } from '../../http/console-session.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';

const SESSION_SECONDS_MAX = 7 * 86_400;
/** Maximum number of sessions of one key. A further sign-in ends the oldest session. */
const SESSIONS_MAX = 100;
const LINK_SECONDS = 10 * 60;

type Uses = Pick<Deps, 'db' | 'auth' | 'clock'>;

/** What a browser signs in with: an API key, or the word of a sign-in link. */
export type Proof = { apiKey: string } | { token: string };

/**
 * Begins a session with a new secret, and ends the session that the browser had before.
 *
 * @throws ServiceError unauthenticated, the same for everything that does not work.
 */
export async function signIn(
  uses: Uses,
  proof: Proof,
  before: string | undefined,
): Promise<{ secret: string; seconds: number }> {
  const { db, clock } = uses;
  const key = await findKey(uses, proof);
  const now = clock.now();
  const { tenantId, apiKeyId, expiresAt: keyEnd } = callerOf(key, now);
  const latest = new Date(now.getTime() + SESSION_SECONDS_MAX * 1000);
  const expiresAt = keyEnd !== null && keyEnd < latest ? keyEnd : latest;
  const { secret, hash } = newSecret();
  const id = newId();
  if (before !== undefined) await signOut(uses, before);
  await db.transaction(tenantId, async (tx) => {
    await insertSession(tx, { id, apiKeyId, hash, now, expiresAt }, SESSIONS_MAX);
    const details = { with: 'token' in proof ? 'link' : 'key', expires: expiresAt.toISOString() };
    await recordChange(tx, { apiKeyId }, 'create', 'console_session', id, details);
  });
  return { secret, seconds: Math.floor((expiresAt.getTime() - now.getTime()) / 1000) };
}

async function findKey({ db, clock }: Uses, proof: Proof): Promise<AuthenticationRow> {
  if ('token' in proof) {
    const row = await takeLink(db.system, hashSecret(proof.token), clock.now());
    if (!row) throw unauthenticated();
    return row;
  }
  const key = readApiKey(proof.apiKey);
  const row = key && (await findKeyForAuthentication(db.system, key.publicId));
  // A rotated key works for its grace time, but its sessions would end at once.
  if (!row || !timingSafeEqual(row.secretHash, key.hash) || row.replacedBy !== null) throw unauthenticated();
  return row;
}

/** Ends the session with this secret, if there is one. */
export async function signOut({ db, auth }: Pick<Uses, 'db' | 'auth'>, secret: string): Promise<void> {
  const session = await findSession(db.system, hashSecret(secret));
  if (!session) return;
  const { tenantId, sessionId, id: apiKeyId } = session;
  await db.transaction(tenantId, async (tx) => {
    if (!(await deleteSession(tx, sessionId))) return;
    await recordChange(tx, { apiKeyId }, 'delete', 'console_session', sessionId);
  });
  auth.forget();
}

/** Returns when the caller's session ends, if it is used until then. @throws ServiceError unauthenticated */
export async function sessionEnd({ db }: Pick<Uses, 'db'>, secret: string): Promise<Date> {
  const session = await findSession(db.system, hashSecret(secret));
  if (!session) throw unauthenticated();
  return session.sessionExpiresAt;
}

/**
 * Returns the word of a new sign-in link, which works once and for LINK_SECONDS. The link signs in with the tenant's first operator's key.
 * Only the operator may get it: by a command, or on the terminal of the service.
 *
 * @throws ServiceError not_found for an unknown tenant, conflict if no key of an operator works.
 */
export async function makeSignInToken(
  { db, clock }: Pick<Uses, 'db' | 'clock'>,
  tenantName = 'default',
): Promise<{ token: string; expiresAt: Date }> {
  const tenant = await findTenantByName(db, tenantName);
  if (!tenant) throw new ServiceError('not_found', `There is no tenant named ${JSON.stringify(tenantName)}.`);
  const { secret, hash } = newSecret();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LINK_SECONDS * 1000);
  const made = await db.transaction(tenant.id, (tx) => insertLink(tx, { id: newId(), hash, now, expiresAt }));
  if (!made) {
    const message = 'No key of an operator works in this tenant: issue one with pinakes tenants key.';
    throw conflict(message);
  }
  return { token: secret, expiresAt };
}
