/** The fence: whoever writes for a run first makes sure that the run is still its own. */
import { lockGroup, type SourceGroup, setGroupStatus } from '../corpus/group-store.ts';
import { lockRun, type RunReads, setRunStatus } from '../corpus/run-store.ts';
import type { ChunkMetadataKey } from '../corpus/values.ts';
import type { Tx } from '../db/database.ts';

/** A run that this worker has taken. */
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

/** The run is not this worker's any more: everything not yet written is dropped. */
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
  const group = await lockGroup(tx, active.tenantId, active.groupId);
  if (!group || group.deletedAt) throw new RunLost('deleted');
  const run = await lockRun(tx, active.tenantId, active.runId);
  if (!run || run.attempt !== active.attempt || group.generation !== active.generation) throw new RunLost('taken over');
  if (group.status === 'canceling') throw new RunLost('canceling');
  if (group.status !== 'starting' && group.status !== 'started') throw new RunLost('taken over');
  return group;
}

/** `starting` -> `started`: the first files are in hand, or their origin is asked for them. Idempotent. */
export async function markStarted(
  tx: Tx,
  active: ActiveRun,
  now: Date,
  stage: 'list' | 'parse' = 'parse',
): Promise<void> {
  const group = (await lockGroup(tx, active.tenantId, active.groupId))!;
  if (group.status === 'started') return;
  const startedAt = group.createdAt > now ? group.createdAt : now;
  await setGroupStatus(tx, active.tenantId, active.groupId, 'started', { startedAt, endedAt: null, error: null });
  await setRunStatus(tx, active.tenantId, active.runId, 'started', { stage, startedAt });
}
