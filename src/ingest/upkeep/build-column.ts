/**
 * The job `build-column`: fills a new metadata column with the values of existing sources, or removes the values of a deleted
 * column. It works in small transactions and may be stopped and restarted at any point. Filters give correct results all the
 * time.
 */
import { buildStep, purgeStep } from '../../corpus/column-store.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Sized for about 30 ms on the embedded database, where transactions queue with searches. */
export const BUILD_SOURCES_PER_TRANSACTION = 500;
const PURGE_VALUES_PER_TRANSACTION = 1_000;

export function buildColumn(deps: Pick<IngestDeps, 'db' | 'clock'>): JobHandler {
  return async ({ tenantId, columnId }, { signal }) => {
    if (!tenantId || !columnId) throw new Error('build-column needs tenantId and columnId');
    for (const [step, limit] of [
      [buildStep, BUILD_SOURCES_PER_TRANSACTION],
      [purgeStep, PURGE_VALUES_PER_TRANSACTION],
    ] as const) {
      for (let done = false; !done; ) {
        signal.throwIfAborted();
        done = await deps.db.transaction(tenantId, (tx) => step(tx, tenantId, columnId, limit, deps.clock.now()));
      }
    }
  };
}
