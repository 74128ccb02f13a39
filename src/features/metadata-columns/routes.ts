/** Metadata columns over HTTP: keys of source metadata that `metadata_filter` may name, and their values. */

import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import {
  COLUMN_TYPES,
  type ColumnValue,
  listColumns,
  listValues,
  type MetadataColumn,
} from '../../corpus/column-store.ts';
import { invalidRequest } from '../../errors.ts';
import { FILTER_KEY_LENGTH_MAX, FILTER_VALUE_LENGTH_MAX } from '../../filters/filter-group.ts';
import type { Deps } from '../../http/deps.ts';
import { pageQuery, pageQueryShape, paginationSchema, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { idSchema, principalShape } from '../../http/schemas.ts';
import { FACT_STEPS, redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import { text } from '../../util/text-schema.ts';
import { COLUMNS_MAX, declareColumn, getColumn, refuseLimited, removeColumn } from './columns.ts';

const AREA = 'Metadata columns';
export const COLUMN_DESCRIPTION_LENGTH_MAX = 1_000;

const columnSchema = z
  .object({
    id: idSchema,
    key: z.string(),
    type: z.enum(COLUMN_TYPES),
    description: z.string(),
    status: z
      .enum(['building', 'ready'])
      .describe('While `building`, the column may be used: filters are right, only slower.'),
    coercion_failures: z
      .int()
      .describe('Sources whose value is no whole number, of those looked at so far: for filters they lack the key.'),
  })
  .meta({ id: 'MetadataColumn' });

const columnBody = z.strictObject({
  key: text(1, FILTER_KEY_LENGTH_MAX)
    .refine((key) => key !== '.' && key !== '..', 'must not be "." or "..": addresses cannot hold them')
    .describe('Key of source metadata.'),
  type: z.enum(COLUMN_TYPES).describe('`integer`: whole numbers of 64 bits.'),
  description: text(0, COLUMN_DESCRIPTION_LENGTH_MAX).default(''),
});

const keyParams = z.strictObject({
  key: text(1, FILTER_KEY_LENGTH_MAX).refine((key) => key.isWellFormed() && !key.includes('\0')),
});

const valuesQuery = z.strictObject({
  limit: pageQueryShape.limit,
  prefix: text(0, FILTER_VALUE_LENGTH_MAX).optional().describe('Only values that begin with this.'),
  after: text(0, FILTER_VALUE_LENGTH_MAX)
    .optional()
    .describe('Only values after this one: the last of the page before.'),
  ...principalShape,
});

const valueSchema = z.object({ value: z.string(), count: z.int().describe('Sources that have it.') });

/** Values that are read at once behind those that a redaction rule hides. */
const HIDDEN_PAGE = 500;

/** As many digits as a 64-bit number has. */
const WHOLE_NUMBER = /^[+-]?[0-9]{1,19}$/;

export function metadataColumnRoutes(deps: Deps): Route[] {
  return [listRoute(deps), declareRoute(deps), deleteRoute(deps), valuesRoute(deps)];
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/metadata-columns',
    scopes: ['knowledge:read'],
    operation: { id: 'listMetadataColumns', area: AREA, summary: 'List metadata columns' },
    query: pageQuery,
    response: {
      status: 200,
      schema: z.object({ metadata_columns: z.array(columnSchema), pagination: paginationSchema }),
    },
    errors: [400],
    async handler({ caller, query }) {
      const { rows, total } = await deps.db.transaction(caller.tenantId, (tx) =>
        listColumns(tx, caller.tenantId, caller, { limit: query.limit, afterId: query.after_id }),
      );
      const { page, pagination } = toPage(rows, query.limit, total);
      return { metadata_columns: page.map(toWire), pagination };
    },
  });
}

function declareRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/metadata-columns',
    scopes: ['knowledge:write'],
    operation: {
      id: 'declareMetadataColumn',
      area: AREA,
      summary: 'Declare a metadata column',
      description:
        'Makes a key of source metadata usable in `metadata_filter`, at once; a background job builds its index. ' +
        `409 when the key is declared, and for the column after the ${COLUMNS_MAX}th.`,
    },
    check: refuseLimited,
    body: columnBody,
    response: { status: 201, schema: columnSchema, description: 'The column was declared.' },
    errors: [409],
    idempotent: true,
    example: { key: 'year', type: 'integer', description: 'Year of publication' },
    handler: async ({ body, caller, idempotency }) =>
      toWire(await declareColumn(deps, caller, body, (tx, column) => idempotency.save(tx, toWire(column)))),
  });
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/metadata-columns/{key}',
    scopes: ['knowledge:write'],
    operation: {
      id: 'deleteMetadataColumn',
      area: AREA,
      summary: 'Delete a metadata column',
      description: 'The metadata itself stays. The answer is the deleted column.',
    },
    check: refuseLimited,
    params: keyParams,
    response: { status: 200, schema: columnSchema },
    errors: [404],
    handler: async ({ caller, params }) => toWire(await removeColumn(deps, caller, params.key)),
  });
}

function valuesRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/metadata-columns/{key}/values',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listMetadataColumnValues',
      area: AREA,
      summary: 'List the values of a metadata column',
      description:
        'Distinct values of the sources that the key and, while authorization is on, the principal may see, integers by size, text bytewise.',
    },
    params: keyParams,
    query: valuesQuery,
    response: { status: 200, schema: z.object({ values: z.array(valueSchema), has_more: z.boolean() }) },
    errors: [400, 404],
    async handler({ caller, params, query, signal }) {
      const shown: z.input<typeof valueSchema>[] = [];
      let after = query.after;
      // Pages that rules leave little of are followed by the next: what is shown last is where the next page begins.
      for (let limit = query.limit + 1; ; limit = HIDDEN_PAGE) {
        signal.throwIfAborted();
        const { values, redactor } = await readValues(deps, caller, params.key, query, { after, limit });
        // A masked value would be no filter and no place in the list: it is left out.
        shown.push(
          ...(await collect(values, async (one) =>
            one.value === (await redactText(redactor, one.value, FACT_STEPS, signal)) ? one : undefined,
          )),
        );
        if (values.length < limit || shown.length > query.limit) break;
        after = values.at(-1)!.value;
      }
      return { values: shown.slice(0, query.limit), has_more: shown.length > query.limit };
    },
  });
}

function readValues(
  deps: Deps,
  caller: Caller,
  key: string,
  query: z.output<typeof valuesQuery>,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ values: ColumnValue[]; redactor: Redactor | null }> {
  return deps.db.transaction(caller.tenantId, async (tx) => {
    const column = await getColumn(tx, caller, key);
    if (column.type === 'integer' && after !== undefined && !WHOLE_NUMBER.test(after)) {
      throw invalidRequest('Query parameter "after": must be a whole number, as the values are.');
    }
    const access = await accessOf(deps, tx, caller, query);
    return {
      values: await listValues(tx, caller.tenantId, column, access, { prefix: query.prefix, after, limit }),
      redactor: await deps.redactors.forTenant(tx, caller.tenantId),
    };
  });
}

function toWire(column: MetadataColumn): z.input<typeof columnSchema> {
  const { coercionFailures, ...same } = column;
  return { ...same, coercion_failures: coercionFailures };
}
