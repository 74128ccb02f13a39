/**
 * A run of a source group that is kept in step with an origin.
 *
 * List and fetch (`origins/list-origin.ts`), read what came as of an upload (`pipeline.ts`) meanwhile and after it, then remove what
 * is gone.
 * Nothing is removed unless the listing came to its end, and the next run begins behind it only when nothing failed.
 */
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/registry.ts';
import { hasOutcome, hasStoredItems } from '../../corpus/origin-store.ts';
import { settleTotals } from '../../corpus/run-store.ts';
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
import { type Ended, type ListFrom, listOrigin } from './list-origin.ts';
import { openCredential } from './origin-credential.ts';
import { NOTHING_LISTED, originProblem } from './problems.ts';

/** How far the listing of a run has come: kept with the setting. */
interface Progress extends ListFrom {
  runId: string;
  /** Null: it goes on. */
  outcome: Ended | OriginProblem | null;
}

/**
 * Lists and fetches, and reads meanwhile what came: it is searchable while the listing goes on. Goes on where the run was cut off.
 *
 * @throws RunLost
 */
export async function readOrigin(deps: IngestDeps, active: ActiveRun, signal: AbortSignal): Promise<void> {
  const feed: Feed = { isOpen: true, hasNews: false };
  const own = new AbortController();
  const within = AbortSignal.any([signal, own.signal]);
  // Whichever fails first ends the other; that one's failure is only a consequence.
  const end = (error: unknown): void => own.abort(error);
  const listing = listOnly(deps, active, within, () => {
    feed.hasNews = true;
  }).finally(() => {
    feed.isOpen = false;
  });
  await Promise.all([listing.catch(end), processPending(deps, active, within, feed).catch(end)]);
  if (own.signal.aborted) throw own.signal.reason;
}

async function listOnly(deps: IngestDeps, active: ActiveRun, signal: AbortSignal, onStored: () => void): Promise<void> {
  await withHeartbeat(deps, active, signal, async (within) => {
    const { setting, progress } = await begin(deps, active);
    const outcome = progress.outcome ?? (await list(deps, active, setting, progress, { signal: within, onStored }));
    if ('full' in outcome) await removeGone(deps, active, { full: outcome.full, unread: true }, within);
    await deps.db.transaction(active.tenantId, async (tx) => {
      await checkFence(tx, active);
      const { pending, updating } = await countSources(tx, active.tenantId, active.groupId);
      await settleTotals(tx, active.tenantId, active.runId, pending + updating);
    });
  });
  deps.crash.reach('origin.listed');
}

/** What is left when everything that waited has been read: what is gone at the origin goes. @throws RunLost */
export async function settleOrigin(deps: IngestDeps, active: ActiveRun, signal: AbortSignal): Promise<void> {
  await withHeartbeat(deps, active, signal, async (within) => {
    const { progress } = await begin(deps, active);
    if (progress.outcome && 'full' in progress.outcome) {
      await removeGone(deps, active, { full: progress.outcome.full, unread: false }, within);
    }
  });
  deps.crash.reach('origin.settled');
}

/** In the transaction that ends a run, whatever it came to. */
export async function endOrigin(
  tx: Tx,
  { tenantId, groupId, runId }: Pick<ActiveRun, 'tenantId' | 'groupId' | 'runId'>,
  isSuccess: boolean,
): Promise<{ problem: OriginProblem | null; isManaged: boolean }> {
  await eraseOneTimeCredential(tx, tenantId, groupId);
  const setting = await findSettingOfGroup(tx, tenantId, groupId);
  const progress = setting && progressOf(setting, runId);
  const outcome = progress?.outcome ?? null;
  const problem = outcome && !('full' in outcome) ? outcome : null;
  const hasFailed = await hasOutcome(tx, tenantId, runId, ['failed']);
  // What failed is named again only by a listing that begins where this one began.
  if (isSuccess && outcome && 'full' in outcome && !hasFailed) await saveCursor(tx, tenantId, groupId, outcome.cursor);
  else await forgetCheckpoint(tx, tenantId, groupId);
  return { problem, isManaged: setting !== undefined && setting.rrule !== '' };
}

interface Watch {
  signal: AbortSignal;
  /** After each transaction that stored items. */
  onStored: () => void;
}

async function begin(deps: IngestDeps, active: ActiveRun): Promise<{ setting: Setting; progress: Progress }> {
  const { tenantId, groupId, runId } = active;
  return deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    await markStarted(tx, active, deps.clock.now(), 'list');
    const setting = await findSettingOfGroup(tx, tenantId, groupId);
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
): Promise<Ended | OriginProblem> {
  const { tenantId, groupId, runId } = active;
  const outcome = await listAll(deps, active, setting, progress, watch);
  return deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    const isNothing =
      'full' in outcome &&
      outcome.full &&
      !(await hasOutcome(tx, tenantId, runId, ['there', 'failed', 'skipped'])) &&
      (await hasStoredItems(tx, tenantId, groupId));
    const ended = isNothing ? NOTHING_LISTED : outcome;
    await saveProgress(tx, active, { ...progress, outcome: ended });
    return ended;
  });
}

async function listAll(
  deps: IngestDeps,
  active: ActiveRun,
  setting: Setting,
  progress: Progress,
  { signal, onStored }: Watch,
): Promise<Ended | OriginProblem> {
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
  const counts = await deps.db.transaction(tenantId, (tx) => countSources(tx, tenantId, active.groupId));
  const room = {
    sources: GROUP_SOURCES_MAX - counts.pending - counts.ready - counts.failed,
    bytes: GROUP_BYTES_MAX - counts.bytes,
  };
  const listFrom = (from: ListFrom): Promise<Ended | OriginProblem> =>
    listOrigin(
      deps,
      open,
      { cursor: from.cursor, resume: from.resume },
      room,
      (tx, resume) => saveProgress(tx, active, { ...progress, cursor: from.cursor, resume }),
      signal,
    );
  try {
    return await listFrom(progress);
  } catch (error) {
    if (!(error instanceof OriginError && error.cursorExpired)) throw error;
    deps.log.info({ runId: active.runId }, 'the cursor of an origin is too old: all of it is listed');
    try {
      return await listFrom({ cursor: null, resume: null });
    } catch (again) {
      if (again instanceof OriginError) return again.problem;
      throw again;
    }
  }
}

async function saveProgress(tx: Tx, { tenantId, groupId }: ActiveRun, progress: Progress): Promise<void> {
  await saveCheckpoint(tx, tenantId, groupId, { ...progress });
}
