/** Reads the local file group with which a folder is synchronized, and waits for its runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupSource, LocalFileGroup, Run } from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import type { Client } from '../shared/client.ts';
import { CliError, usageError } from '../shared/io.ts';
import { allOf } from '../shared/pages.ts';
import type { RemoteFile } from './plan.ts';

const POLL_INTERVAL_MS = 250;
const DELETED: ReadonlySet<string> = new Set(['deleting', 'delete_job_failure']);
const ACTIVE: ReadonlySet<string> = new Set(['queued', 'starting', 'started', 'canceling', 'unknown']);

/** Returns the group with this id or name; undefined when no group has the name. @throws CliError when several groups have the name. */
export async function findGroup(
  client: Client,
  wanted: { id: string } | { name: string },
): Promise<LocalFileGroup | undefined> {
  if ('id' in wanted) {
    return client.getLocalFileGroup({ params: { id: wanted.id } }).catch((error: unknown) => {
      if (!(error instanceof PinakesError && error.status === 404)) throw error;
      throw usageError(`There is no local file group ${wanted.id}.`);
    });
  }
  const groups = await listNamed(client, wanted.name);
  if (groups.length > 1) {
    const ids = groups.map(({ id }) => id).join(', ');
    throw usageError(
      `${groups.length} groups have the name "${wanted.name}": ${ids}. Choose one of them with --group.`,
    );
  }
  return groups[0];
}

/** Returns the groups with this name that are not being deleted. The service compares the name: a redaction rule may hide it. */
export async function listNamed(client: Client, wanted: string): Promise<LocalFileGroup[]> {
  const groups = await allOf('local_file_groups', (query) =>
    client.listLocalFileGroups({ query: { name: wanted, ...query } }),
  );
  return groups.filter(({ status }) => !DELETED.has(status));
}

/** Returns the files of the group that are not inside others. `hidden` is the number of those whose paths a redaction rule withholds. */
export async function listRemote(client: Client, groupId: string): Promise<{ files: RemoteFile[]; hidden: number }> {
  const params = { id: groupId };
  const sources = await allOf('sources', (query) => client.listSourcesOfSourceGroup({ params, query }));
  const outer = sources.filter(({ parent_source_id: parent }) => parent === null);
  const files = outer.flatMap((source) => (source.path === null ? [] : [remoteFile(source, source.path)]));
  const hidden = outer.length - files.length;
  return { files, hidden };
}

function remoteFile(source: GroupSource, path: string): RemoteFile {
  const { id, content_hash: hash, status, update_status: update, error } = source;
  if (hash === null) throw new CliError('The API key needs the scope ingestion:manage.');
  return { path, sourceId: id, hash, status: update ?? status, error, isOutdated: update === 'failed' };
}

/** Waits until no run of the group is active. */
export async function waitUntilIdle(client: Client, groupId: string): Promise<void> {
  while (ACTIVE.has((await client.getLocalFileGroup({ params: { id: groupId } })).status))
    await sleep(POLL_INTERVAL_MS);
}

/** Waits until a run has ended, and returns it. */
export async function waitForRun(client: Client, runId: string, onProgress: (run: Run) => void): Promise<Run> {
  for (;;) {
    const run = await client.getRun({ params: { id: runId } });
    onProgress(run);
    if (!ACTIVE.has(run.status)) return run;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Returns the id of the run that the upload of a new group started. */
export async function firstRun(client: Client, groupId: string): Promise<string> {
  const [run] = (await client.listRuns({ params: { id: groupId }, query: { limit: 1 } })).runs;
  if (!run) throw new CliError(`The group ${groupId} has no run.`);
  return run.id;
}
