/** The route of the list of all sources. */
import { z } from 'zod';
import type { Deps } from '../../http/deps.ts';
import { searchShape } from '../../http/page.ts';
import { sourceDetailsSchema, toSourceDetails } from '../../http/records/source-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idSchema, queryBoolean, queryInteger, queryList } from '../../http/schemas.ts';
import { shownFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import { isId } from '../../util/ids.ts';
import { text } from '../../util/text-schema.ts';
import { cursorOf, listSources, readCursor, STAGES, stageOf } from './source-list.ts';
import { type Facet, SOURCE_SORTS, SOURCE_STATES } from './source-list-store.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const FILE_TYPES_MAX = 20;
const TEXT_LENGTH_MAX = 2_000;

const idFilter = text(1, 100).optional();

const listQuery = z.strictObject({
  ...searchShape(
    'the name or the path; for a file inside a file, and while redaction rules apply to names, only in the (redacted) name',
  ),
  status: z.enum(SOURCE_STATES).optional().describe('Only sources with this `state`.'),
  file_type: queryList(text(1, 100), FILE_TYPES_MAX)
    .optional()
    .describe('Only sources with one of these file types; may be repeated.'),
  source_group_id: idFilter.describe('Only sources of this source group.'),
  tag_id: idFilter.describe('Only sources of source groups with this tag.'),
  parent_source_id: idFilter.describe('Only sources that this source contained, such as the files of an archive.'),
  sort: z
    .enum(SOURCE_SORTS)
    .default('time')
    .describe(
      'What the list is sorted by: `time` of creation, `content_time` (the last change at the origin, or the time of ingestion), `name`, ' +
        '`size` in bytes, or number of `chunks`. By name is ' +
        'refused while redaction rules apply to names, because the positions would reveal them.',
    ),
  order: z.enum(['asc', 'desc']).default('desc').describe('Ascending or descending.'),
  limit: queryInteger(1, LIMIT_MAX).default(LIMIT_DEFAULT).describe('How many sources to return.'),
  facets: queryBoolean.default(false).describe('Adds the numbers of sources by source group and by tag to `counts`.'),
  cursor: text(1, TEXT_LENGTH_MAX)
    .optional()
    .describe('The next_cursor of the page before, which had the same filters, sort and order.'),
});

const listedSchema = sourceDetailsSchema
  .extend({
    source_group_name: z.string().describe('Name of the source group. Empty where a redaction rule withholds it.'),
    state: z
      .enum(SOURCE_STATES)
      .describe('Status of the newest version: `status`, or `update_status` where a new version was not read yet.'),
    stage: z
      .enum(STAGES)
      .nullable()
      .describe(
        'What happens now. `queued`: its run has not begun. `waiting`: the run has not reached it. `reading`: it is read. `embedding`: ' +
          'found by words, its vectors are still missing, or those of a newly configured model. `stopped`: waits, but no run is active. ' +
          'Null: nothing is left to do.',
      ),
  })
  .meta({ id: 'ListedSource' });

const facetSchema = z
  .object({
    id: idSchema.describe('Id of the source group or the tag.'),
    name: z.string().describe('Its name. Empty where a redaction rule withholds it.'),
    count: z.int().describe('Number of sources.'),
  })
  .meta({ id: 'SourceFacet' });

const answerSchema = z.object({
  sources: z.array(listedSchema).describe('Sources of this page.'),
  counts: z
    .object({
      total: z.int().describe('Number of sources that match all filters.'),
      status: z
        .object({
          pending: z.int().describe('Sources that wait to be read.'),
          ready: z.int().describe('Sources whose newest version is searchable.'),
          failed: z.int().describe('Sources whose newest version could not be read.'),
        })
        .describe('Numbers of sources by state. The filter `status` is not applied.'),
      file_type: z
        .array(
          z.object({
            file_type: z.string().describe('The file type.'),
            count: z.int().describe('Number of sources.'),
          }),
        )
        .describe('Numbers of sources by file type, the 50 most frequent. The filter `file_type` is not applied.'),
      source_group: z
        .array(facetSchema)
        .optional()
        .describe(
          'With `facets`: the 50 source groups with the most sources. The filter `source_group_id` is not applied.',
        ),
      tag: z
        .array(facetSchema)
        .optional()
        .describe(
          'With `facets`: the 50 tags with the most sources in their groups. The filter `tag_id` is not applied.',
        ),
    })
    .describe('Numbers of sources, for the whole list.'),
  pagination: z
    .object({
      limit: z.int().describe('The limit of the request, or its default.'),
      has_more: z.boolean().describe('Whether there is a next page.'),
      next_cursor: z.string().nullable().describe('The value for the next cursor; null on the last page.'),
    })
    .describe('Where the next page begins.'),
});

export const sourceListRoutes = (deps: Deps): Route[] => [
  routesOf('Sources')({
    method: 'GET',
    path: '/source-list',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: {
      id: 'listAllSources',
      summary: 'List the sources of all source groups',
      description:
        'Searches, filters, sorts and counts the sources of all groups that the key may see. Each source says what it waits for, or ' +
        'why it could not be read. Authorization policies are not applied: they decide about content.',
    },
    query: listQuery,
    response: { status: 200, schema: answerSchema },
    async handler({ caller, query }) {
      const { sort, order, limit } = query;
      const { source_group_id: sourceGroupId, tag_id: tagId, parent_source_id: parentSourceId } = query;
      const named = [sourceGroupId, tagId, parentSourceId].filter((id) => id !== undefined);
      const filter = {
        ...{ q: query.q, state: query.status, fileTypes: query.file_type },
        // Text that is not an id names nothing.
        ...(named.every(isId) ? { sourceGroupId, tagId, parentSourceId } : { ids: [] }),
      };
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort, order);
      const request = { sort, order, limit, after, facets: query.facets };
      const { rows, counts, facets, redactor } = await listSources(deps, caller, filter, request);
      const page = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      return {
        sources: await collect(page, async (row) => ({
          ...(await toSourceDetails(row, redactor, caller, deps.config)),
          // A group may be named after its first file.
          source_group_name: await shownFact(redactor, row.sourceGroupName),
          state: row.state,
          stage: stageOf(row),
        })),
        counts: {
          total: counts.total,
          status: counts.byState,
          file_type: counts.byFileType.map(({ fileType, count }) => ({ file_type: fileType, count })),
          ...(facets && { source_group: await redactNames(facets.groups, redactor), tag: facets.tags }),
        },
        pagination: { limit, has_more: hasMore, next_cursor: hasMore ? cursorOf(page.at(-1)!, sort, order) : null },
      };
    },
  }),
];

/** Returns the groups with redacted names: a group may be named after its first file. */
function redactNames(groups: readonly Facet[], redactor: Redactor | null): Promise<Facet[]> {
  return collect(groups, async (group) => ({ ...group, name: await shownFact(redactor, group.name) }));
}
