/** Whoever works on a run says so every few seconds, and notices when the run is not its own any more. */
import { beatRun } from '../corpus/run-store.ts';
import { type ActiveRun, checkFence, RunLost } from './fence.ts';
import type { IngestDeps } from './ingest-deps.ts';

const HEARTBEAT_MS = 2_000;

/**
 * Runs `work` with a signal that also aborts when the run was lost.
 *
 * @throws RunLost when the run was canceled, deleted or taken over; what `work` throws.
 */
export async function withHeartbeat<T>(
  deps: IngestDeps,
  active: ActiveRun,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const heartbeat = setInterval(() => {
    beat(deps, active).then(
      (alive) => alive || own.abort(new RunLost('taken over')),
      (error) => deps.log.warn({ err: error }, 'the heartbeat of a run failed'),
    );
  }, HEARTBEAT_MS);
  try {
    return await work(AbortSignal.any([signal, own.signal]));
  } catch (error) {
    // The heartbeat only notices that something is wrong; the fence says what.
    if (error instanceof RunLost || own.signal.aborted) {
      await deps.db.transaction(active.tenantId, (tx) => checkFence(tx, active));
    }
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

function beat(deps: IngestDeps, active: ActiveRun): Promise<boolean> {
  return deps.db.transaction(active.tenantId, (tx) =>
    beatRun(tx, active.tenantId, active.runId, active.attempt, deps.clock.now()),
  );
}
