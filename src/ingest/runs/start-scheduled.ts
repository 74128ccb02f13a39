/**
 * The job `start-scheduled`: starts the runs of schedules whose time has come. May run twice, and in several workers at once: the
 * group's lock decides, and the next occurrence is stored in the transaction that makes the run.
 *
 * However many occurrences were missed, one run catches up. An occurrence that comes while a run is active is left out.
 */
import { lockGroup } from '../../corpus/group-store.ts';
import { findSettingOfGroup, listDueSettings, type Setting, saveSchedule } from '../../corpus/setting-store.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { OCCURRENCE_GAP_SECONDS_MIN } from '../../jobs/schedule-limits.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { mayRun, queueOriginRun } from './run-actions.ts';

/** Runs begin up to this long after their occurrence, so that those of the same minute do not begin together. */
const JITTER_MS_MAX = 60_000;
const SETTINGS_PER_JOB = 500;

type ScheduleDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock' | 'schedules' | 'log'>;

/** Cheap: asked every few seconds. */
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

/** The same for a setting at all times, and spread over settings: the end of an id is random. */
export function jitterMs(settingId: string): number {
  return Number.parseInt(settingId.slice(-8), 16) % JITTER_MS_MAX;
}

/** Returns the id of the run, or undefined when none was to be started. */
async function startOne(deps: ScheduleDeps, tenantId: string, groupId: string): Promise<string | undefined> {
  const now = deps.clock.now();
  const setting = await deps.db.transaction(tenantId, (tx) => findSettingOfGroup(tx, tenantId, groupId));
  const due = setting?.nextTimes[0];
  if (!setting || !due || due > now) return undefined;
  // Worked out before the transaction: it may take its time. Rules that are denser than allowed are not, whatever they say.
  const after = new Date(Math.max(now.getTime(), due.getTime() + OCCURRENCE_GAP_SECONDS_MIN * 1000 - 1));
  const nextTimes = await deps.schedules.next(setting.rrule, setting.createdAt, after);
  return deps.db.transaction(tenantId, async (tx) => {
    const group = await lockGroup(tx, tenantId, groupId);
    const current = await findSettingOfGroup(tx, tenantId, groupId);
    if (!group || group.deletedAt || !current || !isSame(current, setting)) return undefined;
    await saveSchedule(tx, tenantId, groupId, setting.rrule, nextTimes);
    if (mayRun(group.status)) return queueOriginRun(deps, tx, tenantId, group);
    deps.log.info({ tenantId, groupId, status: group.status }, 'a scheduled run was left out: another one is active');
    return undefined;
  });
}

/** Nobody has changed the schedule or started this occurrence meanwhile. */
function isSame(a: Setting, b: Setting): boolean {
  return a.rrule === b.rrule && a.nextTimes[0]?.getTime() === b.nextTimes[0]?.getTime();
}
