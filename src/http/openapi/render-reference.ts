/** A thread that renders the API reference and sends it to `api-reference.ts`, with its script. */
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';

parentPort!.postMessage(await render());

async function render(): Promise<{ html: string; script: Buffer; gzippedScript: Buffer }> {
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
  return { html, script: script.rawPayload, gzippedScript: gzipSync(script.rawPayload) };
}
