/** The filter of the list of agent runs, as it stands in the address. */
import type { AgentRun } from '../../../../src/client/api.ts';

type AgentStatus = AgentRun['status'];
export const AGENT_STATUSES = [
  'queued',
  'running',
  'success',
  'failure',
  'canceled',
] as const satisfies readonly AgentStatus[];

export interface AgentFilters {
  status?: AgentStatus | undefined;
}

/** Returns the filter of an address; another value is left out. */
export function readAgentFilters({ status }: Record<string, unknown>): AgentFilters {
  return { status: AGENT_STATUSES.find((one) => one === status) };
}
