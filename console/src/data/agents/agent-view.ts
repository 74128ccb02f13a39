/** What the events of an agent run say: its steps with their calls, and its answer. */
import type { Warning } from '../../../../src/client/api.ts';
import type { Span } from '../../spans/spans.ts';
import { type Answer, type Citation, EMPTY_ANSWER } from '../turns.ts';

export interface AgentCall {
  id: string;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** The record of the tool, or why there is none; undefined while the call runs. */
  result: Readonly<Record<string, unknown>> | undefined;
}

export interface AgentStepView {
  name: string;
  calls: readonly AgentCall[];
}

export interface AgentView {
  runId: string | null;
  steps: readonly AgentStepView[];
  answer: Answer;
}

export interface AgentEvent {
  type: string;
  stepName?: string;
  toolCallId?: string;
  toolCallName?: string;
  delta?: string;
  content?: string;
  name?: string;
  message?: string;
  metadata?: { run_id: string };
  value?: { citations?: Citation[] };
  outcome?: { type: string };
  result?: { finish_reason: string; warnings: Warning[]; unsupported_spans?: Span[] };
}

export const NO_VIEW: AgentView = { runId: null, steps: [], answer: EMPTY_ANSWER };

/** Returns the view of a run after one more event. */
export function viewAfter(view: AgentView, event: AgentEvent): AgentView {
  switch (event.type) {
    case 'RUN_STARTED':
      return { ...view, runId: event.metadata?.run_id ?? null };
    case 'STEP_STARTED':
      return { ...view, steps: [...view.steps, { name: event.stepName ?? '', calls: [] }] };
    case 'TOOL_CALL_START': {
      const call: AgentCall = {
        id: event.toolCallId ?? '',
        tool: event.toolCallName ?? '',
        args: {},
        result: undefined,
      };
      return withLast(view, (calls) => [...calls, call]);
    }
    case 'TOOL_CALL_ARGS':
      return withCall(view, event, (call) => ({ ...call, args: objectOf(event.delta) }));
    case 'TOOL_CALL_RESULT':
      return withCall(view, event, (call) => ({ ...call, result: objectOf(event.content) }));
    case 'TEXT_MESSAGE_CONTENT':
      return withAnswer(view, { text: view.answer.text + (event.delta ?? '') });
    case 'CUSTOM':
      return event.name === 'citations' ? withAnswer(view, { citations: event.value?.citations ?? [] }) : view;
    case 'RUN_ERROR':
      return withAnswer(view, { finish: 'error', problem: event.message ?? '' });
    case 'RUN_FINISHED':
      return withAnswer(view, {
        finish: finishOf(event),
        warnings: event.result?.warnings ?? [],
        unsupported: event.result?.unsupported_spans ?? [],
      });
    default:
      return view;
  }
}

function finishOf({ result, outcome }: AgentEvent): Answer['finish'] {
  if (outcome?.type === 'cancelled') return 'stopped';
  // After a limit there is an answer from what was found until then.
  return result?.finish_reason === 'no_answer' ? 'no_answer' : 'stop';
}

function withAnswer(view: AgentView, change: Partial<Answer>): AgentView {
  return { ...view, answer: { ...view.answer, ...change } };
}

function withLast(view: AgentView, change: (calls: readonly AgentCall[]) => readonly AgentCall[]): AgentView {
  const last = view.steps.at(-1);
  if (last === undefined) return view;
  return { ...view, steps: [...view.steps.slice(0, -1), { ...last, calls: change(last.calls) }] };
}

function withCall(view: AgentView, { toolCallId }: AgentEvent, change: (call: AgentCall) => AgentCall): AgentView {
  return withLast(view, (calls) => calls.map((call) => (call.id === toolCallId ? change(call) : call)));
}

/** Returns the object that a JSON text is; an empty object for anything else. */
function objectOf(text = ''): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns why a call has no result, in words; undefined if it has one. A record may have a member `error` of its own. */
export function noteOf(result: object): string | undefined {
  const [[name, text] = []] = Object.entries(result);
  const isNote = Object.keys(result).length === 1 && (name === 'error' || name === 'notice');
  return isNote ? String(text) : undefined;
}
