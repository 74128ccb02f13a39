/**
 * The job `start-scheduled`: starts the runs of due schedules. The job may run twice and in several workers at once: the lock
 * of the group decides, and one transaction makes the run and stores the next occurrence.
 *
 * One run catches up on any number of missed occurrences. An occurrence during an active run is skipped.
 */
import { lockGroup } from '../../corpus/group-store.ts';
import { findSettingOfGroup, isSameSchedule, listDueSettings, saveSchedule } from '../../corpus/setting-store.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { OCCURRENCE_GAP_SECONDS_MIN } from '../../jobs/schedule-limits.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { mayRun, queueOriginRun } from './run-actions.ts';

/** Runs start up to this long after their occurrence, so that schedules of the same minute do not start together. */
const JITTER_MS_MAX = 60_000;
const SETTINGS_PER_JOB = 500;

type ScheduleDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock' | 'schedules' | 'log'>;

/** Returns whether a schedule is due. The service calls this cheap function every few seconds. */
export async function hasDueSchedule({ db, clock }: Pick<ScheduleDeps, 'db' | 'clock'>): Promise<boolean> {
  return (await listDue({ db, clock })).length > 0;
}

export function startScheduled(deps: ScheduleDeps): JobHandler {
  return async (_payload, { signal }) => {
    const begun = performance.now();
    const due = await listDue(deps);
    if (due.length === 0) return;
    deps.log.info({ due: due.length }, 'the due schedules are started');
    let started = 0;
    for (const { tenantId, sourceGroupId } of due) {
      signal.throwIfAborted();
      const runId = await startOne(deps, tenantId, sourceGroupId).catch((error) => {
        deps.log.warn({ err: error, tenantId, groupId: sourceGroupId }, 'a scheduled run could not be started');
      });
      if (!runId) continue;
      started += 1;
      deps.log.info({ tenantId, groupId: sourceGroupId, runId }, 'a scheduled run was queued');
    }
    const seconds = Math.round(performance.now() - begun) / 1000;
    deps.log.info({ due: due.length, started, seconds }, 'the due schedules were started');
  };
}

async function listDue({ db, clock }: Pick<ScheduleDeps, 'db' | 'clock'>) {
  const now = clock.now();
  const due = await listDueSettings(db.system, now, SETTINGS_PER_JOB);
  return due.filter(({ id, nextAt }) => nextAt.getTime() + jitterMs(id) <= now.getTime());
}

/**
 * Returns the delay of a setting: always the same for one setting, and spread over settings because the end of an id is random.
 */
export function jitterMs(settingId: string): number {
  return Number.parseInt(settingId.slice(-8), 16) % JITTER_MS_MAX;
}

/** Starts one due run. Returns the run's id, or undefined when no run was started. */
async function startOne(deps: ScheduleDeps, tenantId: string, groupId: string): Promise<string | undefined> {
  const now = deps.clock.now();
  const setting = await deps.db.transaction(tenantId, (tx) => findSettingOfGroup(tx, groupId));
  const due = setting?.nextTimes[0];
  if (!setting || !due || due > now) return undefined;
  // The next occurrences are computed before the transaction, because a rule may take long. Occurrences closer together than
  // the allowed minimum are skipped.
  const after = new Date(Math.max(now.getTime(), due.getTime() + OCCURRENCE_GAP_SECONDS_MIN * 1000 - 1));
  const nextTimes = await deps.schedules.next(setting.rrule, setting.createdAt, after);
  return deps.db.transaction(tenantId, async (tx) => {
    const group = await lockGroup(tx, groupId);
    const current = await findSettingOfGroup(tx, groupId);
    if (!group || group.deletedAt || !current || !isSameSchedule(current, setting)) return undefined;
    await saveSchedule(tx, groupId, setting.rrule, nextTimes);
    if (mayRun(group.status)) return queueOriginRun(deps, tx, group);
    deps.log.info({ tenantId, groupId, status: group.status }, 'a scheduled run was skipped: another one is active');
    return undefined;
  });
}
