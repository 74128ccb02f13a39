/** The source of a statement that inserts or updates many rows: one list says the columns and their types. */
import { type CamelCase, camelCase } from './column-names.ts';
import { identifier, join, raw, type Sql, sql } from './sql.ts';

type ColumnType =
  | 'uuid'
  | 'text'
  | 'int'
  | 'bigint'
  | 'boolean'
  | 'date'
  | 'timestamptz'
  | 'jsonb'
  | 'text[]'
  | 'int[]';

/** A column's type; or, with it, the expression over `r` that an insert takes in place of the column itself. */
type Column = ColumnType | { type: ColumnType; insert: string };

export interface Recordset {
  /** The table `r`, for `from`. Its rows have the order of the given rows. */
  table: Sql;
  /** The names of all columns, for the column list of an insert. */
  columns: Sql;
  /** The values of the same columns, for the select of an insert. */
  values: Sql;
}

/**
 * Returns `rows` as a table. The column `source_id` is read from the member `sourceId` of each row; a member that is absent is null.
 * Members without a column are left out.
 */
export function recordset<R extends object, C extends string>(
  columns: { readonly [K in C]: CamelCase<K> extends keyof R ? Column : never },
  rows: readonly R[],
): Recordset {
  const named = (Object.entries(columns) as [string, Column][]).map(([name, column]) => {
    const { type, insert } = typeof column === 'string' ? { type: column, insert: `r.${name}` } : column;
    return { name: identifier(name), key: name, member: camelCase(name) as keyof R, type, insert };
  });
  const records = rows.map((row) => Object.fromEntries(named.map(({ key, member }) => [key, row[member]])));
  const definition = join(named.map(({ name, type }) => sql`${name} ${raw(type)}`));
  return {
    // As text: the adapters would bind an array as an SQL array.
    table: sql`json_to_recordset(${JSON.stringify(records)}::text::json) as r(${definition})`,
    columns: join(named.map(({ name }) => name)),
    values: join(named.map(({ insert }) => raw(insert))),
  };
}
