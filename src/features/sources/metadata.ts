/** Metadata of sources: one patch, many patches, deletion. The rules of a patch are in filters/metadata.ts. */
import type { GroupLimits } from '../../access/limits.ts';
import { lockSourceMetadata } from '../../corpus/source-lookup.ts';
import { saveSourceMetadata } from '../../corpus/source-store.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { type ApiMetadata, checkPatch, mergeMetadata, type PatchRecord } from '../../filters/metadata.ts';
import type { Deps } from '../../http/deps.ts';
import { isId } from '../../util/ids.ts';

export interface SourcePatch {
  sourceId: string;
  /** The group that the source must belong to, when given. */
  groupId?: string | undefined;
  records: readonly PatchRecord[];
}

export interface PatchResult {
  id: string;
  success: boolean;
  /** What the single request would have said; empty after a success. */
  error: string;
}

/**
 * Merges a patch into the API records of a source and returns what they are then.
 *
 * The source's row stays locked while it is merged, so concurrent patches apply one after the other and the cap holds.
 *
 * @throws ServiceError invalid_request, not_found, metadata_full: in this order.
 */
export async function patchSourceMetadata(
  deps: Pick<Deps, 'db'>,
  tenantId: string,
  limits: GroupLimits,
  { sourceId, groupId, records }: SourcePatch,
): Promise<ApiMetadata> {
  checkPatch(records);
  if (!isId(sourceId) || (groupId !== undefined && !isId(groupId))) throw notFound();
  return deps.db.transaction(tenantId, async (tx) => {
    const current = await lockSourceMetadata(tx, tenantId, sourceId, limits, groupId);
    if (!current) throw notFound();
    const merged = mergeMetadata(current, records);
    await saveSourceMetadata(tx, tenantId, sourceId, merged);
    return merged;
  });
}

/**
 * Applies patches in their order, each by itself: what fails for one item leaves the others alone. A transaction of its own
 * for each keeps at most one source locked, so batches cannot block each other for good.
 *
 * @throws whatever is no fault of an item; the items before it are applied then, and may be sent again.
 */
export async function patchSources(
  deps: Pick<Deps, 'db'>,
  tenantId: string,
  limits: GroupLimits,
  patches: readonly SourcePatch[],
  signal: AbortSignal,
): Promise<PatchResult[]> {
  const results: PatchResult[] = [];
  for (const patch of patches) {
    signal.throwIfAborted();
    const error = await patchSourceMetadata(deps, tenantId, limits, patch).then(() => '', faultOfItem);
    results.push({ id: patch.sourceId, success: error === '', error });
  }
  return results;
}

function faultOfItem(error: unknown): string {
  if (error instanceof ServiceError && error.status < 500) return error.message;
  throw error;
}

/** Removes the API records; origin records stay. @throws ServiceError not_found. */
export async function deleteSourceMetadata(
  deps: Pick<Deps, 'db'>,
  tenantId: string,
  limits: GroupLimits,
  sourceId: string,
): Promise<void> {
  await deps.db.transaction(tenantId, async (tx) => {
    const current = await lockSourceMetadata(tx, tenantId, sourceId, limits);
    if (!current) throw notFound();
    await saveSourceMetadata(tx, tenantId, sourceId, {});
  });
}
