/** The tools `list_tables`, `describe_table` and `query_table`: routes of tables, with short texts for a model. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Table, TableAnswer, TableColumn } from '../../client/api.ts';
import { notFound } from '../../errors.ts';
import type { Route } from '../../http/route.ts';
import { callRoute, type Exchange } from '../../http/tools/exchange.ts';
import { type Json, type Kept, type Tool, tool } from '../../http/tools/tool.ts';
import { countOf } from '../../util/count-of.ts';

const LIMIT_MAX = 100;
const EXAMPLES_SHOWN_MAX = 3;
/** Maximum passages that the text names. The record has all. */
const PASSAGES_SHOWN_MAX = 10;

/** Arguments of the query besides its statement. Structured queries are left out: one way to ask is enough for a model. */
const OPTIONAL_ARGUMENTS = { tables: true, row_limit: true, timeout_ms: true } as const;

interface Found {
  found: number;
  /** The passages that an answer may cite. */
  chunkIds: string[];
  /** What must be the same when the call runs again. */
  shown: unknown;
}

/**
 * Returns the functions with which an agent run stores a result and reads it again. Only a hash of the result is stored: the call runs
 * again, and another result than the model saw counts as gone.
 */
function repeatable<Args>(
  run: (args: Args, exchange: Exchange) => Promise<Json>,
  look: (result: Json) => Found,
): {
  keep(args: Args, result: Json): Promise<Kept>;
  restore(args: Args, kept: Kept, exchange: Exchange): Promise<Json>;
} {
  const hashOf = (shown: unknown): string => createHash('sha256').update(JSON.stringify(shown)).digest('base64');
  return {
    async keep(_args, result) {
      const { found, chunkIds, shown } = look(result);
      return { chunkIds, found, more: { hash: hashOf(shown), elapsedMs: result['elapsed_ms'] ?? null } };
    },
    async restore(args, { more }, exchange) {
      const result = await run(args, exchange);
      if (hashOf(look(result).shown) !== more['hash']) throw notFound();
      return more['elapsedMs'] === null ? result : { ...result, elapsed_ms: more['elapsedMs'] };
    },
  };
}

/** @param routes the routes listTables, getTable and queryTables. */
export function tableTools({ list, get, query }: { list: Route; get: Route; query: Route }): Tool[] {
  return [listTool(list), describeTool(get), queryTool(query)];
}

function listTool(route: Route): Tool {
  const input = z.strictObject({
    name: z.string().optional().describe('Only tables with this name, or this name in SQL.'),
    limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_MAX).describe('Maximum number of tables.'),
    after_id: z.string().optional().describe('Lists on after this id: the next_id of the page before.'),
  });
  const run = async ({ limit, ...args }: z.output<typeof input>, exchange: Exchange): Promise<Json> =>
    (await callRoute(route, { query: { ...args, limit: String(limit) } }, exchange)) as Json;
  return tool({
    name: 'list_tables',
    title: 'List the tables',
    description:
      'Lists the tables of the knowledge base: spreadsheets, CSV files and records. describe_table says what columns a table has.',
    scopes: route.scopes,
    input,
    output: route.response.schema as z.ZodObject,
    run,
    ...repeatable(run, (result) => {
      const { tables } = result as unknown as { tables: Table[] };
      return { found: tables.length, chunkIds: [], shown: tables };
    }),
    toText(result) {
      const { tables, pagination } = result as unknown as { tables: Table[]; pagination: { next_id: string | null } };
      const lines = tables.map((table) => `${headOf(table)} table_id: ${table.id}`);
      const more =
        pagination.next_id === null ? [] : [`More tables follow: list on with after_id ${pagination.next_id}.`];
      return [...(lines.length === 0 ? ['There are no tables.'] : lines), ...more].join('\n');
    },
  });
}

function describeTool(route: Route): Tool {
  const input = z.strictObject({ table_id: z.string().describe('Id of the table, from list_tables.') });
  const run = async ({ table_id: id }: z.output<typeof input>, exchange: Exchange): Promise<Json> =>
    (await callRoute(route, { params: { id }, query: {} }, exchange)) as Json;
  return tool({
    name: 'describe_table',
    title: 'Describe a table',
    description:
      'Returns the columns of a table with types, units and examples, and a sample of its rows. Read this before query_table.',
    scopes: route.scopes,
    input,
    output: route.response.schema as z.ZodObject,
    run,
    ...repeatable(run, (table) => ({ found: 1, chunkIds: [], shown: table })),
    toText(result) {
      const table = result as unknown as Table;
      const about = table.description === null ? [] : [table.description];
      return [headOf(table), ...about, 'Columns:', ...table.columns.map(columnText)].join('\n');
    },
  });
}

function queryTool(route: Route): Tool {
  const body = route.body as z.ZodObject;
  const run = async (args: Json, exchange: Exchange): Promise<Json> =>
    (await callRoute(route, { body: args }, exchange)) as Json;
  return tool({
    name: 'query_table',
    title: 'Query tables',
    description:
      'Runs one read-only SELECT in the SQL of DuckDB over tables, for counts, sums, extremes and filters. Tables and columns are named ' +
      'by their names in SQL. The result names passages that hold the rows: read_source reads them by their chunk_id.',
    scopes: route.scopes,
    input: body.pick({ sql: true }).required().extend(body.pick(OPTIONAL_ARGUMENTS).shape),
    output: route.response.schema as z.ZodObject,
    run,
    ...repeatable(run, (result) => {
      const { columns, rows, citations } = result as unknown as TableAnswer;
      return { found: rows.length, chunkIds: [...new Set(citations.map(({ id }) => id))], shown: { columns, rows } };
    }),
    toText(result) {
      const { columns, rows, citations, warnings } = result as unknown as TableAnswer;
      const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map((cell) => JSON.stringify(cell)))];
      const passages = new Map(citations.map(({ id, name }) => [id, `From ${name} chunk_id: ${id}`]));
      return [
        ...lines.map((cells) => cells.join(' | ')),
        ...[...passages.values()].slice(0, PASSAGES_SHOWN_MAX),
        ...warnings.map(({ message }) => `Warning: ${message}`),
      ].join('\n');
    },
  });
}

function headOf({ sql_name: sqlName, name, row_count: rows }: Table): string {
  return `${JSON.stringify(sqlName)}: ${name}${rows === null ? '' : `, ${countOf(rows, 'row')}`}`;
}

function columnText({ sql_name: sqlName, type, unit, description, examples }: TableColumn): string {
  const shown = examples.slice(0, EXAMPLES_SHOWN_MAX);
  return [
    `${JSON.stringify(sqlName)} ${type}`,
    unit === null ? '' : ` in ${unit}`,
    description === null ? '' : `, ${description}`,
    shown.length === 0 ? '' : `, such as ${shown.map((value) => JSON.stringify(value)).join(', ')}`,
  ].join('');
}
