/** `/docs`: the API reference (Scalar). It is served from the installed package: it needs no network and reports to nobody. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Reference {
  html: string;
  gzippedScript: Buffer;
}

/** Registers `/docs` and its script. The content security policy lets the browser connect to this service only. */
export function registerReference(app: FastifyInstance): void {
  let reference: Promise<Reference> | undefined;
  const load = (): Promise<Reference> => {
    reference ??= renderReference().catch((error: unknown) => {
      reference = undefined;
      throw error;
    });
    return reference;
  };
  app.get('/docs', async (_request, reply) => {
    return reply
      .header('content-security-policy', POLICY)
      .type('text/html; charset=utf-8')
      .send((await load()).html);
  });
  app.get('/docs/scalar.js', async (request, reply) => {
    const { gzippedScript } = await load();
    reply.header('cache-control', 'public, max-age=3600').header('vary', 'accept-encoding');
    reply.type('text/javascript; charset=utf-8');
    // Inflated as it is sent, by the threads of zlib: 4 MB would hold the event loop for 20 ms.
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'])))
      return reply.send(Readable.from([gzippedScript]).pipe(createGunzip()));
    return reply.header('content-encoding', 'gzip').send(gzippedScript);
  });
}

/**
 * Renders the page at the first request, in a thread that then ends: loading the script of 4 MB and compressing it would hold the
 * event loop for 150 ms.
 */
async function renderReference(): Promise<Reference> {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(new URL(`./render-reference${extension}`, import.meta.url), { execArgv: [] });
  const [{ html, gzippedScript }] = (await once(worker, 'message')) as [{ html: string; gzippedScript: Uint8Array }];
  return { html, gzippedScript: Buffer.from(gzippedScript) };
}
