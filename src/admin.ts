/**
 * The admin socket: JSON over HTTP on `<data dir>/admin.sock` (mode 0600), for operator commands while the service runs. A request needs
 * the key of operator-key.ts. Parsers and tools see neither the socket nor the key. Errors have the same body as in the API.
 *
 *   GET    /doctor               -> {ok, checks: [{name, ok, detail}]}; `?check=1` also checks the stored data (slow)
 *   GET    /tenants              -> {tenants: [{id, name, creation_time}]}
 *   POST   /tenants {name}       -> {id, name, creation_time, key}: creates a tenant and its first key, with all scopes
 *   DELETE /tenants/{name}       -> {id, name}: deletes the tenant and all its data
 *   POST   /keys {tenant, name}  -> {key}: issues a key with all scopes, for a tenant whose keys were lost
 *   POST   /console-links {tenant?} -> {token, expires_time}: a sign-in link to the console, used once
 *   GET    /quotas/{tenant}      -> {bytes, files, groups}: each the tenant's own quota; null: that of the settings; 0: not limited
 *   PATCH  /quotas/{tenant} {bytes?, files?, groups?} -> the same, changed
 *   GET    /migrations           -> {applied: [name], pending: [name]}
 *   POST   /migrations {}        -> the same, and {changed_over: [tenant name]}: tenants whose indexes of text search were rebuilt
 *   POST   /master-key/rotate {} -> {secrets, key_id, previous_key_id, origin: file | environment}
 */
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { generateApiKey } from './access/api-key.ts';
import { issueOperatorKey } from './bootstrap.ts';
import {
  createTenant,
  deleteTenant,
  findOwnQuotas,
  findTenantByName,
  listTenants,
  saveQuotas,
  type Tenant,
} from './corpus/tenant-store.ts';
import { rearrangeTextSearch } from './corpus/text-index.ts';
import { listMigrations } from './db/facts.ts';
import { examine } from './doctor.ts';
import { conflict, ServiceError } from './errors.ts';
import { makeSignInToken } from './features/console/session.ts';
import { JSON_BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS, parseJson, readBody } from './http/body/body.ts';
import type { Deps } from './http/deps.ts';
import { errorBody, toServiceError } from './http/error-handler.ts';
import { nameSchema } from './http/schemas.ts';
import { validate } from './http/validate.ts';
import { ADMIN_SOCKET, hasOperatorKey, writeOperatorKey } from './operator-key.ts';
import { newId } from './util/ids.ts';
import { QUOTA_COUNT_MAX } from './util/settings/limit-settings.ts';
import { unixSeconds } from './util/time.ts';
import { rotateMasterKey } from './vault/rotate.ts';

/** The kernel's limit is 108 bytes including the final zero byte (104 on macOS). */
const SOCKET_PATH_BYTES_MAX = 103;

const countQuota = z.int().min(0).max(QUOTA_COUNT_MAX).nullable();
const quotasSchema = z.strictObject({
  bytes: z.int().min(0).nullable().optional(),
  files: countQuota.optional(),
  groups: countQuota.optional(),
});

export interface AdminServer {
  close(): Promise<void>;
}

/** Adapters that the operator commands use. */
export type AdminDeps = Pick<
  Deps,
  | 'config'
  | 'db'
  | 'blobs'
  | 'chatModel'
  | 'embedding'
  | 'reranker'
  | 'entailment'
  | 'analyzer'
  | 'auth'
  | 'clock'
  | 'log'
  | 'crash'
>;

/** Opens the socket. Returns undefined if the path of the data directory is too long for a socket: the service then runs without it. */
export async function openAdminServer(deps: AdminDeps): Promise<AdminServer | undefined> {
  const path = join(deps.config.dataDir, ADMIN_SOCKET);
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    deps.log.warn({ path }, 'the path of the admin socket is too long: operator commands need a stopped service');
    return undefined;
  }
  // This process holds the lock of the data directory, so an existing file was left by a service that no longer runs.
  await rm(path, { force: true });
  const key = await writeOperatorKey(deps.config.dataDir);
  const server = createServer((request, response) => {
    void answer(deps, key, request, response);
  });
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, () => resolve());
    });
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(deps: AdminDeps, key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await respond(deps, request.method ?? 'GET', request.url ?? '/', async () => {
    if (!hasOperatorKey(request.headers.authorization, key)) {
      throw new ServiceError(
        'unauthenticated',
        'The admin socket needs the key in operator.key of the data directory.',
      );
    }
    return parseJson(await readBody(request, JSON_BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS));
  });
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

export interface AdminAnswer {
  status: number;
  body: string;
}

async function respond(
  deps: AdminDeps,
  method: string,
  url: string,
  readValue: () => Promise<unknown>,
): Promise<AdminAnswer> {
  try {
    return { status: 200, body: JSON.stringify(await runAdminCommand(deps, method, url, await readValue())) };
  } catch (error) {
    const failure = toServiceError(error);
    if (failure.status >= 500) deps.log.error({ err: failure.cause ?? failure }, 'operator command failed');
    return { status: failure.status, body: errorBody(failure) };
  }
}

/**
 * Runs one operator command. The command line calls this function itself if no service runs.
 *
 * @throws ServiceError not_found, conflict, invalid_request.
 */
export async function runAdminCommand(deps: AdminDeps, method: string, url: string, body?: unknown): Promise<unknown> {
  const { pathname, searchParams } = new URL(url, 'http://admin');
  const [area = '', name] = pathname.slice(1).split('/').map(decodeURIComponent);
  switch (`${method} /${area}${name === undefined ? '' : '/{name}'}`) {
    case 'GET /doctor':
      return examine(deps, {
        thorough: searchParams.get('check') === '1',
        hashes: searchParams.get('hashes') === '1',
      });
    case 'GET /tenants':
      return { tenants: (await listTenants(deps.db)).map(toWire) };
    case 'POST /tenants': {
      const tenant = await addTenant(deps, validate(z.strictObject({ name: nameSchema }), body, 'body').name);
      return { ...toWire(tenant), key: await issueKey(deps, tenant.id, 'admin') };
    }
    case 'DELETE /tenants/{name}': {
      const tenant = await getTenant(deps, name ?? '');
      await deleteTenant(deps.db, tenant.id);
      deps.auth.forget();
      await deps.blobs.deleteTenant(tenant.id);
      // The tenant's audit log was deleted too, so the deletion is logged here.
      deps.log.info({ tenantId: tenant.id, tenant: tenant.name }, 'the tenant was deleted');
      return { id: tenant.id, name: tenant.name };
    }
    case 'GET /quotas/{name}':
      return findOwnQuotas(deps.db.system, (await getTenant(deps, name ?? '')).id);
    case 'PATCH /quotas/{name}': {
      const change = validate(quotasSchema, body, 'body');
      const { id } = await getTenant(deps, name ?? '');
      await saveQuotas(deps.db, id, change);
      return findOwnQuotas(deps.db.system, id);
    }
    case 'POST /keys': {
      const wanted = validate(z.strictObject({ tenant: nameSchema, name: nameSchema }), body, 'body');
      return { key: await issueKey(deps, (await getTenant(deps, wanted.tenant)).id, wanted.name) };
    }
    case 'POST /console-links': {
      const { tenant } = validate(z.strictObject({ tenant: nameSchema.optional() }), body ?? {}, 'body');
      const { token, expiresAt } = await makeSignInToken(deps, tenant);
      return { token, expires_time: unixSeconds(expiresAt) };
    }
    case 'POST /master-key/{name}': {
      if (name !== 'rotate') throw unknownCommand();
      const { secrets, keyId, previousKeyId, origin } = await rotateMasterKey(deps);
      deps.log.info({ secrets, keyId, previousKeyId }, 'the master key was rotated');
      return { secrets, key_id: keyId, previous_key_id: previousKeyId, origin };
    }
    case 'GET /migrations':
      return listMigrations(deps.db);
    case 'POST /migrations':
      return { ...(await listMigrations(deps.db)), changed_over: await rearrangeTextSearch(deps.db) };
    default:
      throw unknownCommand();
  }
}

function unknownCommand(): ServiceError {
  return new ServiceError(
    'not_found',
    'The service does not know this command: it is of another version than the command line.',
  );
}

async function addTenant(deps: AdminDeps, name: string): Promise<Tenant> {
  if (await findTenantByName(deps.db, name)) {
    throw conflict(`There is a tenant named ${JSON.stringify(name)} already.`);
  }
  return createTenant(deps.db, { id: newId(), name });
}

async function getTenant(deps: AdminDeps, name: string): Promise<Tenant> {
  const tenant = await findTenantByName(deps.db, name);
  if (!tenant) throw new ServiceError('not_found', `There is no tenant named ${JSON.stringify(name)}.`);
  return tenant;
}

async function issueKey(deps: AdminDeps, tenantId: string, name: string): Promise<string> {
  const generated = generateApiKey();
  await issueOperatorKey(deps.db, tenantId, name, generated, deps.clock.now());
  return generated.key;
}

function toWire(tenant: Tenant): { id: string; name: string; creation_time: number } {
  return { id: tenant.id, name: tenant.name, creation_time: unixSeconds(tenant.createdAt) };
}
