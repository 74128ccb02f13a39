/** Converts a file of Drive to an item, or to a reason to skip it. Pure. */
import { z } from 'zod';
import type { TypedMetadata } from '../../corpus/values.ts';
import type { Change, OriginItem, StoredVersion } from '../connector.ts';

/** The same limit as for uploads. */
export const DRIVE_FILE_BYTES_MAX = 500 * 1024 * 1024;
const NAME_LENGTH_MAX = 500;
const PATH_LENGTH_MAX = 4000;

export const FOLDER_TYPE = 'application/vnd.google-apps.folder';
export const SHORTCUT_TYPE = 'application/vnd.google-apps.shortcut';
const GOOGLE_TYPE = /^application\/vnd\.google-apps\.([\w.+-]+)$/;

const Person = z.object({ displayName: z.string().optional(), emailAddress: z.string().optional() });

export const DriveFile = z.object({
  id: z.string(),
  name: z.string().default(''),
  mimeType: z.string().default('application/octet-stream'),
  parents: z.array(z.string()).optional(),
  trashed: z.boolean().optional(),
  driveId: z.string().optional(),
  size: z.string().optional(),
  md5Checksum: z.string().optional(),
  headRevisionId: z.string().optional(),
  version: z.string().optional(),
  createdTime: z.string().optional(),
  modifiedTime: z.string().optional(),
  webViewLink: z.string().optional(),
  owners: z.array(Person).optional(),
  lastModifyingUser: Person.optional(),
  resourceKey: z.string().optional(),
  capabilities: z.object({ canDownload: z.boolean().optional() }).optional(),
  shortcutDetails: z
    .object({ targetId: z.string(), targetMimeType: z.string().optional(), targetResourceKey: z.string().optional() })
    .optional(),
});
export type DriveFile = z.infer<typeof DriveFile>;

/** The `fields` parameter: the members of `DriveFile`. */
export const FILE_FIELDS =
  'id,name,mimeType,parents,trashed,driveId,size,md5Checksum,headRevisionId,version,createdTime,modifiedTime,webViewLink,' +
  'owners(displayName,emailAddress),lastModifyingUser(displayName,emailAddress),resourceKey,capabilities(canDownload),' +
  'shortcutDetails(targetId,targetMimeType,targetResourceKey)';

interface ExportFormat {
  mimeType: string;
  ending: string;
}

/** Export formats of files from Google's own editors: the first one that Google can make is used. */
const EXPORTS: Readonly<Record<string, readonly ExportFormat[]>> = {
  document: [
    { mimeType: 'text/markdown', ending: '.md' },
    { mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', ending: '.docx' },
    { mimeType: 'text/plain', ending: '.txt' },
  ],
  spreadsheet: [
    { mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ending: '.xlsx' },
    { mimeType: 'text/csv', ending: '.csv' },
  ],
  presentation: [
    { mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', ending: '.pptx' },
    { mimeType: 'application/pdf', ending: '.pdf' },
    { mimeType: 'text/plain', ending: '.txt' },
  ],
};

/** Names of Google's other file types, for people. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  audio: 'Audio files',
  drawing: 'Google drawings',
  'drive-sdk': 'Files of other applications',
  form: 'Google forms',
  fusiontable: 'Fusion tables',
  jam: 'Jamboards',
  map: 'Google maps',
  photo: 'Photos',
  script: 'Apps scripts',
  site: 'Google sites',
  vid: 'Google videos',
  video: 'Video files',
};

/** Returns the export formats of a file. Returns undefined for files that are downloaded as they are. */
export function exportsOf(mimeType: string): readonly ExportFormat[] | undefined {
  const kind = GOOGLE_TYPE.exec(mimeType)?.[1];
  return kind === undefined ? undefined : (EXPORTS[kind] ?? []);
}

/** Values that `fetch` needs; JSON. */
export const Locator = z.object({
  id: z.string(),
  mimeType: z.string(),
  md5: z.string().nullable(),
  bytes: z.number().nullable(),
  resourceKey: z.string().nullable(),
});
export type Locator = z.infer<typeof Locator>;

/** The `StoredVersion.state` of an exported file. */
export const FetchState = z.object({ ending: z.string() });
export type FetchState = z.infer<typeof FetchState>;

/**
 * Returns the change that the listing reports for a file.
 *
 * @param path path and name of the file below the folder of the source.
 * @param readsPictures whether OCR reads words in pictures.
 */
export function changeOf(
  file: DriveFile,
  path: string,
  stored: StoredVersion | undefined,
  readsPictures: boolean,
): Change {
  const reason = skipReason(file, readsPictures);
  if (reason !== undefined) return { kind: 'skipped', originId: file.id, name: cleanName(file.name), reason };
  return { kind: 'present', item: itemOf(file, path, stored) };
}

function skipReason(file: DriveFile, readsPictures: boolean): string | undefined {
  const kind = GOOGLE_TYPE.exec(file.mimeType)?.[1];
  if (kind !== undefined && EXPORTS[kind] === undefined)
    return `${TYPE_NAMES[kind] ?? `Google files of the type ${kind}`} have no text that could be read.`;
  const media = /^(video|audio|image)\/(?!svg)/.exec(file.mimeType)?.[1];
  if (media !== undefined && !(media === 'image' && readsPictures))
    return `${{ video: 'Video', audio: 'Audio', image: 'Image' }[media]} files have no text that could be read.`;
  if (file.capabilities?.canDownload === false) return 'The owner of the file does not allow downloads.';
  if (Number(file.size ?? 0) > DRIVE_FILE_BYTES_MAX) return `The file is larger than ${DRIVE_FILE_BYTES_MAX} bytes.`;
  return undefined;
}

function itemOf(file: DriveFile, path: string, stored: StoredVersion | undefined): OriginItem {
  const formats = exportsOf(file.mimeType);
  const revision = revisionOf(file);
  // The format of an export is known only after the fetch. Until the file changes, its name keeps that ending.
  const storedEnding = stored?.revision === revision ? FetchState.safeParse(stored?.state).data?.ending : undefined;
  const ending = formats ? (storedEnding ?? formats[0]?.ending ?? '') : '';
  const size = Number(file.size ?? Number.NaN);
  return {
    originId: file.id,
    name: withEnding(cleanName(file.name), ending),
    url: webUrl(file.webViewLink),
    revision,
    modifiedAt: dateOf(file.modifiedTime),
    metadata: metadataOf(file, path),
    locator: {
      id: file.id,
      mimeType: file.mimeType,
      md5: file.md5Checksum ?? null,
      bytes: Number.isSafeInteger(size) && !formats ? size : null,
      resourceKey: file.resourceKey ?? null,
    } satisfies Locator,
  };
}

/**
 * Returns the revision of a file. Files with bytes have a checksum. Files of Google's editors have a version, which also counts
 * changes outside their content.
 */
function revisionOf(file: DriveFile): string | null {
  if (file.md5Checksum !== undefined) return `md5:${file.md5Checksum}`;
  if (file.headRevisionId !== undefined) return `revision:${file.headRevisionId}`;
  if (file.version === undefined || file.modifiedTime === undefined) return null;
  return `version:${file.version}:${file.modifiedTime}`;
}

function metadataOf(file: DriveFile, path: string): TypedMetadata {
  const created = dateOf(file.createdTime);
  const texts = {
    path: path.slice(0, PATH_LENGTH_MAX),
    mime_type: file.mimeType,
    owner: nameOf(file.owners?.[0]),
    last_modified_by: nameOf(file.lastModifyingUser),
  };
  const metadata: TypedMetadata = {};
  for (const [key, val] of Object.entries(texts)) if (val !== '') metadata[key] = { val, type: 'string' };
  if (created) metadata['created'] = { val: created.toISOString(), type: 'datetime' };
  return metadata;
}

function nameOf(person: z.infer<typeof Person> | undefined): string {
  return cleanText(person?.displayName ?? person?.emailAddress ?? '').slice(0, NAME_LENGTH_MAX);
}

/** Appends the ending unless the name already has it. */
export function withEnding(name: string, ending: string): string {
  return name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`;
}

export function cleanName(name: string): string {
  return [...cleanText(name)].slice(0, NAME_LENGTH_MAX).join('').trim() || 'Untitled';
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? cleanName(name) : `${folder}/${cleanName(name)}`;
}

function dateOf(text: string | undefined): Date | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}

function webUrl(text: string | undefined): string | null {
  return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
}
