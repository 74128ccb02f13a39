/** The connector of page workspaces: reads a page or a database and everything below it. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Origin } from '../../corpus/origin.ts';
import { invalidRequest } from '../../errors.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Clock } from '../../util/time.ts';
import {
  type Change,
  type Connector,
  type Fetched,
  type ListRequest,
  OriginError,
  type OriginItem,
} from '../connector.ts';
import { explainOriginFailure, openPageApi, type PageApi, PageApiError, parseAs, REQUEST_TIMEOUT_MS } from './api.ts';
import { wireBlock } from './blocks.ts';
import { addressKey, fileOf } from './files.ts';
import { parsePageId } from './id.ts';
import { cleanTitle, type Node, pageItem, pageNode, uuidOf } from './nodes.ts';
import { openPace, type Sleep } from './pace.ts';
import { readPage, walkPages, withFailed } from './tree.ts';
import { Database, isTrashed, Page, plainText, UserName } from './wire.ts';

const PAGE_API_URL = 'https://api.notion.com';
/** Average request rate that the workspace allows each integration. */
const REQUESTS_PER_SECOND = 3;
const REQUESTS_BURST = 3;
const USER_PAGES_MAX = 20;
const FILE_BYTES_MAX = 512 * 1024 * 1024;
const FILE_TIMEOUT_MS = 15 * 60_000;
const FILE_ATTEMPTS_MAX = 2;

interface PageConnectorOptions {
  http: HttpClient;
  /** The operator's address, without `/v1`; null: the workspace's own address. */
  baseUrl: string | null;
  clock: Clock;
  /** Tests pass their own function. */
  sleep?: Sleep;
  /** Timeout of each request. */
  timeoutMs?: number;
}

type PageOrigin = Extract<Origin, { kind: 'page' }>;

/** Opens the connector. Requests are limited per credential in this process, over all runs, listings and fetches. */
export function openPageConnector(options: PageConnectorOptions): Connector<'page'> {
  const sleep: Sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal }));
  const pace = openPace(REQUESTS_PER_SECOND, REQUESTS_BURST, options.clock, sleep);
  const open = (credential: string | null, signal: AbortSignal): PageApi => {
    if (credential === null) throw new OriginError(NO_TOKEN);
    return openPageApi(
      {
        http: options.http,
        baseUrl: options.baseUrl ?? PAGE_API_URL,
        clock: options.clock,
        timeoutMs: options.timeoutMs ?? REQUEST_TIMEOUT_MS,
        pace,
        sleep,
      },
      credential,
      signal,
    );
  };
  return {
    kind: 'page',
    list: (origin, credential, request) => list(origin, open(credential, request.signal), request),
    fetch: async (_origin, credential, item, _stored, signal) => {
      const api = open(credential, signal);
      try {
        if (typeof item.locator['block'] === 'string' || typeof item.locator['property'] === 'string')
          return await fetchFile(options, api, item, signal);
        return await fetchPage(api, item);
      } catch (error) {
        if (error instanceof PageApiError && error.status === 404) return { kind: 'gone' };
        throw explained(error);
      }
    },
    check,
    withFailed,
  };
}

const NO_TOKEN = {
  title: 'There is no token',
  message: 'Give the source an integration token of the workspace, best as a stored secret.',
  retryable: false,
};

function check(origin: PageOrigin, credential: string | null): void {
  if (parsePageId(origin.pageId) === undefined) {
    throw invalidRequest(
      'page_id must be the id of a page or database (32 hexadecimal digits, with or without hyphens) or its address.',
    );
  }
  if (credential !== null && !/^[\x21-\x7e]+$/.test(credential.trim()))
    throw invalidRequest('The page token must be an integration token: letters, digits and signs without blanks.');
}

async function* list(origin: PageOrigin, api: PageApi, request: ListRequest): AsyncGenerator<Change> {
  const id = parsePageId(origin.pageId);
  if (id === undefined) throw new OriginError(NOT_FOUND);
  let names: Promise<ReadonlyMap<string, string>> | undefined;
  const authors = () => (names ??= userNames(api));
  try {
    yield* walkPages({ api, request, authors }, () => rootOf(api, id));
  } catch (error) {
    throw explained(error);
  }
}

const NOT_FOUND = {
  title: 'The page was not found',
  message: 'Check page_id, and add the integration to the page under "Connections" in the workspace.',
  retryable: false,
};

const IN_TRASH = {
  title: 'The page is in the trash',
  message: 'Nothing was removed. Restore the page in the workspace, or delete this source.',
  retryable: false,
};

/** Finds the root of the tree. The id may belong to a page, a database or a data source of a database. */
async function rootOf(api: PageApi, id: string): Promise<Node> {
  const answer = await findObject(api, `pages/${id}`);
  if (answer !== undefined) {
    const page = parseAs(Page, answer);
    if (isTrashed(page)) throw new OriginError(IN_TRASH);
    return pageNode(page, []);
  }
  for (const kind of ['database', 'rows'] as const) {
    const path = kind === 'database' ? `databases/${id}` : `data_sources/${id}`;
    const container = await findObject(api, path);
    if (container === undefined) continue;
    const database = parseAs(Database, container);
    if (isTrashed(database)) throw new OriginError(IN_TRASH);
    const title = cleanTitle(plainText(database.title));
    return kind === 'database'
      ? { kind, id: uuidOf(database.id), title, path: [] }
      : { kind, id: uuidOf(database.id), title, path: [title] };
  }
  throw new OriginError(NOT_FOUND);
}

/** Returns an object of the API. Returns undefined if the object does not exist or has another kind. */
async function findObject(api: PageApi, path: string): Promise<unknown> {
  try {
    return await api.get(path);
  } catch (error) {
    if (error instanceof PageApiError && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  }
}

/** Returns names of users by id. Returns an empty map if the integration may not read users: then sources have no author. */
async function userNames(api: PageApi): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let pages = 0;
  try {
    for await (const { results } of api.pages('users')) {
      for (const { id, name } of results.map((user) => UserName.parse(user))) if (id && name) names.set(id, name);
      pages += 1;
      if (pages >= USER_PAGES_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof PageApiError) || error.status >= 500) throw error;
  }
  return names;
}

async function fetchPage(api: PageApi, item: OriginItem): Promise<Fetched> {
  const page = parseAs(Page, await api.get(`pages/${uuidOf(item.locator['page'])}`));
  if (isTrashed(page)) return { kind: 'gone' };
  const node = pageNode(page, []);
  const { content, changes } = await readPage(api, node);
  const { name, modifiedAt, metadata } = pageItem(node, item.metadata['author']?.val, null);
  const { path } = item.metadata;
  return {
    kind: 'content',
    content: {
      ...content,
      changes: { ...changes, name, modifiedAt, metadata: path ? { ...metadata, path } : metadata },
    },
  };
}

/** Fetches a file. Its address is requested again because it expires within an hour. */
async function fetchFile(
  { http, timeoutMs = FILE_TIMEOUT_MS }: PageConnectorOptions,
  api: PageApi,
  item: OriginItem,
  signal: AbortSignal,
): Promise<Fetched> {
  for (let attempt = 1; ; attempt++) {
    const url = await addressOf(api, item);
    if (url === undefined) return { kind: 'gone' };
    const response = await http.request(url, {
      trust: 'tenant',
      signal,
      timeoutMs,
      responseBytesMax: FILE_BYTES_MAX,
    });
    if (response.status === 200)
      return {
        kind: 'content',
        content: { body: explainErrors(response.body), changes: { revision: addressKey(url) } },
      };
    for await (const _ of response.body); // frees the connection
    if (attempt >= FILE_ATTEMPTS_MAX) {
      throw new OriginError({
        title: 'The file could not be downloaded',
        message: `The workspace's file store answered with status ${response.status}. The next run tries again.`,
        retryable: true,
      });
    }
  }
}

async function* explainErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explained(error);
  }
}

/** Returns the current address of a file. Returns undefined if the file is no longer in its place. */
async function addressOf(api: PageApi, { locator, revision }: OriginItem): Promise<string | undefined> {
  if (typeof locator['block'] === 'string') {
    const block = wireBlock(await api.get(`blocks/${uuidOf(locator['block'])}`));
    const file = isTrashed(block) ? undefined : fileOf(block.content);
    return file?.hosted ? file.url : undefined;
  }
  const page = parseAs(Page, await api.get(`pages/${uuidOf(locator['page'])}`));
  if (isTrashed(page)) return undefined;
  const property = Object.values(page.properties ?? {}).find(({ id }) => id === locator['property']);
  if (property === undefined) return undefined;
  const files = (property.files ?? []).map(fileOf);
  return files.find((file) => file?.hosted && addressKey(file.url) === revision)?.url;
}

/** Converts failures of the origin to OriginError. Other errors, such as the signal's reason, stay unchanged. */
function explained(error: unknown): unknown {
  if (error instanceof OriginError) return error;
  const problem = explainOriginFailure(error);
  return problem === undefined ? error : new OriginError(problem, { cause: error });
}
