/** The connector of Google Drive folders, which reads with the key of a service account. */
import { createHash } from 'node:crypto';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import { RETRY_BASE_MS } from '../../net/retry-wait.ts';
import type { Clock } from '../../util/time.ts';
import { type Change, type Connector, type Fetched, OriginError, parseStored } from '../connector.ts';
import { type DriveApi, openDriveApi } from './api.ts';
import { openTokenSource, parseServiceAccount } from './auth.ts';
import { addFailed, changedFiles, changesTree, fileChanges, readChanges } from './changes.ts';
import { exportsOf, type FetchState, Locator, withEnding } from './files.ts';
import { type FolderReference, parseFolderUrl } from './folder-url.ts';
import { type DriveListRequest, listTree } from './listing.ts';
import { withoutEscapes } from './markdown.ts';
import { DriveError } from './request.ts';
import { Tree } from './tree.ts';

const GOOGLE_API_URL = 'https://www.googleapis.com';
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** Time between full listings. A change log does not always contain the loss of access to a file. */
const FULL_LISTING_AFTER_MS = 7 * 24 * 60 * 60_000;
const FOLDERS_IN_CURSOR_MAX = 20_000;
/** Each of these files costs a request in the next run. */
const FAILED_IN_CURSOR_MAX = 200;

interface DriveOptions {
  http: HttpClient;
  /** The operator's address; null: Google itself. */
  baseUrl: string | null;
  clock: Clock;
  /** Whether OCR reads words in pictures; otherwise pictures are skipped. */
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
    withFailed(cursor, originIds) {
      return originIds.length > FAILED_IN_CURSOR_MAX ? null : { ...cursor, failed: originIds };
    },
    account: (credential) => parseServiceAccount(credential).clientEmail,
    list(origin, credential, request) {
      const api = open(credential, request.signal);
      const root = parseStored('Not the address of a Drive folder', () => parseFolderUrl(origin.folderUrl));
      return list(api, root, { ...request, readsPictures }, clock.now());
    },
    async fetch(_origin, credential, item, _stored, signal) {
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

async function* list(
  api: DriveApi,
  root: FolderReference,
  request: DriveListRequest,
  now: Date,
): AsyncGenerator<Change, void> {
  const lastTree = request.resume === null ? Tree.safeParse(request.cursor).data : undefined;
  if (lastTree && lastTree.pageToken !== null && now.getTime() - lastTree.listedAt < FULL_LISTING_AFTER_MS) {
    const changes = await readChanges(api, lastTree.driveId, lastTree.pageToken);
    const log = changes && (await addFailed(api, changes, lastTree.failed));
    if (log && !changesTree(lastTree, log)) {
      yield* fileChanges(lastTree, log, request);
      return yield { kind: 'end', full: false, cursor: { ...lastTree, failed: [], pageToken: log.nextPageToken } };
    }
  }
  const readChanged = (driveId: string | null, token: string) => changedFiles(api, driveId, token);
  const tree = yield* listTree(api, root, request, now, readChanged);
  const isFollowed =
    tree !== null && tree.pageToken !== null && Object.keys(tree.folders).length <= FOLDERS_IN_CURSOR_MAX;
  yield { kind: 'end', full: tree !== null, cursor: isFollowed ? tree : null };
}

/** Refusals that concern one file and mean that it has nothing to index. */
const UNREADABLE: Readonly<Record<string, string>> = {
  cannotDownloadFile: 'The owner of the file does not allow downloads.',
  cannotExportFile: 'The owner of the file does not allow downloads.',
  cannotDownloadAbusiveFile: 'Google marked the file as malware or spam.',
  fileNotDownloadable: 'The file has no content that could be downloaded.',
  exportSizeLimitExceeded: 'The file is too large for Google to export (10 MB).',
};

async function download(api: DriveApi, locator: Locator): Promise<Fetched> {
  try {
    const response = await api.download(locator);
    return { kind: 'content', content: { body: verified(response, locator) } };
  } catch (error) {
    return resultOfRefusal(error);
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
      const body = ending === '.md' ? readable(response.body) : response.body;
      return { kind: 'content', content: { body, state: { ending } satisfies FetchState, changes } };
    } catch (error) {
      if (!concernsFormat(error)) return resultOfRefusal(error);
      problem = error;
    }
  }
  return resultOfRefusal(problem);
}

/** An export has at most 10 MB. */
async function* readable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.concat(await Array.fromAsync(body));
  yield Buffer.from(withoutEscapes(bytes.toString('utf8')));
}

/** Returns whether another format may still work, because Google cannot make this one, or not for this file. */
function concernsFormat(error: unknown): boolean {
  if (!(error instanceof DriveError)) return false;
  return error.status === 400 || error.status >= 500 || error.reason === 'exportSizeLimitExceeded';
}

function resultOfRefusal(error: unknown): Fetched {
  if (!(error instanceof DriveError)) throw error;
  if (error.status === 404) return { kind: 'gone' };
  const reason = UNREADABLE[error.reason];
  if (reason === undefined) throw error;
  return { kind: 'skipped', reason };
}

/** Checks bytes against the listing. The stream fails at its end if it was truncated or the file changed meanwhile. */
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
      message: 'The received bytes differ from those that Google Drive had listed. The next run reads the file again.',
      retryable: true,
    });
}
