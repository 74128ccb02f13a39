/** Changes the name and the metadata of a source group. */

import type { GroupLimits } from '../../access/limits.ts';
import { findGroup, lockGroup, type SourceGroup, saveGroupMetadata, setGroupName } from '../../corpus/group-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound } from '../../errors.ts';
import { type ApiMetadata, checkPatch, mergeMetadata, type PatchRecord } from '../../filters/metadata.ts';
import type { Deps } from '../../http/deps.ts';

/** Renames a group and returns it. @throws ServiceError not_found, also for a group that is being deleted. */
export async function renameGroup(
  deps: Pick<Deps, 'db'>,
  tenantId: string,
  id: string,
  limits: GroupLimits,
  name: string,
): Promise<SourceGroup> {
  return deps.db.transaction(tenantId, async (tx) => {
    const group = await lockVisible(tx, tenantId, id, limits);
    await setGroupName(tx, tenantId, id, name);
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
  tenantId: string,
  id: string,
  limits: GroupLimits,
  patch: readonly PatchRecord[],
): Promise<ApiMetadata> {
  checkPatch(patch);
  return deps.db.transaction(tenantId, async (tx) => {
    const group = await lockVisible(tx, tenantId, id, limits);
    const merged = mergeMetadata(group.metadata, patch);
    await saveGroupMetadata(tx, tenantId, id, merged);
    return merged;
  });
}

async function lockVisible(tx: Tx, tenantId: string, id: string, limits: GroupLimits): Promise<SourceGroup> {
  const visible = await findGroup(tx, tenantId, id, limits);
  const group = visible && (await lockGroup(tx, tenantId, id));
  if (!group || group.deletedAt) throw notFound();
  return group;
}
