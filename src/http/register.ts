/** Registers routes with Fastify: checks in the order of http/route.ts, validation, idempotency keys, answers. */
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { invalidRequest, notFound, ServiceError } from '../errors.ts';
import { type Authenticator, authenticateRequest } from './auth.ts';
import { JSON_BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS, parseJsonInTurn, readBody, tooLarge } from './body/body.ts';
import { credentialOf } from './console-session.ts';
import type { Deps } from './deps.ts';
import { type ClaimOptions, claimKey, type IdempotencyClaim, IdempotentReplay, noClaim } from './idempotency.ts';
import type { LiveRights, RequestRights } from './live-rights.ts';
import { type Admission, openAdmission } from './rate-limit.ts';
import { pathOf, type Route, type Schema } from './route.ts';
import { parseQuery, validate } from './validate.ts';

/** Long, because the service also stops reading the connection while the disk is busy. */
const UPLOAD_IDLE_MS = 120_000;
const JSON_TYPE = 'application/json; charset=utf-8';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the API key was checked; null outside the API. */
    caller: Caller | null;
  }
}

/** How the callers of routes are admitted. */
export interface Door {
  /** Returns the caller of a request. @throws ServiceError unauthenticated */
  authenticate(auth: Authenticator, request: FastifyRequest): Promise<Caller>;
  admission: Admission;
}

/** Registers the routes. `shutdown` aborts requests that still run when the grace time of a stop is over. */
export function registerRoutes(
  app: FastifyInstance,
  deps: Deps,
  routes: readonly Route[],
  shutdown: AbortSignal,
  { authenticate = authenticateRequest, admission = openAdmission(deps) }: Partial<Door> = {},
): void {
  for (const declared of routes) {
    if (declared.scopes.length === 0) throw new Error(`route ${declared.method} ${declared.path} has no scope`);
    const route = {
      ...declared,
      query: strict(declared.query ?? z.strictObject({}), declared),
      body: declared.body && strict(declared.body, declared),
    };
    app.route({
      method: route.method,
      // A stream has no end, so nobody can be told its headers alone.
      exposeHeadRoute: route.method === 'GET' && route.stream === undefined,
      url: pathOf(route).replace(/\{(\w+)\}/g, ':$1'),
      async onRequest(request, reply) {
        if (route.experimental) reply.header('x-pinakes-experimental', route.experimental);
        const caller = await authenticate(deps.auth, request);
        request.caller = caller;
        deps.usage.noteUse(caller);
        checkScope(route, caller);
        await route.check?.(caller);
        admission.admit(caller, reply);
        checkBodyHeaders(route, request);
      },
      handler: (request, reply) => answer(deps, route, request, reply, shutdown),
    });
  }
}

async function answer(
  deps: Deps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  shutdown: AbortSignal,
): Promise<FastifyReply> {
  const caller = request.caller!;
  let { bytes, body } = await receiveBody(route, request);
  const query = validate(route.query!, parseQuery(request.raw.url?.split(/\?(.*)/s)[1] ?? ''), 'query');
  const params = readParams(route.params, request.params);
  const serialize = (value: unknown): string => JSON.stringify(route.response.schema.parse(value));
  const { signal, rights } = watchRequest(deps.rights, caller, reply, shutdown);
  let claim = noClaim;
  try {
    claim = await claimFor(deps, route, request, bytes, serialize);
    bytes = null; // an answer may stream for long, and a small buffer keeps the whole memory pool that it was cut from alive
    const result = await route.handler({
      params,
      query,
      body,
      caller,
      signal,
      rights,
      idempotency: claim,
      raw: request,
      reply,
    } as never);
    // A reply is thenable: the handler's promise resolves to undefined once its stream has ended.
    if (reply.raw.headersSent) return reply;
    // A change is answered also if it ended the rights of its own key.
    if (route.method === 'GET') await rights.confirm();
    const text = serialize(result);
    await claim.finish(text);
    return reply.code(route.response.status).type(JSON_TYPE).send(text);
  } catch (error) {
    if (error instanceof IdempotentReplay) {
      return reply.code(error.status).header('idempotent-replayed', 'true').type(JSON_TYPE).send(error.body);
    }
    // The first failure is reported, not this one. A claim that is not released expires.
    await claim.release().catch((err: unknown) => request.log.warn({ err }, 'idempotency key not released'));
    throw signal.aborted ? signal.reason : error;
  }
}

function claimFor(
  deps: Deps,
  route: Route,
  request: FastifyRequest,
  bytes: Buffer | null,
  serialize: ClaimOptions['serialize'],
): Promise<IdempotencyClaim> {
  const key = request.headers['idempotency-key'];
  if (!route.idempotent || key === undefined) return Promise.resolve(noClaim);
  return claimKey({
    db: deps.db,
    clock: deps.clock,
    caller: request.caller!,
    apiKey: credentialOf(request),
    key: String(key),
    route: `${route.method} ${request.raw.url}`,
    body: bytes,
    once: route.idempotent === 'once',
    status: route.response.status,
    serialize,
  });
}

function checkScope(route: Route, caller: Caller): void {
  if (route.scopes.some((scope) => caller.scopes.includes(scope))) return;
  throw new ServiceError('forbidden', `The API key lacks the scope ${route.scopes.join(' or ')}.`);
}

function hasBody(request: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  return transfer !== undefined || (length !== undefined && Number(length) > 0);
}

/** Answers 415 and 413 if the headers already show it. Bodies of GET requests are ignored. */
function checkBodyHeaders(route: Route, request: FastifyRequest): void {
  if (route.method === 'GET') return;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Request bodies with a content encoding are not supported.');
  }
  const type = request.headers['content-type'];
  if (type === undefined ? hasBody(request) : !isAccepted(type, route.multipart !== undefined)) {
    const wanted = route.multipart ? 'multipart/form-data with a boundary' : 'application/json';
    throw new ServiceError('unsupported_media_type', `The content type must be ${wanted}.`);
  }
  const bytesMax = route.multipart?.bytesMax ?? JSON_BODY_BYTES_MAX;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

function isAccepted(header: string, multipart: boolean): boolean {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (multipart)
    return (
      type.toLowerCase() === 'multipart/form-data' &&
      parameters.some((p) => /^boundary=("[^"]{1,70}"|[^"\s]{1,70})$/i.test(p))
    );
  if (type.toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    return name.toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value);
  });
}

async function receiveBody(route: Route, request: FastifyRequest): Promise<{ bytes: Buffer | null; body: unknown }> {
  if (route.method === 'GET') return { bytes: Buffer.alloc(0), body: undefined };
  if (route.multipart) {
    if (!hasBody(request)) throw invalidRequest('A multipart body is required.');
    cutWhenIdle(request);
    return { bytes: null, body: undefined };
  }
  const bytes = hasBody(request)
    ? await readBody(request.raw, JSON_BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS)
    : Buffer.alloc(0);
  const { tenantId, keyFamilyId } = request.caller!;
  const value = await parseJsonInTurn(bytes, { owner: tenantId, part: keyFamilyId });
  if (!route.body) {
    const first = typeof value === 'object' && value !== null ? Object.keys(value)[0] : undefined;
    if (first !== undefined)
      throw invalidRequest(`Unknown member ${JSON.stringify(first)} in the request body: this request takes none.`);
    if (value !== undefined && (typeof value !== 'object' || value === null))
      throw invalidRequest('This request takes no body.');
    return { bytes, body: undefined };
  }
  if (value === undefined) {
    if (route.bodyOptional) return { bytes, body: undefined };
    throw invalidRequest('A JSON body is required.');
  }
  return { bytes, body: validate(route.body, value, 'body') };
}

/** Closes the connection of an upload that sends nothing for UPLOAD_IDLE_MS, because it would hold staging files. Slow uploads go on. */
function cutWhenIdle({ raw }: FastifyRequest): void {
  // Requests that tests inject have no real socket.
  if (!(raw.socket instanceof Socket)) return;
  const { socket } = raw;
  const cut = (): void => void socket.destroy();
  socket.setTimeout(UPLOAD_IDLE_MS, cut);
  // A connection is used for many uploads: 0 also removes the listener.
  raw.once('close', () => socket.setTimeout(0, cut));
}

/** Returns the path parameters. @throws ServiceError not_found for a parameter that does not match its schema, as for an unknown id. */
function readParams(schema: Schema | undefined, params: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(params);
  if (!result.success) throw notFound();
  return result.data;
}

/** Returns the schema so that it refuses unknown members, even if the route's author did not write `strictObject`. */
function strict(schema: Schema, route: Route): Schema {
  if (!(schema instanceof z.ZodObject)) return schema;
  if (schema.def.catchall === undefined) return schema.strict();
  if (schema.def.catchall instanceof z.ZodNever || schema.meta()?.['open'] === true) return schema;
  throw new Error(`route ${route.method} ${route.path} lets unknown members pass`);
}

/**
 * Returns the rights of a request, and a signal that aborts when they end, when the client leaves before the answer is complete, or
 * when the service stops. `request.raw` closes too early to show that the client has left.
 */
export function watchRequest(
  live: LiveRights,
  caller: Caller,
  reply: FastifyReply,
  shutdown: AbortSignal,
): { signal: AbortSignal; rights: RequestRights } {
  const controller = new AbortController();
  const onShutdown = (): void => controller.abort(new ServiceError('overloaded', 'The service is stopping.'));
  if (shutdown.aborted) onShutdown();
  else shutdown.addEventListener('abort', onShutdown, { once: true });
  const rights = live.watch(caller, (reason) => controller.abort(reason));
  // The listener is removed here and not earlier: an answer may still stream after its handler has returned.
  const leave = (): void => {
    rights.release();
    shutdown.removeEventListener('abort', onShutdown);
    if (!reply.raw.writableFinished) controller.abort(new Error('the client left'));
  };
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
  return { signal: controller.signal, rights };
}
