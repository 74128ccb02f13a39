/** Changes the name and the metadata of a source group. */

import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { findGroup, lockGroup, type SourceGroup, saveGroupMetadata, setGroupName } from '../../corpus/group-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound } from '../../errors.ts';
import { type ApiMetadata, changedKeys, checkPatch, mergeMetadata, type PatchRecord } from '../../filters/metadata.ts';
import type { Deps } from '../../http/deps.ts';

/** Renames a group and returns it. @throws ServiceError not_found, also for a group that is being deleted. */
export async function renameGroup(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
  name: string,
): Promise<SourceGroup> {
  return deps.db.transaction(caller.tenantId, async (tx) => {
    const group = await lockVisible(tx, caller, id);
    await setGroupName(tx, id, name);
    if (name !== group.name) await recordChange(tx, caller, 'change', 'source_group', id, { name });
    return { ...group, name };
  });
}

/**
 * Merges a patch into the group's metadata and returns the merged metadata. The group is locked during the merge.
 *
 * @throws ServiceError invalid_request, not_found, metadata_full: checked in this order.
 */
export async function patchGroupMetadata(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
  patch: readonly PatchRecord[],
): Promise<ApiMetadata> {
  checkPatch(patch);
  return deps.db.transaction(caller.tenantId, async (tx) => {
    const group = await lockVisible(tx, caller, id);
    const merged = mergeMetadata(group.metadata, patch);
    await saveGroupMetadata(tx, id, merged);
    const keys = changedKeys(group.metadata, merged);
    if (keys.length > 0) await recordChange(tx, caller, 'change', 'source_group', id, { metadata_keys: keys });
    return merged;
  });
}

async function lockVisible(tx: Tx, caller: Caller, id: string): Promise<SourceGroup> {
  const visible = await findGroup(tx, id, caller);
  const group = visible && (await lockGroup(tx, id));
  if (!group || group.deletedAt) throw notFound();
  return group;
}
