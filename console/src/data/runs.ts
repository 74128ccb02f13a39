/** Runs across all groups, and the files of one run. */
import type { Operations, Run, RunFile } from '../../../src/client/api.ts';
import type { RunFilters } from '../screens/runs/filters.ts';
import { pinakes } from './api.ts';

const RUNS_PER_REQUEST = 50;
const FILES_PER_REQUEST = 100;

export type { Run, RunFile };
export type RunPage = Operations['listAllRuns']['response'];
export type RunFilePage = Operations['listRunFiles']['response'];
export type FileChange = RunFile['change'];

const ACTIVE = ['queued', 'starting', 'started', 'canceling', 'unknown'];

export function isActive(run: Pick<Run, 'status'>): boolean {
  return ACTIVE.includes(run.status);
}

export function listRuns(
  filters: RunFilters,
  since: number | undefined,
  afterId: string | undefined,
): Promise<RunPage> {
  const { status, group } = filters;
  const query = {
    limit: RUNS_PER_REQUEST,
    order: 'desc' as const,
    status,
    source_group_id: group,
    from_time: since,
    after_id: afterId,
  };
  return pinakes.listAllRuns({ query });
}

export function readRun(id: string): Promise<Run> {
  return pinakes.getRun({ params: { id } });
}

export function listRunFiles(
  id: string,
  change: FileChange | undefined,
  afterId: string | undefined,
): Promise<RunFilePage> {
  return pinakes.listRunFiles({ params: { id }, query: { limit: FILES_PER_REQUEST, change, after_id: afterId } });
}

export function cancelRun(id: string): Promise<Run> {
  return pinakes.cancelRun({ params: { id } });
}

/** Starts a run of the group: of all files, of the failed ones, or of the given ones. */
export function startRun(groupId: string, body: { only_failed?: boolean; source_ids?: string[] } = {}): Promise<Run> {
  return pinakes.startRun({ params: { id: groupId }, body });
}
