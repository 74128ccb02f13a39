/** Starts the builds of the tables of sources that were read. */
import type { SavedResult, SourceResult } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { findSourcesWithTables } from '../../tables/store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Queues the builds in the transaction that makes the sources searchable. */
export async function requestTables(
  { queue }: Pick<IngestDeps, 'queue'>,
  tx: Tx,
  tenantId: string,
  savedRows: readonly { result: SourceResult }[],
  saved: ReadonlyMap<string, SavedResult>,
): Promise<void> {
  const ready = savedRows.filter(({ result }) => result.status === 'ready');
  const replaced = ready.flatMap(({ result }) => (saved.get(result.id)?.wasUpdate ? [result.id] : []));
  const before = new Set(await findSourcesWithTables(tx, tenantId, replaced));
  for (const { result } of ready) {
    if (!before.has(result.id) && !result.tables.some(({ automatic }) => automatic)) continue;
    await queue.enqueue(tx, 'table-build', { tenantId, sourceId: result.id });
  }
}
