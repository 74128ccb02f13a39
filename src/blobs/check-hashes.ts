/** Compares the bytes of stored blobs with their hashes, for example after a restored backup. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';

export interface HashReport {
  /** Number of blobs that were read. */
  checked: number;
  /** The problem of each blob that has other bytes than its hash says, or that cannot be read. */
  problems: string[];
}

/** Reads every blob. A blob that is deleted meanwhile is left out. */
export async function checkHashes(blobs: Pick<BlobStore, 'list' | 'read'>): Promise<HashReport> {
  const report: HashReport = { checked: 0, problems: [] };
  for await (const { tenantId, hash } of blobs.list()) {
    try {
      const actual = createHash('sha256');
      await pipeline(await blobs.read(tenantId, hash), actual);
      if (actual.digest('hex') !== hash) report.problems.push(`the bytes of blob ${hash} were changed`);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') continue;
      report.problems.push(`blob ${hash} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    report.checked += 1;
  }
  return report;
}
