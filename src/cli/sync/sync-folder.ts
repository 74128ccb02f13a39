/** Brings a group in step with a folder, once. */
import type { Run } from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import type { Client } from '../shared/client.ts';
import { CliError, type Io } from '../shared/io.ts';
import { printable } from '../shared/printable.ts';
import { formatBytes, startProgress } from '../shared/progress.ts';
import { applyPlan } from './apply.ts';
import { type HashCache, type HashedFile, hashFiles } from './hash-files.ts';
import { readTree } from './local-tree.ts';
import { planSync, type RemoteFile, type SyncPlan } from './plan.ts';
import { findGroup, listErrors, listNamed, listRemote, waitForRun, waitUntilIdle } from './remote-group.ts';
import type { SyncReport } from './report.ts';

/** Another client may change the group in between. */
const TRIES_MAX = 5;
/** Up to so many files may go without being asked for, whatever their share. */
const DELETIONS_UNASKED = 10;
const REFUSED = 2;
const UNREAD_NAMED_MAX = 10;

export interface SyncRequest {
  /** An absolute path. */
  root: string;
  group: { id: string } | { name: string };
  /** The name that `pinakes ingest` gives the folder's group; null when the person named the group. */
  ingestedName: string | null;
  dryRun: boolean;
  /** Deletes however many. */
  yes: boolean;
  cache: HashCache;
}

/** @throws CliError, exit code 2, when more would be deleted than is likely to be meant. */
export async function syncFolder(client: Client, request: SyncRequest, io: Io): Promise<SyncReport> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await syncOnce(client, request, io);
    } catch (error) {
      // The group changed since it was looked at.
      if (!(error instanceof PinakesError && error.status === 409) || tries === TRIES_MAX) throw error;
    }
  }
}

async function syncOnce(client: Client, request: SyncRequest, io: Io): Promise<SyncReport> {
  const { root, dryRun, cache } = request;
  const tree = await readTree(root);
  const progress = startProgress(io, 'Comparing');
  const local = await hashFiles(tree, cache, (done, total) =>
    progress.update(done, total, `${tree.files.length} files, ${formatBytes(done)} of ${formatBytes(total)}`),
  );
  progress.end(`${tree.files.length} files`);
  const group = await findGroup(client, request.group);
  if (!group && request.ingestedName !== null) await checkIngested(client, request.ingestedName, root, local);
  if (group && !dryRun) await waitUntilIdle(client, group.id);
  const { files, hidden } = group ? await listRemote(client, group.id) : { files: [], hidden: 0 };
  if (hidden > 0)
    io.err(
      `The paths of ${hidden} stored files are hidden by a redaction rule: they are not deleted when they are gone here.\n`,
    );
  const plan = planSync(local, files, tree.unreadable);
  tellUnread(plan, files, io);
  const name = group?.name ?? ('name' in request.group ? request.group.name : '');
  const report: SyncReport = {
    group_id: group?.id ?? null,
    group_name: name,
    dry_run: dryRun,
    added: plan.added.map(({ path }) => path),
    updated: plan.updated.map(({ path }) => path),
    moved: plan.moved,
    deleted: plan.deleted,
    unchanged: plan.unchanged,
    failed: [],
    skipped: tree.skipped,
    unreadable: tree.unreadable,
  };
  if (dryRun) return report;
  if (!request.yes) checkDeletions(root, plan, files);
  if (!group && local.length === 0) return report;
  const { groupId, runs } = await applyPlan(client, { id: group?.id, name }, plan, io);
  if (runs.length === 0 && files.some(({ status }) => status === 'pending'))
    runs.push(await readWaiting(client, groupId));
  return { ...report, group_id: groupId, failed: await failuresOf(client, groupId, runs) };
}

/** Files that stay as they are, though their newest version could not be read. */
function tellUnread(plan: SyncPlan, stored: readonly RemoteFile[], io: Io): void {
  const changing = new Set([...plan.updated.map(({ path }) => path), ...plan.deleted]);
  const unread = stored.filter(({ path, status }) => status === 'failed' && !changing.has(path));
  if (unread.length === 0) return;
  const named = unread.slice(0, UNREAD_NAMED_MAX).map(({ path }) => `  ${printable(path)}\n`);
  const more = unread.length > named.length ? `  and ${unread.length - named.length} more\n` : '';
  io.err(
    `${unread.length} stored files could not be read. A run of the failed files tries them again.\n${named.join('')}${more}`,
  );
}

/** The same files in two groups would be found twice, and one of them would grow old. */
async function checkIngested(client: Client, name: string, root: string, local: readonly HashedFile[]): Promise<void> {
  const here = new Set(local.map(({ path }) => path));
  for (const { id } of await listNamed(client, name)) {
    if (!(await listRemote(client, id)).files.some(({ path }) => here.has(path))) continue;
    throw new CliError(
      `The group "${name}" (${id}) holds files of this folder already. Say --group ${id} to keep it in step, or --name "${root}" to make another one.`,
      REFUSED,
    );
  }
}

/** A folder that is not there, not mounted or not the one that was meant looks like one whose files were deleted. */
function checkDeletions(root: string, plan: SyncPlan, stored: readonly RemoteFile[]): void {
  const { length: gone } = plan.deleted;
  if (gone === 0) return;
  const isEmpty = plan.added.length + plan.updated.length + plan.moved.length + plan.unchanged === 0;
  if (!isEmpty && (gone <= DELETIONS_UNASKED || gone * 2 <= stored.length)) return;
  const why = isEmpty ? `There is no file in ${root}` : `Most files of the group are not in ${root}`;
  throw new CliError(
    `${why}: ${gone} of ${stored.length} would be deleted. Nothing was changed. If that is meant, say --yes.`,
    REFUSED,
  );
}

/** Files that a canceled run left. */
async function readWaiting(client: Client, groupId: string): Promise<Run> {
  const run = await client.startRun({ params: { id: groupId }, body: { only_failed: true } });
  return waitForRun(client, run.id, () => undefined);
}

async function failuresOf(client: Client, groupId: string, runs: readonly Run[]): Promise<SyncReport['failed']> {
  const errors = (
    await Promise.all(runs.map((run) => (run.statistics.failed > 0 ? listErrors(client, run.id) : [])))
  ).flat();
  const whole = runs.filter(({ status, statistics }) => status !== 'success' && statistics.failed === 0);
  const failed = whole.map(({ error, status }) => ({
    path: '(the run)',
    title: error?.title ?? `It ended as ${status}`,
    message: error?.message ?? '',
  }));
  if (errors.length === 0) return failed;
  const paths = new Map((await listRemote(client, groupId)).files.map(({ sourceId, path }) => [sourceId, path]));
  return [
    ...failed,
    ...errors.map(({ source_id: id, name, title, message }) => ({ path: paths.get(id ?? '') ?? name, title, message })),
  ];
}
