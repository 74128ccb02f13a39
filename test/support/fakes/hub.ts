/** A model hub in memory: descriptions with hashes, files with ranges, and a second host to which it redirects for large files. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeModel {
  /** Path -> bytes. */
  files: Record<string, Buffer>;
  license?: string;
  task?: string;
  tags?: string[];
  gated?: boolean;
  /** Omits sizes and hashes, as some mirrors do. */
  terse?: boolean;
}

export interface FakeHub {
  /** For PINAKES_HUB_URL. */
  url: string;
  models: Map<string, FakeModel>;
  /** `GET /path bytes=…` of both hosts, in order. */
  requests: string[];
  /** `Authorization` headers that reached the host of large files. */
  leakedCredentials: string[];
  /** The access token that may read gated models. */
  token: string;
  /** Path -> number of bytes after which the next answer breaks off. */
  cuts: Map<string, number>;
  /** Awaited before such an answer breaks off: the client must have received the bytes. */
  beforeCut: () => Promise<void>;
  /** Path -> bytes that replace the bytes of the file. */
  wrong: Map<string, Buffer>;
  /** Ignores ranges: every answer is the whole file. */
  ignoresRanges: boolean;
  close(): Promise<void>;
}

export const COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
/** Larger files are on the second host and have a SHA-256. */
const LARGE_BYTES = 1_000;

export async function openFakeHub(): Promise<FakeHub> {
  const files = createServer((request, response) => {
    note(request);
    if (request.headers.authorization) hub.leakedCredentials.push(request.headers.authorization);
    const [, name = '', path = ''] = /^\/large\/([^/]+\/[^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    send(hub, name, path, request, response);
  });
  const main = createServer((request, response) => {
    note(request);
    answer(hub, `http://localhost:${portOf(files)}`, request, response);
  });
  const note = ({ method, url, headers }: IncomingMessage): number =>
    hub.requests.push(`${method} ${url}${headers.range ? ` ${headers.range}` : ''}`);
  await Promise.all([listen(files), listen(main)]);
  const hub: FakeHub = {
    url: `http://127.0.0.1:${portOf(main)}`,
    models: new Map(),
    requests: [],
    leakedCredentials: [],
    token: 'hf_secret',
    cuts: new Map(),
    beforeCut: async () => {},
    wrong: new Map(),
    ignoresRanges: false,
    async close() {
      for (const server of [files, main]) server.closeAllConnections();
      await Promise.all([files, main].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return hub;
}

function answer(hub: FakeHub, largeUrl: string, request: IncomingMessage, response: ServerResponse): unknown {
  const url = new URL(request.url ?? '/', hub.url);
  const mayRead = request.headers.authorization === `Bearer ${hub.token}`;
  const [, described] = /^\/api\/models\/(.+)\/revision\/[^/]+$/.exec(url.pathname) ?? [];
  if (described !== undefined) {
    const model = hub.models.get(described);
    if (model === undefined) return refuse(response, 401, 'RepoNotFound');
    return json(response, describe(model, url.searchParams.get('blobs') === 'true'));
  }
  const [, name = '', commit, path = ''] = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
  const model = hub.models.get(name);
  if (model === undefined || commit !== COMMIT) return refuse(response, 404, 'EntryNotFound');
  if (model.gated && !mayRead) return refuse(response, 403, 'GatedRepo');
  const bytes = model.files[path];
  if (bytes === undefined) return refuse(response, 404, 'EntryNotFound');
  if (bytes.length < LARGE_BYTES) return send(hub, name, path, request, response);
  const headers = { 'x-repo-commit': COMMIT, 'x-linked-etag': `"${sha256(bytes)}"`, 'x-linked-size': bytes.length };
  return response.writeHead(302, { ...headers, location: `${largeUrl}/large/${name}/${path}` }).end();
}

function describe({ files, license, task, tags = [], gated = false, terse }: FakeModel, withBlobs: boolean): object {
  const siblings = Object.entries(files).map(([rfilename, bytes]) => {
    if (!withBlobs || terse) return { rfilename };
    const blobId = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    if (bytes.length < LARGE_BYTES) return { rfilename, size: bytes.length, blobId };
    return {
      rfilename,
      size: bytes.length,
      blobId,
      lfs: { sha256: sha256(bytes), size: bytes.length, pointerSize: 134 },
    };
  });
  const cardData = license === undefined ? {} : { license };
  return { id: 'x', sha: COMMIT, gated: gated ? 'auto' : false, pipeline_tag: task, tags, cardData, siblings };
}

function send(hub: FakeHub, name: string, path: string, request: IncomingMessage, response: ServerResponse): unknown {
  const bytes = hub.wrong.get(path) ?? hub.models.get(name)?.files[path];
  if (bytes === undefined) return refuse(response, 404, 'EntryNotFound');
  const start = hub.ignoresRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(start);
  const range = start === 0 ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(start === 0 ? 200 : 206, { 'content-length': rest.length, ...range });
  const cut = hub.cuts.get(path);
  hub.cuts.delete(path);
  if (cut === undefined) return response.end(rest);
  return response.write(rest.subarray(0, cut), () => hub.beforeCut().then(() => response.destroy()));
}

function refuse(response: ServerResponse, status: number, code: string): unknown {
  response.writeHead(status, { 'content-type': 'application/json', 'x-error-code': code });
  return response.end(JSON.stringify({ error: code }));
}

function json(response: ServerResponse, body: object): unknown {
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
