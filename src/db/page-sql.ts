/** SQL of cursor lists: the start of a page, its order, and the text search `q`. */
import type { Queryable } from './database.ts';
import { raw, type Sql, sql } from './sql.ts';

export interface PageRequest {
  limit: number;
  /** Any UUID: the position after which the page begins. */
  afterId?: string | undefined;
  /** By creation; `asc` (oldest first) when absent. */
  order?: 'asc' | 'desc' | undefined;
}

/** Rows of a page in the order of the request, with one row more if there is a next page; `total` counts all that match. */
export interface Listed<Row> {
  rows: Row[];
  total: number;
}

/** Returns the condition for rows behind the cursor; true without a cursor. `id` is a column such as `g.id`. */
export function afterCursor(id: Sql, { afterId, order }: PageRequest): Sql {
  if (afterId === undefined) return raw('true');
  return order === 'desc' ? sql`${id} < ${afterId}::uuid` : sql`${id} > ${afterId}::uuid`;
}

/** Returns the `order by` and `limit` clauses of a page: one row more than the page shows that there is a next page. */
export function pageOf(id: Sql, { limit, order }: PageRequest): Sql {
  return sql`order by ${id} ${raw(order === 'desc' ? 'desc' : 'asc')} limit ${limit + 1}`;
}

/** Returns one page of the rows. @param matching the table and the condition: `source_group g where …`. */
export async function readPage<R extends object>(
  tx: Queryable,
  columns: Sql,
  matching: Sql,
  id: Sql,
  page: PageRequest,
): Promise<Listed<R>> {
  const rows = await tx.query<R>(
    sql`select ${columns} from ${matching} and ${afterCursor(id, page)} ${pageOf(id, page)}`,
  );
  return { rows, total: await countRows(tx, matching) };
}

/** Returns how many rows match. @param matching the table and the condition, as in `readPage`. */
export async function countRows(tx: Queryable, matching: Sql): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) as count from ${matching}`);
  return row!.count;
}

/** Returns the condition that `column` contains the text `q`; upper and lower case are alike. */
export function containsText(column: Sql, q: string): Sql {
  return sql`strpos(lower(${column}), lower(${q}::text)) > 0`;
}
