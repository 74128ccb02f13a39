/** A worker renews its claim on a run every few seconds and notices when it no longer owns the run. */
import { beatRun } from '../corpus/run-store.ts';
import { type ActiveRun, checkFence, RunLost } from './fence.ts';
import type { IngestDeps } from './ingest-deps.ts';

const HEARTBEAT_MS = 2_000;

/**
 * Runs `work` with a signal that also aborts when this worker loses the run.
 *
 * @throws RunLost when the run was canceled, deleted or taken over; errors of `work`.
 */
export async function withHeartbeat<T>(
  deps: IngestDeps,
  active: ActiveRun,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const heartbeat = setInterval(() => {
    beat(deps, active).then(
      (alive) => alive || lost.abort(new RunLost('taken over')),
      (error) => deps.log.warn({ err: error }, 'the heartbeat of a run failed'),
    );
  }, HEARTBEAT_MS);
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    // The heartbeat only notices that something is wrong; the fence finds the reason.
    if (error instanceof RunLost || lost.signal.aborted) {
      await deps.db.transaction(active.tenantId, (tx) => checkFence(tx, active));
    }
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

function beat(deps: IngestDeps, active: ActiveRun): Promise<boolean> {
  return deps.db.transaction(active.tenantId, (tx) => beatRun(tx, active.runId, active.attempt, deps.clock.now()));
}
