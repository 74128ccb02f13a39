/** Adds a source group that follows an origin, with its setting and its first run. */
import { insertGroup, saveGroupMetadata } from '../../corpus/group-store.ts';
import { insertRun } from '../../corpus/run-store.ts';
import { countSettingsLocked, insertSetting, type NewSetting } from '../../corpus/setting-store.ts';
import { checkQuota, lockQuotaRoom } from '../../corpus/source-lookup.ts';
import type { Tx } from '../../db/database.ts';
import { conflict } from '../../errors.ts';
import type { ApiMetadata } from '../../filters/metadata.ts';
import { newId } from '../../util/ids.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { enqueueRun } from '../runs/run-actions.ts';

/** Maximum number of such groups of one tenant. */
const ORIGIN_GROUPS_MAX = 1_000;

/** Returns the id of the new group. The caller has checked the secret of the setting. @throws ServiceError conflict, quota */
export async function addOriginGroup(
  deps: Pick<IngestDeps, 'config' | 'queue'>,
  tx: Tx,
  { name, metadata, ...setting }: Omit<NewSetting, 'id' | 'sourceGroupId'> & { name: string; metadata: ApiMetadata },
): Promise<string> {
  const { origin, createdAt } = setting;
  if ((await countSettingsLocked(tx)) >= ORIGIN_GROUPS_MAX)
    throw conflict(`There are ${ORIGIN_GROUPS_MAX} such sources already: delete one first.`);
  checkQuota(await lockQuotaRoom(tx, deps.config.quotas), { groups: 1 });
  const id = newId(createdAt.getTime());
  await insertGroup(tx, { id, sourceType: origin.kind, name, chunkMetadataKeys: [], uploadAt: null, createdAt });
  await saveGroupMetadata(tx, id, metadata);
  await insertSetting(tx, { ...setting, id: newId(createdAt.getTime()), sourceGroupId: id });
  const runId = newId(createdAt.getTime());
  await insertRun(tx, { id: runId, sourceGroupId: id, generation: 1, scanned: 0, unchanged: 0, createdAt });
  await enqueueRun(deps, tx, { id: runId, reads: 'origin' }, origin.kind);
  return id;
}
