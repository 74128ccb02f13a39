/** The wire records of tables, as their readers may see them. */
import { z } from 'zod';
import { COLUMN_TYPES } from '../../files/columns/column-type.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { idSchema, sourceGroupIdSchema, sourceIdSchema, timeSchema } from '../../http/schemas.ts';
import { readerSteps, shownFact, wholePath } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { TableRowRead, WireValue } from '../../tables/read-table.ts';
import type { NamedColumn, ReaderNames } from '../../tables/reader-names.ts';
import { redactRow } from '../../tables/redact-row.ts';
import { TABLE_STATUSES, type TableColumn, type TableWarning } from '../../tables/table.ts';
import { collect } from '../../util/collect.ts';
import type { OpenTable } from './catalogue.ts';
import type { CatalogueTable } from './catalogue-store.ts';

const valueSchema = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .describe(
    'Text, number, truth value or null. Dates and times are ISO 8601; numbers with more than 15 digits are text.',
  );

const NO_VALUES = 'while a redaction rule applies to values.';

const columnSchema = z
  .object({
    name: z.string().describe('Name for people: the header, or the name that was set.'),
    sql_name: z.string().describe('Name in SQL; a number instead of the name if a redaction rule would change it.'),
    type: z.enum(COLUMN_TYPES).describe('Type, decided over all rows.'),
    unit: z.string().nullable().describe('`%` or a currency that was taken off the numbers.'),
    nullable: z.boolean().describe('Whether a row may have no value. True if the caller does not see the whole table.'),
    distinct: z.int().nullable().describe('Number of distinct values: exact up to 1,000, an estimate above.'),
    min: z.string().nullable().describe(`Smallest value. Null ${NO_VALUES}`),
    max: z.string().nullable().describe(`Largest value. Null ${NO_VALUES}`),
    examples: z.array(z.string()).describe(`Up to five values. None ${NO_VALUES}`),
    description: z.string().nullable().describe('What the column means, if somebody said it.'),
    cast_failures: z.int().nullable().describe('Cells that do not have the type. They are null.'),
    cast_failure_examples: z.array(z.string()).describe(`Up to five of these cells. None ${NO_VALUES}`),
    header: z.string().describe('The header in the source; empty without one.'),
  })
  .meta({ id: 'TableColumn' });

export const positionSchema = z
  .object({
    index: z.int().describe('Number of the table in its source, counted from 0.'),
    sheet: z.string().optional().describe('Name of the sheet.'),
    range: z
      .string()
      .optional()
      .describe('Cells of the sheet, such as `A3:F20`. Absent if the caller may not see the whole table.'),
    page: z.int().optional().describe('Page on which the table begins.'),
    heading_path: z.array(z.string()).optional().describe('Headings above the table, outermost first.'),
  })
  .meta({ id: 'TablePosition' });

export const rowSchema = z
  .object({
    row: z.int().describe('Number of the row in its table, counted from 0.'),
    kind: z.enum(['data', 'total']).describe('`total`: a row of totals, which queries leave out.'),
    place: z
      .object({
        source_id: sourceIdSchema,
        start_offset: z
          .int()
          .nullable()
          .describe('Code point in the extracted text. Null if the policy decides about single chunks.'),
        chunk_index: z.int().nullable().describe('The chunk that holds the row; null like start_offset.'),
        page: z.int().nullable().describe('Page; null for files without pages.'),
        sheet_row: z
          .int()
          .nullable()
          .describe('Row of the sheet, counted from 1; null for other files, and like start_offset.'),
      })
      .describe('Where the source has the row.'),
    values: z.record(z.string(), valueSchema).describe('Values by name in SQL.'),
  })
  .meta({ id: 'TableRow' });

const warningSchema = z
  .looseObject({
    type: z.string().describe('Kind of the warning, for programs: for example `ambiguous_format`.'),
    code: z.string().describe('The same as `type`.'),
    message: z.string().describe('The warning in words for a person.'),
  })
  .meta({ id: 'TableWarning' });

const SEES_ALL = 'Null if the caller does not see the whole table.';
/** Warnings that count rows or cells of the whole table. */
const COUNTING = ['cast_failures', 'cells_cut', 'total_rows_excluded'];

export const tableSchema = z
  .object({
    id: idSchema.describe('Id of the table.'),
    name: z.string().describe('Name for people.'),
    sql_name: z
      .string()
      .describe(
        'Name in SQL, unique within the tenant: `table_` and the id if a redaction rule would change the name.',
      ),
    description: z.string().nullable().describe('What the table is about: the lines above it, or what was set.'),
    status: z
      .enum(TABLE_STATUSES)
      .describe('`building`: a version is being built, and the present one is served. `failed`: see `error`.'),
    error: z.string().nullable().describe('Why the last build failed, or why the file of `url` could not be read.'),
    source_id: sourceIdSchema.nullable().describe('Id of the source. Null until the file of `url` was read.'),
    source_name: z
      .string()
      .describe('Name of the source. Empty until the file of `url` was read, and where a redaction rule withholds it.'),
    source_path: z
      .string()
      .nullable()
      .describe('Path of the source. Null for sources without one, and where a redaction rule would change it.'),
    source_group_id: sourceGroupIdSchema,
    url: z.string().nullable().describe('Address of the file, if the table was asked for by its address.'),
    rrule: z.string().nullable().describe('When the file of `url` is read again; empty without a schedule.'),
    position: positionSchema,
    version: z.int().describe('Number of the served version; 0 before the first.'),
    row_count: z.int().nullable().describe(`Rows of data. ${SEES_ALL}`),
    total_rows: z.int().nullable().describe(`Rows of totals. ${SEES_ALL}`),
    schema_policy: z.enum(['accept', 'freeze']).describe('Whether a new version may have other columns.'),
    columns: z
      .array(columnSchema)
      .describe('Columns. Values and counts are left out if the caller does not see the whole table.'),
    warnings: z
      .array(warningSchema)
      .describe('What should be known about the data. Counts are left out if the caller does not see the whole table.'),
    creation_time: timeSchema,
    update_time: timeSchema,
  })
  .meta({ id: 'Table' });

export const tableDetailsSchema = tableSchema
  .extend({ sample: z.array(rowSchema).describe('Up to ten visible rows of data.') })
  .meta({ id: 'TableDetails' });

/** Returns a table as its reader may see it. Do not call this function within a transaction: redaction may be slow. */
export async function toTable(
  table: ReaderNames<CatalogueTable>,
  redactor: Redactor | null,
): Promise<z.input<typeof tableSchema>> {
  const seesAll = seesWhole(table, redactor);
  const fact = (text: string): Promise<string> => shownFact(redactor, text);
  const maybe = async (text: string | null): Promise<string | null> => (text === null ? null : fact(text));
  return toRecord(tableSchema, table, {
    id: table.tableId,
    name: await fact(table.name),
    description: await maybe(table.description),
    // The present version is served in both cases.
    status: table.refreshError === null ? table.status : 'failed',
    error: await maybe(table.errorMessage ?? table.refreshError),
    url: await maybe(table.url),
    source_name: await fact(table.sourceName),
    source_path: await wholePath(redactor, table.sourcePath),
    position: await toPosition(table.position, seesAll, fact),
    ...(!seesAll && { row_count: null, total_rows: null }),
    columns: await collect(table.columns, (column) => toColumn(table, column, redactor)),
    warnings: await collect(
      table.warnings.filter(({ code }) => seesAll || !COUNTING.includes(code)),
      (warning) => toWarning(table, warning, fact),
    ),
  });
}

/** Returns a warning with the names of columns that readers see. Columns of earlier versions may be among them. */
async function toWarning(
  { columns }: ReaderNames<CatalogueTable>,
  warning: TableWarning,
  fact: (text: string) => Promise<string>,
): Promise<z.input<typeof warningSchema>> {
  const nameOf = async (name: unknown): Promise<string> =>
    columns.find(({ storedName }) => storedName === name)?.sqlName ?? (await fact(String(name)));
  const shown: Record<string, unknown> = { ...warning };
  for (const [key, detail] of Object.entries(warning)) {
    if (key === 'column') shown[key] = await nameOf(detail);
    else if (Array.isArray(detail)) shown[key] = await collect(detail, nameOf);
  }
  return { ...shown, type: warning.code, code: warning.code, message: await fact(warning.message) };
}

/** Returns the place of a table, with the texts that `fact` redacts. */
export async function toPosition(
  { index, sheet, range, page, headingPath }: CatalogueTable['position'],
  seesAll: boolean,
  fact: (text: string) => Promise<string>,
): Promise<z.input<typeof positionSchema>> {
  return {
    index,
    ...(sheet !== undefined && { sheet: await fact(sheet) }),
    ...(range !== undefined && seesAll && { range }),
    ...(page !== undefined && { page }),
    ...(headingPath && { heading_path: await collect(headingPath, fact) }),
  };
}

/** A rule that blocks one value takes its whole row away. Nobody knows of which rows the values and counts are. */
function seesWhole(table: Pick<CatalogueTable, 'redactedBy' | 'seesAll'>, redactor: Redactor | null): boolean {
  const steps = readerSteps(redactor, table.redactedBy);
  return table.seesAll && !steps.some((step) => redactor?.blocksAt(step));
}

async function toColumn(
  table: Pick<CatalogueTable, 'redactedBy' | 'seesAll'>,
  column: TableColumn,
  redactor: Redactor | null,
): Promise<z.input<typeof columnSchema>> {
  const steps = readerSteps(redactor, table.redactedBy);
  const seesAll = seesWhole(table, redactor);
  // A rule may need the rest of the row, which nobody knows here.
  const showsValues = seesAll && !steps.some((step) => redactor?.appliesAt(step));
  return toRecord(columnSchema, column, {
    name: await shownFact(redactor, column.name),
    ...(!seesAll && { nullable: true, distinct: null, cast_failures: null }),
    ...(!showsValues && { min: null, max: null, examples: [], cast_failure_examples: [] }),
    description: column.description === null ? null : await shownFact(redactor, column.description),
    header: await shownFact(redactor, column.header),
  });
}

/** Returns the columns that must be read to show `wanted`: rules see a whole row. */
export function columnsToRead(
  { columns, redactedBy }: ReaderNames<CatalogueTable>,
  wanted: readonly NamedColumn[],
  redactor: Redactor | null,
): readonly NamedColumn[] {
  return readerSteps(redactor, redactedBy).some((step) => redactor?.appliesAt(step)) ? columns : wanted;
}

/**
 * Returns the columns `wanted` of a row as its reader may see it; undefined if a rule blocks one of its values.
 *
 * @param read the row with the columns of `columnsToRead`.
 */
export async function toRow(
  { table, access, redactor }: OpenTable,
  read: TableRowRead,
  wanted: readonly NamedColumn[] = table.columns,
): Promise<z.input<typeof rowSchema> | undefined> {
  const showsPlace = !access.policy?.chunk;
  const cells = columnsToRead(table, wanted, redactor).map((column) => ({ column, text: read.texts[column.sqlName]! }));
  const changed = await redactRow(redactor, cells, readerSteps(redactor, table.redactedBy));
  if (!changed) return undefined;
  const values: Record<string, WireValue> = {};
  for (const [i, { column }] of cells.entries())
    if (wanted.includes(column)) values[column.sqlName] = changed[i] ?? read.values[column.sqlName]!;
  return {
    row: read.row,
    kind: read.kind,
    place: {
      source_id: table.sourceId!,
      start_offset: showsPlace ? read.start : null,
      chunk_index: showsPlace ? read.part : null,
      page: read.page,
      sheet_row: showsPlace ? read.sheetRow : null,
    },
    values,
  };
}
