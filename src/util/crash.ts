/**
 * Named places in the code where a test kills the process as `kill -9` does: before and after each durable step.
 *
 * Only `PINAKES_CRASH_AT` together with `NODE_ENV=test` arms a crash point (config.ts). Without them `reach` does nothing.
 */

export const CRASH_POINTS = [
  'upload.staged',
  'upload.reserved',
  'blob.synced',
  'blob.renamed',
  'upload.blobs_durable',
  'upload.committed',
  'ingest.taken',
  'ingest.processed',
  'ingest.parts_stored',
  'ingest.batch_stored',
  'ingest.finished',
  'origin.item_fetched',
  'origin.items_stored',
  'origin.checkpoint',
  'origin.listed',
  'origin.gone_hidden',
  'origin.settled',
  'delete.tombstoned',
  'delete.chunks_removed',
  'delete.sources_removed',
  'delete.blobs_removed',
  'delete.finished',
  'embed.generation_created',
  'embed.batch_embedded',
  'embed.batch_stored',
  'embed.indexed',
  'embed.served',
  'rotate.key_written',
  'rotate.committed',
  'agent.claimed',
  'agent.called',
  'agent.stepped',
  'agent.answered',
  'agent.ended',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export interface CrashPoints {
  /** Kills the process at once if this point is armed. */
  reach(point: CrashPoint): void;
}

export const noCrashPoints: CrashPoints = { reach: () => undefined };

/**
 * Returns crash points of which one is armed.
 *
 * @param armed a name of CRASH_POINTS, or `name:n` to kill the process when the point is reached for the n-th time (from 1 on).
 * @throws Error when there is no such crash point.
 */
export function armCrashPoint(armed: string): CrashPoints {
  const [name, count = '1'] = armed.split(':');
  if (!(CRASH_POINTS as readonly string[]).includes(name ?? '')) throw new Error(`no such crash point: ${armed}`);
  let remaining = Number(count);
  return {
    reach(point) {
      if (point !== name) return;
      remaining -= 1;
      if (remaining === 0) process.kill(process.pid, 'SIGKILL');
    },
  };
}
