/**
 * Lists with a cursor: requests have `limit` and `after_id`, answers have `pagination`. Lists are ordered by creation, oldest first
 * by default. Ids sort by creation.
 */
import { z } from 'zod';
import type { PageRequest } from '../db/page-sql.ts';
import { invalidRequest } from '../errors.ts';
import { collect } from '../util/collect.ts';
import { isUuid } from '../util/ids.ts';
import { text } from '../util/text-schema.ts';
import { queryInteger, TIME_MAX } from './schemas.ts';

const PAGE_LIMIT_DEFAULT = 20;
const PAGE_LIMIT_MAX = 100;

/** Query parameters of every list route. A route spreads them into its `z.strictObject`, beside its own filters. */
export const pageQueryShape = {
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT).describe('How many records to return.'),
  // Any UUID is a valid position, even if its row was deleted in the meantime.
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

/** Query parameter of list routes that can also start with the newest record. */
export const orderShape = {
  order: z
    .enum(['asc', 'desc'])
    .default('asc')
    .describe(
      'By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request.',
    ),
};

const Q_LENGTH_MAX = 200;

/** Returns the schema of the query parameter `q`. `members` names the members that are searched for it. */
export function searchShape(members: string) {
  const description = `Only records with this text in ${members}. Upper and lower case are equal; blanks around it are ignored.`;
  return {
    q: text(1, Q_LENGTH_MAX)
      .transform((q) => q.trim())
      .optional()
      .describe(description),
  };
}

export const paginationSchema = z
  .object({
    limit: z.int().describe('The limit of the request, or its default.'),
    has_more: z.boolean().describe('Whether there is a next page.'),
    total: z.int().describe("Number of the caller's own records that match."),
    next_id: z.string().nullable().describe('The value for the next after_id; null on the last page.'),
  })
  .meta({ id: 'Pagination' });

/** Returns the success answer of a list: its items as the member `name`, and `pagination`. */
export function pageResponse<Name extends string, Item extends z.ZodType>(name: Name, item: Item, description: string) {
  const items = { [name]: z.array(item).describe(description) } as Record<Name, z.ZodArray<Item>>;
  return { status: 200 as const, schema: z.object({ ...items, pagination: paginationSchema }) };
}

export function pageRequest({ limit, after_id: afterId, order }: PageQuery): PageRequest {
  return { limit, afterId, order };
}

/**
 * Returns the answer of a list: the records of the page as the member `name`, and `pagination`. Rows without a record are left out.
 *
 * @param rows in list order, selected with `limit + 1`. The extra row shows that there is a next page.
 * @param total number of all matching rows, those before the cursor included.
 */
export async function pageAnswer<Name extends string, Row extends { id: string }, Item>(
  name: Name,
  { limit }: Pick<PageQuery, 'limit'>,
  { rows, total }: { rows: readonly Row[]; total: number },
  toItem: (row: Row) => Item | Promise<Item | undefined>,
) {
  const page = rows.slice(0, limit);
  const items = { [name]: await collect(page, async (row) => toItem(row)) } as Record<Name, Item[]>;
  const hasMore = rows.length > limit;
  return { ...items, pagination: { limit, has_more: hasMore, total, next_id: hasMore ? page.at(-1)!.id : null } };
}

interface PageQuery extends Pick<PageRequest, 'limit' | 'order'> {
  after_id?: string | undefined;
}

/** The query parameters of a list that can be limited to a time. `what` begins their descriptions. */
export const timesShape = (what: string) => ({
  from_time: queryInteger(0, TIME_MAX).optional().describe(`${what} at or after this time, Unix seconds.`),
  to_time: queryInteger(0, TIME_MAX).optional().describe(`${what} at or before this time, Unix seconds.`),
});

/** Returns the times of a request: `from` belongs to them, `before` no longer. @throws ServiceError invalid_request */
export function readTimes({ from_time: from, to_time: to }: TimesQuery): Times {
  if (from !== undefined && to !== undefined && from > to)
    throw invalidRequest('Query parameter "from_time": must not be later than to_time.');
  return {
    from: from === undefined ? undefined : new Date(from * 1000),
    // The database cannot read the second after the last one, and nothing happened then.
    before: to === undefined || to === TIME_MAX ? undefined : new Date((to + 1) * 1000),
  };
}

interface TimesQuery {
  from_time?: number | undefined;
  to_time?: number | undefined;
}

interface Times {
  from: Date | undefined;
  before: Date | undefined;
}
