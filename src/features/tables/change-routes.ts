/** Routes that add, change, build and delete tables. */
import { z } from 'zod';
import { invalidAt } from '../../errors.ts';
import { COLUMN_TYPES } from '../../files/columns/column-type.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, nameSchema, sourceGroupIdSchema } from '../../http/schemas.ts';
import { RULE_LENGTH_MAX } from '../../jobs/schedule-limits.ts';
import { text } from '../../util/text-schema.ts';
import {
  type CreatedTable,
  createTable,
  deleteTable,
  rebuildTable,
  type TableRequest,
  updateTable,
} from './catalogue.ts';

const route = routesOf('Tables');
const DESCRIPTION_LENGTH_MAX = 2_000;
const COLUMNS_MAX = 500;
const URL_LENGTH_MAX = 2_000;
const TABLES_PER_SOURCE_MAX = 200;

const descriptionSchema = text(0, DESCRIPTION_LENGTH_MAX).nullable().optional();
const policySchema = z
  .enum(['accept', 'freeze'])
  .describe('`freeze`: a version with other columns is refused, and the present one stays.');

const createBody = z.strictObject({
  name: nameSchema.optional().describe('Name of the table. Default: made of the name of the source and the place.'),
  description: descriptionSchema.describe('What the table is about.'),
  source: z
    .strictObject({
      source_id: givenId.optional().describe('Id of the source. Either this member or `url`.'),
      url: text(1, URL_LENGTH_MAX)
        .optional()
        .describe('Address of a file: http or https. The service reads it as the only page of a web source.'),
      position: z
        .strictObject({
          index: z
            .int()
            .min(0)
            .max(TABLES_PER_SOURCE_MAX - 1)
            .describe('Number of the table in its source: see `GET /sources/{id}/tables`.'),
        })
        .optional()
        .describe('Which table of the source or file. May be absent if there is one table.'),
    })
    .describe('Where the table is.'),
  rrule: text(0, RULE_LENGTH_MAX)
    .optional()
    .describe('Only with `source.url`: when to read the file again: an RFC 5545 RRULE.'),
  schema_policy: policySchema.default('accept'),
});

const changeBody = z.strictObject({
  name: nameSchema.optional().describe('Another name. The name in SQL changes with it.'),
  description: descriptionSchema.describe('What the table is about; null removes it.'),
  schema_policy: policySchema.optional(),
  rrule: text(0, RULE_LENGTH_MAX)
    .optional()
    .describe('Only for the table of an address: when to read the file again: an RFC 5545 RRULE. Empty: no schedule.'),
  columns: z
    .array(
      z.strictObject({
        sql_name: text(1, 200).describe('Name in SQL of the column to change.'),
        name: nameSchema.optional().describe('Name for people. The name in SQL stays.'),
        description: text(0, DESCRIPTION_LENGTH_MAX).optional().describe('What the column means.'),
        type: z.enum(COLUMN_TYPES).optional().describe('Another type. The table is built again.'),
      }),
    )
    .max(COLUMNS_MAX)
    .optional()
    .describe('Columns to change. The others stay.'),
});

const tableIdSchema = z.object({ table_id: idSchema.describe('Id of the table.') });
const createdSchema = tableIdSchema.extend({
  source_group_id: sourceGroupIdSchema.describe(
    'Id of the source group of the table. Its runs read the file of an address.',
  ),
});

export const tableChangeRoutes = (deps: Deps): Route[] => [
  route({
    method: 'POST',
    path: '/tables',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'createTable',
      summary: 'Build a table of a source or of an address',
      description:
        'Builds a table of a document, or one that was deleted. With `source.url`, a source group is created whose runs read the file ' +
        'at this address, once or on a schedule; until it was read, the table has no version. 409 if the table exists, or if another ' +
        'table has the name. The build runs in the background: `status` says when it has ended, and `error` why it failed.',
    },
    body: createBody,
    response: { status: 201, schema: createdSchema, description: 'The build or the run was queued.' },
    errors: [404],
    idempotent: true,
    example: {
      name: 'Tariffs',
      source: { source_id: '0199a3c0-0000-7000-8000-000000000001', position: { index: 0 } },
    },
    async handler({ body, caller, idempotency }) {
      const answer = ({ id, sourceGroupId }: CreatedTable) => ({ table_id: id, source_group_id: sourceGroupId });
      const request = {
        name: body.name,
        description: body.description,
        source: sourceOf(body),
        index: body.source.position?.index ?? null,
        schemaPolicy: body.schema_policy,
      };
      return answer(await createTable(deps, caller, request, (tx, created) => idempotency.save(tx, answer(created))));
    },
  }),
  route({
    method: 'PUT',
    path: '/tables/{id}',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'updateTable',
      summary: 'Describe a table and its columns',
      description:
        'Members that are absent stay unchanged. What is set for a column stays with its header in later versions.',
    },
    params: idParams,
    body: changeBody,
    response: { status: 200, schema: tableIdSchema },
    errors: [409],
    example: { name: 'Tariffs', columns: [{ sql_name: 'price', description: 'Price without tax', type: 'decimal' }] },
    async handler({ body, caller, params }) {
      await updateTable(deps, caller, params.id, {
        name: body.name,
        description: body.description,
        schemaPolicy: body.schema_policy,
        rrule: body.rrule,
        columns: body.columns?.map(({ sql_name: sqlName, name, description, type }) => ({
          sqlName,
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(type !== undefined && { type }),
        })),
      });
      return { table_id: params.id };
    },
  }),
  route({
    method: 'DELETE',
    path: '/tables/{id}',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'deleteTable',
      summary: 'Delete a table',
      description:
        'The source stays searchable. A table that came with its source stays away until the source changes, or until `POST /tables` ' +
        'asks for it. With the table of an address, its source group and schedule are deleted, too.',
    },
    params: idParams,
    response: { status: 200, schema: tableIdSchema },
    async handler({ caller, params }) {
      await deleteTable(deps, caller, params.id);
      return { table_id: params.id };
    },
  }),
  route({
    method: 'POST',
    path: '/tables/{id}/runs',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'buildTable',
      summary: 'Build a table again',
      description:
        'Builds the table from the text of its source. The present version is served until then. To read the source itself again, start ' +
        'a run of its source group: a changed source builds its tables. For the table of an address, this route starts that run; 409 ' +
        'while one is active.',
    },
    params: idParams,
    response: { status: 202, schema: tableIdSchema, description: 'The build or the run was queued.' },
    errors: [409],
    async handler({ caller, params }) {
      await rebuildTable(deps, caller, params.id);
      return { table_id: params.id };
    },
  }),
];

/** @throws ServiceError invalid_request */
function sourceOf({ source, rrule }: z.output<typeof createBody>): TableRequest['source'] {
  const { source_id: id, url } = source;
  if ((id === undefined) === (url === undefined)) throw invalidAt(['source'], 'give either source_id or url.');
  if (url !== undefined) return { url, rrule: rrule ?? '' };
  if (rrule !== undefined)
    throw invalidAt(['rrule'], 'a schedule needs source.url. Other sources have schedules of their own.');
  return { id: id! };
}
