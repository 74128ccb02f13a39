/**
 * The jobs `ingest-run` and `origin-run`: claim a run, list the origin of its source group if there is one, process
 * pending sources, end the run.
 *
 * The queue may deliver a job twice or to two workers at once. A claim raises the run's attempt. Every transaction that
 * writes for the run checks the attempt, the group's generation and its tombstone (`checkFence`).
 */
import { deleteChunksOfPendingSources } from '../corpus/chunk-writer.ts';
import { lockGroup, type SourceGroup, setGroupStatus, UPLOADED } from '../corpus/group-store.ts';
import { claimRun, findGroupIdOfRun, listRunErrors, lockRun, type Run, setRunStatus } from '../corpus/run-store.ts';
import { saveFailing } from '../corpus/setting-store.ts';
import { countSources } from '../corpus/source-lookup.ts';
import type { Tx } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import { runOutcome } from '../jobs/progress.ts';
import type { JobHandler } from '../jobs/queue.ts';
import { isActive, type JobStatus } from '../jobs/status.ts';
import { saveRefreshError } from '../tables/store.ts';
import { type ActiveRun, checkFence, RunLost } from './fence.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { endOrigin, hasUnlistedFiles, readOrigin, settleOrigin } from './origins/run-connector.ts';
import { deferSchedule } from './runs/defer-schedule.ts';
import { queueOutdatedIncluders } from './runs/includes.ts';
import { processPending } from './runs/pipeline.ts';
import { removeReplaced } from './runs/remove-replaced.ts';

const FAILURE_EXAMPLES_MAX = 3;
/** Files that include changed files are read again before the end, at most this often less one: a run always ends. */
const FINISH_ROUNDS_MAX = 4;

/** Returns the handler. It throws errors that a retry may fix; after the last attempt the run ends as `failure`. */
export function ingestRun(deps: IngestDeps): JobHandler {
  return async ({ tenantId, runId }, { signal, lastAttempt }) => {
    if (!tenantId || !runId) throw new Error('ingest-run needs tenantId and runId');
    const active = await claimOrEnd(deps, tenantId, runId);
    if (!active) return;
    deps.log.info(
      {
        tenantId,
        groupId: active.groupId,
        runId,
        source: active.sourceType,
        reads: active.reads,
        attempt: active.attempt,
      },
      'a run began',
    );
    deps.crash.reach('ingest.taken');
    try {
      const hasOrigin = active.sourceType !== UPLOADED && active.reads === 'origin';
      if (hasOrigin && !(await readOrigin(deps, active, signal))) return await giveBack(deps, active);
      await processPending(deps, active, signal);
      if (hasOrigin) await settleOrigin(deps, active, signal);
      await removeReplaced(deps, active, signal);
      for (let round = 1; !(await finish(deps, active, round < FINISH_ROUNDS_MAX)); round += 1) {
        await processPending(deps, active, signal);
        await removeReplaced(deps, active, signal);
      }
      deps.crash.reach('ingest.finished');
    } catch (error) {
      if (error instanceof RunLost) {
        // If the group was deleted or another worker claimed the run, that request or worker finishes the work.
        if (error.reason === 'canceling') await claimOrEnd(deps, tenantId, runId);
        return;
      }
      if (lastAttempt && !signal.aborted) await giveUp(deps, active, error);
      throw error;
    }
  };
}

/**
 * Claims the run for this worker. Returns undefined when nothing is left to do, for example because this call ended a
 * canceled run.
 */
async function claimOrEnd(deps: IngestDeps, tenantId: string, runId: string): Promise<ActiveRun | undefined> {
  const now = deps.clock.now();
  const claimed = await deps.db.transaction(tenantId, async (tx): Promise<ActiveRun | RunEnd | undefined> => {
    const found = await lockGroupOfRun(tx, runId);
    if (!found || found.group.deletedAt || !isActive(found.run.status)) return undefined;
    const { group, run } = found;
    if (group.generation !== run.generation || !isActive(group.status)) {
      await setRunStatus(tx, run.id, 'canceled', { stage: null, endedAt: now });
      return undefined;
    }
    if (group.status === 'canceling') {
      await deleteChunksOfPendingSources(tx, group.id);
      return end(deps, tx, group, run, 'canceled', null, now);
    }
    // The status is still active although the job was redelivered, so the previous worker died.
    for (const status of pathToStarting(group.status)) await setGroupStatus(tx, group.id, status);
    const attempt = await claimRun(tx, run.id, now);
    return {
      tenantId,
      runId,
      groupId: group.id,
      sourceType: group.sourceType,
      reads: run.reads,
      attempt,
      generation: group.generation,
      chunkMetadataKeys: group.chunkMetadataKeys,
    };
  });
  if (!claimed || !('ending' in claimed)) return claimed;
  await afterEnd(deps, claimed);
  return undefined;
}

function pathToStarting(status: JobStatus): JobStatus[] {
  if (status === 'queued') return ['starting'];
  return status === 'unknown' ? ['queued', 'starting'] : ['unknown', 'queued', 'starting'];
}

async function lockGroupOfRun(tx: Tx, runId: string): Promise<{ group: SourceGroup; run: Run } | undefined> {
  // All code locks the group before its run: the other order would deadlock.
  const groupId = await findGroupIdOfRun(tx, runId);
  const group = groupId && (await lockGroup(tx, groupId));
  const run = group && (await lockRun(tx, runId));
  return group && run ? { group, run } : undefined;
}

/** Queues the run again: it goes on when its turn comes. */
async function giveBack(deps: IngestDeps, active: ActiveRun): Promise<void> {
  const { tenantId, groupId, runId } = active;
  await deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    for (const status of ['unknown', 'queued'] as const) await setGroupStatus(tx, groupId, status);
    await setRunStatus(tx, runId, 'queued');
    await deps.queue.enqueue(tx, 'origin-run', { tenantId, runId, again: 'true' });
  });
  deps.log.info({ tenantId, groupId, runId, source: active.sourceType }, 'a run gave its place to others that wait');
}

/** Ends the run. With `checksIncludes`, returns false instead if files wait now because a file that they include has changed. */
async function finish(deps: IngestDeps, active: ActiveRun, checksIncludes: boolean): Promise<boolean> {
  const now = deps.clock.now();
  const ended = await deps.db.transaction(active.tenantId, async (tx) => {
    const group = await checkFence(tx, active);
    if (checksIncludes && (await queueOutdatedIncluders(deps, tx, active)) > 0) return undefined;
    const run = (await lockRun(tx, active.runId))!;
    const { pending, updating } = await countSources(tx, active.groupId);
    if (pending + updating > 0)
      throw new Error(`${pending + updating} sources of run ${active.runId} are still pending at its end`);
    const examples = await listRunErrors(tx, active.runId, { limit: FAILURE_EXAMPLES_MAX });
    const hasOthers = run.failed > 0 && active.reads === 'origin' && (await hasUnlistedFiles(tx, active));
    const outcome = runOutcome(run.filesTotal, run.failed, examples.rows.slice(0, FAILURE_EXAMPLES_MAX), hasOthers);
    return end(deps, tx, group, run, outcome.status, outcome.error, now);
  });
  if (ended) await afterEnd(deps, ended);
  return ended !== undefined;
}

/**
 * Ends the run after its last attempt failed for a reason that no single file caused. Stored results stay; a new run
 * processes the rest.
 */
async function giveUp(deps: IngestDeps, active: ActiveRun, cause: unknown): Promise<void> {
  const message =
    cause instanceof ServiceError && cause.code === 'overloaded'
      ? `${cause.message} Start another run when this is over.`
      : 'An internal error occurred. The log of the service says more.';
  const error = { title: 'The run failed', message };
  const ended = await deps.db.transaction(active.tenantId, async (tx) => {
    const group = await checkFence(tx, active);
    await deleteChunksOfPendingSources(tx, active.groupId);
    const run = (await lockRun(tx, active.runId))!;
    return end(deps, tx, group, run, 'failure', error, deps.clock.now(), true);
  });
  await afterEnd(deps, ended);
}

/** Ends the run. `isInternal`: `error` is the cause of the end, also if the origin reported a problem before. */
async function end(
  deps: IngestDeps,
  tx: Tx,
  group: SourceGroup,
  run: Run,
  status: 'success' | 'failure' | 'canceled',
  error: { title: string; message: string } | null,
  now: Date,
  isInternal = false,
): Promise<RunEnd> {
  // If the clock was set back, the run must not end before it began.
  const endedAt = run.startedAt && run.startedAt > now ? run.startedAt : now;
  const origin =
    group.sourceType === UPLOADED
      ? undefined
      : await endOrigin(deps, tx, { groupId: group.id, runId: run.id }, status === 'success');
  const problem = status === 'canceled' || isInternal ? null : (origin?.problem ?? null);
  const ending = problem ? 'failure' : status;
  // Files that fail besides are in the list of the run's errors.
  const reportedProblem = problem ?? error ?? (status === 'success' && origin ? origin.notice : null);
  if (origin) await saveRefreshError(tx, group.id, refreshError(ending, reportedProblem));
  // A fault of the service says nothing about the origin.
  const tells = origin !== undefined && run.reads === 'origin' && ending !== 'canceled' && !isInternal;
  if (tells) await saveFailing(tx, group.id, ending === 'failure' ? run.createdAt : null);
  await setRunStatus(tx, run.id, ending, { stage: null, endedAt, error: reportedProblem });
  const groupStatus = ending === 'success' && origin?.isManaged ? 'managed' : ending;
  await setGroupStatus(tx, run.sourceGroupId, groupStatus, { endedAt, error: reportedProblem });
  const changesPace = tells && (origin.wasFailing || ending === 'failure');
  return { tenantId: tx.tenantId, group, run, ending, endedAt, problem: reportedProblem?.title ?? null, changesPace };
}

/** Returns what the tables of an address say about the run. Until the file is read, nothing else tells why they are not there. */
function refreshError(
  ending: 'success' | 'failure' | 'canceled',
  problem: { title: string; message: string } | null,
): string | null {
  if (ending === 'success') return null;
  return problem ? `${problem.title}: ${problem.message}` : 'The run was canceled.';
}

interface RunEnd {
  tenantId: string;
  group: SourceGroup;
  /** The run's row as it was before the end. */
  run: Run;
  ending: 'success' | 'failure' | 'canceled';
  endedAt: Date;
  problem: string | null;
  /** Whether the schedule goes on at another pace. */
  changesPace: boolean;
}

/** Call after the commit. The log line has only ids and counts, because file names are content. */
async function afterEnd(deps: IngestDeps, ended: RunEnd): Promise<void> {
  const { tenantId, group, run, ending, endedAt, problem, changesPace } = ended;
  const { added, updated, unchanged, skipped, deleted, failed, chunksDone } = run;
  const seconds = (endedAt.getTime() - (run.startedAt ?? endedAt).getTime()) / 1000;
  const ids = { tenantId, groupId: group.id, runId: run.id, source: group.sourceType };
  const counts = { files: run.filesTotal, added, updated, unchanged, skipped, deleted, failed, chunks: chunksDone };
  deps.log.info({ ...ids, status: ending, ...counts, seconds, ...(problem !== null && { problem }) }, 'a run ended');
  if (changesPace) await deferSchedule(deps, tenantId, group.id, run.createdAt);
}
