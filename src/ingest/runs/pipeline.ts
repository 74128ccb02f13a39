/**
 * Processes the pending sources of one run: claims some, keeps the child processes busy, stores what is done.
 *
 * One coroutine decides (`drain`), files run beside it in lanes. Claiming shares a transaction with storing.
 */

import { isNamedBy } from '../../corpus/origin-store.ts';
import { claimPendingSources, releaseClaims } from '../../corpus/source-store.ts';
import type { FileFailure } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { type ActiveRun, checkFence, markStarted, RunLost } from '../fence.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { ClaimedSource } from './claimed-source.ts';
import { type Lanes, openLanes } from './lanes.ts';
import type { SourceRows } from './rows.ts';
import { isSmall, PART_CHUNKS_MAX, PART_WEIGHT_MAX, storeLarge, storeSmall } from './store-results.ts';

const CLAIM_FILES = 32;
const BATCH_FILES_MAX = 10;
/** Small results wait this long for company before they are stored. */
const BATCH_AGE_MS = 50;
/** Attempts in company, after which a file is tried alone: those that were only near a crash come through there. */
const SUSPECT_ATTEMPTS = 3;
/** A file that was in hand this often when its worker died is the culprit. */
const ATTEMPTS_MAX = 6;

const POISON: FileFailure = {
  stage: 'parse',
  title: 'The worker stopped while reading this file',
  message: `Reading this file ended the worker ${ATTEMPTS_MAX} times. It is not tried again in this run.`,
  retryable: true,
};

/** What a listing tells those who read beside it. */
export interface Feed {
  /** The listing goes on. */
  isOpen: boolean;
  /** It has stored something since this was set to false. */
  hasNews: boolean;
}

/**
 * Returns when nothing of the run is pending any more; with `feed`, soon after the listing has ended, whatever is pending then.
 *
 * @throws RunLost when the run was canceled, deleted or taken over.
 * @throws the signal's reason when the worker stops; what was claimed is handed back.
 */
export async function processPending(
  deps: IngestDeps,
  active: ActiveRun,
  signal: AbortSignal,
  feed?: Feed,
): Promise<void> {
  await withHeartbeat(deps, active, signal, async (within) => {
    const own = new AbortController();
    // More than there are child processes, so that none waits for the database.
    const width = 2 * deps.config.parserProcesses + 2;
    const either = AbortSignal.any([within, own.signal]);
    const lanes = openLanes(deps, active, width, either);
    try {
      const claims = feed ? openFedClaims(deps, active, lanes, feed) : openClaims(deps, active, lanes);
      await drain(deps, active, lanes, claims, either);
    } catch (error) {
      own.abort(error);
      await lanes.settle();
      if (!(error instanceof RunLost) && signal.aborted) await handBack(deps, active, lanes);
      throw error;
    }
  });
}

async function drain(
  deps: IngestDeps,
  active: ActiveRun,
  lanes: Lanes,
  claims: Claims,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { small, large } = takeResults(lanes);
    const claiming = claims.wanted();
    if (small.length > 0 || large) deps.crash.reach('ingest.processed');
    if (small.length > 0 || claiming) {
      const claimed = await storeSmall(deps, active, small, async (tx) => (claiming ? claims.next(tx, large) : []));
      deps.crash.reach('ingest.batch_stored');
      if (claiming) claims.accept(claimed);
    }
    if (large) await storeLarge(deps, active, large);
    if (large && large.members.length > 0) claims.reopen();
    lanes.pump();
    if (claims.exhausted() && lanes.unfinished() === 0 && lanes.finished.length === 0) return;
    if (!isDue(lanes) && !claims.wanted()) await lanes.changed(BATCH_AGE_MS);
  }
}

interface Claims {
  /** More files should be claimed now. */
  wanted(): boolean;
  /** `taken`: a result that is neither stored nor among those of the lanes. */
  next(tx: Tx, taken: SourceRows | undefined): Promise<ClaimedSource[]>;
  /** To be called with what `next` returned, after the commit. */
  accept(claimed: readonly ClaimedSource[]): void;
  /** More files are pending than before: they were found inside others. */
  reopen(): void;
  exhausted(): boolean;
}

/** First all files together in order of id; then, one by one, those that were in hand when workers died. */
function openClaims(deps: IngestDeps, active: ActiveRun, lanes: Lanes): Claims {
  let phase: 'together' | 'alone' | 'over' = 'together';
  let begun = false;
  let afterId: string | null = null;
  let lastTogether: string | null = null;
  return {
    exhausted: () => phase === 'over',
    wanted() {
      if (phase === 'together') return lanes.queued() < CLAIM_FILES / 2;
      return phase === 'alone' && lanes.unfinished() === 0 && lanes.finished.length === 0;
    },
    async next(tx) {
      if (!begun) await markStarted(tx, active, deps.clock.now());
      const suspects = phase === 'alone';
      const limit = suspects ? 1 : CLAIM_FILES;
      const claimed = await claimPendingSources(tx, active.tenantId, active.groupId, {
        afterId,
        limit,
        suspectAttempts: SUSPECT_ATTEMPTS,
        suspects,
      });
      return withRules(deps, tx, active, claimed);
    },
    accept(claimed) {
      begun = true;
      afterId = claimed.at(-1)?.id ?? afterId;
      if (phase === 'together') lastTogether = afterId;
      if (phase === 'alone' && claimed.length === 0) phase = 'over';
      if (phase === 'together' && claimed.length < CLAIM_FILES) {
        phase = 'alone';
        afterId = null;
      }
      for (const source of claimed) {
        if (source.attempts > ATTEMPTS_MAX) lanes.refuse(source, POISON);
        else lanes.add([source]);
      }
    },
    reopen() {
      phase = 'together';
      afterId = lastTogether;
    },
  };
}

/** What a listing that goes on has stored. Suspects, files inside others and what is left wait for its end. */
function openFedClaims(deps: IngestDeps, active: ActiveRun, lanes: Lanes, feed: Feed): Claims {
  return {
    exhausted: () => !feed.isOpen,
    wanted: () => feed.isOpen && feed.hasNews && lanes.queued() < CLAIM_FILES / 2,
    async next(tx, taken) {
      feed.hasNews = false;
      const waiting = lanes.finished.map(({ rows }) => rows.source.id);
      const inHand = [...lanes.unfinishedIds(), ...waiting, ...(taken ? [taken.source.id] : [])];
      const claimed = await claimPendingSources(tx, active.tenantId, active.groupId, {
        afterId: null,
        limit: CLAIM_FILES,
        suspectAttempts: SUSPECT_ATTEMPTS,
        suspects: false,
        only: isNamedBy(active.runId, inHand),
      });
      return withRules(deps, tx, active, claimed);
    },
    accept(claimed) {
      if (claimed.length === CLAIM_FILES) feed.hasNews = true;
      lanes.add(claimed);
    },
    reopen: () => undefined,
  };
}

async function withRules(
  deps: IngestDeps,
  tx: Tx,
  active: ActiveRun,
  claimed: readonly ClaimedSource[],
): Promise<ClaimedSource[]> {
  const ingestRules = claimed.length > 0 ? await deps.redactors.atIngest(tx, active.tenantId) : null;
  return claimed.map((source) => ({ ...source, ingestRules }));
}

/** True when there is something to store that should not wait for more. */
function isDue({ finished, unfinished }: Lanes): boolean {
  const first = finished[0];
  if (!first) return false;
  if (unfinished() === 0 || finished.length >= BATCH_FILES_MAX || !isSmall(first.rows)) return true;
  if (performance.now() - first.at >= BATCH_AGE_MS) return true;
  return finished.reduce((sum, { rows }) => sum + rows.chunks.length, 0) >= PART_CHUNKS_MAX;
}

/** Takes what fits into one transaction, or a large file, when it is due. */
function takeResults(lanes: Lanes): { small: SourceRows[]; large: SourceRows | undefined } {
  const small: SourceRows[] = [];
  if (!isDue(lanes)) return { small, large: undefined };
  let chunks = 0;
  let weight = 0;
  for (let next = lanes.finished[0]; next && isSmall(next.rows); next = lanes.finished[0]) {
    chunks += next.rows.chunks.length;
    weight += next.rows.weight;
    const isFull = small.length >= BATCH_FILES_MAX || chunks > PART_CHUNKS_MAX || weight > PART_WEIGHT_MAX;
    if (isFull) break;
    small.push(next.rows);
    lanes.finished.shift();
  }
  return { small, large: small.length === 0 ? lanes.finished.shift()?.rows : undefined };
}

async function handBack(deps: IngestDeps, active: ActiveRun, lanes: Lanes): Promise<void> {
  await deps.db.transaction(active.tenantId, async (tx) => {
    await checkFence(tx, active);
    await releaseClaims(tx, active.tenantId, lanes.unfinishedIds());
  });
}
