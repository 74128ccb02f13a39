/** What lies outside the API: health, readiness, metrics, the OpenAPI description and the reference. No API key is needed. */
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { ServiceError } from '../errors.ts';
import { registerReference } from './api-reference.ts';
import { openApiDocument } from './openapi.ts';
import { openReadiness } from './readiness.ts';
import type { Route } from './route.ts';

const START_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pinakes</title></head>
<body><h1>Pinakes</h1><p>Knowledge retrieval and ingestion. <a href="/docs">API reference</a> · <a href="/openapi.json">OpenAPI description</a></p></body></html>
`;

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
  app.get('/', async (_request, reply) => reply.type('text/html; charset=utf-8').send(START_PAGE));
}
