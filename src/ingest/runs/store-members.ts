/**
 * Stores the files found inside a file (its members).
 *
 * Members become sources in the transaction that makes the file itself ready, so each member becomes a source once, whatever is
 * retried. When a file gets a new version, the members that both versions contain keep their sources.
 */
import type { NewVersion } from '../../corpus/origin-store.ts';
import { addListed, NOTHING_LISTED } from '../../corpus/run-store.ts';
import {
  countSources,
  GROUP_BYTES_MAX,
  GROUP_SOURCES_MAX,
  listMembers,
  lockQuotaRoom,
  type Member,
  measureSources,
  type QuotaRoom,
  type SourceCounts,
} from '../../corpus/source-lookup.ts';
import { insertMembers, restartSources } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { overLimit } from '../../files/failure.ts';
import { idsOf, newId } from '../../util/ids.ts';
import { storeWithBlobs } from '../durable-blobs.ts';
import type { ActiveRun } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { hideInRun } from '../removal/remove-gone.ts';
import { saveVersions } from './new-versions.ts';
import type { SourceRows, StagedMember } from './rows.ts';

/** Number and bytes of the sources of a group, without those that the new version of a file removes. */
interface Kept {
  files: number;
  bytes: number;
}

/**
 * Checks that a group has room for the members.
 *
 * @param matched members of the previous version that `members` replace.
 * @throws FileError when it has not.
 */
export function checkRoom(
  kept: Kept,
  matched: readonly Pick<Member, 'fileSize'>[],
  members: readonly { size: number }[],
  { sourcesMax, bytesMax } = { sourcesMax: GROUP_SOURCES_MAX, bytesMax: GROUP_BYTES_MAX },
): void {
  const others = kept.files - matched.length;
  const otherBytes = matched.reduce((sum, { fileSize }) => sum - fileSize, kept.bytes);
  const isTooMany = others + members.length > sourcesMax;
  const isTooLarge = members.reduce((sum, { size }) => sum + size, otherBytes) > bytesMax;
  if ((isTooMany && sourcesMax < GROUP_SOURCES_MAX) || (isTooLarge && bytesMax < GROUP_BYTES_MAX))
    throw overLimit('The files inside do not fit into the quota of the tenant.', 'store');
  if (isTooMany)
    throw overLimit(`With the files inside, the source group would have more than ${sourcesMax} files.`, 'store');
  if (isTooLarge)
    throw overLimit(
      `With the files inside, the source group would have more than ${bytesMax / 1024 ** 3} GiB.`,
      'store',
    );
}

/**
 * Returns the members for which a group has room. Members of the previous version always fit; new members (`added`) fit in
 * their order. Pure.
 */
export function membersThatFit(
  kept: Kept,
  found: readonly StagedMember[],
  added: readonly StagedMember[],
  { sourcesMax, bytesMax } = { sourcesMax: GROUP_SOURCES_MAX, bytesMax: GROUP_BYTES_MAX },
): StagedMember[] {
  const isNew = new Set(added);
  let sourcesFree = sourcesMax - kept.files;
  let bytesFree = bytesMax - kept.bytes;
  return found.filter((member) => {
    if (!isNew.has(member)) return true;
    if (sourcesFree < 1 || member.staged.size > bytesFree) return false;
    sourcesFree -= 1;
    bytesFree -= member.staged.size;
    return true;
  });
}

/** Returns the limits of a group with these counts, in which the quota of the tenant leaves room. */
function limitsOf({ pending, ready, failed, bytes }: SourceCounts, room: QuotaRoom) {
  return {
    sourcesMax: Math.min(GROUP_SOURCES_MAX, pending + ready + failed + room.files),
    bytesMax: Math.min(GROUP_BYTES_MAX, bytes + room.bytes),
  };
}

/**
 * Makes the members' bytes durable, then calls `store`. `store` must call its `insert` argument in its last transaction. If the
 * group has no room for all members, a file with text of its own is stored with fewer members: `store` gets its rows with a
 * warning.
 *
 * @throws FileError when an archive would make the group too large; RunLost and errors of `store`.
 */
export async function storeWithMembers(
  deps: IngestDeps,
  active: ActiveRun,
  rows: SourceRows,
  store: (rows: SourceRows, insert: (tx: Tx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { tenantId, groupId } = active;
  const { kept, matched, added, limits } = await deps.db.transaction(tenantId, async (tx) => {
    const counts = await countSources(tx, groupId);
    const before = await listMembers(tx, rows.source.id);
    const { matched, added, gone } = matchMembers(before, rows.members);
    const removed = await measureSources(tx, idsOf(gone));
    const files = counts.pending + counts.ready + counts.failed - removed.files;
    const kept: Kept = { files, bytes: counts.bytes - removed.bytes };
    return { kept, matched, added, limits: limitsOf(counts, await lockQuotaRoom(tx, deps.config.quotas)) };
  });
  const isArchive = rows.result.fileType === 'unknown';
  const members = isArchive ? rows.members : membersThatFit(kept, rows.members, added, limits);
  const staged = members.map((member) => member.staged);
  const replaced = matched.map((pair) => pair.before);
  try {
    if (isArchive) checkRoom(kept, replaced, staged, limits);
  } catch (error) {
    await deps.blobs.discard(staged);
    throw error;
  }
  await deps.blobs.discard(rows.members.filter((member) => !members.includes(member)).map((member) => member.staged));
  await storeWithBlobs(deps, tenantId, staged, (release) =>
    store(withMembers(rows, members), async (tx) => {
      await release(tx);
      await replaceMembers(deps, tx, active, rows.source.id, members);
    }),
  );
}

function withMembers(rows: SourceRows, members: readonly StagedMember[]): SourceRows {
  const others = rows.members.length - members.length;
  if (others === 0) return rows;
  const what = others === 1 ? '1 file inside was' : `${others} files inside were`;
  const warning = `${what} skipped: the source group has no room for more.`;
  return { ...rows, members, result: { ...rows.result, warnings: [...rows.result.warnings, warning] } };
}

/**
 * Replaces the members of a file that becomes ready. New members become sources. A member of both versions stays served:
 * unchanged when its bytes are equal, otherwise until its new version is processed. Members that the file no longer contains
 * are hidden.
 */
export async function replaceMembers(
  deps: IngestDeps,
  tx: Tx,
  active: ActiveRun,
  parentId: string,
  found: readonly StagedMember[],
): Promise<void> {
  const { groupId, runId } = active;
  const now = deps.clock.now();
  const { matched, added, gone } = matchMembers(await listMembers(tx, parentId), found);
  const changed = matched.filter(({ before, after }) => before.newestHash !== after.staged.hash);
  const versionsOf = (isServed: boolean): NewVersion[] =>
    changed
      .filter(({ before }) => (before.status === 'ready') === isServed)
      .map(({ before, after }) => ({
        sourceId: before.id,
        blobHash: after.staged.hash,
        fileSize: after.staged.size,
        contentAt: null,
      }));
  await restartSources(tx, versionsOf(false));
  await saveVersions(tx, groupId, versionsOf(true));
  const sources = added.map(({ name, staged }) => ({
    id: newId(now.getTime()),
    name,
    fileSize: staged.size,
    blobHash: staged.hash,
  }));
  await insertMembers(tx, parentId, sources, now);
  // Members that were already pending are in the run's counts.
  const reread = changed.filter(({ before }) => !before.waits).length;
  const unchanged = matched.filter((pair) => !changed.includes(pair) && isServed(pair.before)).length;
  await addListed(tx, runId, { ...NOTHING_LISTED, listed: added.length + reread + unchanged, unchanged }, now);
  const skipped = await hideInRun(deps, tx, active, idsOf(gone));
  if (skipped > 0) await addListed(tx, runId, { ...NOTHING_LISTED, skipped }, now);
}

function isServed({ status, waits }: Member): boolean {
  return status === 'ready' && !waits;
}

/** Matches members of the previous version and found members by name; equal names in the order of the file. Pure. */
export function matchMembers(
  before: readonly Member[],
  found: readonly StagedMember[],
): { matched: { before: Member; after: StagedMember }[]; added: StagedMember[]; gone: Member[] } {
  const byName = Map.groupBy(before, ({ name }) => name);
  const matched: { before: Member; after: StagedMember }[] = [];
  const added: StagedMember[] = [];
  for (const after of found) {
    const match = byName.get(after.name)?.shift();
    if (match) matched.push({ before: match, after });
    else added.push(after);
  }
  return { matched, added, gone: [...byName.values()].flat() };
}
