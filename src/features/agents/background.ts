/** The job `agent-run`: works on a run that goes on without a connection. And what the collection of garbage does with runs. */
import { findKeyForJob } from '../../corpus/api-key-store.ts';
import { callerOf, unauthenticated } from '../../http/auth.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import type { Host } from './host.ts';
import { execute, LOST_AFTER_MS } from './run.ts';
import { claimRun, dropOldRuns, endRun, failLostRuns, findApiKeyOfRun, type RunOutcome } from './store.ts';

const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** The run goes on with the rights that its key has now. A key that has ended ends its runs. */
export function agentRun(host: Host): JobHandler {
  const { deps } = host;
  return async ({ tenantId = '', runId = '' }, { signal }) => {
    const apiKeyId = await deps.db.transaction(tenantId, (tx) => findApiKeyOfRun(tx, runId));
    if (apiKeyId === undefined) return;
    const key = await findKeyForJob(deps.db.system, tenantId, apiKeyId);
    const now = deps.clock.now();
    if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now))
      return refuse(host, tenantId, runId);
    const caller = callerOf(key, now);
    const ended = new AbortController();
    const rights = deps.rights.watch(caller, (reason) => ended.abort(reason));
    try {
      const events = execute(host, runId, { caller, rights, signal: AbortSignal.any([signal, ended.signal]) });
      for await (const _event of events);
    } catch (error) {
      // Any other failure is the end of the run, which its reader sees.
      if (signal.aborted) throw error;
    } finally {
      rights.release();
    }
  };
}

/** Ends a run whose key has ended. */
async function refuse({ deps }: Host, tenantId: string, runId: string): Promise<void> {
  const now = deps.clock.now();
  const { message, type } = unauthenticated();
  await deps.db.transaction(tenantId, async (tx) => {
    const run = await claimRun(tx, runId, now);
    if (run === undefined) return;
    const outcome = { usage: NO_USAGE, warnings: [], error: { message, type } };
    await endRun(tx, run, { status: 'failure', finishReason: 'error', isStored: false, outcome }, now);
  });
}

/** Ends the runs that lost their worker, and deletes old ones. Runs as a part of the job `collect-garbage`. */
export function collectAgentRuns({ deps }: Pick<Host, 'deps'>): JobHandler {
  return async () => {
    const now = deps.clock.now();
    const outcome: RunOutcome = {
      usage: NO_USAGE,
      warnings: [],
      error: { message: 'The process that worked on the run was lost: ask again.', type: 'api_error' },
    };
    await deps.db.system.transaction(async (tx) => {
      await failLostRuns(tx, new Date(now.getTime() - LOST_AFTER_MS), now, outcome);
      await dropOldRuns(tx, new Date(now.getTime() - KEPT_DAYS * DAY_MS));
    });
  };
}
