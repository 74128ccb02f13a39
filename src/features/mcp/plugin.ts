/** The address `/mcp`: tools for agents over the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, without sessions. */
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { keyOrBearer } from '../../http/auth.ts';
import {
  JSON_BODY_BYTES_MAX,
  JSON_BODY_TIMEOUT_MS,
  parseJsonInTurn,
  readBody,
  tooLarge,
} from '../../http/body/body.ts';
import type { Deps } from '../../http/deps.ts';
import { errorBody } from '../../http/error-handler.ts';
import { namedPrincipal } from '../../http/principal-headers.ts';
import type { Admission } from '../../http/rate-limit.ts';
import { watchRequest } from '../../http/register.ts';
import type { Route } from '../../http/route.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import type { Tool } from '../../http/tools/tool.ts';
import { packageVersion } from '../../util/package-files.ts';
import type { Whose } from '../../util/pool.ts';
import { listSourcesTool } from './list-sources-tool.ts';
import { refusedOrigin } from './origins.ts';
import { readSourceTool } from './read-source-tool.ts';
import { searchTool } from './search-tool.ts';
import { openMcpServers } from './server.ts';
import { tableTools } from './table-tools.ts';

const PATH = '/mcp';
/** Headers of the protocol; the handler of the library gets no others, so it never sees a key. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|mcp-[a-z-]+)$/;
const PREFLIGHT_HEADERS =
  'authorization, content-type, accept, x-api-key, x-principal-id, x-authz-policy, mcp-protocol-version, mcp-method, mcp-name';
const PREFLIGHT_SECONDS = '600';
const EVENT_STREAM = 'text/event-stream';
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

/** Returns the tools, which agent runs have, too. A tool that needs a route of the API finds it by its operation. */
export function mcpTools(deps: Deps, routes: readonly Route[]): Tool[] {
  return [
    searchTool(deps, operation(routes, 'search')),
    readSourceTool(deps, operation(routes, 'getSourceText')),
    listSourcesTool(deps),
    ...tableTools({
      list: operation(routes, 'listTables'),
      get: operation(routes, 'getTable'),
      query: operation(routes, 'queryTables'),
    }),
  ];
}

function operation(routes: readonly Route[], id: string): Route {
  const found = routes.find((route) => route.operation.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

/**
 * Returns the JSON text of an error answer: the body of the API, and an error of the protocol at once. Some clients show only the message
 * of such an error, and for another body a text of their own.
 */
export function mcpErrorBody(failure: ServiceError): string {
  const { error } = JSON.parse(errorBody(failure)) as { error: object };
  const code = failure.status >= 500 ? INTERNAL_ERROR : INVALID_REQUEST;
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, ...error } });
}

/** Registers `/mcp`. `shutdown` aborts requests that still run when the grace time of a stop is over. */
export function registerMcp(
  app: FastifyInstance,
  deps: Deps,
  tools: readonly Tool[],
  { admission, shutdown }: { admission: Admission; shutdown: AbortSignal },
): void {
  const serverFor = openMcpServers(packageVersion(), tools);
  const { host, doors } = deps.config;
  const checkOrigin = (request: FastifyRequest, reply: FastifyReply): void => {
    const { origin } = request.headers;
    const refusal = refusedOrigin({ host, allowed: doors.mcpOrigins }, request.headers);
    if (refusal !== undefined) throw new ServiceError('forbidden', refusal);
    if (origin !== undefined) reply.header('access-control-allow-origin', origin).header('vary', 'origin');
  };
  app.options(PATH, async (request, reply) => {
    checkOrigin(request, reply);
    reply.header('access-control-allow-methods', 'POST').header('access-control-max-age', PREFLIGHT_SECONDS);
    return reply.header('access-control-allow-headers', PREFLIGHT_HEADERS).code(204).send();
  });
  app.route({
    method: 'POST',
    url: PATH,
    async onRequest(request, reply) {
      checkOrigin(request, reply);
      const caller = await deps.auth.authenticate(keyOrBearer(request.headers));
      request.caller = caller;
      deps.usage.noteUse(caller);
      admission.admit(caller, reply);
      if (Number(request.headers['content-length'] ?? 0) > JSON_BODY_BYTES_MAX) throw tooLarge(JSON_BODY_BYTES_MAX);
    },
    async handler(request, reply) {
      const caller = request.caller!;
      const { signal, rights } = watchRequest(deps.rights, caller, reply, shutdown);
      const exchange = { caller, principal: namedPrincipal(request.headers), signal, rights, raw: request, reply };
      const bytes = await readBody(request.raw, JSON_BODY_BYTES_MAX, JSON_BODY_TIMEOUT_MS);
      const response = await answer(bytes, { owner: caller.tenantId, part: caller.keyFamilyId }, (message) =>
        serve(() => serverFor(exchange), exchange, message, deps),
      );
      await rights.confirm();
      const type = response.headers.get('content-type');
      const text = await response.text();
      // The library ends the answer of an aborted request without a message.
      signal.throwIfAborted();
      reply.code(response.status);
      if (type?.startsWith(EVENT_STREAM)) return reply.type('application/json').send(onlyEvent(text));
      if (type !== null) reply.type(type);
      return reply.send(text);
    },
  });
}

/** Returns the answer to a body. Bad JSON, several messages and streams of changes are refused here. */
async function answer(
  bytes: Buffer,
  whose: Whose,
  serveMessage: (message: unknown) => Promise<Response>,
): Promise<Response> {
  let message: unknown;
  try {
    message = await parseJsonInTurn(bytes, whose);
  } catch (error) {
    return protocolError(400, PARSE_ERROR, `Parse error: ${(error as Error).message}`);
  }
  // Each message of a list would do the work of a request, and the list would count as one.
  if (Array.isArray(message)) return protocolError(400, INVALID_REQUEST, 'Lists of messages are not supported.');
  const { method, id } = (message ?? {}) as { method?: unknown; id?: unknown };
  // The tools change with a new version of the service only, so there is nothing to stream.
  if (method === 'subscriptions/listen')
    return protocolError(404, METHOD_NOT_FOUND, 'There are no changes to listen to.', id);
  return serveMessage(message);
}

/** Returns the answer of the protocol library to one message. */
function serve(
  server: () => McpServer,
  { raw, signal }: Exchange,
  parsedBody: unknown,
  { log }: Pick<Deps, 'log'>,
): Promise<Response> {
  const handler = createMcpHandler(server, {
    legacy: 'stateless',
    onerror: (error) => log.debug({ err: error }, 'an MCP request was refused'),
  });
  const headers = Object.entries(raw.headers).flatMap(([name, value]): [string, string][] =>
    PROTOCOL_HEADERS.test(name) && value !== undefined ? [[name, String(value)]] : [],
  );
  return handler.fetch(new Request(`http://localhost${PATH}`, { method: 'POST', headers, signal }), { parsedBody });
}

/**
 * Returns the message of a stream that has one event, the result of the request: for the older revision the library writes nothing else.
 * Some clients read an event of 1 MiB at most, and a result may be larger.
 */
function onlyEvent(stream: string): string {
  return /^data: (.+)$/m.exec(stream)![1]!;
}

function protocolError(status: number, code: number, message: string, id: unknown = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}
