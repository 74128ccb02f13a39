/** Routes for sources: list, get, delete, download. The routes for their metadata are in metadata-routes.ts. */

import { z } from 'zod';
import type { Tx } from '../../db/database.ts';
import { notFound, orNotFound } from '../../errors.ts';
import type { ByteRange } from '../../http/body/byte-range.ts';
import { sendFile } from '../../http/body/download.ts';
import type { Deps } from '../../http/deps.ts';
import { pageAnswer, pageQuery, pageRequest, pageResponse } from '../../http/page.ts';
import { redactFacts, sourceDetailsSchema, toSourceDetails } from '../../http/records/source-record.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  fileTypeSchema,
  idParams,
  idSchema,
  metadataSchema,
  principalShape,
  sourceGroupIdSchema,
  sourceIdSchema,
  sourceParams,
} from '../../http/schemas.ts';
import { requestSourceDeletion } from '../../ingest/removal/delete-source.ts';
import { runForIncluders } from '../../ingest/runs/includes.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { originalRoute } from './original-route.ts';
import { sourceListRoutes } from './source-list-routes.ts';
import { findRawFile, findSource, listSourcesWithMetadata } from './store.ts';

const route = routesOf('Sources');
/** Source type of uploaded files. Sources of all other types come from an origin. */
const UPLOADED = 'local_file';

const sourceSchema = z
  .object({
    id: idSchema.describe('Id of the source.'),
    source_group_id: sourceGroupIdSchema,
    name: z.string().describe('Name of the source.'),
    file_type: fileTypeSchema,
    file_size: z.int().describe('Bytes.'),
    metadata: metadataSchema.describe('Records set through the API.'),
  })
  .meta({ id: 'Source' });

export const sourceRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/sources',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listSources',
      summary: 'List the sources that have metadata',
      description:
        'Lists only uploaded files with at least one metadata record that was set through the API. `GET ' +
        '/source-groups/{id}/sources` lists all sources of a source group.',
    },
    query: pageQuery,
    response: pageResponse('sources', sourceSchema, 'Sources of this page.'),
    async handler({ caller, query }) {
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, (tx) =>
        listSourcesWithMetadata(tx, caller, UPLOADED, pageRequest(query)),
      );
      return pageAnswer('sources', query, listed, async (source) =>
        toRecord(sourceSchema, source, await redactFacts(source, redactor)),
      );
    },
  }),
  ...sourceListRoutes(deps),
  route({
    method: 'GET',
    path: '/sources/{id}',
    scopes: ['knowledge:read'],
    operation: { id: 'getSource', summary: 'Get a source' },
    params: idParams,
    response: { status: 200, schema: sourceDetailsSchema },
    async handler({ caller, params }) {
      const { source, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => ({
        source: await findSource(tx, params.id, caller),
      }));
      if (!source) throw notFound();
      return toSourceDetails(source, redactor, caller, deps.config);
    },
  }),
  route({
    method: 'DELETE',
    path: '/sources/{id}',
    scopes: ['knowledge:write'],
    operation: {
      id: 'deleteSource',
      summary: 'Delete a source',
      description:
        'The content is hidden when the request is answered, even if a run of the group is active; a background job removes it. Until ' +
        'then, a repeated request gets the same answer.',
    },
    params: idParams,
    response: {
      status: 202,
      schema: z.object({ source_id: sourceIdSchema }),
      description: 'The deletion was accepted.',
    },
    async handler({ caller, params }) {
      await requestSourceDeletion(deps, caller, params.id, (tx, group) => runForIncluders(deps, tx, group));
      return { source_id: params.id };
    },
  }),
  route({
    method: 'GET',
    path: '/sources/{source_id}/raw',
    scopes: ['knowledge:read'],
    operation: {
      id: 'downloadSource',
      summary: 'Download the stored file of a source',
      description:
        'The id is the source_id of a search result, a chunk or a citation. Uploaded files are answered with 404. Authorization ' +
        'policies are not applied here: an application that relies on them must decide for itself who gets raw files. The content ' +
        'type is always `application/octet-stream`; the `file_type` of the source says what the file is.',
    },
    params: sourceParams,
    query: z.strictObject(principalShape),
    response: { status: 200, schema: z.unknown() },
    download: { description: 'The whole file, as an attachment.' },
    errors: [416],
    async handler({ caller, params, raw, reply, signal, rights }) {
      const { tenantId } = caller;
      const find = async () => {
        const found = (tx: Tx) => findRawFile(tx, params.source_id, caller, UPLOADED);
        const file = orNotFound(await deps.db.transaction(tenantId, found));
        return { ...file, open: (range?: ByteRange) => deps.blobs.read(tenantId, file.hash, range) };
      };
      return sendFile(raw, reply, find, { signal, rights });
    },
  }),
  originalRoute(deps),
  ...metadataRoutes(deps),
];
