/** Requests with several items, of which each succeeds or fails on its own. */
import { z } from 'zod';
import { faultOfItem } from '../errors.ts';

/** @param member the member of an item that has its id. */
export function batchSchema(member: string) {
  return z.object({
    success_count: z.int().describe('Number of items that succeeded.'),
    results: z
      .array(
        z.object({
          id: z.string().describe(`The ${member} of the item.`),
          success: z.boolean().describe('Whether the item succeeded.'),
          error: z.string().describe('Error message of the item; empty if it succeeded.'),
        }),
      )
      .describe('One result for each item, in the same order.'),
  });
}

/**
 * Applies items in their order. An item that fails does not affect the others. Its error is the same as of a request for this item.
 *
 * @throws errors that an item did not cause. The items before it are applied then, and may be sent again.
 */
export async function applyBatch<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  apply: (item: Item) => Promise<unknown>,
  signal: AbortSignal,
): Promise<z.output<ReturnType<typeof batchSchema>>> {
  const results: { id: string; success: boolean; error: string }[] = [];
  for (const item of items) {
    signal.throwIfAborted();
    const error = await apply(item).then(() => '', faultOfItem);
    results.push({ id: idOf(item), success: error === '', error });
  }
  return { success_count: results.filter(({ success }) => success).length, results };
}
