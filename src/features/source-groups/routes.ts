/** Routes for source groups of every type, and for their sources. The routes for their runs are in run-routes.ts. */

import { z } from 'zod';
import { findGroup, listGroups, type SourceGroup } from '../../corpus/group-store.ts';
import { listSourcesOfGroup } from '../../corpus/source-lookup.ts';
import { orNotFound } from '../../errors.ts';
import { deleteGroupRoute } from '../../http/delete-group-route.ts';
import type { Deps } from '../../http/deps.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { redactGroup } from '../../http/records/group-record.ts';
import { redactRecords, sourceDetailsSchema, toSourceDetails } from '../../http/records/source-record.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  givenId,
  groupStatusSchema,
  idParams,
  idSchema,
  jobStatusSchema,
  latestRunShape,
  metadataPatchSchema,
  metadataSchema,
  nameSchema,
  type SOURCE_TYPES,
  sourceTypeSchema,
  timeSchema,
} from '../../http/schemas.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { readRedactor, withRedactor } from '../../redaction/redactors.ts';
import { patchGroupMetadata, renameGroup } from './change-group.ts';
import { eventRoutes } from './event-routes.ts';
import { runRoutes } from './run-routes.ts';

const route = routesOf('Source groups');

const sourceGroupSchema = z
  .object({
    id: idSchema.describe('Id of the source group.'),
    source_type: sourceTypeSchema.describe('Where the sources of the group come from.'),
    name: z.string().describe('Name of the source group. Empty where a redaction rule withholds it.'),
    status: groupStatusSchema,
    creation_time: timeSchema,
    ...latestRunShape,
    metadata: metadataSchema,
  })
  .meta({ id: 'SourceGroup' });

const groupQuery = z.strictObject({
  ...pageQueryShape,
  ...orderShape,
  ...searchShape('the name'),
  source_type: sourceTypeSchema.optional().describe('Only source groups of this type.'),
  status: jobStatusSchema.optional().describe('Only source groups with this status.'),
  tag_id: givenId.optional().describe('Only groups with this tag. An unknown tag selects nothing.'),
});

export const sourceGroupRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/source-groups',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listSourceGroups', summary: 'List source groups' },
    query: groupQuery,
    response: pageResponse('source_groups', sourceGroupSchema, 'Source groups of this page.'),
    async handler({ caller, query }) {
      const filter = { sourceType: query.source_type, status: query.status, tagId: query.tag_id, q: query.q };
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, (tx) =>
        listGroups(tx, caller, filter, pageRequest(query)),
      );
      return pageAnswer('source_groups', query, listed, (group) => toSourceGroup(group, redactor));
    },
  }),
  route({
    method: 'GET',
    path: '/source-groups/{id}',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'getSourceGroup', summary: 'Get a source group' },
    params: idParams,
    response: { status: 200, schema: sourceGroupSchema },
    async handler({ caller, params }) {
      const { redactor, ...group } = await withRedactor(deps, caller.tenantId, async (tx) =>
        orNotFound(await findGroup(tx, params.id, caller)),
      );
      return toSourceGroup(group, redactor);
    },
  }),
  route({
    method: 'PUT',
    path: '/source-groups/{id}',
    scopes: ['ingestion:manage'],
    operation: { id: 'renameSourceGroup', summary: 'Rename a source group' },
    params: idParams,
    body: z.strictObject({ name: nameSchema.describe('New name of the source group.') }),
    response: { status: 200, schema: sourceGroupSchema },
    example: { name: 'Policies 2026' },
    handler: async ({ caller, params, body }) =>
      toSourceGroup(await renameGroup(deps, caller, params.id, body.name), await readRedactor(deps, caller.tenantId)),
  }),
  route({
    method: 'PUT',
    path: '/source-groups/{id}/metadata',
    scopes: ['knowledge:write'],
    operation: {
      id: 'patchSourceGroupMetadata',
      summary: 'Change the metadata of a source group',
      description:
        'The same rules apply as for source metadata: the patch is merged by key, and `val` null deletes a key. A patch has at most 40 ' +
        'records; at most 20 records may remain. The filter `metadata` of searches uses these records.',
    },
    params: idParams,
    body: z.strictObject({ metadata: metadataPatchSchema }),
    response: { status: 200, schema: metadataSchema, description: 'All records, sorted by key.' },
    example: { metadata: { records: [{ key: 'department', val: 'sales' }] } },
    async handler({ caller, params, body }) {
      const metadata = await patchGroupMetadata(deps, caller, params.id, body.metadata.records);
      return { records: await redactRecords(metadata, await readRedactor(deps, caller.tenantId)) };
    },
  }),
  deleteGroupRoute(deps, route, '/source-groups', {
    id: 'deleteSourceGroup',
    summary: 'Delete a source group',
  }),
  route({
    method: 'GET',
    path: '/source-groups/{id}/sources',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listSourcesOfSourceGroup', summary: 'List the sources of a source group' },
    params: idParams,
    query: z.strictObject({ ...pageQueryShape, ...orderShape }),
    response: pageResponse('sources', sourceDetailsSchema, 'Sources of this page.'),
    async handler({ caller, params, query }) {
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, async (tx) => {
        orNotFound(await findGroup(tx, params.id, caller));
        return listSourcesOfGroup(tx, params.id, pageRequest(query));
      });
      return pageAnswer('sources', query, listed, (source) => toSourceDetails(source, redactor, caller, deps.config));
    },
  }),
  ...runRoutes(deps),
  ...eventRoutes(deps),
];

async function toSourceGroup(
  group: SourceGroup,
  redactor: Redactor | null,
): Promise<z.input<typeof sourceGroupSchema>> {
  const source_type = group.sourceType as (typeof SOURCE_TYPES)[number];
  return toRecord(sourceGroupSchema, group, { ...(await redactGroup(group, redactor)), source_type });
}
