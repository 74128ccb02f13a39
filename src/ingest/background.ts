/** Transactions for which nobody waits: on the embedded database, other statements go first. */
import type { Tx } from '../db/database.ts';
import type { IngestDeps } from './ingest-deps.ts';

export function inBackground<T>(
  { db }: Pick<IngestDeps, 'db'>,
  tenantId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction(tenantId, work, { background: true });
}

/** Removes rows in short transactions, until `remove` finds nothing more. `afterEach` is called after each of them. */
export async function removeInParts(
  deps: Pick<IngestDeps, 'db'>,
  tenantId: string,
  signal: AbortSignal,
  remove: (tx: Tx) => Promise<number>,
  afterEach = (): void => {},
): Promise<void> {
  let removed: number;
  do {
    signal.throwIfAborted();
    removed = await inBackground(deps, tenantId, remove);
    afterEach();
  } while (removed > 0);
}
