import type { Table } from '../../data/tables/tables.ts';

/** Returns whether each word of the text stands in the name, the name in SQL, or the name of a column of the table. */
export function matches(table: Pick<Table, 'name' | 'sql_name' | 'columns'>, text: string): boolean {
  const names = [table.name, table.sql_name, ...table.columns.flatMap(({ name, sql_name }) => [name, sql_name])];
  const all = names.join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
