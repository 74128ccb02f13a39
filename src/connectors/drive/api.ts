/** Wraps the parts of the Drive API (v3) that reading a folder needs. */
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import { isStaleToken, type TokenSource } from './auth.ts';
import { DRIVE_FILE_BYTES_MAX, DriveFile, FILE_FIELDS } from './files.ts';
import { isDriveId, isResourceKey } from './folder-url.ts';
import { DriveError, type GoogleClient, readJson, requestGoogle } from './request.ts';

const PAGE_SIZE = 1000;
const REQUEST_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const JSON_BYTES_MAX = 32 * 1024 * 1024;

/** A file. `resourceKey` is needed for some files that are shared only by link. */
export interface FileReference {
  id: string;
  resourceKey?: string | null | undefined;
}

const FilePage = z.object({
  files: z.array(DriveFile).default([]),
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().optional(),
});
export type FilePage = z.infer<typeof FilePage>;

const ChangePage = z.object({
  changes: z
    .array(
      z.object({
        changeType: z.string().optional(),
        fileId: z.string().optional(),
        removed: z.boolean().optional(),
        driveId: z.string().optional(),
        file: DriveFile.optional(),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
});
export type ChangePage = z.infer<typeof ChangePage>;

/** All methods: @throws DriveError; ServiceError upstream_failed, upstream_timeout. */
export interface DriveApi {
  file(file: FileReference): Promise<DriveFile>;
  /** Returns files whose parent is one of the folders. With `driveId` all folders must be in that shared drive. */
  children(folders: readonly FileReference[], driveId: string | null, pageToken: string | undefined): Promise<FilePage>;
  startPageToken(driveId: string | null): Promise<string>;
  changes(driveId: string | null, pageToken: string): Promise<ChangePage>;
  download(file: FileReference): Promise<HttpResponse>;
  exportAs(file: FileReference, mimeType: string): Promise<HttpResponse>;
}

interface DriveApiOptions {
  client: GoogleClient;
  /** Without a trailing slash. */
  baseUrl: string;
  tokens: TokenSource;
  credential: string;
  signal: AbortSignal;
}

export function openDriveApi({ client, baseUrl, tokens, credential, signal }: DriveApiOptions): DriveApi {
  async function get<T>(
    path: string,
    params: Record<string, string>,
    files: readonly FileReference[],
    limits: { timeoutMs: number; responseBytesMax: number },
    read: (response: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const url = `${baseUrl}/drive/v3/${path}?${new URLSearchParams(params)}`;
    for (let refreshed = false; ; refreshed = true) {
      const token = await tokens.token(credential, signal);
      const headers = { authorization: `Bearer ${token}`, ...resourceKeys(files) };
      try {
        return await requestGoogle(client, url, { headers, signal, ...limits }, read);
      } catch (error) {
        if (refreshed || !isStaleToken(error)) throw error;
        tokens.discard(credential, token);
      }
    }
  }
  const getJson = <T>(path: string, schema: z.ZodType<T>, params: Record<string, string>, files: FileReference[]) =>
    get(path, params, files, { timeoutMs: REQUEST_TIMEOUT_MS, responseBytesMax: JSON_BYTES_MAX }, (response) =>
      readJson(response, schema),
    );
  const getFile = (path: string, params: Record<string, string>, file: FileReference) =>
    get(
      path,
      params,
      [file],
      { timeoutMs: DOWNLOAD_TIMEOUT_MS, responseBytesMax: DRIVE_FILE_BYTES_MAX },
      async (response) => response,
    );

  return {
    file: (file) =>
      getJson(`files/${segment(file.id)}`, DriveFile, { supportsAllDrives: 'true', fields: FILE_FIELDS }, [file]),
    async children(folders, driveId, pageToken) {
      const parents = folders.map(({ id }) => `'${segment(id)}' in parents`).join(' or ');
      const page = await getJson(
        'files',
        FilePage,
        {
          q: `(${parents}) and trashed = false`,
          pageSize: String(PAGE_SIZE),
          supportsAllDrives: 'true',
          includeItemsFromAllDrives: 'true',
          ...(driveId === null ? {} : { corpora: 'drive', driveId }),
          ...(pageToken === undefined ? {} : { pageToken }),
          fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
        },
        [...folders],
      );
      // Files missing from an incomplete response would look deleted.
      if (page.incompleteSearch === true)
        throw new ServiceError('upstream_failed', 'Google Drive could not search everything. Try again later.');
      return page;
    },
    async startPageToken(driveId) {
      const params = { supportsAllDrives: 'true', ...(driveId === null ? {} : { driveId }) };
      const Response = z.object({ startPageToken: z.string() });
      return (await getJson('changes/startPageToken', Response, params, [])).startPageToken;
    },
    changes: (driveId, pageToken) =>
      getJson(
        'changes',
        ChangePage,
        {
          pageToken,
          pageSize: String(PAGE_SIZE),
          includeRemoved: 'true',
          supportsAllDrives: 'true',
          includeItemsFromAllDrives: 'true',
          ...(driveId === null ? {} : { driveId }),
          fields: `nextPageToken,newStartPageToken,changes(changeType,fileId,removed,driveId,file(${FILE_FIELDS}))`,
        },
        [],
      ),
    download: (file) => getFile(`files/${segment(file.id)}`, { alt: 'media', supportsAllDrives: 'true' }, file),
    exportAs: (file, mimeType) => getFile(`files/${segment(file.id)}/export`, { mimeType }, file),
  };
}

/** Checks an id. Ids come from responses, so only valid ids become part of a path or a query. */
function segment(id: string): string {
  if (!isDriveId(id)) throw new DriveError(400, 'invalidId', 'fileId');
  return id;
}

function resourceKeys(files: readonly FileReference[]): Record<string, string> {
  const pairs = files.flatMap(({ id, resourceKey }) =>
    resourceKey !== null && resourceKey !== undefined && isResourceKey(resourceKey) ? [`${id}/${resourceKey}`] : [],
  );
  return pairs.length === 0 ? {} : { 'x-goog-drive-resource-keys': pairs.join(',') };
}
