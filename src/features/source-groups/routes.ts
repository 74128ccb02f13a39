/** Source groups over HTTP: groups of every origin, their sources. Their runs are in run-routes.ts. */
import { z } from 'zod';
import { findGroup, type GroupLimits, listGroups, type SourceGroup } from '../../corpus/group-store.ts';
import { listSourcesOfGroup, type Source } from '../../corpus/source-store.ts';
import type { Queryable } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { pageQuery, pageQueryShape, paginationSchema, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { idParams, idSchema, jobErrorSchema, metadataSchema, timeSchema } from '../../http/schemas.ts';
import { requestDeletion } from '../../ingest/delete-group.ts';
import { JOB_STATUSES } from '../../jobs/status.ts';
import { isId } from '../../util/ids.ts';
import { unixSeconds } from '../../util/time.ts';
import { runRoutes } from './run-routes.ts';

const AREA = 'Source groups';
const SOURCE_TYPES = ['local_file', 'drive', 'page', 'repo', 'web'] as const;

const sourceGroupSchema = z
  .object({
    id: idSchema,
    source_type: z.enum(SOURCE_TYPES),
    name: z.string(),
    status: z.enum(JOB_STATUSES),
    creation_time: timeSchema,
    start_time: timeSchema.nullable(),
    end_time: timeSchema.nullable(),
    error: jobErrorSchema.nullable(),
    metadata: metadataSchema,
  })
  .meta({ id: 'SourceGroup' });

const sourceSchema = z
  .object({
    id: idSchema,
    source_group_id: idSchema,
    name: z.string(),
    file_type: z.string(),
    file_size: z.int().describe('Bytes.'),
    metadata: metadataSchema,
    status: z.enum(['pending', 'ready', 'failed']),
    url: z.string().nullable(),
    language: z.string().nullable().describe('ISO 639-1, as detected.'),
    content_time: timeSchema,
    creation_time: timeSchema,
    text_length: z.int().describe('Code points of the extracted text.'),
    chunk_count: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'GroupSource' });

const groupQuery = z.strictObject({
  ...pageQueryShape,
  source_type: z.enum(SOURCE_TYPES).optional(),
  status: z.enum(JOB_STATUSES).optional(),
  tag_id: z.string().optional().describe('Only groups with this tag. An unknown tag selects nothing.'),
});

export function sourceGroupRoutes(deps: Deps): Route[] {
  return [listRoute(deps), getRoute(deps), deleteRoute(deps), sourcesRoute(deps), ...runRoutes(deps)];
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/source-groups',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listSourceGroups', area: AREA, summary: 'List source groups' },
    query: groupQuery,
    response: {
      status: 200,
      schema: z.object({ source_groups: z.array(sourceGroupSchema), pagination: paginationSchema }),
    },
    errors: [400],
    async handler({ caller, query }) {
      if (query.tag_id !== undefined && !isId(query.tag_id)) {
        return { source_groups: [], pagination: toPage([], query.limit, 0).pagination };
      }
      const filter = { sourceType: query.source_type, status: query.status, tagId: query.tag_id };
      const { rows, total } = await deps.db.transaction(caller.tenantId, (tx) =>
        listGroups(tx, caller.tenantId, caller, filter, { limit: query.limit, afterId: query.after_id }),
      );
      const { page, pagination } = toPage(rows, query.limit, total);
      return { source_groups: page.map(toSourceGroup), pagination };
    },
  });
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/source-groups/{id}',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'getSourceGroup', area: AREA, summary: 'Get a source group' },
    params: idParams,
    response: { status: 200, schema: sourceGroupSchema },
    errors: [404],
    handler: ({ caller, params }) =>
      deps.db.transaction(caller.tenantId, async (tx) =>
        toSourceGroup(await getGroup(tx, caller.tenantId, params.id, caller)),
      ),
  });
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/source-groups/{id}',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'deleteSourceGroup',
      area: AREA,
      summary: 'Delete a source group',
      description:
        'The content is hidden when this answers; a background job removes it. Repeated, it answers the same until the group is gone.',
    },
    params: idParams,
    response: {
      status: 202,
      schema: z.object({ source_group_id: idSchema }),
      description: 'The deletion was accepted.',
    },
    errors: [404],
    async handler({ caller, params }) {
      if (!isId(params.id)) throw notFound();
      await requestDeletion(deps, caller.tenantId, params.id, caller);
      return { source_group_id: params.id };
    },
  });
}

function sourcesRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/source-groups/{id}/sources',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listSourcesOfSourceGroup', area: AREA, summary: 'List the sources of a source group' },
    params: idParams,
    query: pageQuery,
    response: { status: 200, schema: z.object({ sources: z.array(sourceSchema), pagination: paginationSchema }) },
    errors: [400, 404],
    handler: ({ caller, params, query }) =>
      deps.db.transaction(caller.tenantId, async (tx) => {
        await getGroup(tx, caller.tenantId, params.id, caller);
        const request = { limit: query.limit, afterId: query.after_id };
        const { rows, total } = await listSourcesOfGroup(tx, caller.tenantId, params.id, request);
        const { page, pagination } = toPage(rows, query.limit, total);
        return { sources: page.map(toSource), pagination };
      }),
  });
}

/** @throws ServiceError not_found */
async function getGroup(tx: Queryable, tenantId: string, id: string, limits: GroupLimits): Promise<SourceGroup> {
  const group = isId(id) ? await findGroup(tx, tenantId, id, limits) : undefined;
  if (!group) throw notFound();
  return group;
}

function toSourceGroup(group: SourceGroup): z.input<typeof sourceGroupSchema> {
  return {
    id: group.id,
    source_type: group.sourceType as (typeof SOURCE_TYPES)[number],
    name: group.name,
    status: group.status,
    creation_time: unixSeconds(group.createdAt),
    start_time: unixSeconds(group.startedAt),
    end_time: unixSeconds(group.endedAt),
    error: group.errorTitle === null ? null : { title: group.errorTitle, message: group.errorMessage ?? '' },
    metadata: { records: toRecords(group.metadata) },
  };
}

function toSource(source: Source): z.input<typeof sourceSchema> {
  return {
    id: source.id,
    source_group_id: source.sourceGroupId,
    name: source.name,
    file_type: source.fileType,
    file_size: source.fileSize,
    metadata: { records: toRecords(source.metadata) },
    status: source.status,
    url: source.url,
    language: source.language,
    content_time: unixSeconds(source.contentAt),
    creation_time: unixSeconds(source.createdAt),
    text_length: source.textLength,
    chunk_count: source.chunkCount,
    warnings: source.warnings,
  };
}

function toRecords(metadata: Record<string, string>): { key: string; val: string; type: string }[] {
  return Object.entries(metadata)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, val]) => ({ key, val, type: 'string' }));
}
