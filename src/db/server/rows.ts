/** Rows of the driver's results. */
import type pg from 'pg';
import { camelCaseAll } from '../column-names.ts';
import type { Row } from '../database.ts';

/** Returns the rows as objects. `keepNames`: with the columns' own names, not in camelCase. */
export function rowsOf({ fields, rows }: Pick<pg.QueryArrayResult, 'fields' | 'rows'>, keepNames = false): Row[] {
  if (rows.length === 0) return [];
  const columns = fields.map((field) => field.name);
  const names = keepNames ? columns : camelCaseAll(columns);
  return rows.map((values: unknown[]) => {
    const row: Row = {};
    for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
    return row;
  });
}
