/**
 * The routes of the console's session. They are outside the API: a browser has no API key there, and only our own pages may call them.
 *
 *   POST   /console/session {api_key} or {token} -> 204 with the cookie
 *   GET    /console/session                      -> who is signed in
 *   DELETE /console/session                      -> 204, and the cookie is removed
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findApiKey } from '../../corpus/api-key-store.ts';
import { findTenantName } from '../../corpus/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { SESSION_IDLE_SECONDS, unauthenticated } from '../../http/auth.ts';
import { JSON_BODY_TIMEOUT_MS, parseJson, readBody } from '../../http/body/body.ts';
import { cookieHeader, cookieOf, mayUseCookie, removalHeaders, sessionSecretOf } from '../../http/console-session.ts';
import type { Deps } from '../../http/deps.ts';
import { validate } from '../../http/validate.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';
import { openFailureLimit } from './failure-limit.ts';
import { type Proof, sessionEnd, signIn, signOut } from './session.ts';

const PATH = '/console/session';
const BODY_BYTES_MAX = 1_024;
const SECRET_LENGTH_MAX = 200;

const signInBody = z
  .strictObject({ api_key: text(1, SECRET_LENGTH_MAX).optional(), token: text(1, SECRET_LENGTH_MAX).optional() })
  .refine(
    ({ api_key: key, token }) => (key === undefined) !== (token === undefined),
    'needs api_key or token, not both',
  );

export function registerConsoleSession(app: FastifyInstance, deps: Deps): void {
  const failures = openFailureLimit(deps.clock);

  app.post(PATH, async (request, reply) => {
    refuseOtherSites(request);
    const succeeded = failures.begin(request.ip);
    const proof = await readProof(request);
    const { secret, seconds } = await signIn(deps, proof, cookieOf(request.headers.cookie)).catch((error: unknown) => {
      request.log.warn({ address: request.ip }, 'a sign-in to the console failed');
      throw error;
    });
    succeeded();
    return reply
      .code(204)
      .header('set-cookie', cookieHeader(request.headers.origin, secret, seconds))
      .send();
  });

  app.get(PATH, (request) => describe(deps, request));

  app.delete(PATH, async (request, reply: FastifyReply) => {
    refuseOtherSites(request);
    const secret = sessionSecretOf(request);
    if (secret !== undefined) await signOut(deps, secret);
    return reply
      .code(204)
      .header('set-cookie', removalHeaders())
      .header('clear-site-data', '"cache", "storage"')
      .send();
  });
}

/** Refuses requests that another site may have caused: signing a user in to a foreign tenant would be an attack, too. */
function refuseOtherSites(request: FastifyRequest): void {
  if (!mayUseCookie(request))
    throw new ServiceError(
      'forbidden',
      'Only a page of this service may send this request, with x-pinakes-console: 1.',
    );
}

async function readProof(request: FastifyRequest): Promise<Proof> {
  if (!/^application\/json(?:$|;)/i.test(request.headers['content-type'] ?? ''))
    throw new ServiceError('unsupported_media_type', 'The content type must be application/json.');
  const body = parseJson(await readBody(request.raw, BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS));
  const { api_key: apiKey, token } = validate(signInBody, body, 'body');
  return apiKey === undefined ? { token: token! } : { apiKey };
}

/** Returns who is signed in. @throws ServiceError unauthenticated */
async function describe(deps: Deps, request: FastifyRequest) {
  const secret = sessionSecretOf(request);
  if (secret === undefined) throw unauthenticated();
  const caller = await deps.auth.authenticateSession(secret);
  request.caller = caller;
  const expiresAt = await sessionEnd(deps, secret);
  const { tenantId, apiKeyId } = caller;
  const { key, tenantName } = await deps.db.transaction(tenantId, async (tx) => ({
    key: await findApiKey(tx, apiKeyId),
    tenantName: await findTenantName(tx, tenantId),
  }));
  return {
    api_key_id: apiKeyId,
    api_key_name: key!.name,
    scopes: caller.scopes,
    source_group_ids: caller.sourceGroupIds,
    tag_ids: caller.tagIds,
    api_key_expires_time: unixSeconds(caller.expiresAt),
    tenant_name: tenantName,
    expires_time: unixSeconds(expiresAt),
    idle_seconds: SESSION_IDLE_SECONDS,
    authorization: deps.config.authorization,
  };
}
