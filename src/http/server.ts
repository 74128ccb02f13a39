/** The Fastify instance: everything that applies to every request, inside and outside the API. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { withoutApiKeys } from '../access/api-key.ts';
import { invalidRequest, ServiceError, unknownAddress } from '../errors.ts';
import { newId } from '../util/ids.ts';
import type { Deps } from './deps.ts';
import { answerClientError, errorBody, sendError } from './error-handler.ts';

/** Headers must arrive within this time. Bodies have limits of their own, so that slow uploads are possible. */
const HEADERS_TIMEOUT_MS = 20_000;
const CONNECTIONS_CHECK_MS = 5_000;
/** Longer than the 60 seconds that most proxies keep a connection: otherwise a proxy could reuse a connection that was just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const URL_LENGTH_MAX = 8_192;
/** The rest of a refused body is read and dropped for this time, so that the client can read the answer. */
const LINGER_MS = 30_000;
const PATH_LOGGED_MAX = 300;
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Listens for a moment. @throws the error of the system if another process uses the port, for example */
export async function tryToListen({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

type ErrorBody = (failure: ServiceError) => string;

/**
 * Returns a Fastify instance without routes.
 *
 * @param bodyAt the body of an error about an address below which no route matches.
 */
export function openServer(deps: Deps, bodyAt: (path: string) => ErrorBody = () => errorBody): FastifyInstance {
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }), // observe() writes one line of our own
    genReqId: requestId,
    trustProxy: [...deps.config.trustedProxies],
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    routerOptions: {
      // As long as the longest accepted URL: a very long id is then an unknown id, not an unknown route.
      maxParamLength: URL_LENGTH_MAX,
      caseSensitive: true,
      ignoreTrailingSlash: false,
      querystringParser: () => ({}), // register.ts parses strictly
    },
    // No route has a schema of Fastify's, so its compilers of schemas need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    rewriteUrl: (request) => repairPercent(request),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply);
      return sendError(error, request, reply);
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  app.decorateRequest('caller', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null)); // bodies are read by register.ts and handlers
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const registered = collectRoutes(app);
  app.setNotFoundHandler((request, reply) => answerUnknownRoute(registered, bodyAt, request, reply));
  app.addHook('onRequest', async (request, reply) => {
    addHeaders(request, reply);
    deps.metrics.running.inc();
    // Fastify does not call its onResponse hook when the client leaves early.
    reply.raw.once('close', () => {
      deps.metrics.running.dec();
      observe(deps, request, reply);
    });
    reply.raw.once('finish', () => dropRestOfBody(request.raw));
    // Node's own check of this header would answer without a body.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw invalidRequest('The header Host is missing.');
    if (request.is404) return answerUnknownRoute(registered, bodyAt, request, reply);
    if ((request.raw.url?.length ?? 0) > URL_LENGTH_MAX)
      throw new ServiceError('uri_too_long', `The address is longer than ${URL_LENGTH_MAX} characters.`);
  });
  app.addHook('onSend', async (request, reply) => {
    // If the client sent `Connection: close`, Node would close the connection at once. While the body still arrives, this resets the
    // connection, and the client never reads the answer. dropRestOfBody ends the connection instead.
    if (!request.raw.complete) reply.raw.shouldKeepAlive = true;
  });
  app.server.on('checkExpectation', refuseExpectation);
  closeConnectionsOnStop(app);
  return app;
}

/**
 * Closes connections when the service stops: those that never sent a byte, and those whose last request is answered. Node itself closes
 * only connections that had a request and are idle when the stop begins.
 */
function closeConnectionsOnStop(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  let isStopping = false;
  app.server.on('request', (_request, response: ServerResponse) => {
    // The connection is idle after the event.
    response.once('close', () => isStopping && setImmediate(() => app.server.closeIdleConnections()));
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = errorBody(new ServiceError('expectation_failed', 'The header Expect supports only 100-continue.'));
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': newId(),
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(body);
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}

function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('x-frame-options', 'DENY');
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cache-control', 'no-store');
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
}

/** Returns the URL with a valid path. A path with broken percent-encoding is an unknown id or route, and must pass the same checks. */
function repairPercent(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const [path = '', query] = url.split(/\?(.*)/s);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + (query === undefined ? '' : `?${query}`);
  }
}

/** Answers 405 with `Allow` if the path exists with other methods, else 404. */
function answerUnknownRoute(
  registered: readonly RegisteredRoute[],
  bodyAt: (path: string) => ErrorBody,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = repairPercent(request.raw).split('?')[0] ?? '/';
  const matching = registered.filter((route) => route.pattern.test(path));
  const allowed = [...new Set(matching.map((route) => route.method))].sort();
  if (allowed.length === 0) return sendError(unknownAddress(), request, reply, bodyAt(path));
  reply.header('allow', allowed.join(', '));
  return sendError(
    new ServiceError('method_not_allowed', `This address supports ${allowed.join(', ')}.`),
    request,
    reply,
    bodyAt(path),
  );
}

interface RegisteredRoute {
  method: string;
  pattern: RegExp;
}

/** Returns a list that fills while routes are registered. The router itself cannot say which methods a path has. */
function collectRoutes(app: FastifyInstance): RegisteredRoute[] {
  const registered: RegisteredRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    for (const one of [method].flat()) registered.push({ method: one, pattern });
  });
  return registered;
}

/** Counts the request and logs one line for it, without query string, headers and body. */
function observe(deps: Deps, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'unknown';
  deps.metrics.request(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
  request.log.info(
    {
      method: request.method,
      path: pathForLog(request.raw.url ?? ''),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(reply.raw.writableFinished ? {} : { clientLeft: true }),
      tenantId: request.caller?.tenantId,
      apiKeyId: request.caller?.apiKeyId,
    },
    'request',
  );
}

function pathForLog(url: string): string {
  return withoutApiKeys(url.split('?')[0] ?? '').slice(0, PATH_LOGGED_MAX);
}

function dropRestOfBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe?.();
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}

function noSchemas(): never {
  throw new Error('routes are validated by register.ts, not by Fastify');
}
