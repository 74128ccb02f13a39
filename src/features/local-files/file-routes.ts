/** The files of a local file group over HTTP: changed and deleted by their paths. */
import { z } from 'zod';
import { boundaryOf, readPieces } from '../../http/body/multipart.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, route } from '../../http/route.ts';
import { idParams, idSchema } from '../../http/schemas.ts';
import { changeFiles, deleteFilesByPath } from './change-files.ts';
import { cleanPath, PATH_BYTES_MAX } from './file-path.ts';
import { FILES_MAX, LAST_MODIFIED_MIN, receiveChange, UPLOAD_BYTES_MAX } from './receive.ts';

const AREA = 'Local file groups';

/** Fields of every upload: one element for each file, in the same order. */
export const fileListProperties = {
  files: {
    type: 'array',
    minItems: 1,
    maxItems: FILES_MAX,
    // OpenAPI 3.1 names files by their media type, and generators still look for the format of 3.0.
    items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
  },
  paths: {
    type: 'array',
    maxItems: FILES_MAX,
    items: { type: 'string' },
    description:
      'What names each file within its group, for example `guides/start.md`: at most ' +
      `${PATH_BYTES_MAX} bytes, without the segment \`..\`. One part per file, in the order of the files. When absent, the file names.`,
  },
  last_modified: {
    type: 'array',
    maxItems: FILES_MAX,
    items: { type: 'integer', format: 'int64', minimum: LAST_MODIFIED_MIN },
    description:
      'Unix milliseconds (not seconds: times before 1980 are refused), one part per file, in the order of the files. When absent, ' +
      'the time of receipt.',
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
    files: { ...fileListProperties.files, minItems: 0, description: 'May be absent when `moves` is there.' },
    moves: {
      type: 'string',
      description:
        'JSON array of {"from", "to"}: files of the group that got another path. They keep their source id and need not be sent. ' +
        'Moves are made before the files are looked at.',
    },
  },
};

const changedFilesSchema = z
  .object({
    source_group_id: idSchema,
    run_id: idSchema
      .nullable()
      .describe('The run that reads what was added and updated. Null: nothing had to be done.'),
    added: z.int().describe('Files that become searchable for the first time.'),
    updated: z.int().describe('Files with other bytes. Their old version is served until the new one is searchable.'),
    moved: z.int().describe('Files that got another path.'),
    unchanged: z.int().describe('Files that were sent and are stored with the same bytes.'),
    deleted: z.int().describe('Files that are hidden from now on.'),
  })
  .meta({ id: 'ChangedFiles' });

export function fileRoutes(deps: Deps): Route[] {
  return [changeRoute(deps), deleteRoute(deps)];
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: '/local-file-groups/{id}/files',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'changeLocalFiles',
      area: AREA,
      summary: 'Add and replace files',
      description:
        'A file is named by its path. Under a new path it is added; under a stored one with the same bytes nothing is done; with ' +
        'other bytes it is replaced: the source keeps its id and its metadata, and the old version is served until the new one is ' +
        'searchable (also when the new one cannot be read). 409 while a run of the group is active.',
    },
    params: idParams,
    multipart: { schema: changeSchema, bytesMax: UPLOAD_BYTES_MAX },
    response: { status: 202, schema: changedFilesSchema, description: 'The files are stored durably.' },
    errors: [400, 404, 409, 413, 415],
    idempotent: true,
    async handler({ caller, params, idempotency, signal, raw }) {
      const boundary = boundaryOf(raw.headers['content-type']);
      const body = readPieces(raw.raw, UPLOAD_BYTES_MAX);
      const change = await receiveChange({ blobs: deps.blobs, tenantId: caller.tenantId, body, boundary, signal });
      return changeFiles(deps, caller, params.id, change, idempotency, signal);
    },
  });
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/local-file-groups/{id}/files',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'deleteLocalFiles',
      area: AREA,
      summary: 'Delete files by their paths',
      description:
        'The content is hidden when this answers, also from a run that is active; a background job removes it. Paths that the group ' +
        'does not hold are passed over.',
    },
    params: idParams,
    body: z.strictObject({ paths: z.array(z.string()).min(1).max(FILES_MAX).describe('Of the files to delete.') }),
    response: {
      status: 202,
      schema: z.object({ source_group_id: idSchema, deleted: z.int().describe('Files that were there.') }),
      description: 'The deletion was accepted.',
    },
    example: { paths: ['guides/old.md'] },
    async handler({ caller, params, body }) {
      const deleted = await deleteFilesByPath(deps, caller, params.id, body.paths.map(cleanPath));
      return { source_group_id: params.id, deleted };
    },
  });
}
