/**
 * Lists the whole tree below a folder, level by level, then the targets of its shortcuts.
 *
 * The page token of the change log is requested before the first folder is read. A change during the listing is then seen
 * twice, but never missed. What came to a folder after the folder was read is added at the end, so that nothing counts as gone because it
 * moved meanwhile.
 */
import { type Change, type ListRequest, OriginError } from '../connector.ts';
import type { DriveApi, FilePage, FileReference } from './api.ts';
import { changeOf, cleanName, type DriveFile, exportsOf, FOLDER_TYPE, joinPath, SHORTCUT_TYPE } from './files.ts';
import { DriveError } from './request.ts';
import { keyOf, lastingError, startProgress } from './root.ts';
import { type FolderEntry, Progress, type ShortcutEntry, type Tree } from './tree.ts';

/** Google answers queries with more folders slowly or not at all. */
const PARENTS_PER_QUERY = 50;
const FOLDERS_MAX = 50_000;
const DRIVE_FILES_MAX = 200_000;
/** Each shortcut needs its own request. */
const SHORTCUTS_MAX = 5_000;
const PAGES_MAX = 100_000;
const RESTARTS_MAX = 2;
/** Stored files that the listing did not report; each needs its own request. */
const UNREPORTED_ASKED_MAX = 100;
const CHECKPOINT_FILES = 200;
/** Folders and targets of shortcuts one after the other for which Google failed; then Google itself is taken to be down. */
const FAILED_IN_A_ROW_MAX = 3;

export interface DriveListRequest extends ListRequest {
  readsPictures: boolean;
}

/** Returns the files that a change log names since a position, without those that are gone; undefined if the log does not tell. */
type ReadChangedFiles = (driveId: string | null, pageToken: string) => Promise<DriveFile[] | undefined>;

/**
 * Lists the tree and returns it for the cursor; null if a part of it could not be read.
 *
 * @throws OriginError; ServiceError upstream_failed, upstream_timeout.
 */
export async function* listTree(
  api: DriveApi,
  root: FileReference,
  request: DriveListRequest,
  now: Date,
  changedFiles: ReadChangedFiles,
): AsyncGenerator<Change, Tree | null> {
  const resumed = Progress.safeParse(request.resume);
  const walk = new Walk(api, request, resumed.success ? resumed.data : await startProgress(api, root, now));
  yield* walk.run();
  yield* walk.addMissed(changedFiles);
  yield* walk.addUnreported();
  return walk.progress.isIncomplete ? null : walk.progress.tree;
}

class Walk {
  readonly progress: Progress;
  readonly #api: DriveApi;
  readonly #request: DriveListRequest;
  /** Files that were already reported: a file may have several parents. */
  readonly #reported = new Set<string>();
  #filesAtCheckpoint: number;
  #folders: number;
  #failedInARow = 0;

  constructor(api: DriveApi, request: DriveListRequest, progress: Progress) {
    this.#api = api;
    this.#request = request;
    this.progress = progress;
    this.#filesAtCheckpoint = progress.files;
    this.#folders = Object.keys(progress.tree.folders).length;
  }

  /**
   * Reads folders first, then shortcuts to folders, then shortcuts to files, so paths do not depend on the order of responses.
   */
  async *run(): AsyncGenerator<Change, void> {
    // A run that is cut off early must keep the page token of its start, too.
    yield this.#checkpoint();
    yield* this.#readAll();
  }

  /** Adds what came to a folder of the tree after the folder was read. */
  async *addMissed(changedFiles: ReadChangedFiles): AsyncGenerator<Change, void> {
    const { pageToken, driveId } = this.progress.tree;
    if (pageToken === null) return;
    const changed = await changedFiles(driveId, pageToken);
    // Nobody knows what moved meanwhile, so nothing counts as gone.
    if (changed === undefined) this.progress.isIncomplete = true;
    for (const file of changed ?? []) yield* this.#addIfInTree(file);
    yield* this.#readAll();
  }

  /**
   * Asks for stored files that the listing did not report, because Google may list a folder without its files, and a file may move where no
   * change log covers the tree. If there are more than it asks for, and Google still has one or fails for one, only those of
   * which Google says so count as gone, and the next run asks for others.
   */
  async *addUnreported(): AsyncGenerator<Change, void> {
    if (this.progress.isIncomplete) return;
    const unreported = (await this.#request.listUnreported?.()) ?? [];
    const step = Math.ceil(unreported.length / UNREPORTED_ASKED_MAX);
    const gone: string[] = [];
    this.#failedInARow = 0;
    for (let at = 0; at < unreported.length && this.#failedInARow < FAILED_IN_A_ROW_MAX; at += step) {
      const originId = unreported[at]!;
      const file = await this.#findFile(originId);
      this.#failedInARow = file instanceof DriveError ? this.#failedInARow + 1 : 0;
      const changes = await Array.fromAsync(this.#changesOf(originId, file));
      if (changes.length === 0) gone.push(originId);
      else if (step > 1 || this.#failedInARow >= FAILED_IN_A_ROW_MAX) this.progress.isIncomplete = true;
      yield* changes;
    }
    if (this.progress.isIncomplete) for (const originId of gone) yield { kind: 'gone', originId };
  }

  async *#changesOf(originId: string, file: DriveFile | DriveError | undefined): AsyncGenerator<Change, void> {
    if (file instanceof DriveError) {
      // The change log would not tell later that the file is gone, so the next run lists everything again.
      this.progress.tree.pageToken = null;
      yield { kind: 'failed', originId, name: originId, problem: file.problem };
    } else if (file && file.trashed !== true) yield* this.#addIfInTree(file);
  }

  /** Returns undefined if Google does not have the file, and the error if Google fails. */
  async #findFile(id: string): Promise<DriveFile | DriveError | undefined> {
    try {
      return await this.#api.file({ id });
    } catch (error) {
      if (!(error instanceof DriveError) || error.status === 401) throw error;
      return error.problem.retryable ? error : undefined;
    }
  }

  async *#readAll(): AsyncGenerator<Change, void> {
    const { queue, pending } = this.progress;
    while (queue.length > 0 || pending.length > 0) {
      if (queue.length > 0) yield* this.#listFolders(this.#nextBatch());
      else yield* this.#follow(this.#nextShortcut());
      if (this.progress.files - this.#filesAtCheckpoint >= CHECKPOINT_FILES) yield this.#checkpoint();
    }
  }

  #checkpoint(): Change {
    this.#filesAtCheckpoint = this.progress.files;
    return { kind: 'checkpoint', resume: structuredClone(this.progress) };
  }

  /** Removes folders for one query from the queue: folders of the same shared drive. */
  #nextBatch(): FolderEntry[] {
    const { queue } = this.progress;
    const drive = this.#searchedDrive(queue[0]!);
    const batch = queue.filter((folder) => this.#searchedDrive(folder) === drive).slice(0, PARENTS_PER_QUERY);
    const inBatch = new Set(batch);
    queue.splice(0, queue.length, ...queue.filter((folder) => !inBatch.has(folder)));
    return batch;
  }

  #searchedDrive(folder: FolderEntry): string | null {
    return folder.driveId === this.progress.tree.driveId ? folder.driveId : null;
  }

  #nextShortcut(): ShortcutEntry {
    const { pending } = this.progress;
    const folder = pending.findIndex(({ isFolder }) => isFolder);
    return pending.splice(Math.max(folder, 0), 1)[0]!;
  }

  async *#listFolders(batch: readonly FolderEntry[]): AsyncGenerator<Change, void> {
    const byId = new Map(batch.map((folder) => [folder.id, folder]));
    let placed = 0;
    let unplaced = 0;
    let isRefused = false;
    try {
      for await (const page of this.#pages(batch)) {
        for (const file of page.files) {
          const parentFolder = file.parents?.map((parent) => byId.get(parent)).find((folder) => folder !== undefined);
          const folder = parentFolder ?? (batch.length === 1 ? batch[0] : undefined);
          if (folder) placed++;
          else unplaced++;
          if (folder && file.trashed !== true) yield* this.#addFile(file, joinPath(folder.path, file.name));
        }
      }
      this.#failedInARow = 0;
    } catch (error) {
      if (!(error instanceof DriveError) || !concernsFolder(error)) throw error;
      if (batch.length === 1) return yield* this.#failFolder(batch[0]!, error);
      isRefused = true;
    }
    // Drive sometimes returns no files for several folders although they are not empty, and refuses all for one.
    if (batch.length > 1 && (isRefused || placed === 0 || unplaced > 0))
      for (const folder of batch) yield* this.#listFolders([folder]);
  }

  /** Reports a folder below the root that cannot be listed. A folder that was deleted meanwhile is empty. */
  async *#failFolder(folder: FolderEntry, error: DriveError): AsyncGenerator<Change, void> {
    if (folder.id === this.progress.tree.rootId) throw error;
    if (error.status === 404 && (await this.#isMissing(folder))) return;
    if (++this.#failedInARow >= FAILED_IN_A_ROW_MAX) throw error;
    this.progress.isIncomplete = true;
    yield { kind: 'failed', originId: folder.id, name: nameIn(folder.path), problem: error.problem };
  }

  async #isMissing(folder: FolderEntry): Promise<boolean> {
    try {
      await this.#api.file(folder);
      return false;
    } catch (error) {
      if (error instanceof DriveError && error.status === 404) return true;
      throw error;
    }
  }

  async *#pages(batch: readonly FolderEntry[]): AsyncGenerator<FilePage, void> {
    const driveId = this.#searchedDrive(batch[0]!);
    const tokens = new Set<string>();
    let token: string | undefined;
    for (let restarts = 0; tokens.size < PAGES_MAX; ) {
      let page: FilePage;
      try {
        page = await this.#api.children(batch, driveId, token);
      } catch (error) {
        // A page token expires after some hours; then the query starts again.
        if (token === undefined || restarts >= RESTARTS_MAX || !isRefusedToken(error)) throw error;
        restarts++;
        token = undefined;
        tokens.clear();
        continue;
      }
      yield page;
      token = page.nextPageToken;
      if (token === undefined) return;
      if (tokens.has(token)) break;
      tokens.add(token);
    }
    throw endlessPages();
  }

  async *#addIfInTree(file: DriveFile): AsyncGenerator<Change, void> {
    const folder = file.parents?.map((parent) => this.progress.tree.folders[parent]).find((path) => path !== undefined);
    if (folder !== undefined) yield* this.#addFile(file, joinPath(folder, file.name));
  }

  async *#addFile(file: DriveFile, path: string): AsyncGenerator<Change, void> {
    const { tree, pending } = this.progress;
    if (this.#reported.has(file.id)) return;
    if (file.mimeType === FOLDER_TYPE) {
      if (tree.folders[file.id] === undefined) this.#addFolder(file, path, file.resourceKey ?? null);
    } else if (file.mimeType === SHORTCUT_TYPE) {
      this.#reported.add(file.id);
      const target = file.shortcutDetails;
      if (!target) return yield broken(file.id, file.name);
      if (tree.shortcuts.push(file.id) > SHORTCUTS_MAX) throw tooMany('shortcuts', SHORTCUTS_MAX);
      const isFolder = target.targetMimeType === FOLDER_TYPE;
      const resourceKey = target.targetResourceKey ?? null;
      pending.push({ id: file.id, path, targetId: target.targetId, isFolder, resourceKey });
    } else {
      this.#reported.add(file.id);
      if (++this.progress.files > DRIVE_FILES_MAX) throw tooMany('files', DRIVE_FILES_MAX);
      yield await describe(file, path, this.#request);
    }
  }

  #addFolder(folder: DriveFile, path: string, resourceKey: string | null): void {
    if (++this.#folders > FOLDERS_MAX) throw tooMany('folders', FOLDERS_MAX);
    this.progress.tree.folders[folder.id] = path;
    this.progress.queue.push({ id: folder.id, path, driveId: folder.driveId ?? null, resourceKey });
  }

  /**
   * Drops the page token if a file lies in another drive, because the change log does not cover it. Every run then makes a full
   * listing.
   */
  #checkChangeLog(file: DriveFile): void {
    if ((file.driveId ?? null) !== this.progress.tree.driveId) this.progress.tree.pageToken = null;
  }

  async *#follow(shortcut: ShortcutEntry): AsyncGenerator<Change, void> {
    const { tree } = this.progress;
    if (tree.folders[shortcut.targetId] !== undefined || tree.links[shortcut.targetId] !== undefined) return;
    let target: DriveFile;
    try {
      target = await this.#api.file({ id: shortcut.targetId, resourceKey: shortcut.resourceKey });
    } catch (error) {
      if (!(error instanceof DriveError) || error.status === 401) throw error;
      const isFault = error.status >= 500;
      this.#failedInARow += isFault ? 1 : 0;
      if (isFault ? this.#failedInARow >= FAILED_IN_A_ROW_MAX : error.problem.retryable) throw error;
      if (isFault && shortcut.isFolder) this.progress.isIncomplete = true;
      tree.missing.push(shortcut.targetId);
      const name = nameIn(shortcut.path);
      if (error.status === 404) yield broken(shortcut.id, name);
      else yield { kind: 'failed', originId: shortcut.targetId, name, problem: error.problem };
      return;
    }
    this.#failedInARow = 0;
    if (target.trashed === true || target.mimeType === SHORTCUT_TYPE) {
      tree.missing.push(target.id);
      return yield broken(shortcut.id, target.name);
    }
    if (target.parents?.some((parent) => tree.folders[parent] !== undefined) && target.mimeType !== FOLDER_TYPE) return;
    this.#checkChangeLog(target);
    tree.links[target.id] = shortcut.path;
    if (target.mimeType === FOLDER_TYPE) this.#addFolder(target, shortcut.path, keyOf(target, shortcut));
    else yield* this.#addFile({ ...target, resourceKey: keyOf(target, shortcut) ?? undefined }, shortcut.path);
  }
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns whether the refusal may be one of a single folder. */
function concernsFolder({ status, problem }: DriveError): boolean {
  return status === 404 || status >= 500 || (status === 403 && !problem.retryable);
}

function broken(originId: string, name: string): Change {
  const reason = 'The shortcut leads to something that does not exist or is not shared with the service account.';
  return { kind: 'skipped', originId, name: cleanName(name), reason };
}

/** Returns the change of a file. The name of an exported file depends on the format of its last export. */
export async function describe(file: DriveFile, path: string, request: DriveListRequest): Promise<Change> {
  const stored = exportsOf(file.mimeType) ? await request.findStored(file.id) : undefined;
  return changeOf(file, path, stored, request.readsPictures);
}

export function isRefusedToken(error: unknown): boolean {
  if (!(error instanceof DriveError)) return false;
  return error.status === 410 || (error.status === 400 && ['pageToken', ''].includes(error.location));
}

export function endlessPages(): OriginError {
  return new OriginError({
    title: 'Google Drive did not come to an end',
    message: 'Google Drive returned the same page twice. Try again later.',
    retryable: true,
  });
}

function tooMany(what: string, max: number): OriginError {
  return lastingError(`Too many ${what}`, `The folder holds more than ${max} ${what}. Choose a smaller folder.`);
}
