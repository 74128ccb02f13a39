/** Where a listing begins: the root of the tree, and its change log. */
import { OriginError } from '../connector.ts';
import type { DriveApi, FileReference } from './api.ts';
import { type DriveFile, FOLDER_TYPE, SHORTCUT_TYPE } from './files.ts';
import { DriveError } from './request.ts';
import type { Progress, Tree } from './tree.ts';

export async function startProgress(api: DriveApi, reference: FileReference, now: Date): Promise<Progress> {
  const root = await findRoot(api, reference);
  const { driveId, pageToken } = await findChangeLog(api, root);
  const listedAt = now.getTime();
  const folder = { id: root.id, path: '', driveId: root.driveId ?? null, resourceKey: keyOf(root, reference) };
  return {
    tree: {
      rootId: root.id,
      driveId,
      pageToken,
      listedAt,
      folders: { [root.id]: '' },
      shortcuts: [],
      links: {},
      missing: [],
      failed: [],
    },
    files: 0,
    queue: [folder],
    pending: [],
    isIncomplete: false,
  };
}

export function keyOf(file: DriveFile, reference: FileReference): string | null {
  return file.resourceKey ?? reference.resourceKey ?? null;
}

async function findRoot(api: DriveApi, reference: FileReference): Promise<DriveFile> {
  let root = await readRoot(api, reference);
  const shortcut = root.shortcutDetails;
  if (root.mimeType === SHORTCUT_TYPE && shortcut)
    root = await readRoot(api, { id: shortcut.targetId, resourceKey: shortcut.targetResourceKey });
  if (root.mimeType !== FOLDER_TYPE)
    throw lastingError('Not a folder', 'The address names a file. Give the address of a folder.');
  if (root.trashed === true)
    throw lastingError('The folder is in the trash', 'Restore the folder at Google Drive, or delete this source.');
  return root;
}

async function readRoot(api: DriveApi, reference: FileReference): Promise<DriveFile> {
  try {
    return await api.file(reference);
  } catch (error) {
    if (!(error instanceof DriveError) || error.status !== 404) throw error;
    throw lastingError(
      'Folder not found',
      'The folder does not exist, or it is not shared with the address of the service account.',
      error,
    );
  }
}

/** Finds the change log of the tree. A shared drive has its own change log, which only its members may read. */
async function findChangeLog(api: DriveApi, root: DriveFile): Promise<Pick<Tree, 'driveId' | 'pageToken'>> {
  const driveId = root.driveId ?? null;
  try {
    return { driveId, pageToken: await api.startPageToken(driveId) };
  } catch (error) {
    const isMember = driveId === null || !(error instanceof DriveError) || ![403, 404].includes(error.status);
    if (isMember || error.problem.retryable) throw error;
    return { driveId: null, pageToken: null };
  }
}

export function lastingError(title: string, message: string, cause?: unknown): OriginError {
  return new OriginError({ title, message, retryable: false }, { cause });
}
