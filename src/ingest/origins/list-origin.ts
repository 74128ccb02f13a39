/**
 * Reads a listing to its end: looks up what is stored, fetches what is new or changed, and stores it in small transactions.
 *
 * What an item came to is remembered with the run (table run_item) in the transaction that stores it: a run that goes on after
 * a kill counts and stores nothing twice, wherever its listing goes on from.
 */
import type { Change } from '../../connectors/connector.ts';
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import type { Opaque } from '../../corpus/origin.ts';
import { findOutcomes, findStoredItems, type StoredItem } from '../../corpus/origin-store.ts';
import type { Tx } from '../../db/database.ts';
import { unlessAborted } from '../../util/abort.ts';
import { forEachLimited } from '../../util/pool.ts';
import { checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { cleanItem, cleanName, needsFetch, type Received, storedId } from './decide.ts';
import { BROKEN_OFF, originProblem } from './problems.ts';
import { fetchItem, type OpenOrigin, receiveContent } from './receive-items.ts';
import { type Room, storeItems } from './store-items.ts';

/** Items that are looked up, fetched and stored together. A kill costs at most the bytes of so many. */
const BATCH_ITEMS = 32;
/** Bytes that came with a listing wait for company up to this. */
const BATCH_BYTES = 32 * 1024 * 1024;
/** After this time the next item is stored with what is there: items of a slow origin become searchable while it is listed. */
const BATCH_AGE_MS = 1_000;
const FETCHES_AT_ONCE = 4;

export interface ListFrom {
  cursor: Opaque | null;
  resume: Opaque | null;
}

export interface Ended {
  full: boolean;
  cursor: Opaque | null;
}

/** What a listing named: `received` came with it already. */
type Named = { change: Extract<Change, { kind: 'present' }> } | { received: Received };

/**
 * @param checkpoint writes, in a transaction, that everything before was stored.
 * @returns how the listing ended, or the problem that kept it from ending.
 * @throws RunLost; the signal's reason; what is not the origin's fault. OriginError when the cursor is too old.
 */
export async function listOrigin(
  deps: IngestDeps,
  open: OpenOrigin,
  from: ListFrom,
  room: Room,
  checkpoint: (tx: Tx, resume: Opaque) => Promise<void>,
  signal: AbortSignal,
): Promise<Ended | OriginProblem> {
  const batch = openBatch(deps, open, room, signal);
  const changes = open.connector
    .list(open.origin, open.credential, { ...from, known: (id) => findKnown(deps, open, id), signal })
    [Symbol.asyncIterator]();
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
        return { full: change.full, cursor: change.cursor };
      }
      if (change.kind === 'checkpoint') {
        await batch.store((tx) => checkpoint(tx, change.resume));
        deps.crash.reach('origin.checkpoint');
      } else if (change.kind === 'outlook') {
        batch.expect(change.waiting);
      } else {
        await batch.add(change);
      }
    }
  } finally {
    // Not waited for: a listing that hangs must not hold the run.
    Promise.resolve(changes.return?.()).catch(() => undefined);
    await batch.discard();
  }
}

interface Batch {
  add(change: Exclude<Change, { kind: 'end' | 'checkpoint' | 'outlook' }>): Promise<void>;
  /** So many items are known and not named yet. */
  expect(waiting: number): void;
  store(also?: (tx: Tx) => Promise<void>): Promise<void>;
  /** Drops what was received and not stored. */
  discard(): Promise<void>;
}

function openBatch(deps: IngestDeps, open: OpenOrigin, room: Room, signal: AbortSignal): Batch {
  const { active } = open;
  let named = new Map<string, Named>();
  let bytes = 0;
  let waiting = 0;
  let storedAt = performance.now();
  return {
    expect(items) {
      waiting = items;
    },
    async add(change) {
      const originId = storedId(change.kind === 'present' ? change.item.originId : change.originId);
      // Named twice: the last word holds.
      const before = named.get(originId);
      if (before && 'received' in before) await discardBytes(deps, [before.received]);
      named.delete(originId);
      if (change.kind === 'present' && change.content) {
        // Now: the listing goes on behind these bytes.
        const received = await receiveContent(deps, active, change.item, change.content, signal);
        if (received.kind === 'fetched') bytes += received.bytes.size;
        named.set(originId, { received });
      } else {
        named.set(originId, change.kind === 'present' ? { change } : { received: toReceived(change, originId) });
      }
      const isDue = performance.now() - storedAt >= BATCH_AGE_MS;
      if (named.size >= BATCH_ITEMS || bytes >= BATCH_BYTES || isDue) await this.store();
    },
    async store(also) {
      const items = named;
      if (items.size === 0 && !also) return;
      const received = await receiveNamed(deps, open, items, signal);
      named = new Map();
      bytes = 0;
      await storeItems(deps, active, received, { room, waiting, also });
      open.onStored?.();
      storedAt = performance.now();
    },
    async discard() {
      const received = [...named.values()].flatMap((one) => ('received' in one ? [one.received] : []));
      await discardBytes(deps, received);
    },
  };
}

function toReceived(
  change: Extract<Change, { kind: 'gone' | 'unchanged' | 'skipped' | 'failed' }>,
  originId: string,
): Received {
  switch (change.kind) {
    case 'gone':
      return { kind: 'gone', originId };
    case 'unchanged':
      return { kind: 'same', originId, item: null };
    case 'skipped':
      return { kind: 'skipped', originId, name: cleanName(change.name) };
    case 'failed':
      return { kind: 'failed', originId, name: cleanName(change.name), failure: { stage: 'list', ...change.problem } };
  }
}

/** Fetches what has to be fetched. What the run was told of before is left out. */
async function receiveNamed(
  deps: IngestDeps,
  open: OpenOrigin,
  named: ReadonlyMap<string, Named>,
  signal: AbortSignal,
): Promise<Received[]> {
  const { active } = open;
  const { tenantId, groupId, runId } = active;
  const ids = [...named.keys()];
  const { stored, outcomes } = await deps.db.transaction(tenantId, async (tx) => {
    await checkFence(tx, active);
    return {
      stored: await findStoredItems(tx, tenantId, groupId, ids),
      outcomes: await findOutcomes(tx, tenantId, runId, ids),
    };
  });
  const received: Received[] = [];
  const wanted: { change: Extract<Change, { kind: 'present' }>; stored: StoredItem | undefined }[] = [];
  const unwanted: Received[] = [];
  for (const [originId, one] of named) {
    const outcome = outcomes.get(originId);
    // What was gone a moment ago may be back, and the reverse. Everything else that is said again was stored before a kill.
    const isKnown = outcome !== undefined && outcome !== 'gone' && !('received' in one && one.received.kind === 'gone');
    if ('received' in one) (isKnown ? unwanted : received).push(one.received);
    else if (isKnown) continue;
    else if (needsFetch(cleanItem(one.change.item), stored.get(originId)))
      wanted.push({ change: one.change, stored: stored.get(originId) });
    else received.push({ kind: 'same', originId, item: cleanItem(one.change.item) });
  }
  await discardBytes(deps, unwanted);
  try {
    await forEachLimited(wanted, FETCHES_AT_ONCE, async ({ change, stored: before }) => {
      signal.throwIfAborted();
      received.push(await fetchItem(deps, open, change.item, before, signal));
      deps.crash.reach('origin.item_fetched');
    });
  } catch (error) {
    await discardBytes(deps, received);
    throw error;
  }
  return received;
}

async function discardBytes(deps: IngestDeps, received: readonly Received[]): Promise<void> {
  await deps.blobs.discard(received.flatMap((one) => (one.kind === 'fetched' ? [one.bytes] : [])));
}

async function findKnown(deps: IngestDeps, { active }: OpenOrigin, originId: string) {
  const id = storedId(originId);
  const stored = await deps.db.transaction(active.tenantId, (tx) =>
    findStoredItems(tx, active.tenantId, active.groupId, [id]),
  );
  const item = stored.get(id);
  return item && { revision: item.revision, state: item.state };
}
