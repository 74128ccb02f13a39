/** Uploads files as local file groups, and waits for their ingestion. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run, RunError, SourceGroup } from '../../client/api.ts';
import type { Client } from './client.ts';
import { packGroups } from './files.ts';
import { usageError } from './io.ts';
import { multipartBody, type UploadFile } from './multipart.ts';
import { allOf } from './pages.ts';

const POLL_INTERVAL_MS = 250;
const GROUP_NAME_MAX = 200;
/** Statuses of groups that have no active run. */
const SETTLED: ReadonlySet<string> = new Set(['success', 'failure', 'canceled', 'managed', 'delete_job_failure']);

export interface UploadProgress {
  bytesDone: number;
  bytesTotal: number;
  filesDone: number;
  filesTotal: number;
}

export interface IngestProgress {
  filesDone: number;
  filesTotal: number;
  filesFailed: number;
  chunksDone: number;
}

export interface GroupOutcome {
  groupId: string;
  filesFailed: number;
  /** Why the run of the group failed. Null if the run succeeded, even if single files failed. */
  error: { title: string; message: string } | null;
  fileErrors: RunError[];
  run: Run | null;
}

/**
 * Uploads `files` as one or more groups, one after the other, and returns their ids.
 *
 * @throws CliError before anything is sent, when the name with the number of the group is too long.
 */
export async function uploadFiles(
  client: Client,
  name: string,
  files: readonly UploadFile[],
  onProgress?: (progress: UploadProgress) => void,
): Promise<string[]> {
  const groups = packGroups(files);
  const names = groups.map((_, i) => (groups.length > 1 ? `${name} (${i + 1} of ${groups.length})` : name));
  if (names.some((one) => [...one].length > GROUP_NAME_MAX)) {
    const more = groups.length > 1 ? `, with the number of each of the ${groups.length} groups` : '';
    throw usageError(`The name of a source group may have at most ${GROUP_NAME_MAX} characters${more}.`);
  }
  const bytesTotal = files.reduce((sum, file) => sum + file.size, 0);
  const groupIds: string[] = [];
  let bytesDone = 0;
  let filesDone = 0;
  for (const [index, group] of groups.entries()) {
    const report = (sent: number) =>
      onProgress?.({
        bytesDone: Math.min(bytesTotal, bytesDone + sent),
        bytesTotal,
        filesDone,
        filesTotal: files.length,
      });
    const answer = await client.createLocalFileGroup({ body: multipartBody([['name', names[index]!]], group, report) });
    groupIds.push(answer.source_group_id);
    bytesDone += group.reduce((sum, file) => sum + file.size, 0);
    filesDone += group.length;
    onProgress?.({ bytesDone, bytesTotal, filesDone, filesTotal: files.length });
  }
  return groupIds;
}

/** Waits until no group has a queued or active run. `filesTotal` is the number of files that were uploaded to these groups. */
export async function waitForGroups(
  client: Client,
  groupIds: readonly string[],
  filesTotal: number,
  onProgress?: (progress: IngestProgress) => void,
): Promise<GroupOutcome[]> {
  const outcomes = new Map<string, GroupOutcome>();
  const runs = new Map<string, Run>();
  for (;;) {
    for (const groupId of groupIds) {
      if (outcomes.has(groupId)) continue;
      const params = { id: groupId };
      const group = await client.getSourceGroup({ params });
      const [run] = (await client.listRuns({ params, query: { limit: 1, order: 'desc' } })).runs;
      if (run !== undefined) runs.set(groupId, run);
      if (SETTLED.has(group.status)) outcomes.set(groupId, await outcomeOf(client, group, run));
    }
    onProgress?.(ingestProgress([...runs.values()], filesTotal));
    if (outcomes.size === groupIds.length) return groupIds.map((id) => outcomes.get(id)!);
    await sleep(POLL_INTERVAL_MS);
  }
}

function ingestProgress(runs: readonly Run[], filesTotal: number): IngestProgress {
  const sum = (value: (run: Run) => number) => runs.reduce((total, run) => total + value(run), 0);
  return {
    // A run may have more files than were uploaded: files found inside other files.
    filesTotal: Math.max(
      filesTotal,
      sum((run) => run.files_total),
    ),
    filesDone: sum((run) => run.files_done),
    filesFailed: sum((run) => run.statistics.failed),
    chunksDone: sum((run) => run.chunks_done),
  };
}

async function outcomeOf(client: Client, group: SourceGroup, run: Run | undefined): Promise<GroupOutcome> {
  const fileErrors = run !== undefined && run.statistics.failed > 0 ? await listErrors(client, run.id) : [];
  const succeeded = group.status === 'success' || group.status === 'managed';
  const error = succeeded ? null : (group.error ?? { title: `The ingestion ended as ${group.status}.`, message: '' });
  return { groupId: group.id, filesFailed: run?.statistics.failed ?? 0, error, fileErrors, run: run ?? null };
}

/** Returns the errors of the files that a run could not read. */
export function listErrors(client: Client, runId: string): Promise<RunError[]> {
  return allOf('errors', (query) => client.listRunErrors({ params: { id: runId }, query }));
}
