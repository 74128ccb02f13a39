/**
 * Reads a listing to its end: looks up the stored items, fetches new and changed items, and stores them in small
 * transactions.
 *
 * The transaction that stores an item also records the item's outcome for the run (table run_item). Because of this
 * record, a run that continues after a kill counts and stores nothing twice, wherever its listing resumes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Change, ListRequest } from '../../connectors/connector.ts';
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import type { Opaque } from '../../corpus/origin.ts';
import {
  findItemsByRevision,
  findOutcomes,
  findStoredItems,
  listStoredIds,
  listUnreportedIds,
  moveItems,
  readSteps,
  type StoredItem,
  saveSteps,
} from '../../corpus/origin-store.ts';
import type { Tx } from '../../db/database.ts';
import { unlessAborted } from '../../util/abort.ts';
import { forEachLimited } from '../../util/pool.ts';
import { checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { cleanItem, cleanName, cleanReason, cleanState, needsFetch, type Received, storedId } from './decide.ts';
import { BROKEN_OFF, originProblem } from './problems.ts';
import { fetchItem, type OpenOrigin, receiveContent } from './receive-items.ts';
import { type GroupCapacity, storeItems } from './store-items.ts';
import type { Turn } from './turn.ts';

/** Items that are looked up, fetched and stored together. A kill loses at most the fetched bytes of this many items. */
const BATCH_ITEMS = 32;
/** Bytes and steps that came with a listing are stored when a batch reaches this size. */
const BATCH_BYTES = 32 * 1024 * 1024;
/**
 * After this time the next item completes the batch, so items of a slow origin become searchable while the listing goes
 * on.
 */
const BATCH_AGE_MS = 1_000;
const FETCHES_AT_ONCE = 4;
/** Rows of steps that are read together. */
const STEP_ROWS = 8;

export const PAUSED = 'paused';

export interface ListingPosition {
  cursor: Opaque | null;
  resume: Opaque | null;
}

export interface ListingEnd {
  full: boolean;
  cursor: Opaque | null;
  notice: OriginProblem | null;
}

/**
 * An item or outcome that the listing reported. `received`: the listing already brought the result; no fetch is needed.
 */
type ReportedItem = { change: Extract<Change, { kind: 'present' }> } | { received: Received };

/**
 * Lists an origin and stores its items.
 *
 * @param saveCheckpoint records, in a transaction, that everything before the checkpoint was stored.
 * @returns how the listing ended, or the problem that stopped it. `PAUSED`: the turn is over, and the listing can go on near this place.
 * @throws RunLost; the signal's reason; errors that are not the origin's fault. OriginError when the cursor has
 * expired.
 */
export async function listOrigin(
  deps: IngestDeps,
  open: OpenOrigin,
  from: ListingPosition,
  capacity: GroupCapacity,
  saveCheckpoint: (tx: Tx, resume: Opaque) => Promise<void>,
  { signal, turn }: { signal: AbortSignal; turn: Turn },
): Promise<ListingEnd | OriginProblem | typeof PAUSED> {
  const batch = openBatch(deps, open, capacity, signal);
  const changes = open.connector
    .list(open.origin, open.credential, {
      ...from,
      findStored: openLookup(deps, open),
      findRevisions: openRevisions(deps, open),
      listStored: () => deps.db.transaction(open.active.tenantId, (tx) => listStoredIds(tx, open.active.groupId)),
      async listUnreported() {
        await batch.store();
        return deps.db.transaction(open.active.tenantId, (tx) => listUnreportedIds(tx, open.active));
      },
      readSteps: () => readAllSteps(deps, open),
      signal,
    })
    [Symbol.asyncIterator]();
  let hasCheckpoint = false;
  try {
    for (;;) {
      const next = await unlessAborted(Promise.resolve(changes.next()), signal).catch((error) => ({ error }));
      if ('error' in next) {
        signal.throwIfAborted();
        const problem = originProblem(next.error);
        if (!problem || (next.error instanceof OriginError && next.error.cursorExpired)) throw next.error;
        deps.log.warn({ err: next.error, runId: open.active.runId }, 'an origin could not be listed');
        await batch.store();
        return problem;
      }
      if (next.done) {
        await batch.store();
        return BROKEN_OFF;
      }
      const change = next.value;
      if (change.kind === 'end') {
        await batch.store();
        return { full: change.full, cursor: change.cursor, notice: change.notice ?? null };
      }
      if (change.kind === 'checkpoint') {
        await batch.store((tx) => saveCheckpoint(tx, change.resume));
        deps.crash.reach('origin.checkpoint');
        // A listing may repeat the place where it began: then the turn has not moved it on.
        hasCheckpoint ||= !isDeepStrictEqual(cleanState(change.resume), from.resume);
      } else if (change.kind === 'step') {
        await batch.addStep(change.step);
      } else if (change.kind === 'moved') {
        await saveMoves(deps, open, change.moves);
      } else if (change.kind === 'outlook') {
        batch.expect(change.waiting);
      } else {
        await batch.add(change);
      }
      if ((hasCheckpoint || change.kind === 'step') && (await turn.isOver())) {
        await batch.store();
        return PAUSED;
      }
    }
  } finally {
    // The run does not wait for this call: a listing that hangs must not block the run.
    Promise.resolve(changes.return?.()).catch(() => undefined);
    await batch.discard();
  }
}

interface Batch {
  add(change: Exclude<Change, { kind: 'end' | 'checkpoint' | 'step' | 'outlook' | 'moved' }>): Promise<void>;
  addStep(step: Opaque): Promise<void>;
  /** Sets how many items the listing knows and has not reported yet. */
  expect(waiting: number): void;
  store(also?: (tx: Tx) => Promise<void>): Promise<void>;
  /** Discards bytes that were received and not stored. */
  discard(): Promise<void>;
}

function openBatch(deps: IngestDeps, open: OpenOrigin, capacity: GroupCapacity, signal: AbortSignal): Batch {
  const { active } = open;
  let reported = new Map<string, ReportedItem>();
  let steps: Opaque[] = [];
  let bytes = 0;
  let waiting = 0;
  let storedAt = performance.now();
  const isOld = (): boolean => performance.now() - storedAt >= BATCH_AGE_MS;
  return {
    expect(items) {
      waiting = items;
    },
    async add(change) {
      const originId = storedId(change.kind === 'present' ? change.item.originId : change.originId);
      // If the listing reports an item twice, the last report counts.
      const before = reported.get(originId);
      if (before && 'received' in before) await discardBytes(deps, [before.received]);
      reported.delete(originId);
      if (change.kind === 'present' && change.content) {
        // These bytes must be read now: the listing continues only after them.
        const received = await receiveContent(deps, active, change.item, change.content, signal);
        if (received.kind === 'fetched') bytes += received.bytes.size;
        reported.set(originId, { received });
      } else {
        reported.set(
          originId,
          change.kind === 'present' ? { change } : { received: receivedOutcome(change, originId) },
        );
      }
      if (reported.size >= BATCH_ITEMS || bytes >= BATCH_BYTES || isOld()) await this.store();
    },
    async addStep(step) {
      steps.push(cleanState(step));
      bytes += Buffer.byteLength(JSON.stringify(step));
      if (steps.length >= BATCH_ITEMS || bytes >= BATCH_BYTES || isOld()) await this.store();
    },
    async store(also) {
      const items = reported;
      const taken = steps;
      if (items.size === 0 && taken.length === 0 && !also) return;
      const { received, skippedBefore } = await receiveNamed(deps, open, items, signal);
      reported = new Map();
      steps = [];
      bytes = 0;
      await storeItems(deps, active, received, {
        capacity,
        skippedBefore,
        waiting,
        async also(tx) {
          await saveSteps(tx, active.runId, taken);
          await also?.(tx);
        },
      });
      open.onStored?.();
      storedAt = performance.now();
    },
    async discard() {
      const received = [...reported.values()].flatMap((one) => ('received' in one ? [one.received] : []));
      await discardBytes(deps, received);
    },
  };
}

function receivedOutcome(
  change: Extract<Change, { kind: 'gone' | 'unchanged' | 'skipped' | 'failed' }>,
  originId: string,
): Received {
  switch (change.kind) {
    case 'gone':
      return { kind: 'gone', originId };
    case 'unchanged':
      return { kind: 'same', originId, item: null };
    case 'skipped':
      return { kind: 'skipped', originId, name: cleanName(change.name), reason: cleanReason(change.reason) };
    case 'failed':
      return { kind: 'failed', originId, name: cleanName(change.name), failure: { stage: 'list', ...change.problem } };
  }
}

/**
 * Fetches the reported items that need a fetch. Drops reports that the run already stored before a kill.
 *
 * @returns `skippedBefore`: the ids of received items that the run counted as skipped before a kill.
 */
async function receiveNamed(
  deps: IngestDeps,
  open: OpenOrigin,
  reported: ReadonlyMap<string, ReportedItem>,
  signal: AbortSignal,
): Promise<{ received: Received[]; skippedBefore: ReadonlySet<string> }> {
  const { active } = open;
  const { tenantId, groupId, runId } = active;
  const ids = [...reported.keys()];
  const { stored, outcomes } = await deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    return {
      stored: await findStoredItems(tx, groupId, ids),
      outcomes: await findOutcomes(tx, runId, ids),
    };
  });
  const received: Received[] = [];
  const toFetch: { change: Extract<Change, { kind: 'present' }>; stored: StoredItem | undefined }[] = [];
  const repeated: Received[] = [];
  const skippedBefore = new Set<string>();
  for (const [originId, one] of reported) {
    const outcome = outcomes.get(originId);
    const before = stored.get(originId);
    if (outcome === 'there' && before && isNewer(one, before)) {
      // The item has changed since a kill. A version that is being processed must not be replaced.
      if (before.status !== 'ready' || before.updateHash !== null) {
        received.push({ kind: 'later', originId });
        if ('received' in one) repeated.push(one.received);
      } else if ('received' in one) received.push(one.received);
      else toFetch.push({ change: one.change, stored: before });
      continue;
    }
    // A stored item that a rule excluded before a kill is looked at again: its source stays if no rule excludes it now.
    const isLookedAtAgain = outcome === 'skipped' && before !== undefined;
    if (isLookedAtAgain) skippedBefore.add(originId);
    // An item that was gone a moment ago may be back, and the reverse. Every other repeated report was stored before a
    // kill.
    const isStored =
      outcome !== undefined &&
      outcome !== 'gone' &&
      !isLookedAtAgain &&
      !('received' in one && one.received.kind === 'gone');
    if ('received' in one) (isStored ? repeated : received).push(one.received);
    else if (isStored) continue;
    else if (needsFetch(cleanItem(one.change.item), before)) toFetch.push({ change: one.change, stored: before });
    else received.push({ kind: 'same', originId, item: cleanItem(one.change.item) });
  }
  await discardBytes(deps, repeated);
  try {
    await forEachLimited(toFetch, FETCHES_AT_ONCE, async ({ change, stored: before }) => {
      signal.throwIfAborted();
      received.push(await fetchItem(deps, open, change.item, before, signal));
      deps.crash.reach('origin.item_fetched');
    });
  } catch (error) {
    await discardBytes(deps, received);
    throw error;
  }
  return { received, skippedBefore };
}

/** Returns whether a report is of another version than the one that is stored or waits to be processed. */
function isNewer(one: ReportedItem, stored: StoredItem): boolean {
  if ('change' in one) return one.change.item.revision !== null && needsFetch(cleanItem(one.change.item), stored);
  if (one.received.kind !== 'fetched') return false;
  const { hash } = one.received.bytes;
  return hash !== stored.blobHash && hash !== stored.updateHash;
}

async function discardBytes(deps: IngestDeps, received: readonly Received[]): Promise<void> {
  await deps.blobs.discard(received.flatMap((one) => (one.kind === 'fetched' ? [one.bytes] : [])));
}

function openRevisions(deps: IngestDeps, { active: { tenantId, groupId } }: OpenOrigin) {
  return (revisions: readonly string[]) =>
    deps.db.transaction(tenantId, (tx) => findItemsByRevision(tx, groupId, revisions));
}

async function* readAllSteps(deps: IngestDeps, { active }: OpenOrigin): AsyncGenerator<Opaque[]> {
  for (let after = 0; ; ) {
    const rows = await deps.db.transaction(active.tenantId, (tx) =>
      readSteps(tx, active.runId, { after, limit: STEP_ROWS }),
    );
    if (rows.length === 0) return;
    yield rows.flatMap(({ steps }) => steps);
    after = rows.at(-1)!.ordinal;
  }
}

async function saveMoves(
  deps: IngestDeps,
  { active }: OpenOrigin,
  moves: readonly { from: string; to: string }[],
): Promise<void> {
  const ids = moves.map(({ from, to }) => ({ from: storedId(from), to: storedId(to) }));
  await deps.db.transaction(active.tenantId, async (tx) => {
    await checkFence(tx, active);
    await moveItems(tx, active.groupId, ids);
  });
}

/** Returns a lookup of stored versions. Ids that are asked for at the same moment are looked up by one statement. */
function openLookup(deps: IngestDeps, { active: { tenantId, groupId } }: OpenOrigin): ListRequest['findStored'] {
  let next: { ids: string[]; found: Promise<Map<string, StoredItem>> } | undefined;
  return async (originId) => {
    const id = storedId(originId);
    if (!next) {
      const ids: string[] = [];
      const found = nextTurn().then(() => {
        next = undefined;
        return deps.db.transaction(tenantId, (tx) => findStoredItems(tx, groupId, ids));
      });
      next = { ids, found };
    }
    next.ids.push(id);
    const item = (await next.found).get(id);
    return item && { revision: item.revision, state: item.state };
  };
}
