/** Synchronizes a group with a folder, once. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import { countOf } from '../../util/count-of.ts';
import type { Client } from '../shared/client.ts';
import { CliError, type Io } from '../shared/io.ts';
import { AWAY, NoAnswerError } from '../shared/patience.ts';
import { printable } from '../shared/printable.ts';
import { formatBytes, startProgress } from '../shared/progress.ts';
import { listErrors } from '../shared/upload.ts';
import { endedText, shellWord } from '../shared/words.ts';
import { applyPlan } from './apply.ts';
import { type HashCache, type HashedFile, hashFiles } from './hash-files.ts';
import { readTree } from './local-tree.ts';
import { planSync, type RemoteFile, type SyncPlan } from './plan.ts';
import { findGroup, listNamed, listRemote, waitForRun, waitUntilIdle } from './remote-group.ts';
import type { StillFailed, SyncReport } from './report.ts';

/**
 * Another client may change the group during the synchronization, or the service may restart. Then it starts again, up to this number
 * of attempts. A file that arrived before is then unchanged.
 */
const TRIES_MAX = 5;
/** Without `Retry-After`, the pauses between all attempts take a minute at least, and two at most. */
const RETRY_BASE_MS = 4_000;
/** Up to this number of files may be deleted without --yes, whatever their share of the group. */
const UNCONFIRMED_DELETIONS_MAX = 10;
const REFUSED = 2;

export interface SyncRequest {
  /** An absolute path. */
  root: string;
  group: { id: string } | { name: string };
  /** Name that `pinakes ingest` gives the folder's group; null when the user named the group. */
  ingestedName: string | null;
  dryRun: boolean;
  /** Any number of files may be deleted. */
  yes: boolean;
  cache: HashCache;
}

/** Synchronizes the group. @throws CliError with exit code 2 when so many files would be deleted that this is probably a mistake. */
export async function syncFolder(
  client: Client,
  request: SyncRequest,
  io: Io,
  retryBaseMs = RETRY_BASE_MS,
): Promise<SyncReport> {
  const cutOff: SyncPlan[] = [];
  let groupId: string | undefined;
  for (let tries = 1; ; tries += 1) {
    let planned: SyncPlan | undefined;
    try {
      const onPlan = (plan: SyncPlan): void => {
        planned = plan;
      };
      const onGroup = (id: string): void => {
        groupId = id;
      };
      return withEarlier(await syncOnce(client, request, io, onPlan, onGroup), cutOff);
    } catch (error) {
      // 409: the group changed since it was read.
      const isChanged = error instanceof PinakesError && error.status === 409;
      const isLost = error instanceof NoAnswerError || (error instanceof PinakesError && AWAY.has(error.status));
      // Before there is a plan, the client only reads, and has waited for the service itself.
      if (isLost && planned) cutOff.push(planned);
      if (!(isChanged || (isLost && planned)) || tries === TRIES_MAX)
        throw isLost && cutOff.length > 0 ? lostError(error, groupId) : error;
      const askedMs = error instanceof PinakesError ? retryAfterMs(error.retryAfter) : undefined;
      const waitMs = retryWait(tries - 1, askedMs, { baseMs: retryBaseMs });
      io.err(`Trying again in ${Math.ceil(waitMs / 1000)} s: ${printable(error.message)}\n`);
      await sleep(waitMs);
    }
  }
}

/** The service does not answer any more. It does not need this command to read what has arrived. */
function lostError({ message }: Error, groupId: string | undefined): CliError {
  // Without an answer to the first upload, the id of the new group is not known.
  const command = groupId === undefined ? 'pinakes ls' : `pinakes runs ${groupId}`;
  return new CliError(
    `${endedText(message)} The service reads what has arrived, as soon as it runs. ` +
      `To see it: ${command}. To send the rest: the same pinakes sync again.`,
  );
}

/** Adds the changes of attempts that were cut off. The last attempt counts what they had done as unchanged, or as failed earlier. */
function withEarlier(report: SyncReport, earlier: readonly SyncPlan[]): SyncReport {
  const named = new Set([...report.added, ...report.updated, ...report.moved.map(({ to }) => to), ...report.deleted]);
  const missing = <T>(items: readonly T[], pathOf: (item: T) => string): T[] =>
    items.filter((item) => {
      const isNew = !named.has(pathOf(item));
      named.add(pathOf(item));
      return isNew;
    });
  for (const plan of earlier) {
    const added = missing(plan.added, ({ path }) => path);
    const updated = missing(plan.updated, ({ path }) => path);
    const moved = missing(plan.moved, ({ to }) => to);
    report.added.push(...added.map(({ path }) => path));
    report.updated.push(...updated.map(({ path }) => path));
    report.moved.push(...moved);
    report.deleted.push(...missing(plan.deleted, (path) => path));
    report.unchanged -= added.length + updated.length + moved.length;
  }
  const sent = new Set(earlier.flatMap(({ added, updated }) => [...added, ...updated].map(({ path }) => path)));
  for (const { path, title, message } of report.still_failed)
    if (sent.has(path)) report.failed.push({ path, title, message });
  report.still_failed = report.still_failed.filter(({ path }) => !sent.has(path));
  return report;
}

async function syncOnce(
  client: Client,
  request: SyncRequest,
  io: Io,
  onPlan: (plan: SyncPlan) => void,
  onGroup: (id: string) => void,
): Promise<SyncReport> {
  const { root, dryRun, cache } = request;
  // Asked first: a large folder should not be hashed for a service that does not answer.
  const group = await findGroup(client, request.group);
  if (group) onGroup(group.id);
  const tree = await readTree(root);
  const progress = startProgress(io, 'Comparing');
  const local = await hashFiles(tree, cache, (done, total) =>
    progress.update(
      done,
      total,
      `${countOf(tree.files.length, 'file')}, ${formatBytes(done)} of ${formatBytes(total)}`,
    ),
  );
  progress.end(countOf(tree.files.length, 'file'));
  if (!group && request.ingestedName !== null) await checkIngested(client, request.ingestedName, root, local);
  if (group && !dryRun) await waitUntilIdle(client, group.id);
  const { files, hidden } = group ? await listRemote(client, group.id) : { files: [], hidden: 0 };
  if (hidden > 0)
    io.err(
      `A redaction rule hides the paths of ${hidden} stored files: these files are not deleted, even if the folder has them no longer.\n`,
    );
  const plan = planSync(local, files, tree.unreadable);
  const unread = unreadFiles(plan, files);
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
    still_failed: unread,
    skipped: tree.skipped,
    unreadable: tree.unreadable,
  };
  if (dryRun) return report;
  onPlan(plan);
  if (!request.yes) checkDeletions(root, plan, files);
  if (!group && local.length === 0) return report;
  const { groupId, runs } = await applyPlan(client, { id: group?.id, name, onGroup }, plan, io);
  if (runs.length === 0 && files.some(({ status }) => status === 'pending')) {
    runs.push(await readWaiting(client, groupId));
    // This run tried the failed files again, too.
    report.still_failed = [];
  }
  return { ...report, group_id: groupId, failed: await failuresOf(client, runs) };
}

/** Returns the stored files that the plan does not change, but whose newest version could not be read. */
function unreadFiles(plan: SyncPlan, stored: readonly RemoteFile[]): StillFailed[] {
  const changing = new Set([...plan.updated.map(({ path }) => path), ...plan.deleted]);
  return stored
    .filter(({ path, status }) => status === 'failed' && !changing.has(path))
    .map(({ path, error, isOutdated: outdated }) => {
      const { title = '', message = '', retryable = false } = error ?? {};
      return { path, title, message, retryable, outdated };
    });
}

/** Refuses to create a second group with files that `pinakes ingest` already stored: search would find them twice. @throws CliError */
async function checkIngested(client: Client, name: string, root: string, local: readonly HashedFile[]): Promise<void> {
  const here = new Set(local.map(({ path }) => path));
  for (const { id } of await listNamed(client, name)) {
    if (!(await listRemote(client, id)).files.some(({ path }) => here.has(path))) continue;
    throw new CliError(
      `The group "${name}" (${id}) already has files of this folder. Use --group ${id} to synchronize it, or ` +
        `--name ${shellWord(root)} to create another one.`,
      REFUSED,
    );
  }
}

/** Refuses to delete all or most files. A folder that is not mounted, or a wrong folder, looks like deleted files. @throws CliError */
function checkDeletions(root: string, plan: SyncPlan, stored: readonly RemoteFile[]): void {
  const { length: deletions } = plan.deleted;
  if (deletions === 0) return;
  const isEmpty = plan.added.length + plan.updated.length + plan.moved.length + plan.unchanged === 0;
  if (!isEmpty && (deletions <= UNCONFIRMED_DELETIONS_MAX || deletions * 2 <= stored.length)) return;
  const reason = isEmpty ? `There is no file in ${root}` : `Most files of the group are not in ${root}`;
  throw new CliError(
    `${reason}: ${deletions} of ${countOf(stored.length, 'file')} would be deleted. Nothing was changed. To delete them, add --yes.`,
    REFUSED,
  );
}

/** Reads the files that a canceled run left unread. */
async function readWaiting(client: Client, groupId: string): Promise<Run> {
  const run = await client.startRun({ params: { id: groupId }, body: { only_failed: true } });
  return waitForRun(client, run.id, () => undefined);
}

async function failuresOf(client: Client, runs: readonly Run[]): Promise<SyncReport['failed']> {
  const errors = (
    await Promise.all(runs.map((run) => (run.statistics.failed > 0 ? listErrors(client, run.id) : [])))
  ).flat();
  const whole = runs.filter(({ status, statistics }) => status !== 'success' && statistics.failed === 0);
  const failed = whole.map(({ error, status }) => ({
    path: '(the run)',
    title: error?.title ?? `It ended as ${status}`,
    message: error?.message ?? '',
  }));
  return [...failed, ...errors.map(({ name, path, title, message }) => ({ path: path ?? name, title, message }))];
}
