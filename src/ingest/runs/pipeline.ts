/**
 * Processes the pending sources of one run: claims sources, keeps the child processes busy, and stores the results.
 *
 * One coroutine makes the decisions (`drain`); files are processed in lanes at the same time. One transaction both stores
 * results and claims the next sources.
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

const BATCH_FILES_MAX = 40;
const CLAIM_FILES = 2 * BATCH_FILES_MAX;
/** With fewer queued files, the next files are claimed at once. Otherwise they are claimed together with the next results. */
const QUEUED_MIN = 8;
/** Small results wait at most this long for other results of the same transaction. */
const BATCH_AGE_MS = 200;
/**
 * Attempts together with other files. After them the file is processed alone. A file that was only in flight during a crash
 * then succeeds.
 */
const SUSPECT_ATTEMPTS = 3;
/** If a file was in flight at this many deaths of its worker, the file is the cause. */
const ATTEMPTS_MAX = 6;

const POISON: FileFailure = {
  stage: 'parse',
  title: 'The worker stopped while reading this file',
  message: `Reading this file ended the worker ${ATTEMPTS_MAX} times. This run does not try the file again.`,
  retryable: true,
};

/** State that a listing shares with the processing of its files. */
export interface Feed {
  /** The listing has not ended. */
  isOpen: boolean;
  /** The listing has stored items since this flag was set to false. */
  hasNews: boolean;
}

/**
 * Processes pending sources until none is left. With `feed`, returns soon after the listing has ended, whatever is pending
 * then.
 *
 * @throws RunLost when the run was canceled, deleted or taken over.
 * @throws the signal's reason when the worker stops; claimed sources are released.
 */
export async function processPending(
  deps: IngestDeps,
  active: ActiveRun,
  signal: AbortSignal,
  feed?: Feed,
): Promise<void> {
  await withHeartbeat(deps, active, signal, async (within) => {
    const failure = new AbortController();
    // More lanes than child processes, so that no child process waits for the database.
    const width = 2 * deps.config.parserProcesses + 2;
    const either = AbortSignal.any([within, failure.signal]);
    const lanes = openLanes(deps, active, width, either);
    try {
      const claims = feed ? openFedClaims(deps, active, lanes, feed) : openClaims(deps, active, lanes);
      await drain(deps, active, lanes, claims, either);
    } catch (error) {
      failure.abort(error);
      await lanes.settle();
      if (!(error instanceof RunLost) && signal.aborted) await releaseClaimed(deps, active, lanes);
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
    const isClaiming = claims.shouldClaim(small.length > 0);
    if (small.length > 0 || large) deps.crash.reach('ingest.processed');
    if (small.length > 0 || isClaiming) {
      const claimed = await storeSmall(deps, active, small, async (tx) => (isClaiming ? claims.next(tx, large) : []));
      deps.crash.reach('ingest.batch_stored');
      if (isClaiming) claims.accept(claimed);
    }
    if (large) await storeLarge(deps, active, large);
    if (large && large.members.length > 0) claims.reopen();
    lanes.pump();
    if (claims.exhausted() && lanes.unfinished() === 0 && lanes.finished.length === 0) return;
    if (!isDue(lanes) && !claims.shouldClaim(false)) await lanes.nextChange(BATCH_AGE_MS);
  }
}

interface Claims {
  /** Returns whether more files should be claimed now. `hasResults`: the transaction is needed anyway. */
  shouldClaim(hasResults: boolean): boolean;
  /** Claims the next files. `unstored`: a result that is neither stored nor among the results of the lanes. */
  next(tx: Tx, unstored: SourceRows | undefined): Promise<ClaimedSource[]>;
  /** Adds the files that `next` returned to the lanes. Call this method after the commit. */
  accept(claimed: readonly ClaimedSource[]): void;
  /** Starts claiming again, because files found inside other files became pending. */
  reopen(): void;
  exhausted(): boolean;
}

/** Claims all files in order of id, then, one by one, the files that were in flight when workers died. */
function openClaims(deps: IngestDeps, active: ActiveRun, lanes: Lanes): Claims {
  let phase: 'together' | 'alone' | 'over' = 'together';
  let isStarted = false;
  let afterId: string | null = null;
  let lastTogether: string | null = null;
  return {
    exhausted: () => phase === 'over',
    shouldClaim(hasResults) {
      if (phase === 'together') return needsFiles(lanes, hasResults);
      return phase === 'alone' && lanes.unfinished() === 0 && lanes.finished.length === 0;
    },
    async next(tx) {
      if (!isStarted) await markStarted(tx, active, deps.clock.now());
      const suspects = phase === 'alone';
      const limit = suspects ? 1 : CLAIM_FILES;
      const claimed = await claimPendingSources(tx, active.groupId, {
        afterId,
        limit,
        suspectAttempts: SUSPECT_ATTEMPTS,
        suspects,
      });
      return withRules(deps, tx, claimed);
    },
    accept(claimed) {
      isStarted = true;
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

/**
 * Claims the files that an active listing has stored. Suspects, files inside other files and the rest wait until the listing
 * has ended.
 */
function openFedClaims(deps: IngestDeps, active: ActiveRun, lanes: Lanes, feed: Feed): Claims {
  return {
    exhausted: () => !feed.isOpen,
    shouldClaim: (hasResults) => feed.isOpen && feed.hasNews && needsFiles(lanes, hasResults),
    async next(tx, unstored) {
      feed.hasNews = false;
      const waiting = lanes.finished.map(({ rows }) => rows.source.id);
      const inHand = [...lanes.unfinishedIds(), ...waiting, ...(unstored ? [unstored.source.id] : [])];
      const claimed = await claimPendingSources(tx, active.groupId, {
        afterId: null,
        limit: CLAIM_FILES,
        suspectAttempts: SUSPECT_ATTEMPTS,
        suspects: false,
        only: isNamedBy(active.runId, inHand),
      });
      return withRules(deps, tx, claimed);
    },
    accept(claimed) {
      if (claimed.length === CLAIM_FILES) feed.hasNews = true;
      lanes.add(claimed);
    },
    reopen: () => undefined,
  };
}

function needsFiles(lanes: Lanes, hasResults: boolean): boolean {
  return lanes.queued() < (hasResults ? BATCH_FILES_MAX : QUEUED_MIN);
}

async function withRules(deps: IngestDeps, tx: Tx, claimed: readonly ClaimedSource[]): Promise<ClaimedSource[]> {
  const ingestRules = claimed.length > 0 ? await deps.redactors.atIngest(tx) : null;
  return claimed.map((source) => ({ ...source, ingestRules }));
}

/** Returns whether results should be stored now, without waiting for more. */
function isDue({ finished, unfinished }: Lanes): boolean {
  const first = finished[0];
  if (!first) return false;
  if (unfinished() === 0 || finished.length >= BATCH_FILES_MAX || !isSmall(first.rows)) return true;
  if (performance.now() - first.at >= BATCH_AGE_MS) return true;
  return finished.reduce((sum, { rows }) => sum + rows.chunks.length, 0) >= PART_CHUNKS_MAX;
}

/** Removes due results from the lanes: small ones that fit into one transaction, or one large one. */
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

async function releaseClaimed(deps: IngestDeps, active: ActiveRun, lanes: Lanes): Promise<void> {
  await deps.db.transaction(active.tenantId, async (tx) => {
    await checkFence(tx, active);
    await releaseClaims(tx, lanes.unfinishedIds());
  });
}
