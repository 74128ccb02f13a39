/** Agent runs: the list, one run, its events, and how a run begins and is canceled. */
import type { AgentRun, Operations } from '../../../../src/client/api.ts';
import { pinakes } from '../api.ts';
import { readEvents } from '../events.ts';
import { type AgentEvent, type AgentView, NO_VIEW, viewAfter } from './agent-view.ts';

const RUNS_PER_REQUEST = 50;

export type { AgentRun };
export type AgentRunSummary = Operations['cancelAgentRun']['response'];
type AgentRunPage = Operations['listAgentRuns']['response'];

export function isActive({ status }: Pick<AgentRun, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

export function listAgentRuns(status: AgentRun['status'] | undefined, afterId: string | undefined) {
  const query = { limit: RUNS_PER_REQUEST, order: 'desc' as const, status, after_id: afterId };
  return pinakes.listAgentRuns({ query }) as Promise<AgentRunPage>;
}

export function readAgentRun(id: string): Promise<AgentRun> {
  return pinakes.getAgentRun({ params: { id } });
}

export function cancelAgentRun(id: string): Promise<AgentRunSummary> {
  return pinakes.cancelAgentRun({ params: { id } });
}

/** Begins a run that goes on without this page, and returns it. */
export function beginAgentRun(input: string): Promise<AgentRun> {
  return pinakes.createAgentRun({ body: { input, background: true } });
}

/** Yields a run after each of its events. The run ends when the signal aborts. */
export async function* streamAgentRun(input: string, signal: AbortSignal): AsyncGenerator<AgentView> {
  const headers = { accept: 'text/event-stream' };
  yield* viewsOf(await pinakes.send('createAgentRun', { body: { input, stream: true } }, { signal, headers }));
}

/** Yields a stored run after each of its events, until it has ended. */
export async function* followAgentRun(id: string, signal: AbortSignal): AsyncGenerator<AgentView> {
  yield* viewsOf(await pinakes.send('streamAgentRun', { params: { id } }, { signal }));
}

async function* viewsOf(response: Response): AsyncGenerator<AgentView> {
  let view = NO_VIEW;
  for await (const event of readEvents(response.body!)) {
    view = viewAfter(view, event as AgentEvent);
    yield view;
  }
  if (view.answer.finish === null) throw new TypeError('the stream ended early');
}
