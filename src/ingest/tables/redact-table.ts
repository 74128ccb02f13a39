/**
 * The job `table-redact`: writes a copy of a table's file as readers may see it. Queries read the copy, so no statement sees a value that
 * a rule masks. The job may run twice: the copy belongs to a version of the table and of the policy.
 */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { JobHandler } from '../../jobs/queue.ts';
import { readerSteps } from '../../redaction/apply-redaction.ts';
import { copyTableFile } from '../../tables/redact-file.ts';
import { findCopy, findTableToRedact, saveCopy } from '../../tables/store.ts';
import { inTempFolder } from '../../util/folders.ts';
import { storeWithBlobs } from '../durable-blobs.ts';
import type { IngestDeps } from '../ingest-deps.ts';

type RedactDeps = Pick<IngestDeps, 'db' | 'blobs' | 'clock' | 'redactors'>;

export function redactTable(deps: RedactDeps): JobHandler {
  return async ({ tenantId, tableId }, { signal }) => {
    if (!tenantId || !tableId) throw new Error('table-redact needs tenantId and tableId');
    const found = await deps.db.transaction(tenantId, async (tx) => {
      const table = await findTableToRedact(tx, tableId);
      const redactor = await deps.redactors.forTenant(tx);
      if (!table || !redactor || (await findCopy(tx, table, redactor.version)) !== undefined) return undefined;
      return { table, redactor };
    });
    if (!found) return;
    const { table, redactor } = found;
    await inTempFolder(async (folder) => {
      const out = path.join(folder, 'copy.parquet');
      const original = deps.blobs.localPath(tenantId, table.blobHash);
      await copyTableFile(original, out, table.columns, redactor, readerSteps(redactor, table.redactedBy), signal);
      const staged = await deps.blobs.stage(tenantId, createReadStream(out), signal);
      await storeWithBlobs(deps, tenantId, [staged], async (release) => {
        await deps.db.transaction(tenantId, async (tx) => {
          await saveCopy(tx, table, redactor.version, staged.hash, deps.clock.now());
          await release(tx);
        });
      });
    });
  };
}
