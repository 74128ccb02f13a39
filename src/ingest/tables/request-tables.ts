/** Starts the builds of the tables of sources that were read. */
import type { SourceResult } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { findSourcesWithTables } from '../../tables/store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Queues the builds in the transaction that makes the sources searchable. */
export async function requestTables(
  { queue }: Pick<IngestDeps, 'queue'>,
  tx: Tx,
  savedRows: readonly { result: SourceResult }[],
): Promise<void> {
  const ready = savedRows.filter(({ result }) => result.status === 'ready');
  const read = ready.map(({ result }) => result.id);
  const wanted = new Set(await findSourcesWithTables(tx, read));
  for (const { result } of ready) {
    if (!wanted.has(result.id) && !result.tables.some(({ automatic }) => automatic)) continue;
    await queue.enqueue(tx, 'table-build', { tenantId: tx.tenantId, sourceId: result.id });
  }
}
