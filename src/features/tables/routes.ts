/** Routes of the catalogue of tables. */
import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, principalShape, queryInteger, queryList } from '../../http/schemas.ts';
import { isSourceBlocked, shownFact } from '../../redaction/apply-redaction.ts';
import { namePlaces } from '../../tables/places.ts';
import { findTableSource, listTablesOfSource } from '../../tables/store.ts';
import { TABLE_STATUSES } from '../../tables/table.ts';
import { collect } from '../../util/collect.ts';
import { text } from '../../util/text-schema.ts';
import { forReader, listTables, openVisible, readVisibleRows } from './catalogue.ts';
import { findSourceTables, visiblePlaces } from './catalogue-store.ts';
import { tableChangeRoutes } from './change-routes.ts';
import {
  columnsToRead,
  positionSchema,
  rowSchema,
  tableDetailsSchema,
  tableSchema,
  toPosition,
  toRow,
  toTable,
} from './records.ts';

const route = routesOf('Tables');
const SAMPLE_ROWS = 10;
const ROWS_MAX = 100;
const ROWS_DEFAULT = 20;
const COLUMNS_MAX = 500;
const NAME_LENGTH_MAX = 200;

const listQuery = z.strictObject({
  ...pageQueryShape,
  ...orderShape,
  source_id: givenId.optional().describe('Only tables of this source. An unknown source selects nothing.'),
  source_group_id: givenId
    .optional()
    .describe('Only tables of this source group. An unknown source group selects nothing.'),
  name: text(1, NAME_LENGTH_MAX).optional().describe('Only tables with this name, or this name in SQL.'),
  ...principalShape,
});

const rowsQuery = z.strictObject({
  limit: queryInteger(1, ROWS_MAX).default(ROWS_DEFAULT).describe('How many rows to return.'),
  after_row: queryInteger(-1, 2 ** 31 - 1)
    .default(-1)
    .describe('Return rows after this one: the next_after_row of the page before.'),
  columns: queryList(text(1, NAME_LENGTH_MAX), COLUMNS_MAX)
    .optional()
    .describe('Names in SQL of the columns to return; may be repeated. All when absent.'),
  ...principalShape,
});

const candidateSchema = z
  .object({
    position: positionSchema,
    automatic: z.boolean().describe('True if the table comes with its source; others are built on request.'),
    caption: z.string().nullable().describe('Lines above the table that are its title.'),
    table_id: idSchema.nullable().describe('The table, if it was built or is being built.'),
    status: z.enum(TABLE_STATUSES).nullable().describe('Status of that table.'),
  })
  .meta({ id: 'SourceTable' });

export const tableRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/tables',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listTables',
      summary: 'List tables',
      description:
        'CSV and TSV files, sheets of workbooks, JSON arrays, JSON Lines, Parquet and SQLite files become tables by themselves. Tables ' +
        'of documents are built on request. A table is listed if the caller may see at least one of its rows.',
    },
    query: listQuery,
    response: pageResponse('tables', tableSchema, 'Tables of this page.'),
    async handler({ caller, query }) {
      const { source_id: sourceId, source_group_id: sourceGroupId, name } = query;
      const filter = { sourceId, sourceGroupId, name };
      const { rows, total, redactor } = await listTables(deps, caller, filter, pageRequest(query), query);
      const listed = { rows: rows.map((table) => ({ id: table.tableId, table })), total };
      return pageAnswer('tables', query, listed, async ({ table }) => {
        const seen = await forReader(table, redactor);
        return seen && toTable(seen, redactor);
      });
    },
  }),
  route({
    method: 'GET',
    path: '/tables/{id}',
    scopes: ['knowledge:read'],
    operation: {
      id: 'getTable',
      summary: 'Get a table',
      description: 'Returns the columns, the warnings, and a sample of the rows that the caller may see.',
    },
    params: idParams,
    query: z.strictObject(principalShape),
    response: { status: 200, schema: tableDetailsSchema },
    async handler({ caller, params, query }) {
      const opened = await openVisible(deps, caller, params.id, query);
      const { table, redactor } = opened;
      const page = { afterRow: -1, limit: SAMPLE_ROWS, columns: table.columns, onlyData: true };
      const { rows } = await readVisibleRows(deps, opened, page);
      return {
        ...(await toTable(table, redactor)),
        sample: await collect(rows, (row) => toRow(opened, row)),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/tables/{id}/rows',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listTableRows',
      summary: 'Read rows of a table',
      description:
        'Returns visible rows in the order of the source, each with its place. A row that a redaction rule blocks is left out.',
    },
    params: idParams,
    query: rowsQuery,
    response: {
      status: 200,
      schema: z.object({
        rows: z.array(rowSchema).describe('Rows of this page.'),
        next_after_row: z.int().nullable().describe('The after_row of the next page; null on the last page.'),
      }),
    },
    async handler({ caller, params, query }) {
      const opened = await openVisible(deps, caller, params.id, query);
      const { table, redactor } = opened;
      const names = query.columns;
      const unknown = names?.find((name) => !table.columns.some(({ sqlName }) => sqlName === name));
      if (unknown !== undefined)
        throw invalidRequest(`Query parameter "columns": there is no column ${JSON.stringify(unknown)}.`);
      const columns = names ? table.columns.filter(({ sqlName }) => names.includes(sqlName)) : table.columns;
      const { rows, nextAfter } = await readVisibleRows(deps, opened, {
        afterRow: query.after_row,
        limit: query.limit,
        columns: columnsToRead(table, columns, redactor),
      });
      return {
        rows: await collect(rows, (row) => toRow(opened, row, columns)),
        next_after_row: nextAfter,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/sources/{id}/tables',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listSourceTables',
      summary: 'List the tables that a source contains',
      description:
        'Also lists tables that can be built on request with `POST /tables`: at most 200 tables of a source are known.',
    },
    params: idParams,
    query: z.strictObject(principalShape),
    response: {
      status: 200,
      schema: z.object({ tables: z.array(candidateSchema).describe('Tables in the order of the text.') }),
    },
    async handler({ caller, params, query }) {
      const found = await deps.db.transaction(caller.tenantId, async (tx) => {
        const access = await accessOf(deps, tx, caller, query);
        const names = await findSourceTables(tx, params.id, access);
        if (!names) return undefined;
        const source = await findTableSource(tx, params.id);
        if (!source) return undefined;
        const seen = await visiblePlaces(tx, params.id, access);
        const redactor = await deps.redactors.forTenant(tx);
        const seesAll = !access.policy?.chunk;
        return { names, source, seen, seesAll, redactor, tables: await listTablesOfSource(tx, params.id) };
      });
      if (!found) throw notFound();
      const { names, source, seen, seesAll, redactor, tables } = found;
      if (await isSourceBlocked(redactor, names)) throw notFound();
      const fact = (value: string): Promise<string> => shownFact(redactor, value);
      const built = new Map(tables.flatMap((table) => (table.hiddenAt ? [] : [[table.placeKey, table] as const])));
      const places = namePlaces(source.tables).filter(({ position }) => seen.has(position.index));
      return {
        tables: await collect(places, async ({ key, place, position }) => ({
          position: await toPosition(position, seesAll, fact),
          automatic: place.automatic,
          caption: place.caption === undefined ? null : await fact(place.caption),
          table_id: built.get(key)?.tableId ?? null,
          status: built.get(key)?.status ?? null,
        })),
      };
    },
  }),
  ...tableChangeRoutes(deps),
];
