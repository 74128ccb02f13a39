/** Cursor lists: `limit` and `after_id` in, `pagination` out. Order is creation, oldest first by default: ids sort by creation. */
import { z } from 'zod';
import { isUuid } from '../util/ids.ts';
import { text } from '../util/text-schema.ts';
import { queryInteger } from './schemas.ts';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

/** Members of every list route's query; spread into a `z.strictObject` with the route's own filters. */
export const pageQueryShape = {
  limit: queryInteger(1, PAGE_LIMIT_MAX)
    .default(PAGE_LIMIT_DEFAULT)
    .meta({
      wire: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT },
      description: 'How many records to return.',
    }),
  // Any UUID is a position: a row deleted meanwhile does no harm. PostgreSQL compares uuids in any spelling.
  after_id: z
    .string()
    .refine(isUuid, 'must be a UUID: the next_id of the page before')
    .transform((id) => id.toLowerCase())
    .optional()
    .meta({
      wire: { type: 'string', format: 'uuid' },
      description: 'Fetch records after this id: the next_id of the page before.',
    }),
};

export const pageQuery = z.strictObject(pageQueryShape);

/** Member of list routes that can also be read from the newest record on. */
export const orderShape = {
  order: z
    .enum(['asc', 'desc'])
    .default('asc')
    .describe(
      'By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request.',
    ),
};

export const Q_LENGTH_MAX = 200;

/** Schema of `q`; `what` names the members in which it is looked for. */
export function searchShape(what: string) {
  const words = `Only records with this text in ${what}, whatever the case; blanks around it do not count.`;
  return {
    q: text(1, Q_LENGTH_MAX)
      .transform((q) => q.trim())
      .optional()
      .describe(words),
  };
}

export const paginationSchema = z
  .object({
    limit: z.int(),
    has_more: z.boolean(),
    total: z.int().describe("Number of the caller's own records that match."),
    next_id: z.string().nullable().describe('The value for the next after_id; null on the last page.'),
  })
  .meta({ id: 'Pagination' });

/**
 * Cuts a page from rows selected with `limit + 1` and builds its `pagination`.
 *
 * @param rows in list order, at most `limit + 1` of them: the one too many says that there is more.
 * @param total number of all matching rows, before the cursor.
 */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number, total: number) {
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return { page, pagination: { limit, has_more: hasMore, total, next_id: hasMore ? page[page.length - 1]!.id : null } };
}
