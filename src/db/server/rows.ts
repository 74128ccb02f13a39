/** Rows of the driver's results. */
import type pg from 'pg';
import { camelCaseAll } from '../column-names.ts';
import type { Row } from '../database.ts';

/** Returns the rows as objects. `keepNames`: with the columns' own names, not in camelCase. */
export function rowsOf({ fields, rows }: Pick<pg.QueryArrayResult, 'fields' | 'rows'>, keepNames = false): Row[] {
  if (rows.length === 0) return [];
  const columns = fields.map((field) => field.name);
  const names = keepNames ? columns : camelCaseAll(columns);
  // A copy of a row that has all members already is filled twice as fast as an empty object.
  const empty: Row = Object.fromEntries(names.map((name) => [name, null]));
  return rows.map((values: unknown[]) => {
    const row = { ...empty };
    for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
    return row;
  });
}
