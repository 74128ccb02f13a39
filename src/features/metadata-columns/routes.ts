/** Routes for metadata columns: the keys of source metadata that `metadata_filter` may name, and their values. */

import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import {
  COLUMN_TYPES,
  type ColumnValue,
  findColumn,
  listColumns,
  listValues,
  type MetadataColumn,
} from '../../corpus/column-store.ts';
import { invalidRequest, orNotFound } from '../../errors.ts';
import { FILTER_KEY_LENGTH_MAX, FILTER_VALUE_LENGTH_MAX } from '../../filters/filter-group.ts';
import type { Deps } from '../../http/deps.ts';
import { pageAnswer, pageQuery, pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idSchema, principalShape } from '../../http/schemas.ts';
import { redactFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { text } from '../../util/text-schema.ts';
import { COLUMNS_MAX, declareColumn, refuseLimited, removeColumn } from './columns.ts';

const route = routesOf('Metadata columns');
const COLUMN_DESCRIPTION_LENGTH_MAX = 1_000;

const columnSchema = z
  .object({
    id: idSchema.describe('Id of the column.'),
    key: z.string().describe('Key of source metadata.'),
    type: z.enum(COLUMN_TYPES).describe('Type of the values.'),
    description: z.string().describe('What the column is for, in the words of its owner. Empty when none was given.'),
    status: z.enum(['ready']).describe('Always `ready`: filters may name the column as soon as it is declared.'),
    coercion_failures: z
      .int()
      .describe('Number of sources whose value is not a whole number. Filters treat them as without the key.'),
  })
  .meta({ id: 'MetadataColumn' });

const columnBody = z.strictObject({
  key: text(1, FILTER_KEY_LENGTH_MAX)
    .refine((key) => key !== '.' && key !== '..', 'must not be "." or "..": addresses cannot hold them')
    .describe('Key of source metadata.'),
  type: z.enum(COLUMN_TYPES).describe('Type of the values. `integer`: whole numbers of 64 bits.'),
  description: text(0, COLUMN_DESCRIPTION_LENGTH_MAX)
    .default('')
    .describe('What the column is for, in your own words.'),
});

const keyParams = z.strictObject({
  key: text(1, FILTER_KEY_LENGTH_MAX)
    .refine((key) => key.isWellFormed() && !key.includes('\0'))
    .describe('Key of the column.'),
});

const valuesQuery = z.strictObject({
  limit: pageQueryShape.limit,
  prefix: text(0, FILTER_VALUE_LENGTH_MAX).optional().describe('Only values that begin with this text.'),
  after: text(0, FILTER_VALUE_LENGTH_MAX)
    .optional()
    .describe('Only values after this one: the last value of the previous page.'),
  ...principalShape,
});

const valueSchema = z.object({
  value: z.string().describe('The value, as text.'),
  count: z.int().describe('Number of sources with this value.'),
});

/** Number of values per query, after the first query, when redaction rules withhold values. */
const NEXT_VALUES = 500;

/** A whole number with at most as many digits as a 64-bit integer. */
const WHOLE_NUMBER = /^[+-]?[0-9]{1,19}$/;

export const metadataColumnRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/metadata-columns',
    scopes: ['knowledge:read'],
    operation: { id: 'listMetadataColumns', summary: 'List metadata columns' },
    query: pageQuery,
    response: pageResponse('metadata_columns', columnSchema, 'Metadata columns of this page.'),
    async handler({ caller, query }) {
      const listed = await deps.db.transaction(caller.tenantId, (tx) => listColumns(tx, caller, pageRequest(query)));
      return pageAnswer('metadata_columns', query, listed, toWire);
    },
  }),
  route({
    method: 'POST',
    path: '/metadata-columns',
    scopes: ['knowledge:write'],
    operation: {
      id: 'declareMetadataColumn',
      summary: 'Declare a metadata column',
      description:
        'Makes a key of source metadata usable in `metadata_filter` at once. ' +
        `409 if the key is declared already, or if there are ${COLUMNS_MAX} columns already.`,
    },
    check: refuseLimited,
    body: columnBody,
    response: { status: 201, schema: columnSchema, description: 'The column was declared.' },
    idempotent: true,
    example: { key: 'year', type: 'integer', description: 'Year of publication' },
    handler: async ({ body, caller, idempotency }) =>
      toWire(await declareColumn(deps, caller, body, (tx, column) => idempotency.save(tx, toWire(column)))),
  }),
  route({
    method: 'DELETE',
    path: '/metadata-columns/{key}',
    scopes: ['knowledge:write'],
    operation: {
      id: 'deleteMetadataColumn',
      summary: 'Delete a metadata column',
      description: 'Deletes the column; the metadata of the sources stays. Returns the deleted column.',
    },
    check: refuseLimited,
    params: keyParams,
    response: { status: 200, schema: columnSchema },
    handler: async ({ caller, params }) => toWire(await removeColumn(deps, caller, params.key)),
  }),
  route({
    method: 'GET',
    path: '/metadata-columns/{key}/values',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listMetadataColumnValues',
      summary: 'List the values of a metadata column',
      description:
        'Returns the distinct values of the sources that the API key may see and, while authorization is on, the principal may see. ' +
        'Integers are sorted by size, text by its bytes.',
    },
    params: keyParams,
    query: valuesQuery,
    response: {
      status: 200,
      schema: z.object({
        values: z.array(valueSchema).describe('Values of this page.'),
        has_more: z.boolean().describe('Whether there is a next page.'),
      }),
    },
    async handler({ caller, params, query, signal }) {
      const visible: z.input<typeof valueSchema>[] = [];
      let after = query.after;
      // If redaction rules withhold values of a query, more values are read until the page is full.
      for (let limit = query.limit + 1; ; limit = NEXT_VALUES) {
        signal.throwIfAborted();
        const { values, redactor } = await readValues(deps, caller, params.key, query, { after, limit });
        // A value that redaction changes is left out: it could not be used in a filter or as `after`.
        visible.push(
          ...(await collect(values, async (one) =>
            one.value === (await redactFact(redactor, one.value, signal, params.key)) ? one : undefined,
          )),
        );
        if (values.length < limit || visible.length > query.limit) break;
        after = values.at(-1)!.value;
      }
      return { values: visible.slice(0, query.limit), has_more: visible.length > query.limit };
    },
  }),
];

function readValues(
  deps: Deps,
  caller: Caller,
  key: string,
  query: z.output<typeof valuesQuery>,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ values: ColumnValue[]; redactor: Redactor | null }> {
  return withRedactor(deps, caller.tenantId, async (tx) => {
    const column = orNotFound(await findColumn(tx, key, caller));
    if (column.type === 'integer' && after !== undefined && !WHOLE_NUMBER.test(after)) {
      throw invalidRequest('Query parameter "after": must be a whole number, as the values are.');
    }
    const access = await accessOf(deps, tx, caller, query);
    return { values: await listValues(tx, column, access, { prefix: query.prefix, after, limit }) };
  });
}

function toWire(column: MetadataColumn): z.input<typeof columnSchema> {
  return toRecord(columnSchema, column, { status: 'ready' });
}
