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

/** Returns the condition for rows behind the cursor; true without a cursor. `id` is a column such as `g.id`. */
export function afterCursor(id: Sql, { afterId, order }: PageRequest): Sql {
  if (afterId === undefined) return raw('true');
  return order === 'desc' ? sql`${id} < ${afterId}::uuid` : sql`${id} > ${afterId}::uuid`;
}

/** Returns the `order by` and `limit` clauses of a page: one row more than the page shows that there is a next page. */
export function pageOf(id: Sql, { limit, order }: PageRequest): Sql {
  return sql`order by ${id} ${raw(order === 'desc' ? 'desc' : 'asc')} limit ${limit + 1}`;
}

/**
 * Returns one page of the rows, with one row more if there is a next page; `total` counts all that match.
 *
 * @param matching the table and the condition: `source_group g where …`.
 */
export async function readPage<R extends object>(
  tx: Queryable,
  columns: Sql,
  matching: Sql,
  id: Sql,
  page: PageRequest,
): Promise<{ rows: R[]; total: number }> {
  const rows = await tx.query<R>(
    sql`select ${columns} from ${matching} and ${afterCursor(id, page)} ${pageOf(id, page)}`,
  );
  const [count] = await tx.query<{ total: number }>(sql`select count(*) as total from ${matching}`);
  return { rows, total: count?.total ?? 0 };
}

/** Returns the condition that `column` contains the text `q`; upper and lower case are alike. */
export function containsText(column: Sql, q: string): Sql {
  return sql`strpos(lower(${column}), lower(${q}::text)) > 0`;
}
