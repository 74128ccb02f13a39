/** `/docs`: the API reference (Scalar). It is served from the installed package: it needs no network and reports to nobody. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';

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

/** The script is sent this often at most: it has 4 MB, compressed 1 MB, and needs no key. Requests wait for it up to a limit. */
const SCRIPT_EVERY_MS = 50;
const SCRIPT_WAIT_MAX_MS = 2_000;

interface Reference {
  html: string;
  script: Buffer;
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
  const waitForTurn = openPace();
  app.get('/docs/scalar.js', async (request, reply) => {
    await waitForTurn();
    const { script, gzippedScript } = await load();
    reply.header('cache-control', 'public, max-age=3600').header('vary', 'accept-encoding');
    reply.type('text/javascript; charset=utf-8');
    // Both forms stay in memory: to inflate 4 MB for each request would take 20 ms of the event loop, also in the threads of zlib.
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(script);
    return reply.header('content-encoding', 'gzip').send(gzippedScript);
  });
}

/** Returns a function that waits for a turn, or rejects with the error `overloaded` after the longest wait. */
function openPace(): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const waitMs = Math.max(0, nextAt - now);
    const hasTurn = waitMs <= SCRIPT_WAIT_MAX_MS;
    if (hasTurn) nextAt = now + waitMs + SCRIPT_EVERY_MS;
    // A client without a turn waits, too: otherwise it would ask again at once.
    await sleep(Math.min(waitMs, SCRIPT_WAIT_MAX_MS));
    if (hasTurn) return;
    throw new ServiceError('overloaded', 'Too many clients load this page. Try again shortly.', {
      retryAfterSeconds: Math.ceil(SCRIPT_WAIT_MAX_MS / 1000),
    });
  };
}

/**
 * Renders the page at the first request, in a thread that then ends: loading the script of 4 MB and compressing it would hold the
 * event loop for 150 ms.
 */
async function renderReference(): Promise<Reference> {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(new URL(`./render-reference${extension}`, import.meta.url), { execArgv: [] });
  const [{ html, script, gzippedScript }] = (await once(worker, 'message')) as [
    { html: string; script: Uint8Array; gzippedScript: Uint8Array },
  ];
  const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
    Buffer.from(buffer, byteOffset, byteLength);
  return { html, script: toBuffer(script), gzippedScript: toBuffer(gzippedScript) };
}
