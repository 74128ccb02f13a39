/** The fence: every writer for a run first checks that this worker still owns the run. */
import { lockGroup, type SourceGroup, setGroupStatus } from '../corpus/group-store.ts';
import { lockRun, type RunReads, setRunStatus } from '../corpus/run-store.ts';
import type { ChunkMetadataKey } from '../corpus/values.ts';
import type { Tx } from '../db/database.ts';

/** A run that this worker has claimed. */
export interface ActiveRun {
  tenantId: string;
  runId: string;
  groupId: string;
  sourceType: string;
  reads: RunReads;
  attempt: number;
  generation: number;
  chunkMetadataKeys: ChunkMetadataKey[];
}

/** This worker no longer owns the run. The worker drops everything that it has not written yet. */
export class RunLost extends Error {
  readonly reason: 'deleted' | 'canceling' | 'taken over';

  constructor(reason: RunLost['reason']) {
    super(`the run was lost: ${reason}`);
    this.name = 'RunLost';
    this.reason = reason;
  }
}

/** Locks the group for the rest of the transaction and returns it. @throws RunLost. */
export async function checkFence(tx: Tx, active: ActiveRun): Promise<SourceGroup> {
  const group = await lockGroup(tx, active.groupId);
  if (!group || group.deletedAt) throw new RunLost('deleted');
  const run = await lockRun(tx, active.runId);
  if (!run || run.attempt !== active.attempt || group.generation !== active.generation) throw new RunLost('taken over');
  if (group.status === 'canceling') throw new RunLost('canceling');
  if (group.status !== 'starting' && group.status !== 'started') throw new RunLost('taken over');
  return group;
}

/**
 * Changes `starting` to `started`: the first files are in flight, or the listing of the origin has begun. Idempotent.
 */
export async function markStarted(
  tx: Tx,
  active: ActiveRun,
  now: Date,
  stage: 'list' | 'parse' = 'parse',
): Promise<void> {
  const group = (await lockGroup(tx, active.groupId))!;
  if (group.status === 'started') return;
  const startedAt = group.createdAt > now ? group.createdAt : now;
  await setGroupStatus(tx, active.groupId, 'started', { startedAt, endedAt: null, error: null });
  await setRunStatus(tx, active.runId, 'started', { stage, startedAt });
}
