/** A whole service for one test file: real database, real HTTP, on loopback when `url()` is asked for. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { generateApiKey } from '../../src/access/api-key.ts';
import { SCOPES, type Scope } from '../../src/access/caller.ts';
import { type App, buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { insertApiKey } from '../../src/corpus/api-key-store.ts';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import { type Overrides, openDeps } from '../../src/deps.ts';
import type { Deps } from '../../src/http/deps.ts';
import type { Tool } from '../../src/http/tools/tool.ts';
import { newId } from '../../src/util/ids.ts';
import { buildWorker } from '../../src/worker.ts';
import { openTestDatabase } from './database.ts';
import { assertNoCanary, assertNoCanaryInFiles } from './passages/canary.ts';
import { shareProcessor } from './shared-processor.ts';

export interface TestTenant {
  tenantId: string;
  /** An API key with all scopes. */
  key: string;
}

export interface TestRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Below /api/v1 unless it starts with `//`: `//healthz` is `/healthz`. */
  path: string;
  /** The test tenant's key unless given; null sends none. */
  key?: string | null;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestAnswer {
  status: number;
  headers: LightMyRequestResponse['headers'];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
  body: any;
}

export interface TestApp extends TestTenant {
  app: App;
  deps: Deps;
  /** Lines that the service logged, parsed. */
  logs: Record<string, unknown>[];
  /** Returns `http://127.0.0.1:port`; the first call starts listening. */
  url(): Promise<string>;
  /** Sends a request through `app.inject`, without a socket. */
  request(request: TestRequest): Promise<TestAnswer>;
  get(path: string, key?: string | null): Promise<TestAnswer>;
  post(path: string, body: unknown, key?: string | null): Promise<TestAnswer>;
  put(path: string, body: unknown, key?: string | null): Promise<TestAnswer>;
  delete(path: string, key?: string | null): Promise<TestAnswer>;
  /** Creates another tenant with its own key. */
  secondTenant(): Promise<TestTenant>;
  /** Issues a key of the test tenant (or `tenantId`) with these scopes. */
  issueKey(
    scopes: readonly Scope[],
    options?: { tenantId?: string; expiresAt?: Date; sourceGroupIds?: string[]; tagIds?: string[] },
  ): Promise<string>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** Settings, `PINAKES_…`. */
  env?: Record<string, string>;
  /** Adapters to use instead of the real ones: a moved clock, a scripted model. */
  given?: Overrides;
  /** Tools of `/mcp` besides the service's own. */
  tools?: readonly Tool[];
  /** True: a worker runs jobs until the app is closed. */
  runsJobs?: boolean;
}

/** Settings with which a service needs parser processes of its own. */
const OF_PARSERS = /^PINAKES_(?:PARSER|SANDBOX|OCR|OFFICE|PRESIDIO)/;

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await openTestDatabase();
  const blobDir = mkdtempSync(join(tmpdir(), 'pinakes-blobs-'));
  const env = {
    PINAKES_DATA_DIR: database.dataDir,
    PINAKES_BLOB_URL: `file://${blobDir}`,
    NODE_ENV: 'test',
    ...options.env,
  };
  const logs: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logs.push(JSON.parse(line)) });
  const config = loadConfig(env);
  const isOwn = options.given?.analyzer || Object.keys(options.env ?? {}).some((name) => OF_PARSERS.test(name));
  const shared = isOwn ? undefined : shareProcessor(config);
  const processor = shared && { processor: shared.processor };
  const deps = await openDeps(config, log, { db: database.db, ...processor, ...options.given });
  const app = await buildApp(deps, options.tools);
  const own = await makeTenant(deps, 'default');
  const worker = options.runsJobs ? buildWorker(deps) : undefined;
  await worker?.start();
  let address: string | undefined;
  const openedAt = new Date();

  const request = async ({
    method = 'GET',
    path,
    key = own.key,
    body,
    headers = {},
  }: TestRequest): Promise<TestAnswer> => {
    const inject: InjectOptions = {
      method,
      url: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    };
    if (body !== undefined) inject.payload = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = toAnswer(await (path.startsWith('/events') ? injectEndless(app, inject) : app.inject(inject)));
    if (answer.status >= 400)
      assertNoCanary(`the answer ${answer.status} to ${method} ${path.slice(0, 40)}`, answer.text);
    return answer;
  };

  return {
    app,
    deps,
    logs,
    ...own,
    request,
    async url() {
      address ??= await app.listen({ host: '127.0.0.1', port: 0 });
      return address;
    },
    get: (path, key) => request({ path, ...withKey(key) }),
    post: (path, body, key) => request({ method: 'POST', path, body, ...withKey(key) }),
    put: (path, body, key) => request({ method: 'PUT', path, body, ...withKey(key) }),
    delete: (path, key) => request({ method: 'DELETE', path, ...withKey(key) }),
    secondTenant: () => makeTenant(deps, `tenant-${newId()}`),
    issueKey: (scopes, { tenantId = own.tenantId, ...limits } = {}) => makeKey(deps, tenantId, scopes, limits),
    async close() {
      await worker?.stop(1_000);
      app.abortRequests();
      await app.close();
      await deps.close();
      shared?.release();
      try {
        assertNoCanary('the log', JSON.stringify(logs));
        assertNoCanaryInFiles(blobDir, openedAt);
      } finally {
        await database.close();
        rmSync(blobDir, { recursive: true, force: true });
      }
    },
  };
}

function withKey(key: string | null | undefined): { key?: string | null } {
  return key === undefined ? {} : { key };
}

/** Returns the answer with the first part of its body, and leaves: the stream of events never ends. */
async function injectEndless(app: App, inject: InjectOptions): Promise<LightMyRequestResponse> {
  const response = await app.inject({ ...inject, payloadAsStream: true });
  const stream = response.stream();
  let body = '';
  for await (const part of stream) {
    body += String(part);
    if (response.statusCode === 200) break;
  }
  // Without a socket, only this tells the service that the client has left.
  response.raw.res.emit('close');
  return Object.assign(response, { body });
}

function toAnswer(response: Pick<LightMyRequestResponse, 'headers' | 'statusCode' | 'body'>): TestAnswer {
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
  };
}

async function makeTenant(deps: Deps, name: string): Promise<TestTenant> {
  const tenant = await createTenant(deps.db, { id: newId(), name });
  return { tenantId: tenant.id, key: await makeKey(deps, tenant.id, SCOPES, {}) };
}

async function makeKey(
  deps: Deps,
  tenantId: string,
  scopes: readonly Scope[],
  limits: { expiresAt?: Date; sourceGroupIds?: string[]; tagIds?: string[] },
): Promise<string> {
  const generated = generateApiKey();
  const id = newId();
  await insertApiKey(deps.db.system, tenantId, {
    id,
    rootId: id,
    familyId: id,
    publicId: generated.publicId,
    hash: generated.hash,
    name: 'test',
    scopes,
    sourceGroupIds: limits.sourceGroupIds ?? null,
    tagIds: limits.tagIds ?? null,
    expiresAt: limits.expiresAt ?? null,
    issuedBy: null,
    createdAt: new Date(),
  });
  return generated.key;
}
