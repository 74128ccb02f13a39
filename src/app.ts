/** Builds the HTTP application: the server with the routes of all features. It needs no worker in the same process. */
import type { FastifyInstance } from 'fastify';
import { examine } from './doctor.ts';
import type { ServiceError } from './errors.ts';
import type { Host } from './features/agents/host.ts';
import { agentRoutes } from './features/agents/routes.ts';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { policyRoutes } from './features/authz/policy-routes.ts';
import { subjectRoutes } from './features/authz/subject-routes.ts';
import { blockRoutes } from './features/blocks/routes.ts';
import { openAnswering } from './features/completions/evidence.ts';
import { openAiError } from './features/completions/openai/errors.ts';
import { openAiRoutes } from './features/completions/openai/routes.ts';
import { completionsRoutes } from './features/completions/routes.ts';
import { previewRoutes } from './features/connector-sources/preview-routes.ts';
import { connectorSourceRoutes } from './features/connector-sources/routes.ts';
import { serviceFactRoutes } from './features/console/routes.ts';
import { registerConsoleSession } from './features/console/session-routes.ts';
import { contentsRoutes } from './features/contents/routes.ts';
import { redactMessage } from './features/conversations/redaction.ts';
import { conversationRoutes } from './features/conversations/routes.ts';
import { evaluationRoutes } from './features/evaluation/routes.ts';
import { FILES_MAX, UPLOAD_BYTES_MAX } from './features/local-files/receive.ts';
import { localFileRoutes } from './features/local-files/routes.ts';
import { mcpErrorBody, mcpTools, registerMcp } from './features/mcp/plugin.ts';
import { metadataColumnRoutes } from './features/metadata-columns/routes.ts';
import { pageRoutes } from './features/pages/routes.ts';
import { redactionRoutes } from './features/redaction/routes.ts';
import { searchRoutes } from './features/search/routes.ts';
import { secretRoutes } from './features/secrets/routes.ts';
import { sourceGroupRoutes } from './features/source-groups/routes.ts';
import { sourceRoutes } from './features/sources/routes.ts';
import { tableQueryRoutes } from './features/tables/query-routes.ts';
import { tableRoutes } from './features/tables/routes.ts';
import { tagRoutes } from './features/tags/routes.ts';
import { keyOrBearer } from './http/auth.ts';
import type { Deps } from './http/deps.ts';
import { errorBody, sendError } from './http/error-handler.ts';
import { registerServiceRoutes } from './http/operations/service-routes.ts';
import { openAdmission } from './http/rate-limit.ts';
import { registerRoutes } from './http/register.ts';
import type { Route } from './http/route.ts';
import { openServer } from './http/server.ts';
import type { Tool } from './http/tools/tool.ts';

export interface App extends FastifyInstance {
  /** Aborts the signals of requests that still run after the grace time of a stop. */
  abortRequests(): void;
}

/** Returns what agent runs use: the tools of `/mcp`, and the answer path of completions. */
export function agentHost(deps: Deps): Host {
  const tools = mcpTools(deps, [
    ...searchRoutes(deps),
    ...contentsRoutes(deps),
    ...tableRoutes(deps),
    ...tableQueryRoutes(deps),
  ]);
  return { deps, tools, ask: openAnswering(deps), redactMessage };
}

/** Returns every route of the API, in the order of the OpenAPI description. */
export function apiRoutes(deps: Deps): Route[] {
  const host = agentHost(deps);
  return [
    ...searchRoutes(deps),
    ...contentsRoutes(deps),
    ...pageRoutes(deps),
    ...blockRoutes(deps),
    ...completionsRoutes(deps),
    ...agentRoutes(host),
    ...conversationRoutes(deps),
    ...localFileRoutes(deps),
    ...connectorSourceRoutes(deps),
    ...previewRoutes(deps),
    ...sourceGroupRoutes(deps),
    ...sourceRoutes(deps),
    ...tableRoutes(deps),
    ...tableQueryRoutes(deps),
    ...tagRoutes(deps),
    ...metadataColumnRoutes(deps),
    ...secretRoutes(deps),
    ...redactionRoutes(deps),
    ...apiKeyRoutes(deps),
    ...subjectRoutes(deps),
    ...policyRoutes(deps),
    ...auditRoutes(deps),
    ...evaluationRoutes(deps),
    ...serviceFactRoutes(deps, {
      examine: () => examine(deps, { thorough: false }),
      uploadBytesMax: UPLOAD_BYTES_MAX,
      filesPerUploadMax: FILES_MAX,
      tools: host.tools,
    }),
  ];
}

/** Returns the same routes for the OpenAPI description. Their handlers cannot run. */
export function describedRoutes(): Route[] {
  return apiRoutes({} as Deps);
}

/** Returns all routes of the OpenAPI description: those of the API and of `/v1`. Their handlers cannot run. */
export function allDescribedRoutes(): Route[] {
  return [...describedRoutes(), ...openAiRoutes({} as Deps)];
}

const openAiErrorBody = (failure: ServiceError): string => JSON.stringify(openAiError(failure));

/** Returns the form of errors at an address: programs that speak another protocol read its own. */
function errorBodyAt(path: string): (failure: ServiceError) => string {
  if (path.startsWith('/v1/')) return openAiErrorBody;
  return path === '/mcp' ? mcpErrorBody : errorBody;
}

/** Returns an application that is ready to listen. `moreTools` are offered on `/mcp` besides the service's own. */
export async function buildApp(deps: Deps, moreTools: readonly Tool[] = []): Promise<App> {
  const routes = apiRoutes(deps);
  const shutdown = new AbortController();
  const app = openServer(deps, errorBodyAt);
  const compatible = openAiRoutes(deps);
  registerServiceRoutes(app, deps, [...routes, ...compatible]);
  const admission = openAdmission(deps);
  if (deps.config.console) registerConsoleSession(app, deps);
  registerRoutes(app, deps, routes, shutdown.signal, { admission });
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, openAiErrorBody));
    registerRoutes(scope, deps, compatible, shutdown.signal, {
      admission,
      authenticate: (auth, request) => auth.authenticate(keyOrBearer(request.headers)),
    });
  });
  const tools = [...mcpTools(deps, routes), ...moreTools];
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, mcpErrorBody));
    registerMcp(scope, deps, tools, { admission, shutdown: shutdown.signal });
  });
  await app.ready();
  return Object.assign(app, { abortRequests: () => shutdown.abort() });
}
