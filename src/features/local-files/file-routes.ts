/** Routes that change and delete the files of a local file group by their paths. */
import { z } from 'zod';
import { boundaryOf, readPieces } from '../../http/body/multipart.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, idSchema, sourceGroupIdSchema } from '../../http/schemas.ts';
import { changeFiles, deleteFilesByPath } from './change-files.ts';
import { cleanPath, PATH_BYTES_MAX } from './file-path.ts';
import { FILES_MAX, LAST_MODIFIED_MIN, receiveChange, UPLOAD_BYTES_MAX } from './receive.ts';

const route = routesOf('Local file groups');

/** Form fields of every upload. Each field has one part per file, in the same order. */
export const fileListProperties = {
  files: {
    type: 'array',
    minItems: 1,
    maxItems: FILES_MAX,
    // OpenAPI 3.1 marks files by their media type, but many generators still look for the `format` of OpenAPI 3.0.
    items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
    description: `1 to ${FILES_MAX.toLocaleString('en')} files, each as one part with a file name.`,
  },
  paths: {
    type: 'array',
    maxItems: FILES_MAX,
    items: { type: 'string' },
    description:
      'Path of each file within its group, for example `guides/start.md`: one part per file, in the order of the files. A path has at ' +
      `most ${PATH_BYTES_MAX} bytes and no segment \`..\`. If absent, the file names are the paths.`,
  },
  last_modified: {
    type: 'array',
    maxItems: FILES_MAX,
    items: { type: 'integer', format: 'int64', minimum: LAST_MODIFIED_MIN },
    description:
      'Time of the last change of each file, in Unix milliseconds: one part per file, in the order of the files. Times before 1980 are ' +
      'refused, because they are probably in seconds. If absent, the time of the upload counts.',
  },
};

const changeSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: {
      type: 'string',
      enum: ['merge', 'mirror'],
      default: 'merge',
      description: '`merge` keeps the files of the group that are not sent, `mirror` deletes them.',
    },
    ...fileListProperties,
    files: {
      ...fileListProperties.files,
      minItems: 0,
      description: 'Files to add or replace, each as one part with a file name. May be absent if `moves` is present.',
    },
    moves: {
      type: 'string',
      description:
        'Files of the group that got another path: a JSON array of {"from", "to"}. A moved file keeps its source id and need not be ' +
        'sent. Moves are applied before the files.',
    },
  },
};

const changedFilesSchema = z
  .object({
    source_group_id: sourceGroupIdSchema,
    run_id: idSchema
      .nullable()
      .describe('Id of the run that reads the added and updated files. Null when nothing had to be done.'),
    added: z.int().describe('Files that become searchable for the first time.'),
    updated: z.int().describe('Files with other bytes. Their old version is served until the new one is searchable.'),
    moved: z.int().describe('Files that got another path.'),
    unchanged: z.int().describe('Files that were sent and are stored with the same bytes.'),
    deleted: z.int().describe('Files that were deleted: they are hidden from now on.'),
  })
  .meta({ id: 'ChangedFiles' });

export const fileRoutes = (deps: Deps): Route[] => [
  route({
    method: 'PUT',
    path: '/local-file-groups/{id}/files',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'changeLocalFiles',
      summary: 'Add and replace files',
      description:
        'A path identifies a file. A file with a new path is added. A file with a stored path and the same bytes stays unchanged. A file ' +
        'with a stored path and other bytes is replaced: the source keeps its id and its metadata, and the old version is served until ' +
        'the new one is searchable. If the new version cannot be read, the old one stays. 409 while a run of the group is active.',
    },
    params: idParams,
    multipart: { schema: changeSchema, bytesMax: UPLOAD_BYTES_MAX },
    response: { status: 202, schema: changedFilesSchema, description: 'The files are stored durably.' },
    idempotent: true,
    async handler({ caller, params, idempotency, signal, raw }) {
      const boundary = boundaryOf(raw.headers['content-type']);
      const body = readPieces(raw.raw, UPLOAD_BYTES_MAX, signal);
      const change = await receiveChange({ blobs: deps.blobs, tenantId: caller.tenantId, body, boundary, signal });
      return changeFiles(deps, caller, params.id, change, idempotency, signal);
    },
  }),
  route({
    method: 'DELETE',
    path: '/local-file-groups/{id}/files',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'deleteLocalFiles',
      summary: 'Delete files by their paths',
      description:
        'The content is hidden when the request is answered, even if a run is active; a background job removes it. Unknown paths are ' +
        'ignored.',
    },
    params: idParams,
    body: z.strictObject({
      paths: z.array(z.string()).min(1).max(FILES_MAX).describe('Paths of the files to delete.'),
    }),
    response: {
      status: 202,
      schema: z.object({
        source_group_id: sourceGroupIdSchema,
        deleted: z.int().describe('Number of files that were deleted.'),
      }),
      description: 'The deletion was accepted.',
    },
    example: { paths: ['guides/old.md'] },
    async handler({ caller, params, body }) {
      const deleted = await deleteFilesByPath(deps, caller, params.id, body.paths.map(cleanPath));
      return { source_group_id: params.id, deleted };
    },
  }),
];
