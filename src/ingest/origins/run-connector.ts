/**
 * Runs the connector of a source group that follows an origin.
 *
 * The run lists and fetches items (`origins/list-origin.ts`). Meanwhile and afterwards `runs/pipeline.ts` processes the
 * fetched files, as it does for an upload. Last, the run removes sources whose items are gone at the origin. The run
 * removes nothing unless the listing came to its end. The next run starts after this listing only if no item failed, or if the connector
 * reports failed items again.
 */
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/registry.ts';
import type { Opaque } from '../../corpus/origin.ts';
import { hasOutcome, hasStoredItems, listFailedItems } from '../../corpus/origin-store.ts';
import { hasTemporaryFailures, settleTotals } from '../../corpus/run-store.ts';
import {
  findSettingOfGroup,
  forgetCheckpoint,
  type Setting,
  saveCheckpoint,
  saveCursor,
} from '../../corpus/setting-store.ts';
import { countSources, GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from '../../corpus/source-lookup.ts';
import type { Tx } from '../../db/database.ts';
import { eraseOneTimeCredential } from '../../vault/secret-store.ts';
import { type ActiveRun, checkFence, markStarted } from '../fence.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { removeGone } from '../removal/remove-gone.ts';
import { type Feed, processPending } from '../runs/pipeline.ts';
import { type ListingEnd, type ListingPosition, listOrigin, PAUSED } from './list-origin.ts';
import { openCredential } from './origin-credential.ts';
import { NOTHING_LISTED, originProblem } from './problems.ts';
import { beginTurn, type Turn } from './turn.ts';

/** More failed items than any connector asks for one by one. */
const FAILED_ITEMS_MAX = 1_000;

/** How far the listing of a run has come; stored with the setting. */
interface Progress extends ListingPosition {
  runId: string;
  /** Null: the listing has not ended. */
  outcome: ListingEnd | OriginProblem | null;
}

/**
 * Lists the origin and processes fetched items at the same time, so items are searchable before the listing ends.
 * Continues a listing that was interrupted.
 *
 * @returns false if the listing has not ended, because the turn of the run is over.
 * @throws RunLost
 */
export async function readOrigin(deps: IngestDeps, active: ActiveRun, signal: AbortSignal): Promise<boolean> {
  const feed: Feed = { isOpen: true, hasNews: false };
  const failure = new AbortController();
  const within = AbortSignal.any([signal, failure.signal]);
  // The part that fails first aborts the other part. Only the first error is reported: the second is its consequence.
  const end = (error: unknown): undefined => failure.abort(error) as undefined;
  const listing = listOnly(deps, active, within, () => {
    feed.hasNews = true;
  }).finally(() => {
    feed.isOpen = false;
  });
  const [hasEnded] = await Promise.all([listing.catch(end), processPending(deps, active, within, feed).catch(end)]);
  if (failure.signal.aborted) throw failure.signal.reason;
  return hasEnded === true;
}

/** Returns false if the listing was paused. */
async function listOnly(
  deps: IngestDeps,
  active: ActiveRun,
  signal: AbortSignal,
  onStored: () => void,
): Promise<boolean> {
  const turn = beginTurn(deps, active.tenantId);
  const hasEnded = await withHeartbeat(deps, active, signal, async (within) => {
    const { setting, progress } = await begin(deps, active);
    const outcome =
      progress.outcome ?? (await list(deps, active, setting, progress, { signal: within, turn, onStored }));
    if (outcome === PAUSED) return false;
    if ('full' in outcome)
      await removeGone(deps, active, { isFullListing: outcome.full, onlyNeverServed: true }, within);
    await deps.db.transaction(active.tenantId, async (tx) => {
      await checkFence(tx, active);
      const { pending, updating } = await countSources(tx, active.groupId);
      await settleTotals(tx, active.runId, pending + updating);
    });
    return true;
  });
  if (hasEnded) deps.crash.reach('origin.listed');
  return hasEnded;
}

/**
 * Removes sources whose items are gone at the origin. Call this function after all pending sources were processed.
 * @throws RunLost
 */
export async function settleOrigin(deps: IngestDeps, active: ActiveRun, signal: AbortSignal): Promise<void> {
  await withHeartbeat(deps, active, signal, async (within) => {
    const { progress } = await begin(deps, active);
    if (progress.outcome && 'full' in progress.outcome) {
      await removeGone(deps, active, { isFullListing: progress.outcome.full, onlyNeverServed: false }, within);
    }
  });
  deps.crash.reach('origin.settled');
}

/**
 * Saves or discards the cursor of the origin. Call this function in the transaction that ends a run, whatever its
 * outcome.
 */
export async function endOrigin(
  { connectors }: Pick<IngestDeps, 'connectors'>,
  tx: Tx,
  { groupId, runId }: Pick<ActiveRun, 'groupId' | 'runId'>,
  isSuccess: boolean,
): Promise<{ problem: OriginProblem | null; notice: OriginProblem | null; isManaged: boolean; wasFailing: boolean }> {
  await eraseOneTimeCredential(tx, groupId);
  const setting = await findSettingOfGroup(tx, groupId);
  const progress = setting && progressOf(setting, runId);
  const outcome = progress?.outcome ?? null;
  const problem = outcome && !('full' in outcome) ? outcome : null;
  const next =
    isSuccess && setting && outcome && 'full' in outcome
      ? await nextStart(connectors, tx, setting, runId, outcome.cursor)
      : undefined;
  if (next === undefined) await forgetCheckpoint(tx, groupId);
  else await saveCursor(tx, groupId, next);
  const notice = (outcome && 'full' in outcome && outcome.notice) || null;
  const wasFailing = setting !== undefined && setting.failingSince !== null;
  return { problem, notice, isManaged: setting !== undefined && setting.rrule !== '', wasFailing };
}

/** Returns the cursor of the next run; undefined: it starts where this run started, because only that reports failed items again. */
async function nextStart(
  connectors: IngestDeps['connectors'],
  tx: Tx,
  { origin }: Setting,
  runId: string,
  cursor: Opaque | null,
): Promise<Opaque | null | undefined> {
  const failed = await listFailedItems(tx, runId, FAILED_ITEMS_MAX);
  if (failed.length === 0 || cursor === null) return cursor;
  return connectorOf(connectors, origin.kind).withFailed?.(cursor, failed) ?? undefined;
}

/**
 * Returns whether the origin named only its changes and files of the group were read before. An item that failed for a lasting reason,
 * such as a missing permission, says nothing about the other files.
 */
export async function hasUnlistedFiles(tx: Tx, { groupId, runId }: ActiveRun): Promise<boolean> {
  const setting = await findSettingOfGroup(tx, groupId);
  const outcome = setting && progressOf(setting, runId).outcome;
  if (!outcome || !('full' in outcome) || outcome.full) return false;
  if (await hasTemporaryFailures(tx, runId)) return false;
  return (await countSources(tx, groupId)).ready > 0;
}

type Outcome = ListingEnd | OriginProblem | typeof PAUSED;

interface Watch {
  signal: AbortSignal;
  turn: Turn;
  /** Called after each transaction that stored items. */
  onStored: () => void;
}

async function begin(deps: IngestDeps, active: ActiveRun): Promise<{ setting: Setting; progress: Progress }> {
  const { tenantId, groupId, runId } = active;
  return deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    await markStarted(tx, active, deps.clock.now(), 'list');
    const setting = await findSettingOfGroup(tx, groupId);
    if (!setting) throw new Error(`the source group ${groupId} has no setting`);
    return { setting, progress: progressOf(setting, runId) };
  });
}

function progressOf(setting: Setting, runId: string): Progress {
  const saved = setting.runResume as Progress | null;
  return saved?.runId === runId ? saved : { runId, cursor: setting.cursor, resume: null, outcome: null };
}

async function list(
  deps: IngestDeps,
  active: ActiveRun,
  setting: Setting,
  progress: Progress,
  watch: Watch,
): Promise<Outcome> {
  const { tenantId, groupId, runId } = active;
  const outcome = await listAll(deps, active, setting, progress, watch);
  if (outcome === PAUSED) return PAUSED;
  return deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    const listedNothing =
      'full' in outcome &&
      outcome.full &&
      !(await hasOutcome(tx, runId, ['there', 'failed', 'skipped'])) &&
      (await hasStoredItems(tx, groupId));
    const ended = listedNothing ? NOTHING_LISTED : outcome;
    await saveProgress(tx, active, { ...progress, outcome: ended });
    return ended;
  });
}

async function listAll(
  deps: IngestDeps,
  active: ActiveRun,
  setting: Setting,
  progress: Progress,
  { signal, turn, onStored }: Watch,
): Promise<Outcome> {
  const { tenantId } = active;
  const { origin } = setting;
  let credential: string | null;
  try {
    credential = await openCredential(deps, tenantId, setting);
  } catch (error) {
    const problem = originProblem(error);
    if (!problem) throw error;
    return problem;
  }
  const open = { active, connector: connectorOf(deps.connectors, origin.kind), origin, credential, onStored };
  const counts = await deps.db.transaction(tenantId, (tx) => countSources(tx, active.groupId));
  const capacity = {
    sources: GROUP_SOURCES_MAX - counts.pending - counts.ready - counts.failed,
    bytes: GROUP_BYTES_MAX - counts.bytes,
  };
  const listFrom = (from: ListingPosition): Promise<Outcome> =>
    listOrigin(
      deps,
      open,
      { cursor: from.cursor, resume: from.resume },
      capacity,
      (tx, resume) => saveProgress(tx, active, { ...progress, cursor: from.cursor, resume }),
      { signal, turn },
    );
  try {
    return await listFrom(progress);
  } catch (error) {
    if (!(error instanceof OriginError && error.cursorExpired)) throw error;
    deps.log.info({ runId: active.runId }, 'the cursor of an origin has expired: the whole origin is listed');
    try {
      return await listFrom({ cursor: null, resume: null });
    } catch (again) {
      if (again instanceof OriginError) return again.problem;
      throw again;
    }
  }
}

async function saveProgress(tx: Tx, { groupId }: ActiveRun, progress: Progress): Promise<void> {
  await saveCheckpoint(tx, groupId, { ...progress });
}
