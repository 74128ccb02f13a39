/** The filters of the list of runs, as they stand in the address. */
import type { Run, RunFile } from '../../../../src/client/api.ts';

export const RUN_STATUSES = ['queued', 'started', 'success', 'failure', 'canceled'] as const satisfies Run['status'][];
export type RunStatus = (typeof RUN_STATUSES)[number];
export const PERIODS = ['1h', '24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

export interface RunFilters {
  status?: RunStatus | undefined;
  group?: string | undefined;
  period?: Period | undefined;
}

const SECONDS: Readonly<Record<Period, number>> = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 };

/** Returns the filters of an address. Members that are no filter are left out. */
export function readRunFilters(given: Record<string, unknown>): RunFilters {
  const { status, group, period } = given;
  return {
    status: RUN_STATUSES.find((one) => one === status),
    group: typeof group === 'string' && group !== '' ? group : undefined,
    period: PERIODS.find((one) => one === period),
  };
}

/** Returns the start of the period in Unix seconds, at a whole minute: the same request is then cached for a while. */
export function startOf(period: Period | undefined, now = Date.now()): number | undefined {
  return period && Math.floor(now / 60_000) * 60 - SECONDS[period];
}

export const FILE_CHANGES = ['added', 'updated', 'deleted', 'failed', 'skipped'] as const satisfies RunFile['change'][];

/** Returns which files of a run an address shows. */
export function readFileChange({ change }: Record<string, unknown>): { change?: RunFile['change'] | undefined } {
  return { change: FILE_CHANGES.find((one) => one === change) };
}
