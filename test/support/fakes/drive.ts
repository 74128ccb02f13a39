/**
 * A server that speaks the Drive API (v3) and Google's token endpoint as they are documented, on loopback.
 *
 * A test changes its files (`drive.state`), and scripts faults of single calls (`drive.fail`).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseFields, parseQuery, QueryError, select } from './drive-query.ts';
import { DriveState, EXPORTABLE, type FakeFile } from './drive-state.ts';
import { errorBody, FakeTokens, type FakeTokensOptions, invalidParameter, Refused } from './google.ts';

const EXPORT_BYTES_MAX = 10 * 1024 * 1024;
const LOOP_TOKEN = 'the-same-page-again';
const FILE_MEMBERS =
  'kind id name mimeType parents trashed explicitlyTrashed version createdTime modifiedTime webViewLink webContentLink owners ' +
  'ownedByMe lastModifyingUser capabilities driveId teamDriveId resourceKey size md5Checksum sha1Checksum sha256Checksum ' +
  'headRevisionId originalFilename fileExtension shortcutDetails description starred shared permissions exportLinks iconLink *';

export type DriveRoute = 'token' | 'startPageToken' | 'changes' | 'list' | 'get' | 'media' | 'export';

export type DriveFault =
  /** A refusal in the form of Google: the body is built from the reason. */
  | { status: number; reason?: string; retryAfter?: string; location?: string }
  /** A status with a body that is not JSON, as a proxy answers. */
  | { status: number; body: string }
  /** Status 200 and half of the body, then the connection ends. */
  | 'truncated'
  | 'silence'
  | 'reset'
  /** Every page names the same next page. */
  | 'loop'
  | 'incomplete';

export interface FakeDrive {
  /** For PINAKES_GOOGLE_API_URL. */
  url: string;
  /** The key file of the service account, as text. */
  key: string;
  state: DriveState;
  /** Calls so far. */
  requests: { route: DriveRoute; url: URL; headers: IncomingMessage['headers'] }[];
  count(route: DriveRoute): number;
  /** Makes the next `times` calls of a route fail that `when` accepts. */
  fail(route: DriveRoute, fault: DriveFault, times?: number, when?: (url: URL) => boolean): void;
  /** Removes the faults that no call has met. */
  heal(): void;
  /** Invalidates every access token. */
  expireTokens(): void;
  /** Answers a query for several folders with an empty list, as a bug of Google's API does. */
  setForgetsSeveralParents(forgets: boolean): void;
  close(): Promise<void>;
}

export interface FakeDriveOptions extends FakeTokensOptions {
  /** Maximum entries of a page, also if the caller asks for more. */
  pageSizeMax?: number;
}

export async function openFakeDrive(options: FakeDriveOptions = {}): Promise<FakeDrive> {
  const fake = new Fake(options);
  await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(fake.server.address() as AddressInfo).port}`;
  return fake;
}

class Fake implements FakeDrive {
  url = '';
  readonly state = new DriveState();
  readonly requests: FakeDrive['requests'] = [];
  readonly server = createServer((request, response) => void this.#answer(request, response));
  readonly #options: FakeDriveOptions;
  readonly #tokens: FakeTokens;
  readonly #faults: { route: DriveRoute; fault: DriveFault; left: number; when: (url: URL) => boolean }[] = [];
  #forgetsSeveralParents = false;

  constructor(options: FakeDriveOptions) {
    this.#options = options;
    this.#tokens = new FakeTokens(options);
  }

  get key(): string {
    return this.#tokens.key;
  }

  count(route: DriveRoute): number {
    return this.requests.filter((request) => request.route === route).length;
  }
  fail(route: DriveRoute, fault: DriveFault, times = 1, when: (url: URL) => boolean = () => true): void {
    this.#faults.push({ route, fault, left: times, when });
  }
  heal(): void {
    this.#faults.length = 0;
  }
  expireTokens(): void {
    this.#tokens.expire();
  }
  setForgetsSeveralParents(forgets: boolean): void {
    this.#forgetsSeveralParents = forgets;
  }
  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const route = routeOf(request.method ?? '', url);
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    if (!route) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not Found</title>');
    this.requests.push({ route, url, headers: request.headers });
    const fault = this.#takeFault(route, url);
    try {
      if (fault === 'silence') return;
      if (fault === 'reset') return void request.socket.destroy();
      if (typeof fault === 'object' && 'body' in fault)
        return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.body);
      if (typeof fault === 'object') {
        if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
        throw new Refused(fault.status, fault.reason ?? 'backendError', 'A scripted fault.', fault.location);
      }
      if (route === 'token') return this.#send(response, 200, this.#tokens.exchange(request, text), fault);
      this.#tokens.authorize(request);
      if (route === 'media' || route === 'export') return this.#sendBytes(route, url, request, response, fault);
      this.#send(response, 200, this.#read(route, url, request, fault), fault);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#send(response, error.status, errorBody(error, route === 'token'), undefined);
    }
  }

  #takeFault(route: DriveRoute, url: URL): DriveFault | undefined {
    const found = this.#faults.find((one) => one.route === route && one.left > 0 && one.when(url));
    if (found) found.left--;
    return found?.fault;
  }

  #send(response: ServerResponse, status: number, body: object, fault: DriveFault | undefined): void {
    const text = JSON.stringify(body, undefined, 2);
    response.writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': Buffer.byteLength(text),
    });
    if (fault === 'truncated')
      response.write(text.slice(0, text.length / 2), () => setImmediate(() => response.destroy()));
    else response.end(text);
  }

  #read(route: DriveRoute, url: URL, request: IncomingMessage, fault: DriveFault | undefined): object {
    const fields = fieldsOf(route, url.searchParams.get('fields'));
    if (route === 'get') return select(this.state.resource(this.#find(url, request)), fields) as object;
    if (route === 'list') return select(this.#list(url, request, fault), fields) as object;
    const driveId = url.searchParams.get('driveId') ?? '';
    this.#mayReadDrive(driveId, url);
    const log = this.state.logs.get(driveId) ?? [];
    if (route === 'startPageToken') return { kind: 'drive#startPageToken', startPageToken: String(log.length + 1) };
    return select(this.#changes(log, driveId, url, request, fault), fields) as object;
  }

  #mayReadDrive(driveId: string, url: URL): void {
    if (driveId === '') return;
    if (url.searchParams.get('supportsAllDrives') !== 'true') throw invalidParameter('supportsAllDrives');
    if (this.state.drives.get(driveId) !== true)
      throw new Refused(404, 'notFound', `Shared drive not found: ${driveId}`, 'driveId');
  }

  /** Returns the file that the path names if the caller may see the file. */
  #find(url: URL, request: IncomingMessage): FakeFile {
    const id = decodeURIComponent(url.pathname.split('/')[4] ?? '');
    const file = this.state.files.get(id);
    const needsDrives = url.searchParams.get('supportsAllDrives') !== 'true' && !url.pathname.endsWith('/export');
    if (!file || !this.state.isVisible(file, keysOf(request)) || (file.driveId !== null && needsDrives))
      throw new Refused(404, 'notFound', `File not found: ${id}.`, 'fileId');
    return file;
  }

  #list(url: URL, request: IncomingMessage, fault: DriveFault | undefined): object {
    const params = url.searchParams;
    const withDrives = params.get('includeItemsFromAllDrives') === 'true' && params.get('supportsAllDrives') === 'true';
    const driveId = params.get('driveId');
    if ((params.get('corpora') === 'drive') !== (driveId !== null) || (driveId !== null && !withDrives))
      throw invalidParameter('driveId');
    if (driveId !== null) this.#mayReadDrive(driveId, url);
    const q = params.get('q') ?? 'trashed = false';
    const matches = queryOf(q);
    const found = [...this.state.files.values()]
      .filter((file) => this.state.isVisible(file, keysOf(request)))
      .filter((file) => file.driveId === null || withDrives)
      .filter((file) => driveId === null || file.driveId === driveId)
      .filter((file) => matches({ ...file, trashed: this.state.isTrashed(file) }));
    const forgets = this.#forgetsSeveralParents && (q.match(/in parents/g)?.length ?? 0) > 1;
    const { page, nextPageToken } = this.#page(forgets ? [] : found, 'f', url, fault);
    return {
      kind: 'drive#fileList',
      incompleteSearch: fault === 'incomplete',
      files: page.map((file) => this.state.resource(file)),
      ...nextPageToken,
    };
  }

  #changes(
    log: readonly string[],
    driveId: string,
    url: URL,
    request: IncomingMessage,
    fault: DriveFault | undefined,
  ): object {
    const given = url.searchParams.get('pageToken') ?? '';
    const start = given === LOOP_TOKEN ? 1 : Number(given);
    if (!/^\d+$/.test(given) && given !== LOOP_TOKEN) throw invalidParameter('pageToken');
    if (start < this.state.oldestToken || start > log.length + 1) throw invalidParameter('pageToken');
    const size = this.#pageSize(url);
    const slice = log.slice(start - 1, start - 1 + size);
    const end = start + slice.length;
    // The log keeps only the last change of a file.
    const changes = slice
      .map((id, index) => ({ id, at: start + index }))
      .filter(({ id, at }) => log.lastIndexOf(id) + 1 === at)
      .map(({ id }) => this.#change(id, driveId, request));
    const next = fault === 'loop' ? { nextPageToken: LOOP_TOKEN } : { nextPageToken: String(end) };
    const isLast = end > log.length && fault !== 'loop';
    return { kind: 'drive#changeList', changes, ...(isLast ? { newStartPageToken: String(end) } : next) };
  }

  #change(id: string, driveId: string, request: IncomingMessage): object {
    const file = this.state.files.get(id);
    const isThere =
      file !== undefined && this.state.isVisible(file, keysOf(request)) && (file.driveId ?? '') === driveId;
    const head = { kind: 'drive#change', type: 'file', changeType: 'file', time: new Date().toISOString(), fileId: id };
    return isThere ? { ...head, removed: false, file: this.state.resource(file) } : { ...head, removed: true };
  }

  #pageSize(url: URL): number {
    const size = Number(url.searchParams.get('pageSize') ?? 100);
    if (!(Number.isInteger(size) && size >= 1 && size <= 1000)) throw invalidParameter('pageSize');
    return Math.min(size, this.#options.pageSizeMax ?? 1000);
  }

  #page<T>(all: T[], prefix: string, url: URL, fault: DriveFault | undefined): { page: T[]; nextPageToken: object } {
    const token = url.searchParams.get('pageToken');
    const at =
      token === null || token === LOOP_TOKEN ? 0 : Number(new RegExp(`^~!!~${prefix}(\\d+)$`).exec(token)?.[1]);
    if (!Number.isInteger(at)) throw invalidParameter('pageToken');
    const end = at + this.#pageSize(url);
    const next = fault === 'loop' ? LOOP_TOKEN : end < all.length ? `~!!~${prefix}${end}` : undefined;
    return { page: all.slice(at, end), nextPageToken: next === undefined ? {} : { nextPageToken: next } };
  }

  #sendBytes(
    route: 'media' | 'export',
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
    fault: DriveFault | undefined,
  ): void {
    const file = this.#find(url, request);
    if (file.access === 'unreadable')
      throw new Refused(403, 'insufficientFilePermissions', 'The user does not have sufficient permissions for file.');
    const bytes = route === 'media' ? mediaOf(file, url) : exportOf(file, url.searchParams.get('mimeType') ?? '');
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const [from, to] = [Number(range?.[1] ?? 0), Number(range?.[2] || bytes.length - 1)];
    if (range && from >= bytes.length)
      return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    const part = bytes.subarray(from, to + 1);
    response.statusCode = range ? 206 : 200;
    response.setHeader('content-type', route === 'media' ? file.mimeType : (url.searchParams.get('mimeType') ?? ''));
    if (range) response.setHeader('content-range', `bytes ${from}-${from + part.length - 1}/${bytes.length}`);
    if (route === 'media') response.setHeader('content-length', part.length);
    if (fault !== 'truncated') return void response.end(part);
    response.write(part.subarray(0, part.length / 2), () => setImmediate(() => response.destroy()));
  }
}

function routeOf(method: string, url: URL): DriveRoute | undefined {
  if (method === 'POST') return url.pathname === '/token' ? 'token' : undefined;
  if (method !== 'GET') return undefined;
  if (url.pathname === '/drive/v3/files') return 'list';
  if (url.pathname === '/drive/v3/changes') return 'changes';
  if (url.pathname === '/drive/v3/changes/startPageToken') return 'startPageToken';
  if (/^\/drive\/v3\/files\/[^/]+\/export$/.test(url.pathname)) return 'export';
  if (!/^\/drive\/v3\/files\/[^/]+$/.test(url.pathname)) return undefined;
  return url.searchParams.get('alt') === 'media' ? 'media' : 'get';
}

function queryOf(q: string): ReturnType<typeof parseQuery> {
  try {
    return parseQuery(q);
  } catch (error) {
    if (error instanceof QueryError) throw invalidParameter('q');
    throw error;
  }
}

const DEFAULT_FIELDS: Readonly<Record<string, string>> = {
  get: 'kind,id,name,mimeType',
  list: 'kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)',
  changes:
    'kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))',
};

function fieldsOf(route: DriveRoute, text: string | null): ReturnType<typeof parseFields> {
  try {
    const fields = parseFields(text ?? DEFAULT_FIELDS[route] ?? '*');
    const changes = fields.get('changes');
    const files = { get: fields, list: fields.get('files'), changes: changes?.get('file') }[route as 'get'];
    for (const name of files?.keys() ?? []) if (!FILE_MEMBERS.split(' ').includes(name)) throw new QueryError(name);
    return fields;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new Refused(400, 'invalidParameter', `Invalid field selection ${error.message}`, 'fields');
  }
}

/** `id/key,id/key`. */
function keysOf(request: IncomingMessage): Map<string, string> {
  const header = [request.headers['x-goog-drive-resource-keys'] ?? []].flat().join(',');
  return new Map(header.split(',').map((pair) => pair.trim().split('/') as [string, string]));
}

function mediaOf(file: FakeFile, url: URL): Buffer {
  if (file.content === null)
    throw new Refused(
      403,
      'fileNotDownloadable',
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
      'alt',
    );
  if (!file.canDownload) throw new Refused(403, 'cannotDownloadFile', 'This file cannot be downloaded by the user.');
  if (file.abusive && url.searchParams.get('acknowledgeAbuse') !== 'true')
    throw new Refused(403, 'cannotDownloadAbusiveFile', 'This file has been identified as malware or spam.');
  return file.content;
}

function exportOf(file: FakeFile, mimeType: string): Buffer {
  if (EXPORTABLE[file.mimeType] === undefined)
    throw new Refused(403, 'fileNotExportable', 'Export only supports Docs Editors files.');
  const bytes = EXPORTABLE[file.mimeType]?.includes(mimeType) ? file.exports[mimeType] : undefined;
  if (bytes === undefined)
    throw new Refused(400, 'badRequest', 'The requested conversion is not supported.', 'convertTo');
  if (bytes.length > EXPORT_BYTES_MAX)
    throw new Refused(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  return bytes;
}
