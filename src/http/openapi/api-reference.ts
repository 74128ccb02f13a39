/** `/docs`: the API reference (Scalar). It is served from the installed package: it needs no network and reports to nobody. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';

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
    reference ??= renderReference();
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

/** Renders the page. The plugin's script has 4 MB, so it is loaded at the first request only, and kept compressed. */
async function renderReference(): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = Fastify();
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Pinakes API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Its menus share and deploy to the cloud of its vendor.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    } as object,
  });
  const page = await inner.inject('/docs/');
  const scriptPath = /<script[^>]*\ssrc="([^"]+)"/.exec(page.body)?.[1] ?? 'js/scalar.js';
  const script = await inner.inject(new URL(scriptPath, 'http://localhost/docs/').pathname);
  await inner.close();
  const html = page.body
    .replace(scriptPath, '/docs/scalar.js')
    .replace('<html>', '<html lang="en">')
    .replace('</head>', '<link rel="icon" href="data:,">\n  </head>'); // otherwise browsers request /favicon.ico
  return { html, gzippedScript: await promisify(gzip)(script.rawPayload) };
}
