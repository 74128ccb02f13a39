/** Routes outside the API, without an API key: start page, health, readiness, metrics, OpenAPI description, API reference. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Deps } from '../deps.ts';
import { registerReference } from '../openapi/api-reference.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import type { Route } from '../route.ts';
import { registerConsole } from './console-files.ts';
import { openReadiness } from './readiness.ts';

const CONSOLE_LINK = '<li><a href="/console/">Console</a>: add files, search and ask in the browser</li>';
const START_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
/** The comment is replaced by the link to the console, or removed if the console is off. */
const START_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Pinakes</title>
<style>body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}li{margin:.3rem 0}</style>
</head>
<body>
<h1>Pinakes</h1>
<p>Upload files, search them, and ask questions: every citation of an answer is checked.</p>
<ul>
<!--console-->
<li><a href="/docs">API reference</a>: every endpoint, with requests to try</li>
<li><a href="/openapi.json">OpenAPI description</a></li>
<li><a href="/readyz">Readiness</a> · <a href="/healthz">health</a> · <a href="/metrics">metrics</a></li>
</ul>
<p>API requests need a key in the header <code>x-api-key</code>.
The first key is in the file <code>admin.key</code> in the service's data directory.</p>
</body>
</html>
`;

/** Registers the routes outside the API. `routes` are the API routes that `/openapi.json` describes. */
export function registerServiceRoutes(app: FastifyInstance, deps: Deps, routes: readonly Route[]): void {
  const readiness = openReadiness(deps);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    const failed = await readiness.failed();
    if (failed.length > 0) throw new ServiceError('overloaded', `Not ready: ${failed.join(', ')}.`);
    return { status: 'ready' };
  });
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await deps.metrics.expose();
    return reply.type(contentType).send(body);
  });
  let description: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    description ??= JSON.stringify(openApiDocument(routes));
    return reply.type('application/json; charset=utf-8').send(description);
  });
  registerReference(app);
  if (deps.config.console) registerConsole(app);
  const startPage = START_PAGE.replace('<!--console-->\n', deps.config.console ? `${CONSOLE_LINK}\n` : '');
  app.get('/', async (_request, reply) =>
    reply.header('content-security-policy', START_PAGE_POLICY).type('text/html; charset=utf-8').send(startPage),
  );
}
