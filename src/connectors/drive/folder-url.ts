/** Parses the forms in which people write the address of a Drive folder. Pure. */
import { invalidRequest } from '../../errors.ts';

export interface FolderReference {
  id: string;
  /** Needed for some folders that are shared only by link. */
  resourceKey: string | null;
}

/** Ids become part of queries and of a header, so no other characters are allowed. */
const ID_PATTERN = /^[A-Za-z0-9_-]{10,200}$/;
const RESOURCE_KEY_PATTERN = /^[A-Za-z0-9_-]{1,200}$/;
const HOSTS = ['drive.google.com', 'docs.google.com'];
const FOLDER_PATH = /\/(?:folders|folder\/d|shared-drives|team-drives)\/([^/]+)\/?$/;
const ID_PATH = /^(?:\/a\/[^/]+)?(?:\/drive)?(?:\/u\/\d+)?\/(?:open|folderview|embeddedfolderview)\/?$/;

export function isDriveId(text: string): boolean {
  return ID_PATTERN.test(text);
}

export function isResourceKey(text: string): boolean {
  return RESOURCE_KEY_PATTERN.test(text);
}

/** Parses the address or id of a folder. @throws ServiceError invalid_request. */
export function parseFolderUrl(text: string): FolderReference {
  const trimmed = text.trim();
  if (isDriveId(trimmed)) return { id: trimmed, resourceKey: null };
  const withScheme = /^(?:drive|docs)\.google\.com\//i.test(trimmed) ? `https://${trimmed}` : trimmed;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || !HOSTS.includes(url.hostname) || url.port !== '')
    throw unreadable('is not the address of a Drive folder');
  if (url.username !== '' || url.password !== '') throw unreadable('has a user name');
  const id = FOLDER_PATH.exec(url.pathname)?.[1] ?? (ID_PATH.test(url.pathname) ? url.searchParams.get('id') : null);
  if (id === null || id === undefined)
    throw unreadable(
      /\/d\/|\/file\//.test(url.pathname) ? 'names a file, not a folder' : 'does not name a Drive folder',
    );
  if (!isDriveId(id)) throw unreadable('has no valid folder id');
  const resourceKey = url.searchParams.get('resourcekey') ?? url.searchParams.get('resourceKey');
  if (resourceKey !== null && !isResourceKey(resourceKey)) throw unreadable('has an invalid resource key');
  return { id, resourceKey };
}

function unreadable(problem: string): Error {
  return invalidRequest(
    `folder_url ${problem}. Give https://drive.google.com/drive/folders/<id>, ` +
      'https://drive.google.com/open?id=<id> or the id of the folder.',
  );
}
