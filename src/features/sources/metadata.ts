/** Changes and deletes the metadata of sources. The limits of a patch are in filters/metadata.ts. */
import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { lockSourceMetadata } from '../../corpus/source-lookup.ts';
import { saveSourceMetadata } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound, orNotFound } from '../../errors.ts';
import { type ApiMetadata, changedKeys, checkPatch, mergeMetadata, type PatchRecord } from '../../filters/metadata.ts';
import type { Deps } from '../../http/deps.ts';
import { isId } from '../../util/ids.ts';

export interface SourcePatch {
  sourceId: string;
  /** If given, the source must belong to this group. */
  groupId?: string | undefined;
  records: readonly PatchRecord[];
}

/**
 * Merges a patch into the API records of a source, and of the files inside it, and returns the merged records. The row of the source is
 * locked during the merge, so concurrent patches are applied one after the other and cannot exceed the maximum number of records.
 *
 * @throws ServiceError invalid_request, not_found, metadata_full: checked in this order.
 */
export async function patchSourceMetadata(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  { sourceId, groupId, records }: SourcePatch,
): Promise<ApiMetadata> {
  checkPatch(records);
  if (!isId(sourceId)) throw notFound();
  return deps.db.transaction(caller.tenantId, async (tx) => {
    const current = orNotFound(await lockSourceMetadata(tx, sourceId, caller, groupId));
    const merged = mergeMetadata(current, records);
    await save(tx, caller, sourceId, current, merged);
    return merged;
  });
}

/** Deletes the API records of a source, and from the files inside it; records of the origin stay. @throws ServiceError not_found. */
export async function deleteSourceMetadata(deps: Pick<Deps, 'db'>, caller: Caller, sourceId: string): Promise<void> {
  await deps.db.transaction(caller.tenantId, async (tx) => {
    const current = orNotFound(await lockSourceMetadata(tx, sourceId, caller));
    await save(tx, caller, sourceId, current, {});
  });
}

/** Saves the records and writes an audit event with the changed keys, because policies decide by them. */
async function save(tx: Tx, caller: Caller, sourceId: string, before: ApiMetadata, after: ApiMetadata): Promise<void> {
  await saveSourceMetadata(tx, sourceId, before, after);
  const keys = changedKeys(before, after);
  if (keys.length > 0) await recordChange(tx, caller, 'change', 'source', sourceId, { metadata_keys: keys });
}
