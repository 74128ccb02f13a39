/**
 * A server that speaks the page API (version 2025-09-03) over a workspace that tests change: version and bearer headers,
 * lists with cursors, error bodies, rate limit with Retry-After, file addresses that expire. A test scripts its faults.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AUTHOR, type FakeDatabase, FakeWorld, type Json } from './notion-world.ts';

const VERSIONS = ['2025-09-03', '2026-03-11'];
const LIST_MAX = 100;
const URL_LIFE_MS = 3_600_000;

export interface FakeNotionOptions {
  /** The only accepted access token. */
  token?: string;
  /** The clock of the server, also for the Date header. */
  now?: () => Date;
  /** Maximum results of one page of a list. The real API, too, may send fewer results than the caller asks for. */
  listMax?: number;
  /** Maximum rows of one query over all pages. */
  queryMax?: number;
  /** Maximum answered requests per second; further requests get 429. */
  perSecond?: number;
}

export interface FakeCall {
  /** As `GET /v1/pages/:id`. */
  route: string;
  path: string;
  /** Number of earlier calls of this route. */
  before: number;
}

export type Fault =
  | { status: number; code?: string; headers?: Record<string, string>; html?: true }
  /** Never answers. */
  | 'hang'
  /** Half of the right body, then the connection breaks. */
  | 'cut'
  /** 200 with a page of HTML. */
  | 'html'
  /** A list without results. */
  | 'empty'
  /** A list whose next cursor is its own cursor. */
  | 'loop';

export interface FakeNotion {
  /** For PINAKES_PAGE_API_URL. */
  url: string;
  token: string;
  world: FakeWorld;
  /** Requests per route since the last `forget`. */
  counts: Map<string, number>;
  forget(): void;
  /** Titles of pages that the search does not find, as its index is incomplete. */
  hideFromSearch: Set<string>;
  /** Sets the reaction to every following request; undefined answers without a fault. */
  faults(decide: ((call: FakeCall) => Fault | undefined) | undefined): void;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  body: Json | Uint8Array | string;
  headers?: Record<string, string>;
}

export async function openFakeNotion(options: FakeNotionOptions = {}): Promise<FakeNotion> {
  const now = options.now ?? (() => new Date());
  const world = new FakeWorld(now);
  const counts = new Map<string, number>();
  const hideFromSearch = new Set<string>();
  const token = options.token ?? 'ntn_fake_token_of_the_workspace';
  const allowed = rateLimit(options.perSecond, now);
  let decide: ((call: FakeCall) => Fault | undefined) | undefined;

  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const url = new URL(request.url ?? '/', 'http://fake');
    const route = `${request.method} ${routeOf(url.pathname)}`;
    const before = counts.get(route) ?? 0;
    counts.set(route, before + 1);
    const fault = decide?.({ route, path: url.pathname, before });
    if (fault === 'hang') return;
    if (fault === 'html') return send(response, { status: 200, body: '<!doctype html><title>Wait</title>' }, now);
    if (fault === 'empty')
      return send(
        response,
        { status: 200, body: { object: 'list', results: [], next_cursor: null, has_more: false } },
        now,
      );
    if (typeof fault === 'object') return send(response, faulty(fault), now);
    const answer = url.pathname.startsWith('/files/') ? fileAnswer(world, url, now) : apiAnswer(request, url, text);
    if (fault === 'cut') return cut(response, answer);
    const looped = fault === 'loop' && !(answer.body instanceof Uint8Array) && typeof answer.body === 'object';
    send(response, looped ? { ...answer, body: inCircles(answer.body as Json, url, text) } : answer, now);
  }

  function apiAnswer(request: IncomingMessage, url: URL, text: string): Answer {
    if (request.headers.authorization !== `Bearer ${token}`) return error(401, 'unauthorized', 'API token is invalid.');
    const version = request.headers['notion-version'];
    if (typeof version !== 'string' || !VERSIONS.includes(version))
      return error(
        400,
        'missing_version',
        'Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`.',
      );
    if (!allowed()) return tooFast();
    let body: Json = {};
    try {
      if (text !== '') body = JSON.parse(text) as Json;
    } catch {
      return error(400, 'invalid_json', 'Error parsing JSON body.');
    }
    const [, , kind = '', id = '', member = '', property = ''] = url.pathname.split('/');
    return routes(
      world,
      { ...options, hideFromSearch },
      { method: request.method ?? '', kind, id, member, property, url, body },
    );
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world.fileUrl = ({ key }) => {
    const expires = String(now().getTime() + URL_LIFE_MS);
    return `${origin}/files/${key}?X-Amz-Expires=3600&expires=${expires}&X-Amz-Signature=${signature(key, expires)}`;
  };
  return {
    url: origin,
    token,
    world,
    counts,
    hideFromSearch,
    forget: () => counts.clear(),
    faults(next) {
      decide = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface RouteOptions extends FakeNotionOptions {
  hideFromSearch: ReadonlySet<string>;
}

interface Asked {
  method: string;
  kind: string;
  id: string;
  member: string;
  property: string;
  url: URL;
  body: Json;
}

function routes(world: FakeWorld, options: RouteOptions, asked: Asked): Answer {
  const { method, kind, member } = asked;
  if (kind === 'users' && method === 'GET') return list(asked, users(), options.listMax, 'user');
  if (kind === 'search' && method === 'POST') return search(world, options, asked);
  const id = uuid(asked.id);
  if (id === undefined)
    return error(
      400,
      'validation_error',
      `path failed validation: path.id should be a valid uuid, instead was \`"${asked.id}"\`.`,
    );
  if (kind === 'blocks' && method === 'GET') return blocks(world, options, { ...asked, id });
  if (kind === 'pages' && method === 'GET') return pages(world, options, { ...asked, id });
  if (kind === 'databases' && method === 'GET' && member === '') return databases(world, id);
  if (kind === 'data_sources') return dataSources(world, options, { ...asked, id });
  return error(400, 'invalid_request_url', 'Invalid request URL.');
}

/** Returns everything that is shared, the newest edit first: the only kind of search that the connector uses. */
function search(world: FakeWorld, options: RouteOptions, asked: Asked): Answer {
  const pages = [...world.pages.values()]
    .filter(({ title, trashed, shared }) => !trashed && shared && !options.hideFromSearch.has(title))
    .map((page) => cutProperties(world.wirePage(page)))
    .sort((a, b) => (String(a['last_edited_time']) > String(b['last_edited_time']) ? -1 : 1));
  return list(asked, pages, options.listMax, 'page_or_data_source');
}

function users(): Json[] {
  return [
    { object: 'user', id: AUTHOR.id, type: 'person', person: {}, name: AUTHOR.name, avatar_url: null },
    {
      object: 'user',
      id: '22222222-2222-4222-8222-222222222222',
      type: 'bot',
      bot: {},
      name: 'Sync',
      avatar_url: null,
    },
  ];
}

function pages(world: FakeWorld, options: FakeNotionOptions, asked: Asked): Answer {
  const page = world.pages.get(asked.id);
  if (world.databases.get(asked.id)?.shared)
    return error(
      400,
      'validation_error',
      `Provided ID ${asked.id} is a database, not a page. Use the retrieve database API instead.`,
    );
  if (!page?.shared) return notFound('page', asked.id);
  if (asked.member === '') return { status: 200, body: cutProperties(world.wirePage(page)) };
  const whole = world.wirePage(page)['properties'] as Record<string, Json>;
  const property = Object.values(whole).find(({ id }) => id === asked.property);
  if (asked.member !== 'properties' || property === undefined) return notFound('property', asked.property);
  const type = String(property['type']);
  const values = property[type];
  if (!Array.isArray(values)) return { status: 200, body: { object: 'property_item', ...property } };
  const items = values.map((value) => ({ object: 'property_item', type, id: property['id'], [type]: value as Json }));
  return list(asked, items, options.listMax, 'property_item');
}

/** A page object holds 25 references of a property. */
function cutProperties(page: Json): Json {
  const entries = Object.entries(page['properties'] as Record<string, Json>).map(([name, property]) => {
    const values = property[String(property['type'])];
    if (!Array.isArray(values) || values.length <= 25) return [name, property];
    return [name, { ...property, [String(property['type'])]: values.slice(0, 25) }];
  });
  return { ...page, properties: Object.fromEntries(entries) };
}

function blocks(world: FakeWorld, options: FakeNotionOptions, asked: Asked): Answer {
  const page = world.pages.get(asked.id);
  const found = world.findBlock(asked.id);
  const owner = page ?? found?.page;
  if (owner === undefined || !owner.shared || page?.shared === false) return notFound('block', asked.id);
  if (asked.member === '' && found) return { status: 200, body: world.wireBlock(found.block, owner) };
  if (asked.member !== 'children') return notFound('block', asked.id);
  const status = page ? undefined : found?.block.childrenStatus;
  if (status === 404) return notFound('block', asked.id);
  if (status !== undefined)
    return error(status, 'validation_error', 'Block type ai_block is not supported via the API.');
  const children = (page ? page.blocks : found!.block.children).map((block) => world.wireBlock(block, owner));
  return list(asked, children, options.listMax, 'block');
}

function databases(world: FakeWorld, id: string): Answer {
  const database = world.databases.get(id);
  return database?.shared ? { status: 200, body: world.wireDatabase(database) } : notFound('database', id);
}

function dataSources(world: FakeWorld, options: FakeNotionOptions, asked: Asked): Answer {
  const found = [...world.databases.values()]
    .flatMap((database) => database.sources.map((source): [FakeDatabase, typeof source] => [database, source]))
    .find(([database, source]) => source.id === asked.id && database.shared);
  if (!found) return notFound('data source', asked.id);
  if (asked.method === 'GET' && asked.member === '') return { status: 200, body: world.wireDataSource(...found) };
  if (asked.method !== 'POST' || asked.member !== 'query')
    return error(400, 'invalid_request_url', 'Invalid request URL.');
  const filter = asked.body['filter'] as { created_time?: { on_or_after?: string } } | undefined;
  const since = filter?.created_time?.on_or_after ?? '';
  const rows = found[1].rows
    .map((id) => world.page(id))
    .filter(({ trashed, shared }) => !trashed && shared)
    .map((page) => cutProperties(world.wirePage(page)))
    .filter((page) => String(page['created_time']) >= since)
    .sort((a, b) => (String(a['created_time']) < String(b['created_time']) ? -1 : 1));
  const most = options.queryMax ?? 10_000;
  const status =
    rows.length > most ? { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' } : undefined;
  return list(asked, rows.slice(0, most), options.listMax, 'page_or_data_source', status);
}

/** The cursor names the first result of the next page. */
function list(asked: Asked, all: Json[], listMax: number | undefined, type: string, status?: Json): Answer {
  const from = asked.method === 'POST' ? asked.body : Object.fromEntries(asked.url.searchParams);
  const size = Number(from['page_size'] ?? LIST_MAX);
  if (!(size >= 1 && size <= LIST_MAX))
    return error(400, 'validation_error', `page_size should be ≤ \`${LIST_MAX}\`, instead was \`${size}\`.`);
  const cursor = from['start_cursor'];
  const start = cursor === undefined ? 0 : all.findIndex((one, index) => cursorOf(one, index) === cursor);
  if (start === -1) return error(400, 'validation_error', `The start_cursor provided is invalid: ${String(cursor)}`);
  const end = start + Math.min(size, listMax ?? LIST_MAX);
  const next = all[end];
  return {
    status: 200,
    body: {
      object: 'list',
      results: all.slice(start, end),
      next_cursor: next === undefined ? null : cursorOf(next, end),
      has_more: next !== undefined,
      type,
      [type]: {},
      ...(status === undefined ? {} : { request_status: status }),
    },
  };
}

function cursorOf(result: Json, index: number): string {
  return result['object'] === 'property_item' ? String(index) : String(result['id']);
}

function inCircles(body: Json, url: URL, text: string): Json {
  if (body['object'] !== 'list') return body;
  const cursor = url.searchParams.get('start_cursor') ?? (text === '' ? {} : JSON.parse(text)).start_cursor;
  const first = (body['results'] as Json[])[0]?.['id'] ?? '00000000-0000-4000-8000-000000000000';
  return { ...body, has_more: true, next_cursor: cursor ?? first };
}

function fileAnswer(world: FakeWorld, url: URL, now: () => Date): Answer {
  const key = url.pathname.slice('/files/'.length);
  const expires = url.searchParams.get('expires') ?? '';
  const file = world.files.get(key);
  const valid =
    url.searchParams.get('X-Amz-Signature') === signature(key, expires) && Number(expires) >= now().getTime();
  if (file && valid) return { status: 200, body: file.bytes };
  const body =
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
  return { status: 403, body, headers: { 'content-type': 'application/xml' } };
}

function signature(key: string, expires: string): string {
  return createHash('sha256').update(`secret ${key} ${expires}`).digest('hex');
}

function error(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: { object: 'error', status, code, message, request_id: crypto.randomUUID() } };
}

function notFound(kind: string, id: string): Answer {
  const message = `Could not find ${kind} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`;
  return error(404, 'object_not_found', message);
}

function tooFast(): Answer {
  return error(429, 'rate_limited', 'You have been rate limited. Please try again in a few minutes.', {
    'retry-after': '1',
  });
}

function faulty({ status, code, headers, html }: Extract<Fault, object>): Answer {
  if (html)
    return { status, body: '<!doctype html><title>Bad gateway</title>', headers: { 'content-type': 'text/html' } };
  return error(status, code ?? 'internal_server_error', 'Unexpected error occurred.', headers);
}

/** A bucket of one second. */
function rateLimit(perSecond: number | undefined, now: () => Date): () => boolean {
  if (perSecond === undefined) return () => true;
  let left = perSecond;
  let at = now().getTime();
  return () => {
    const time = now().getTime();
    left = Math.min(perSecond, left + ((time - at) / 1000) * perSecond);
    at = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

function send(response: ServerResponse, { status, body, headers }: Answer, now: () => Date): void {
  const json = !(body instanceof Uint8Array) && typeof body === 'object';
  const type = json ? { 'content-type': 'application/json; charset=utf-8' } : {};
  response.writeHead(status, { date: now().toUTCString(), ...type, ...headers });
  response.end(json ? JSON.stringify(body) : body);
}

function cut(response: ServerResponse, { status, body }: Answer): void {
  const bytes = Buffer.from(body instanceof Uint8Array ? body : JSON.stringify(body));
  response.writeHead(status, { 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

function routeOf(path: string): string {
  const [, version = '', kind = '', id, ...rest] = path.split('/');
  if (version === 'files') return '/files/:key';
  return `/${version}/${kind}${id === undefined ? '' : '/:id'}${rest.length > 0 ? `/${rest[0]}` : ''}`;
}

function uuid(id: string): string | undefined {
  const bare = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(bare)) return undefined;
  return bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
