/** Finds the file of a table as a statement may read it: the rules for readers apply before SQL, which could undo a mask afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Database } from '../../db/database.ts';
import { ServiceError } from '../../errors.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { readerSteps } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { findCopy } from '../../tables/store.ts';
import type { QueriedTable } from './visible.ts';

const POLL_MS = 50;
/** A request waits for a copy this long. A later request finds the copy. */
const WAIT_MS_MAX = 8_000;
const RETRY_SECONDS = 5;

export interface CopyDeps {
  db: Database;
  blobs: BlobStore;
  queue: JobQueue;
}

/**
 * Returns the path of the file. If rules for readers exist and no copy of this version, a job makes the copy.
 *
 * @throws ServiceError overloaded if the job takes longer.
 */
export async function redactedFile(
  { db, blobs, queue }: CopyDeps,
  table: Pick<QueriedTable, 'tenantId' | 'tableId' | 'version' | 'generation' | 'sqlName' | 'blobHash' | 'redactedBy'>,
  redactor: Redactor | null,
  signal: AbortSignal,
): Promise<string> {
  const { tenantId, tableId } = table;
  if (!redactor || !readerSteps(redactor, table.redactedBy).some((step) => redactor.appliesAt(step))) {
    return blobs.localPath(tenantId, table.blobHash);
  }
  const find = () =>
    db.transaction(tenantId, (tx) => findCopy(tx, table, redactor.version), { signal, readOnly: true });
  let copy = await find();
  if (copy === undefined) {
    await db.transaction(tenantId, (tx) => queue.enqueue(tx, 'table-redact', { tenantId, tableId }));
    const end = performance.now() + WAIT_MS_MAX;
    while (copy === undefined && performance.now() < end) {
      await sleep(POLL_MS, undefined, { signal });
      copy = await find();
    }
  }
  if (copy !== undefined) return blobs.localPath(tenantId, copy);
  throw new ServiceError('overloaded', `The table ${table.sqlName} is being redacted. Try again.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
