/**
 * Gives files the other files of their group that they include, and reads files again whose included files have changed.
 *
 * A source records which paths it looked up, and the hashes of the bytes there. A run ends only when these records equal the
 * group's files.
 */
import { readFile } from 'node:fs/promises';
import type { SourceGroup } from '../../corpus/group-store.ts';
import { findIncluded, listOutdatedIncluders } from '../../corpus/include-lookup.ts';
import { addListed, NOTHING_LISTED } from '../../corpus/run-store.ts';
import type { Tx } from '../../db/database.ts';
import type { IncludeReader } from '../../files/sandbox/file-processor.ts';
import type { ToolAnswer } from '../../files/tools.ts';
import type { ActiveRun } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { ClaimedSource } from './claimed-source.ts';
import { saveVersions } from './new-versions.ts';
import { mayRun, queueStoredRun } from './run-actions.ts';

const INCLUDED_MIB_MAX = 2;

/** Returns the reader of the files that `source` includes. Paths that it looks up are recorded in `includes`. */
export function openIncludes(
  deps: Pick<IngestDeps, 'db' | 'blobs'>,
  { tenantId, groupId }: Pick<ActiveRun, 'tenantId' | 'groupId'>,
  { groupPath, parentSourceId }: Pick<ClaimedSource, 'groupPath' | 'parentSourceId'>,
  includes: Map<string, string | null>,
): IncludeReader {
  const find = async (path: string) => {
    const found = await deps.db.transaction(tenantId, (tx) => findIncluded(tx, groupId, parentSourceId, path));
    includes.set(path, found?.hash ?? null);
    return found;
  };
  return async (path) => {
    // The file's own path is recorded too: a moved file may find other files.
    if (includes.size === 0 && groupPath !== null) await find(groupPath);
    const found = await find(path);
    if (!found) return refused('which is not in its source group');
    if (found.size > INCLUDED_MIB_MAX * 1024 ** 2) return refused(`which is larger than ${INCLUDED_MIB_MAX} MiB`);
    const bytes = await readFile(deps.blobs.localPath(tenantId, found.hash)).catch(() => undefined);
    return bytes ? { ok: true, bytes } : refused('whose stored bytes are missing');
  };
}

/** @param message the end of a sentence that begins with the name of the file. */
function refused(message: string): ToolAnswer {
  return { ok: false, failure: { stage: 'parse', title: 'A file was not included', message, retryable: false } };
}

/** Makes sources whose included files have changed wait in the run, and returns their number. The group must be locked. */
export async function queueOutdatedIncluders(
  deps: Pick<IngestDeps, 'clock'>,
  tx: Tx,
  { groupId, runId }: Pick<ActiveRun, 'groupId' | 'runId'>,
): Promise<number> {
  const versions = await listOutdatedIncluders(tx, groupId);
  if (versions.length === 0) return 0;
  await saveVersions(tx, groupId, versions);
  await addListed(tx, runId, { ...NOTHING_LISTED, listed: versions.length }, deps.clock.now());
  return versions.length;
}

/**
 * Queues a run of a locked group if a file includes a file that was deleted a moment ago. An active run does this work at its end.
 */
export async function runForIncluders(
  deps: Pick<IngestDeps, 'db' | 'queue' | 'clock'>,
  tx: Tx,
  group: Pick<SourceGroup, 'id' | 'generation' | 'sourceType' | 'status'>,
): Promise<void> {
  if (!mayRun(group.status) || (await listOutdatedIncluders(tx, group.id)).length === 0) return;
  await queueStoredRun(deps, tx, group, 0);
}
