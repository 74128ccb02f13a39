/**
 * A schedule whose runs fail starts them less often: the next run waits as long as the runs have failed. The pauses double, and a
 * success ends them.
 */
import { lockGroup } from '../../corpus/group-store.ts';
import { findSettingOfGroup, isSameSchedule, type Setting, saveSchedule } from '../../corpus/setting-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Less than a day, so that a schedule of every day skips no day, also when clocks go forward. */
const PAUSE_MS_MAX = 22 * 3_600_000;
/** A run starts some time after its occurrence. */
const START_MS = 5 * 60_000;

/**
 * Saves the next occurrences of the schedule after a run that was started at `startedAt`. Call this function after the commit that ended
 * the run. If it is not called, the schedule goes on as before.
 */
export async function deferSchedule(
  deps: Pick<IngestDeps, 'db' | 'schedules' | 'clock' | 'log'>,
  tenantId: string,
  groupId: string,
  startedAt: Date,
): Promise<void> {
  try {
    const setting = await deps.db.transaction(tenantId, (tx) => findSettingOfGroup(tx, groupId));
    if (!setting || setting.rrule === '') return;
    const now = deps.clock.now();
    const after = new Date(Math.max(now.getTime(), pauseEnd(setting, startedAt)));
    const nextTimes = await deps.schedules.next(setting.rrule, setting.createdAt, after);
    // A schedule that ends within the pause keeps its last occurrences.
    if (nextTimes.length === 0) return;
    await deps.db.transaction(tenantId, async (tx) => {
      await lockGroup(tx, groupId);
      const current = await findSettingOfGroup(tx, groupId);
      if (current && isSameSchedule(current, setting)) await saveSchedule(tx, groupId, setting.rrule, nextTimes);
    });
  } catch (error) {
    deps.log.warn({ err: error, tenantId, groupId }, 'the schedule of a failing source could not be changed');
  }
}

function pauseEnd({ failingSince }: Pick<Setting, 'failingSince'>, startedAt: Date): number {
  if (!failingSince) return 0;
  const pauseMs = Math.min(startedAt.getTime() - failingSince.getTime(), PAUSE_MS_MAX);
  return startedAt.getTime() + pauseMs - START_MS;
}
