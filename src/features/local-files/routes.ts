/** Routes for local file groups. */
import { z } from 'zod';
import { findGroup, listGroups, type SourceGroup } from '../../corpus/group-store.ts';
import { notFound } from '../../errors.ts';
import { boundaryOf, readPieces } from '../../http/body/multipart.ts';
import { deleteGroupRoute } from '../../http/delete-group-route.ts';
import type { Deps } from '../../http/deps.ts';
import { checkMayCreateGroup } from '../../http/key-limits.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { redactGroup } from '../../http/records/group-record.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  groupStatusSchema,
  idParams,
  idSchema,
  latestRunShape,
  metadataSchema,
  NAME_LENGTH_MAX,
  nameSchema,
  sourceGroupIdAnswer,
  timeSchema,
} from '../../http/schemas.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { fileListProperties, fileRoutes } from './file-routes.ts';
import { createGroup, SOURCE_TYPE } from './local-files.ts';
import { parseRoutes } from './parse-routes.ts';
import { receiveUpload, UPLOAD_BYTES_MAX } from './receive.ts';

const route = routesOf('Local file groups');

const localFileGroupSchema = z
  .object({
    id: idSchema.describe('Id of the source group.'),
    name: z.string().describe('Name of the source group. Empty where a redaction rule withholds it.'),
    status: groupStatusSchema,
    upload_time: timeSchema.nullable().describe('Time when the upload was accepted, Unix seconds.'),
    creation_time: timeSchema,
    ...latestRunShape,
    metadata: metadataSchema,
    chunk_metadata_keys: z
      .array(
        z.object({
          key: z.string().describe('Name of the column, and key of the chunk metadata.'),
          type: z.enum(['string', 'integer', 'float', 'date', 'datetime']).describe('Type of the values.'),
        }),
      )
      .describe('Columns of record files that become chunk metadata.'),
    chunk_metadatas_count: z.int().describe('Number of chunks that have at least one chunk metadata record.'),
  })
  .meta({ id: 'LocalFileGroup' });

const uploadSchema = {
  type: 'object',
  required: ['files'],
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      description: 'Name of the group. If absent, the group gets the name of its first file.',
    },
    unique_name: {
      type: 'string',
      enum: ['true', 'false'],
      default: 'false',
      description:
        'With true, the upload is refused with 409 if another local file group has the name when the files are stored. Of several such ' +
        'uploads at the same time one succeeds.',
    },
    ...fileListProperties,
    chunk_metadata_keys: {
      type: 'string',
      description:
        'Columns of record files that become chunk metadata: a JSON array of {"key", "type"}. The type is string, integer, float, date ' +
        'or datetime.',
    },
  },
};

export const localFileRoutes = (deps: Deps): Route[] => [
  route({
    method: 'POST',
    path: '/local-file-groups',
    scopes: ['ingestion:manage'],
    check: checkMayCreateGroup,
    operation: {
      id: 'createLocalFileGroup',
      summary: 'Upload files',
      description:
        'Creates a source group with the files. The request body has at most 524,288,000 bytes and 2,000 files. When the request is ' +
        'answered, the files are stored durably and their ingestion is queued. Several files may have the same name or path. Only the ' +
        'last path segment of a file name is kept.',
    },
    multipart: { schema: uploadSchema, bytesMax: UPLOAD_BYTES_MAX },
    response: { status: 201, schema: sourceGroupIdAnswer, description: 'The created source group.' },
    idempotent: true,
    async handler({ caller, idempotency, signal, raw }) {
      const boundary = boundaryOf(raw.headers['content-type']);
      const pieces = readPieces(raw.raw, UPLOAD_BYTES_MAX, signal);
      const { blobs } = deps;
      const upload = await receiveUpload({ blobs, tenantId: caller.tenantId, body: pieces, boundary, signal });
      return createGroup(deps, caller, upload, idempotency, signal);
    },
  }),
  route({
    method: 'GET',
    path: '/local-file-groups',
    scopes: ['ingestion:manage'],
    operation: { id: 'listLocalFileGroups', summary: 'List local file groups' },
    query: z.strictObject({
      ...pageQueryShape,
      ...orderShape,
      ...searchShape('the name'),
      name: nameSchema.optional().describe('Only groups with exactly this name.'),
    }),
    response: pageResponse('local_file_groups', localFileGroupSchema, 'Local file groups of this page.'),
    async handler({ caller, query }) {
      const filter = { sourceType: SOURCE_TYPE, name: query.name, q: query.q };
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, (tx) =>
        listGroups(tx, caller, filter, pageRequest(query)),
      );
      return pageAnswer('local_file_groups', query, listed, (group) => toLocalFileGroup(group, redactor));
    },
  }),
  route({
    method: 'GET',
    path: '/local-file-groups/{id}',
    scopes: ['ingestion:manage'],
    operation: { id: 'getLocalFileGroup', summary: 'Get a local file group' },
    params: idParams,
    response: { status: 200, schema: localFileGroupSchema },
    async handler({ caller, params }) {
      const { group, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => ({
        group: await findGroup(tx, params.id, caller),
      }));
      if (group?.sourceType !== SOURCE_TYPE) throw notFound();
      return toLocalFileGroup(group, redactor);
    },
  }),
  deleteGroupRoute(
    deps,
    route,
    '/local-file-groups',
    { id: 'deleteLocalFileGroup', summary: 'Delete a local file group' },
    SOURCE_TYPE,
  ),
  ...fileRoutes(deps),
  ...parseRoutes(deps),
];

async function toLocalFileGroup(
  group: SourceGroup,
  redactor: Redactor | null,
): Promise<z.input<typeof localFileGroupSchema>> {
  return toRecord(localFileGroupSchema, group, await redactGroup(group, redactor));
}
