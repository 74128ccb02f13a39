/**
 * The job `analyze-chunks`: recomputes the terms of a tenant's chunks after an upgrade that changed the analyzer. It works in
 * small transactions, may be stopped at any point, and continues where it stopped. Meanwhile searches find chunks with old and
 * with new terms.
 */
import { listChunksToAnalyze, saveTerms } from '../../corpus/chunk-writer.ts';
import { invalidateChunkCaches } from '../../corpus/source-store.ts';
import { listOutdatedTenants, lockOutdated, saveAnalyzed } from '../../corpus/tenant-store.ts';
import type { SystemTx } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { chunkTerms, otherNames } from '../../text/chunk-terms.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Sized for some 30 ms on the embedded database, where transactions queue with searches. */
export const ANALYZED_PER_TRANSACTION = 16;

export function analyzeChunks(deps: Pick<IngestDeps, 'db' | 'log'>): JobHandler {
  return async ({ tenantId }, { signal }) => {
    if (!tenantId) throw new Error('analyze-chunks needs tenantId');
    const startedMs = performance.now();
    let chunks = 0;
    for (let some = 1; some > 0; ) {
      signal.throwIfAborted();
      // This transaction runs as the owner, because a tenant's role may not write the tenant's row. The lock keeps two jobs
      // from doing the same work.
      some = await deps.db.system.transaction((tx) => analyzeSome(tx, tenantId), { background: true });
      if (chunks === 0 && some > 0)
        deps.log.info({ tenantId }, 'the analyzer changed: stored chunks are analyzed again');
      chunks += some;
    }
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
    if (chunks > 0) deps.log.info({ tenantId, chunks, seconds }, 'stored chunks were analyzed again');
  };
}

/** Recomputes the terms of some chunks. Returns their number, 0 if none was left. */
async function analyzeSome(tx: SystemTx, tenantId: string): Promise<number> {
  const after = await lockOutdated(tx, tenantId);
  if (after === undefined) return 0;
  const chunks = await listChunksToAnalyze(tx, tenantId, after, ANALYZED_PER_TRANSACTION);
  const analyzed = chunks.map((chunk) => {
    const { id, title, name, aliases, folderPath, language, isCode, isFirst } = chunk;
    const names = isFirst ? otherNames(title, name ?? title, aliases, folderPath) : [];
    return { id, terms: chunkTerms(chunk, title, language, isCode, names) };
  });
  if (analyzed.length > 0) {
    await saveTerms(tx, tenantId, analyzed);
    await invalidateChunkCaches(tx, tenantId);
  }
  await saveAnalyzed(tx, tenantId, analyzed.at(-1)?.id ?? null);
  return analyzed.length;
}

/** Enqueues a job for every tenant whose terms come from another version of the analyzer. Called when a worker starts. */
export async function wakeAnalysis({ db, queue }: Pick<IngestDeps, 'db' | 'queue'>): Promise<void> {
  await db.system.transaction(async (tx) => {
    for (const tenantId of await listOutdatedTenants(tx)) await queue.enqueue(tx, 'analyze-chunks', { tenantId });
  });
}
