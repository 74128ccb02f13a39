/**
 * The names in SQL for readers and models. A name that a rule changes would tell, as a name in SQL, what the rule hides. Rules for models
 * count too: statements and their results have the names of readers, and go to models.
 */
import { FACT_STEPS, redactText } from '../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../redaction/redact.ts';
import { uniqueName } from './names.ts';
import type { StoredTable, TableColumn } from './table.ts';

/** The beginning of a name in SQL that stands for a hidden one; the id of the table without hyphens follows. */
export const STAND_IN = 'table_';

const NAME_STEPS: readonly ApplyAt[] = [...FACT_STEPS, 'llm_input'];

/** A column with its name in SQL for a reader, and its name in the Parquet file. */
export type NamedColumn = TableColumn & { storedName: string };

export type ReaderNames<T> = Omit<T, 'sqlName' | 'columns'> & { sqlName: string; columns: NamedColumn[] };

/** Returns the table with stand-ins for names in SQL that a rule changes. Do not call this function within a transaction. */
export async function withReaderNames<T extends Pick<StoredTable, 'tableId' | 'name' | 'sqlName' | 'columns'>>(
  table: T,
  redactor: Redactor | null,
): Promise<ReaderNames<T>> {
  const columns = table.columns.map((column) => ({ ...column, storedName: column.sqlName }));
  if (!NAME_STEPS.some((step) => redactor?.appliesAt(step))) return { ...table, columns };
  const taken = new Set(table.columns.map(({ sqlName }) => sqlName));
  for (const [i, column] of columns.entries()) {
    const { header, sqlName } = column;
    if (!(await isShown(redactor, header, sqlName))) column.sqlName = uniqueName(`column_${i + 1}`, taken);
  }
  return { ...table, sqlName: await readerSqlName(table, redactor), columns };
}

/** Returns the name of a table in SQL for a reader. Do not call this function within a transaction. */
export async function readerSqlName(
  { tableId, name, sqlName }: Pick<StoredTable, 'tableId' | 'name' | 'sqlName'>,
  redactor: Redactor | null,
): Promise<string> {
  return (await isShown(redactor, name, sqlName)) ? sqlName : STAND_IN + tableId.replaceAll('-', '');
}

async function isShown(redactor: Redactor | null, ...names: string[]): Promise<boolean> {
  for (const name of names) if ((await redactText(redactor, name, NAME_STEPS)) !== name) return false;
  return true;
}
