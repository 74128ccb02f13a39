/** The route POST /tables/query. */
import { z } from 'zod';
import { principalOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { metadataFilterGroupSchema } from '../../filters/filter-group.ts';
import type { Deps } from '../../http/deps.ts';
import { contentShape, toContent } from '../../http/records/content-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idSchema, principalShape, resultColumnsSchema, warningsSchema } from '../../http/schemas.ts';
import type { OnUsage } from '../../llm/models.ts';
import { queryTables, TABLES_PER_QUERY_MAX } from '../../retrieval/tables/query-tables.ts';
import { askTables, type QuestionAnswer } from '../../retrieval/tables/question.ts';
import { structuredSql } from '../../retrieval/tables/structured.ts';
import { AGGREGATES, type StructuredQuery } from '../../tables/structured-query.ts';
import { text } from '../../util/text-schema.ts';

const SQL_LENGTH_MAX = 10_000;
const QUESTION_LENGTH_MAX = 2_000;
const NAME_LENGTH_MAX = 256;
const ROWS_MAX = 1_000;
const ROWS_DEFAULT = 100;
const TIMEOUT_MS_MIN = 100;
const TIMEOUT_MS_MAX = 30_000;
const TIMEOUT_MS_DEFAULT = 5_000;
const COLUMNS_MAX = 100;
const OFFSET_MAX = 2_000_000;

const columnName = text(1, NAME_LENGTH_MAX);

/** `xor` and not `union`: for a wrong `fn`, `union` reports that the first form has no such member. */
const selectedSchema = z
  .xor([
    z.strictObject({ column: columnName.describe('A column of the table.') }),
    z.strictObject({
      fn: z.enum(AGGREGATES).describe('What is computed over the rows of a group.'),
      column: columnName.optional().describe('Its column; absent only for `count` of rows.'),
      as: columnName
        .optional()
        .describe('Name of the result; default: the function and the column, such as `sum_amount`.'),
    }),
  ])
  .meta({ id: 'TableQueryColumn' });

const structuredSchema = z
  .strictObject({
    from: columnName.describe('The `sql_name` of a table.'),
    columns: z
      .array(selectedSchema)
      .min(1)
      .max(COLUMNS_MAX)
      .optional()
      .describe('Columns of the result. Absent: all columns.'),
    where: metadataFilterGroupSchema
      .optional()
      .describe('Conditions on the rows. The keys are columns, and the values must fit the types of the columns.'),
    group_by: z.array(columnName).max(COLUMNS_MAX).optional().describe('Columns by which rows are grouped.'),
    order_by: z
      .array(
        z.strictObject({
          column: columnName.describe('A column of the result or of the table.'),
          direction: z.enum(['asc', 'desc']).default('asc').describe('Empty cells come last.'),
        }),
      )
      .max(COLUMNS_MAX)
      .optional()
      .describe('The order of the result.'),
    limit: z.int().min(1).max(ROWS_MAX).optional().describe('Maximum number of rows of the result.'),
    offset: z.int().min(0).max(OFFSET_MAX).optional().describe('Number of rows to skip.'),
  })
  .meta({ id: 'TableQuery' });

const queryBody = z.strictObject({
  sql: text(1, SQL_LENGTH_MAX)
    .optional()
    .describe('One SELECT in the SQL of DuckDB. Tables are named by their names in SQL.'),
  query: structuredSchema.optional().describe('A query as data, which becomes SQL.'),
  question: text(1, QUESTION_LENGTH_MAX)
    .optional()
    .describe(
      'A question in words, for which the chat model writes the statement. Needs the scope `inference:run`, too.',
    ),
  tables: z
    .array(idSchema)
    .min(1)
    .max(TABLES_PER_QUERY_MAX)
    .optional()
    .describe('Ids (not names) of the tables that the query may read. Absent: the visible tables that it names.'),
  row_limit: z.int().min(1).max(ROWS_MAX).default(ROWS_DEFAULT).describe('Maximum number of returned rows.'),
  timeout_ms: z
    .int()
    .min(TIMEOUT_MS_MIN)
    .max(TIMEOUT_MS_MAX)
    .default(TIMEOUT_MS_DEFAULT)
    .describe('After this time, in milliseconds, the query is ended and answered with 400.'),
  citation: z.boolean().default(true).describe('Whether the rows are returned from which the result comes.'),
  ...principalShape,
});

const citedRowSchema = z
  .object({
    ...contentShape,
    row: z
      .object({
        table_id: idSchema.describe('Id of the table.'),
        row: z
          .int()
          .nullable()
          .describe('Number of the row in its table, from 0. Null if a policy hides some rows of the table.'),
        text: z.string().describe('Text of the row in its source, up to the end of the chunk.'),
      })
      .describe('The row that is cited.'),
  })
  .meta({ id: 'CitedRow', description: 'A row of a table, as the chunk that holds it.' });

export const tableAnswerSchema = z
  .object({
    sql: z.string().describe('The statement that ran. Empty if the model wrote none for a question.'),
    columns: resultColumnsSchema,
    rows: z
      .array(z.array(z.unknown()))
      .describe(
        'Rows of the result, a cell for each column. Numbers that a double cannot hold, dates and times are texts; lists are arrays.',
      ),
    row_count: z.int().describe('Number of returned rows.'),
    truncated: z.boolean().describe('Whether there are more rows.'),
    elapsed_ms: z.number().describe('Time that the query took in the table engine.'),
    citations: z
      .array(citedRowSchema)
      .describe('Up to 50 rows from which the result comes, in the order of the result.'),
    witness_count: z
      .int()
      .nullable()
      .describe('Number of rows that the aggregates of the result read; null for a result without aggregates.'),
    suggestions: z
      .array(z.string())
      .describe('For a `question` with several meanings: the meanings as questions. Then there are no rows.'),
    reason: z.string().nullable().describe('Why a `question` has no result; null otherwise.'),
    warnings: warningsSchema,
  })
  .meta({ id: 'TableAnswer' });

export const tableQueryRoutes = (deps: Deps): Route[] => [
  routesOf('Tables')({
    method: 'POST',
    path: '/tables/query',
    scopes: ['knowledge:read'],
    operation: {
      id: 'queryTables',
      summary: 'Query tables',
      description:
        'Runs one read-only query over tables and returns its rows with their places. It sees only rows that the caller may see, ' +
        'after redaction. Send either a statement, a structured query or a question.',
    },
    body: queryBody,
    response: { status: 200, schema: tableAnswerSchema },
    errors: [404, 409, 502, 504],
    example: {
      query: {
        from: 'sales',
        columns: [{ column: 'region' }, { fn: 'sum', column: 'amount' }],
        group_by: ['region'],
      },
    },
    async handler({ body, caller, signal, rights }) {
      const given = [body.sql, body.query, body.question].filter((one) => one !== undefined);
      if (given.length !== 1) throw invalidRequest('Send exactly one of sql, query and question.');
      const asking = { ...caller, principal: principalOf(deps, body) };
      const { row_limit: rowLimit, timeout_ms: timeoutMs, citation: cites, tables, question } = body;
      const options = { tables, rowLimit, timeoutMs, cites };
      if (question !== undefined) {
        await assertMayAsk(deps, caller);
        const chatModel = deps.chatModel.of?.(caller.tenantId, caller.keyFamilyId) ?? deps.chatModel;
        const onUsage: OnUsage = (usage) => deps.usage.add(caller, usage);
        const asked = { ...options, question, onUsage, onRules: rights.holdRules };
        const answered = await askTables({ ...deps, chatModel }, asking, asked, signal);
        await rights.confirm(true);
        return toRecord(answered);
      }
      const sql = body.sql ?? (await structuredSql(deps, asking, toStructured(body.query!), tables, signal));
      const answer = await queryTables(deps, asking, { ...options, sql }, signal);
      await rights.confirm();
      return toRecord({ sql, answer, suggestions: [], reason: null });
    },
  }),
];

/** @throws ServiceError forbidden, rate_limited */
async function assertMayAsk({ usage }: Pick<Deps, 'usage'>, caller: Caller): Promise<void> {
  if (!caller.scopes.includes('inference:run')) {
    throw new ServiceError('forbidden', 'The API key lacks the scope inference:run.');
  }
  await usage.assertBudget(caller);
}

function toStructured({ group_by, order_by, ...query }: z.output<typeof structuredSchema>): StructuredQuery {
  return { ...query, groupBy: group_by, orderBy: order_by };
}

function toRecord({ sql, answer, suggestions, reason }: QuestionAnswer): z.input<typeof tableAnswerSchema> {
  return {
    sql,
    columns: answer?.columns ?? [],
    rows: answer?.rows ?? [],
    row_count: answer?.rows.length ?? 0,
    truncated: answer?.truncated ?? false,
    elapsed_ms: Math.round((answer?.elapsedMs ?? 0) * 10) / 10,
    citations: (answer?.citations ?? []).map(({ hit, tableId, row, quote }) => ({
      ...toContent(hit),
      row: { table_id: tableId, row, text: quote },
    })),
    witness_count: answer?.witnessCount ?? null,
    suggestions,
    reason,
    warnings: answer?.warnings ?? [],
  };
}
