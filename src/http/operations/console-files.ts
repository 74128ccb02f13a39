/**
 * `/console/`: the built console. Its files are read once into a map, so a path can only name a file of the build. The content security
 * policy allows scripts, styles and connections of this service only, and no script may write HTML (trusted types).
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { packageFolder } from '../../util/package-files.ts';

/** Folder of the build, in the repository as in the published package. */
const BUILT_FOLDER = 'dist/console';
const INDEX = 'index.html';
const ASSETS = 'assets/';

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pinakes</title></head>
<body><h1>The console is not built</h1>
<p>Run <code>npm run build:console</code> in the folder of Pinakes, and start the service again.</p></body></html>
`;

interface ConsoleFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Compressed when the console was built. Undefined for fonts, which are compressed already. */
  brotli: Buffer | undefined;
  gzip: Buffer | undefined;
}

type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Registers `/console` and everything below it. `root` replaces the folder of the build. */
export function registerConsole(app: FastifyInstance, root?: string): void {
  const files = readConsole(root);
  app.get('/console', async (_request, reply) => reply.headers(HEADERS).redirect('/console/', 308));
  // A screen is 40 files: a line for each would hide what happens in the service.
  app.get('/console/*', { logLevel: 'warn' }, async (request, reply) => {
    const index = files.get(INDEX);
    if (!index) return reply.code(503).headers(HEADERS).type('text/html; charset=utf-8').send(NOT_BUILT);
    const path = (request.params as { '*': string })['*'];
    const file = files.get(path);
    // Any other path is a screen of the console. A file that is gone must not be answered with HTML.
    if (!file && path.startsWith(ASSETS)) throw new ServiceError('not_found', 'The console has no such file.');
    return sendFile(file ?? index, path.startsWith(ASSETS), request, reply);
  });
}

function sendFile(file: ConsoleFile, immutable: boolean, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(HEADERS).type(file.type).header('etag', file.etag).header('vary', 'accept-encoding');
  // The names of assets have a hash of their content.
  reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding']);
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}

/** Returns the files of the build by path below `/console/`. Empty if there is no build. */
function readConsole(root = builtFolder()): ConsoleFiles {
  if (root === undefined || !existsSync(join(root, INDEX))) return new Map();
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const present = new Set(names);
  const read = (name: string): Buffer | undefined => (present.has(name) ? readFileSync(join(root, name)) : undefined);
  return new Map(
    names.flatMap((name): [string, ConsoleFile][] => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      const plain = readFileSync(join(root, name));
      const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
      return [[name, { type, etag, plain, brotli: read(`${name}.br`), gzip: read(`${name}.gz`) }]];
    }),
  );
}

function builtFolder(): string | undefined {
  try {
    return packageFolder(BUILT_FOLDER);
  } catch {
    return undefined;
  }
}
