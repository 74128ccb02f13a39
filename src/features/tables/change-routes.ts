/** Routes that add, change, build and delete tables. */
import { z } from 'zod';
import type { Deps } from '../../http/deps.ts';
import { type Route, route } from '../../http/route.ts';
import { idParams, idSchema, nameSchema } from '../../http/schemas.ts';
import { COLUMN_TYPES } from '../../tables/table.ts';
import { text } from '../../util/text-schema.ts';
import { createTable, deleteTable, rebuildTable, updateTable } from './catalogue.ts';

const AREA = 'Tables';
const DESCRIPTION_LENGTH_MAX = 2_000;
const COLUMNS_MAX = 500;
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
      source_id: z.string().describe('Id of the source.'),
      position: z
        .strictObject({
          index: z
            .int()
            .min(0)
            .max(TABLES_PER_SOURCE_MAX - 1)
            .describe('Number of the table in its source: see `GET /sources/{id}/tables`.'),
        })
        .optional()
        .describe('Which table of the source. May be absent if the source has one table.'),
    })
    .describe('Where the table is.'),
  schema_policy: policySchema.default('accept'),
});

const changeBody = z.strictObject({
  name: nameSchema.optional().describe('Another name. The name in SQL changes with it.'),
  description: descriptionSchema.describe('What the table is about; null removes it.'),
  schema_policy: policySchema.optional(),
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

export function tableChangeRoutes(deps: Deps): Route[] {
  return [createRoute(deps), changeRoute(deps), deleteRoute(deps), buildRoute(deps)];
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/tables',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'createTable',
      area: AREA,
      summary: 'Build a table of a source',
      description:
        'Builds a table of a document, or one that was deleted. 409 if the table exists, or if another table has the name. The build ' +
        'runs in the background: `status` says when it has ended.',
    },
    body: createBody,
    response: { status: 201, schema: tableIdSchema, description: 'The build was queued.' },
    errors: [404, 409],
    idempotent: true,
    example: {
      name: 'Tariffs',
      source: { source_id: '0199a3c0-0000-7000-8000-000000000001', position: { index: 0 } },
    },
    async handler({ body, caller, idempotency }) {
      const request = {
        name: body.name,
        description: body.description,
        sourceId: body.source.source_id,
        index: body.source.position?.index ?? null,
        schemaPolicy: body.schema_policy,
      };
      const id = await createTable(deps, caller, request, (tx, tableId) => idempotency.save(tx, { table_id: tableId }));
      return { table_id: id };
    },
  });
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: '/tables/{id}',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'updateTable',
      area: AREA,
      summary: 'Describe a table and its columns',
      description:
        'Members that are absent stay unchanged. What is set for a column stays with its header in later versions.',
    },
    params: idParams,
    body: changeBody,
    response: { status: 200, schema: tableIdSchema },
    errors: [404, 409],
    example: { name: 'Tariffs', columns: [{ sql_name: 'price', description: 'Price without tax', type: 'decimal' }] },
    async handler({ body, caller, params }) {
      await updateTable(deps, caller, params.id, {
        name: body.name,
        description: body.description,
        schemaPolicy: body.schema_policy,
        columns: body.columns?.map(({ sql_name: sqlName, name, description, type }) => ({
          sqlName,
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(type !== undefined && { type }),
        })),
      });
      return { table_id: params.id };
    },
  });
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/tables/{id}',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'deleteTable',
      area: AREA,
      summary: 'Delete a table',
      description:
        'The source stays searchable. A table that came with its source stays away until the source changes, or until `POST /tables` ' +
        'asks for it.',
    },
    params: idParams,
    response: { status: 200, schema: tableIdSchema },
    errors: [404],
    async handler({ caller, params }) {
      await deleteTable(deps, caller, params.id);
      return { table_id: params.id };
    },
  });
}

function buildRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/tables/{id}/runs',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'buildTable',
      area: AREA,
      summary: 'Build a table again',
      description:
        'Builds the table from the text of its source. The present version is served until then. To read the source itself again, start ' +
        'a run of its source group: a changed source builds its tables.',
    },
    params: idParams,
    response: { status: 202, schema: tableIdSchema, description: 'The build was queued.' },
    errors: [404],
    async handler({ caller, params }) {
      await rebuildTable(deps, caller, params.id);
      return { table_id: params.id };
    },
  });
}
