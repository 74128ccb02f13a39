/**
 * Writes the items that a run received from its origin in one transaction: pending sources, facts, outcomes and counts.
 */
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
} from '../../corpus/origin-store.ts';
import {
  addListed,
  insertRunErrors,
  type ListedStep,
  type NewRunError,
  NOTHING_LISTED,
} from '../../corpus/run-store.ts';
import { insertSkippedFiles, type SkippedFile } from '../../corpus/runs/run-file-store.ts';
import { GROUP_BYTES_MAX, GROUP_SOURCES_MAX, lockQuotaRoom, type QuotaRoom } from '../../corpus/source-lookup.ts';
import {
  type ChangedSource,
  changeSources,
  failPending,
  insertSources,
  type NewSource,
  restartSources,
} from '../../corpus/source-store.ts';
import type { FileFailure, FilePlace } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { newId } from '../../util/ids.ts';
import { storeWithBlobs } from '../durable-blobs.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { saveVersions } from '../runs/new-versions.ts';
import { decide, type Received } from './decide.ts';

/** How many sources and bytes the group may still take. Both numbers shrink as sources are stored. */
export interface GroupCapacity {
  sources: number;
  bytes: number;
}

interface Capacity {
  group: GroupCapacity;
  tenant: QuotaRoom;
}

const TOO_MANY: FileFailure = {
  stage: 'fetch',
  title: 'The source group is full',
  message:
    `A source group has at most ${GROUP_SOURCES_MAX} files and ${GROUP_BYTES_MAX / 1024 ** 3} GiB. ` +
    'Choose a smaller part of the origin.',
  retryable: false,
};

const OVER_QUOTA: FileFailure = {
  stage: 'fetch',
  title: 'The quota of the tenant is used up',
  message:
    'The file was not stored. Delete sources, or ask the operator for a larger quota, then run the source again.',
  retryable: true,
};

/** The rows that one transaction writes. */
interface Writes {
  added: (NewSource & { id: string })[];
  restarted: NewVersion[];
  updated: NewVersion[];
  reverted: string[];
  changed: ChangedSource[];
  facts: ItemFacts[];
  /** Sources that were pending and are not pending any more. */
  noLongerPending: string[];
  errors: NewRunError[];
  skipped: SkippedFile[];
  outcomes: { originId: string; outcome: Outcome }[];
  step: ListedStep;
}

/**
 * Stores the received items. Each item may occur once.
 *
 * @param options `skippedBefore`: items that the run has counted as skipped. `waiting`: items that the listing knows and has not
 * reported yet. `also` runs last in the same transaction.
 * @throws RunLost
 */
export async function storeItems(
  deps: IngestDeps,
  active: ActiveRun,
  received: readonly Received[],
  {
    capacity,
    skippedBefore,
    waiting,
    also,
  }: {
    capacity: GroupCapacity;
    skippedBefore: ReadonlySet<string>;
    waiting: number;
    also: (tx: Tx) => Promise<void>;
  },
): Promise<void> {
  const { tenantId, groupId, runId } = active;
  const staged = received.flatMap((one) => (one.kind === 'fetched' ? [one.bytes] : []));
  await storeWithBlobs(deps, tenantId, staged, (release) =>
    deps.db.transaction(tenantId, async (tx) => {
      await checkFence(tx, active);
      await release(tx);
      const ids = received.map(originIdOf);
      const stored = await findStoredItems(tx, groupId, ids);
      const room = await lockQuotaRoom(tx, deps.config.quotas);
      const writes = plan(
        active,
        received,
        { stored, skippedBefore },
        { group: capacity, tenant: room },
        deps.clock.now(),
      );
      await write(deps, tx, active, writes);
      await addListed(tx, runId, writes.step, deps.clock.now(), waiting);
      await also(tx);
    }),
  );
  deps.crash.reach('origin.items_stored');
}

function plan(
  { sourceType }: Pick<ActiveRun, 'sourceType'>,
  received: readonly Received[],
  { stored, skippedBefore }: { stored: ReadonlyMap<string, StoredItem>; skippedBefore: ReadonlySet<string> },
  capacity: Capacity,
  now: Date,
): Writes {
  const writes: Writes = {
    added: [],
    restarted: [],
    updated: [],
    reverted: [],
    changed: [],
    facts: [],
    noLongerPending: [],
    errors: [],
    skipped: [],
    outcomes: [],
    step: { ...NOTHING_LISTED },
  };
  for (const raw of received) {
    const one = withoutEmpty(raw);
    if (skippedBefore.has(originIdOf(one))) {
      if (one.kind === 'skipped') continue;
      // Each item counts once.
      writes.step.listed -= 1;
      writes.step.skipped -= 1;
    }
    if (one.kind === 'fetched' || one.kind === 'same')
      planPresent(writes, one, stored, capacity, placeOf(sourceType, originIdOf(one)), now);
    // The item was counted before. Failed items are asked for again, and keep their sources.
    else if (one.kind === 'later') writes.outcomes.push({ originId: one.originId, outcome: 'failed' });
    else planAbsent(writes, one, stored.get(one.originId), placeOf(sourceType, one.originId));
  }
  return writes;
}

/**
 * Counts an empty file as skipped: empty files are common at origins (`__init__.py`), and search can find nothing in
 * them.
 */
function withoutEmpty(one: Received): Received {
  const isEmpty = one.kind === 'fetched' && one.bytes.size === 0;
  if (!isEmpty) return one;
  return { kind: 'skipped', originId: one.item.originId, name: one.item.name, reason: 'an empty file' };
}

function planPresent(
  writes: Writes,
  one: Extract<Received, { kind: 'fetched' | 'same' }>,
  stored: ReadonlyMap<string, StoredItem>,
  { group, tenant }: Capacity,
  place: FilePlace,
  now: Date,
): void {
  const { item } = one;
  const originId = originIdOf(one);
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
    const isFull = (step === 'add' && group.sources < 1) || group.bytes < bytes.size;
    // The bytes of a version that is replaced become free.
    const grown = bytes.size - (before?.fileSize ?? 0);
    const isOverQuota = (step === 'add' && tenant.files < 1) || (grown > 0 && tenant.bytes < grown);
    if (isFull || isOverQuota) {
      const failure = isFull ? TOO_MANY : OVER_QUOTA;
      planAbsent(writes, { kind: 'failed', originId, name: one.item!.name, failure }, before, place);
      return;
    }
    group.bytes -= bytes.size;
    tenant.bytes -= grown;
    if (step === 'add') {
      group.sources -= 1;
      tenant.files -= 1;
    }
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
  place: FilePlace,
): void {
  const { originId } = one;
  writes.outcomes.push({ originId, outcome: one.kind });
  // The pending version of this source is not processed in this run, so the run counts the item here.
  if (before) writes.noLongerPending.push(before.sourceId);
  if (one.kind === 'gone') return;
  writes.step.listed += 1;
  writes.step[one.kind] += 1;
  if (one.kind === 'skipped') writes.skipped.push({ name: one.name, reason: one.reason, ...place });
  if (one.kind === 'failed') {
    const sourceId = before?.sourceId ?? null;
    writes.errors.push({ ...one.failure, ...place, id: newId(), sourceId, originId, name: one.name });
  }
}

/** Returns the path or the address that the id of an item is. Ids of other origins are not for people. */
function placeOf(sourceType: string, originId: string): FilePlace {
  return { path: sourceType === 'repo' ? originId : null, url: sourceType === 'web' ? originId : null };
}

function originIdOf(one: Received): string {
  return one.kind === 'fetched' ? one.item.originId : one.originId;
}

async function write(deps: IngestDeps, tx: Tx, active: ActiveRun, writes: Writes): Promise<void> {
  const { groupId, runId, sourceType } = active;
  await insertSources(tx, { id: groupId, sourceType, createdAt: deps.clock.now() }, writes.added);
  // Must run before `saveItemFacts`: removes the metadata that the previous listing wrote.
  await changeSources(tx, writes.changed);
  await saveItemFacts(tx, groupId, writes.facts);
  await restartSources(tx, writes.restarted);
  await saveVersions(tx, groupId, writes.updated);
  await dropUpdates(tx, writes.reverted);
  await failPending(tx, writes.noLongerPending);
  await failUpdates(tx, writes.noLongerPending);
  await insertRunErrors(tx, runId, writes.errors);
  await insertSkippedFiles(tx, runId, writes.skipped);
  await saveOutcomes(tx, runId, writes.outcomes);
}
