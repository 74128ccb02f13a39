/** Writes what a run received of its origin: sources that wait to be read, facts, marks and figures in one transaction. */
import {
  dropUpdates,
  failUpdates,
  findStoredItems,
  type ItemFacts,
  type NewVersion,
  type Outcome,
  type StoredItem,
  saveItemFacts,
  saveOutcomes,
  saveUpdates,
} from '../../corpus/origin-store.ts';
import {
  addListed,
  insertRunErrors,
  type ListedStep,
  type NewRunError,
  NOTHING_LISTED,
} from '../../corpus/run-store.ts';
import { GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from '../../corpus/source-lookup.ts';
import {
  type ChangedSource,
  changeSources,
  failPending,
  insertSources,
  type NewSource,
  resetAttempts,
  restartSources,
} from '../../corpus/source-store.ts';
import type { FileFailure } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { newId } from '../../util/ids.ts';
import { storeWithBlobs } from '../durable-blobs.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { decide, type Received } from './decide.ts';

/** What a group has room for; it shrinks as sources are stored. */
export interface Room {
  sources: number;
  bytes: number;
}

const TOO_MANY: FileFailure = {
  stage: 'fetch',
  title: 'The source group is full',
  message: `A source group has at most ${GROUP_SOURCES_MAX} files and ${GROUP_BYTES_MAX / 1024 ** 3} GiB. Take a smaller part of the origin.`,
  retryable: false,
};

/** What one transaction writes. */
interface Writes {
  added: (NewSource & { id: string })[];
  restarted: NewVersion[];
  updated: NewVersion[];
  reverted: string[];
  changed: ChangedSource[];
  facts: ItemFacts[];
  /** Sources that waited to be read and wait no longer. */
  given: string[];
  errors: NewRunError[];
  outcomes: { originId: string; outcome: Outcome }[];
  step: ListedStep;
}

/**
 * Each item once.
 *
 * @param listing `waiting`: items that the listing knows of and has not named yet. `also` runs last in the same transaction.
 * @throws RunLost
 */
export async function storeItems(
  deps: IngestDeps,
  active: ActiveRun,
  received: readonly Received[],
  { room, waiting, also }: { room: Room; waiting: number; also?: ((tx: Tx) => Promise<void>) | undefined },
): Promise<void> {
  const { tenantId, groupId, runId } = active;
  const staged = received.flatMap((one) => (one.kind === 'fetched' ? [one.bytes] : []));
  await storeWithBlobs(deps, tenantId, staged, (release) =>
    deps.db.transaction(tenantId, async (tx) => {
      await checkFence(tx, active);
      await release(tx);
      const ids = received.map((one) => (one.kind === 'fetched' ? one.item.originId : one.originId));
      const stored = await findStoredItems(tx, tenantId, groupId, ids);
      const writes = plan(received, stored, room, deps.clock.now());
      await write(deps, tx, active, writes);
      await addListed(tx, tenantId, runId, writes.step, deps.clock.now(), waiting);
      await also?.(tx);
    }),
  );
  deps.crash.reach('origin.items_stored');
}

function plan(received: readonly Received[], stored: ReadonlyMap<string, StoredItem>, room: Room, now: Date): Writes {
  const writes: Writes = {
    added: [],
    restarted: [],
    updated: [],
    reverted: [],
    changed: [],
    facts: [],
    given: [],
    errors: [],
    outcomes: [],
    step: { ...NOTHING_LISTED },
  };
  for (const raw of received) {
    const one = withoutEmpty(raw);
    if (one.kind === 'fetched' || one.kind === 'same') planPresent(writes, one, stored, room, now);
    else planAbsent(writes, one, stored.get(one.originId));
  }
  return writes;
}

/** An empty file counts as skipped: at origins they are ordinary (`__init__.py`), and nothing can be found in them. */
function withoutEmpty(one: Received): Received {
  const isEmpty = one.kind === 'fetched' && one.bytes.size === 0;
  return isEmpty ? { kind: 'skipped', originId: one.item.originId, name: one.item.name } : one;
}

function planPresent(
  writes: Writes,
  one: Extract<Received, { kind: 'fetched' | 'same' }>,
  stored: ReadonlyMap<string, StoredItem>,
  room: Room,
  now: Date,
): void {
  const { item } = one;
  const originId = one.kind === 'fetched' ? one.item.originId : one.originId;
  const before = stored.get(originId);
  const step = decide(one, before);
  const bytes = one.kind === 'fetched' ? one.bytes : undefined;
  if (step === 'lost') {
    writes.outcomes.push({ originId, outcome: 'skipped' });
    writes.step.listed += 1;
    writes.step.skipped += 1;
    return;
  }
  if (bytes && (step === 'add' || step === 'restart' || step === 'update')) {
    const isFull = (step === 'add' && room.sources < 1) || room.bytes < bytes.size;
    if (isFull) {
      planAbsent(writes, { kind: 'failed', originId, name: one.item!.name, failure: TOO_MANY }, before);
      return;
    }
    room.bytes -= bytes.size;
    if (step === 'add') room.sources -= 1;
  }
  writes.outcomes.push({ originId, outcome: 'there' });
  writes.step.listed += 1;
  if (step === 'none' || step === 'revert') writes.step.unchanged += 1;
  if (step === 'change') writes.step.updated += 1;
  const sourceId = before?.sourceId ?? newId(now.getTime());
  if (item) {
    const state = one.kind === 'fetched' ? one.state : (before?.state ?? null);
    if (step !== 'none' || bytes)
      writes.facts.push({ sourceId, originId, revision: item.revision, state, metadata: item.metadata });
    const contentAt = step === 'change' || step === 'revert' ? item.modifiedAt : null;
    if (before && step !== 'none')
      writes.changed.push({ id: sourceId, name: item.name, url: item.url, contentAt, metadata: item.metadata });
  }
  if (step === 'revert') writes.reverted.push(sourceId);
  if (step === 'update' || step === 'restart') {
    const version = {
      sourceId,
      blobHash: bytes?.hash ?? before!.blobHash,
      fileSize: bytes?.size ?? before!.fileSize,
      contentAt: item?.modifiedAt ?? (bytes ? now : null),
    };
    (step === 'update' ? writes.updated : writes.restarted).push(version);
  }
  if (step === 'add' && item && bytes) {
    writes.added.push({
      id: sourceId,
      name: item.name,
      url: item.url,
      fileType: 'unknown',
      fileSize: bytes.size,
      blobHash: bytes.hash,
      contentAt: item.modifiedAt ?? now,
      originMetadata: item.metadata,
    });
  }
}

function planAbsent(
  writes: Writes,
  one: Extract<Received, { kind: 'skipped' | 'failed' | 'gone' }>,
  before: StoredItem | undefined,
): void {
  const { originId } = one;
  writes.outcomes.push({ originId, outcome: one.kind });
  // What waits to be read is not read in this run: it is counted here.
  if (before) writes.given.push(before.sourceId);
  if (one.kind === 'gone') return;
  writes.step.listed += 1;
  writes.step[one.kind] += 1;
  if (one.kind === 'failed') {
    writes.errors.push({ ...one.failure, id: newId(), sourceId: before?.sourceId ?? null, originId, name: one.name });
  }
}

async function write(deps: IngestDeps, tx: Tx, active: ActiveRun, writes: Writes): Promise<void> {
  const { tenantId, groupId, runId, sourceType } = active;
  await insertSources(tx, tenantId, { id: groupId, sourceType, createdAt: deps.clock.now() }, writes.added);
  // Before the facts: what the origin said until now is taken out of the metadata.
  await changeSources(tx, tenantId, writes.changed);
  await saveItemFacts(tx, tenantId, groupId, writes.facts);
  await restartSources(tx, tenantId, writes.restarted);
  await saveUpdates(tx, tenantId, groupId, writes.updated);
  await resetAttempts(
    tx,
    tenantId,
    writes.updated.map(({ sourceId }) => sourceId),
  );
  await dropUpdates(tx, tenantId, writes.reverted);
  await failPending(tx, tenantId, writes.given);
  await failUpdates(tx, tenantId, writes.given);
  await insertRunErrors(tx, tenantId, runId, writes.errors);
  await saveOutcomes(tx, tenantId, runId, writes.outcomes);
}
