/** Folders of Google Drive, read with the key of a service account. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import { RETRY_BASE_MS } from '../../net/retry-wait.ts';
import type { Clock } from '../../util/time.ts';
import { type Change, type Connector, type Fetched, OriginError } from '../connector.ts';
import { type DriveApi, openDriveApi } from './api.ts';
import { openTokenSource, parseServiceAccount } from './auth.ts';
import { changesTree, fileChanges, readChanges } from './changes.ts';
import { exportsOf, type FetchState, Locator, withEnding } from './files.ts';
import { type FolderReference, parseFolderUrl } from './folder-url.ts';
import { type DriveListRequest, listTree, Tree } from './listing.ts';
import { DriveError } from './request.ts';

const GOOGLE_API_URL = 'https://www.googleapis.com';
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** How long change logs are trusted alone: what a person may no longer see is not always in them. */
const FULL_LISTING_AFTER_MS = 7 * 24 * 60 * 60_000;
const FOLDERS_IN_CURSOR_MAX = 20_000;

interface DriveOptions {
  http: HttpClient;
  /** The operator's; null for Google itself. */
  baseUrl: string | null;
  clock: Clock;
  /** Whether words in pictures are read; else pictures are skipped. */
  readsPictures: boolean;
  /** First wait before a request is sent again. */
  retryBaseMs?: number;
}

export function openDriveConnector(options: DriveOptions): Connector<'drive'> {
  const { http, clock, readsPictures } = options;
  const base = options.baseUrl ?? GOOGLE_API_URL;
  const client = { http, retryBaseMs: options.retryBaseMs ?? RETRY_BASE_MS };
  const tokens = openTokenSource(client, base === GOOGLE_API_URL ? GOOGLE_TOKEN_URL : `${base}/token`, clock);
  const open = (credential: string | null, signal: AbortSignal): DriveApi => {
    if (credential === null) throw noCredential();
    return openDriveApi({ client, baseUrl: base, tokens, credential, signal });
  };
  return {
    kind: 'drive',
    check(origin, credential) {
      parseFolderUrl(origin.folderUrl);
      if (credential !== null) parseServiceAccount(credential);
    },
    list(origin, credential, request) {
      const api = open(credential, request.signal);
      return list(api, readFolder(origin.folderUrl), { ...request, readsPictures }, clock.now());
    },
    async fetch(_origin, credential, item, _known, signal) {
      const locator = Locator.parse(item.locator);
      const api = open(credential, signal);
      return exportsOf(locator.mimeType) ? fetchExport(api, locator, item.name) : download(api, locator);
    },
  };
}

function noCredential(): OriginError {
  return new OriginError({
    title: 'No service account key',
    message: 'Give a service account key, or a stored secret that holds one.',
    retryable: false,
  });
}

function readFolder(folderUrl: string): FolderReference {
  try {
    return parseFolderUrl(folderUrl);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new OriginError({ title: 'Not the address of a Drive folder', message: error.message, retryable: false });
  }
}

async function* list(
  api: DriveApi,
  root: FolderReference,
  request: DriveListRequest,
  now: Date,
): AsyncGenerator<Change, void> {
  const known = request.resume === null ? Tree.safeParse(request.cursor).data : undefined;
  if (known && known.pageToken !== null && now.getTime() - known.listedAt < FULL_LISTING_AFTER_MS) {
    const log = await readChanges(api, known.driveId, known.pageToken);
    if (log && !changesTree(known, log)) {
      yield* fileChanges(known, log, request);
      return yield { kind: 'end', full: false, cursor: { ...known, pageToken: log.nextPageToken } };
    }
  }
  const tree = yield* listTree(api, root, request, now);
  const isFollowed = tree.pageToken !== null && Object.keys(tree.folders).length <= FOLDERS_IN_CURSOR_MAX;
  yield { kind: 'end', full: true, cursor: isFollowed ? tree : null };
}

/** Refusals that belong to the file, and mean that there is nothing to index. */
const UNREADABLE: Readonly<Record<string, string>> = {
  cannotDownloadFile: 'Its owner does not allow downloads.',
  cannotExportFile: 'Its owner does not allow downloads.',
  cannotDownloadAbusiveFile: 'Google marked it as malware or spam.',
  fileNotDownloadable: 'It has no content that could be downloaded.',
  exportSizeLimitExceeded: 'It is too large for Google to export (10 MB).',
};

async function download(api: DriveApi, locator: Locator): Promise<Fetched> {
  try {
    const response = await api.download(locator);
    return { kind: 'content', content: { body: verified(response, locator) } };
  } catch (error) {
    return insteadOfContent(error);
  }
}

async function fetchExport(api: DriveApi, locator: Locator, name: string): Promise<Fetched> {
  const formats = exportsOf(locator.mimeType) ?? [];
  let problem: unknown;
  for (const { mimeType, ending } of formats) {
    try {
      const response = await api.exportAs(locator, mimeType);
      const listed = formats.find((format) => name.toLowerCase().endsWith(format.ending))?.ending ?? '';
      const changes = listed === ending ? {} : { name: withEnding(name.slice(0, name.length - listed.length), ending) };
      return { kind: 'content', content: { body: response.body, state: { ending } satisfies FetchState, changes } };
    } catch (error) {
      if (!isOfFormat(error)) return insteadOfContent(error);
      problem = error;
    }
  }
  return insteadOfContent(problem);
}

/** Another format may still work: Google cannot make this one, or not for this document. */
function isOfFormat(error: unknown): boolean {
  if (!(error instanceof DriveError)) return false;
  return error.status === 400 || error.status >= 500 || error.reason === 'exportSizeLimitExceeded';
}

function insteadOfContent(error: unknown): Fetched {
  if (!(error instanceof DriveError)) throw error;
  if (error.status === 404) return { kind: 'gone' };
  const reason = UNREADABLE[error.reason];
  if (reason === undefined) throw error;
  return { kind: 'skipped', reason };
}

/** Bytes that are not those of the listing fail at their end: cut off on the way, or changed in the meantime. */
async function* verified(response: HttpResponse, { md5, bytes }: Locator): AsyncGenerator<Uint8Array> {
  const hash = createHash('md5');
  let length = 0;
  for await (const piece of response.body) {
    hash.update(piece);
    length += piece.length;
    yield piece;
  }
  const isComplete = (bytes === null || length === bytes) && (md5 === null || hash.digest('hex') === md5);
  if (!isComplete)
    throw new OriginError({
      title: 'The file changed while it was read',
      message: 'What arrived is not what Google Drive had listed. The next run reads it again.',
      retryable: true,
    });
}
