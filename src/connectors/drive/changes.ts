/**
 * Reads changes of a tree since its listing from the change log.
 *
 * A change of the tree itself (folders and shortcuts that come, go, move or are renamed) leads to a full listing. A full
 * listing costs one request per thousand files and transfers no file.
 */
import { ServiceError } from '../../errors.ts';
import { type Change, OriginError } from '../connector.ts';
import type { ChangePage, DriveApi } from './api.ts';
import { type DriveFile, FOLDER_TYPE, joinPath, SHORTCUT_TYPE } from './files.ts';
import { type DriveListRequest, describe, endlessPages, isRefusedToken } from './listing.ts';
import { DriveError, unusableResponse } from './request.ts';
import type { Tree } from './tree.ts';

/** Reading more changes is slower than a full listing. */
const CHANGES_MAX = 20_000;
const PAGES_MAX = 1_000;

type Entry = ChangePage['changes'][number];

interface ChangeLog {
  /** The last change of each file. */
  entries: ReadonlyMap<string, Entry>;
  /** Files for which Google Drive failed. */
  failed: readonly Change[];
  nextPageToken: string;
}

/** Reads the change log. Returns undefined when it has too many changes. */
export async function readChanges(
  api: DriveApi,
  driveId: string | null,
  start: string,
): Promise<ChangeLog | undefined> {
  const entries = new Map<string, Entry>();
  const tokens = new Set<string>();
  for (let token = start; ; ) {
    if (tokens.has(token) || tokens.size >= PAGES_MAX) throw endlessPages();
    tokens.add(token);
    const page = await readPage(api, driveId, token);
    for (const entry of page.changes) {
      const id = entry.fileId ?? entry.driveId;
      if (id !== undefined) entries.set(id, entry);
    }
    if (entries.size > CHANGES_MAX) return undefined;
    if (page.newStartPageToken !== undefined) return { entries, failed: [], nextPageToken: page.newStartPageToken };
    if (page.nextPageToken === undefined) throw unusableResponse();
    token = page.nextPageToken;
  }
}

/**
 * Adds the files that the last run could not read, so that this run reports them again. A file that cannot be found any more is left
 * to the next full listing: without its resource key Google says the same of a file that exists. A file for which Google Drive fails
 * does not keep the changes of all others from being read.
 */
export async function addFailed(api: DriveApi, log: ChangeLog, fileIds: readonly string[]): Promise<ChangeLog> {
  const entries = new Map(log.entries);
  const failed: Change[] = [];
  for (const fileId of fileIds) {
    if (entries.has(fileId)) continue;
    try {
      entries.set(fileId, { fileId, file: await api.file({ id: fileId }) });
    } catch (error) {
      if (!(error instanceof DriveError) || error.status === 401) throw error;
      if (error.status >= 500) failed.push({ kind: 'failed', originId: fileId, name: fileId, problem: error.problem });
      else if (error.problem.retryable) throw error;
    }
  }
  return { ...log, entries, failed };
}

/** Returns the files that changed since a position, without those that are gone; undefined if the change log does not tell. */
export async function changedFiles(
  api: DriveApi,
  driveId: string | null,
  start: string,
): Promise<DriveFile[] | undefined> {
  const log = await readChanges(api, driveId, start).catch((error: unknown) => {
    if (error instanceof OriginError || (error instanceof ServiceError && error.code.startsWith('upstream_')))
      return undefined;
    throw error;
  });
  return log && [...log.entries.values()].flatMap((entry) => (isGone(entry) || !entry.file ? [] : [entry.file]));
}

async function readPage(api: DriveApi, driveId: string | null, token: string): Promise<ChangePage> {
  try {
    return await api.changes(driveId, token);
  } catch (error) {
    // A shared drive that the account has left refuses its change log. The folder itself may still be shared.
    const isRefused =
      error instanceof DriveError && (error.status === 404 || (driveId !== null && error.status === 403));
    if (!isRefusedToken(error) && !(isRefused && !error.problem.retryable)) throw error;
    const title = 'Google Drive no longer accepts the position where the last run ended';
    throw new OriginError(
      { title, message: 'The whole folder is listed again.', retryable: true },
      { cause: error, cursorExpired: true },
    );
  }
}

/** Returns whether the tree itself may have changed. */
export function changesTree(tree: Tree, log: ChangeLog): boolean {
  const shortcuts = new Set(tree.shortcuts);
  const missing = new Set(tree.missing);
  return [...log.entries].some(([id, entry]) => {
    if (id === tree.driveId && entry.fileId === undefined) return true;
    if (shortcuts.has(id)) return true;
    const file = isGone(entry) ? undefined : entry.file;
    if (missing.has(id) && file) return true;
    if (tree.links[id] !== undefined) return file === undefined;
    const path = tree.folders[id];
    if (path !== undefined) return file === undefined || (id !== tree.rootId && !pathsOf(tree, file).includes(path));
    return file !== undefined && [FOLDER_TYPE, SHORTCUT_TYPE].includes(file.mimeType) && pathsOf(tree, file).length > 0;
  });
}

/** Reports changes of files, and files that failed again. The log must not change the tree. */
export async function* fileChanges(
  tree: Tree,
  log: ChangeLog,
  request: DriveListRequest,
): AsyncGenerator<Change, void> {
  yield* log.failed;
  for (const [id, entry] of log.entries) {
    if (tree.folders[id] !== undefined) continue;
    const file = isGone(entry) ? undefined : entry.file;
    const path = file && (pathsOf(tree, file)[0] ?? tree.links[id]);
    if (file && path !== undefined) yield await describe(file, path, request);
    // The log has changes of everything that the service account sees, not only of this folder.
    else if (await request.findStored(id)) yield { kind: 'gone', originId: id };
  }
}

function isGone(entry: Entry): boolean {
  return entry.removed === true || entry.file === undefined || entry.file.trashed === true;
}

/** Returns the paths of a file in the tree: several for a file with several parents. */
function pathsOf(tree: Tree, file: { name: string; parents?: string[] | undefined }): string[] {
  return (file.parents ?? []).flatMap((parent) => {
    const folder = tree.folders[parent];
    return folder === undefined ? [] : [joinPath(folder, file.name)];
  });
}
