/** Reads the chat model usage of an API key. */

import type { Caller } from '../../access/caller.ts';
import { isVisibleApiKey } from '../../corpus/api-key-store.ts';
import { listUsage, type UsageRow } from '../../corpus/usage-store.ts';
import { notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { utcDay } from '../../llm/usage-ledger.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the usage of the last `days` days in UTC, today included. Days without a call are left out.
 *
 * @throws ServiceError not_found for a key that the caller must not see.
 */
export async function readUsage(
  { db, usage, clock }: Pick<Deps, 'db' | 'usage' | 'clock'>,
  { tenantId, sourceGroupIds, tagIds }: Caller,
  id: string,
  days: number,
) {
  if (!(await isVisibleApiKey(db, tenantId, { sourceGroupIds, tagIds }, id))) throw notFound();
  await usage.flush();
  const since = utcDay(new Date(clock.now().getTime() - (days - 1) * DAY_MS));
  const rows = await listUsage(db, tenantId, id, since);
  const sum = (of: keyof UsageRow): number => rows.reduce((total, row) => total + row[of], 0);
  return {
    days: rows,
    total: { requests: sum('requests'), inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
  };
}
