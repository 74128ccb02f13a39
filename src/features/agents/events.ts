/**
 * The ag-ui events of a run. They follow from the run and its steps alone, so their numbers never have gaps, and a stream that is read
 * again has the same events. Texts of sources are read again each time, under the rules of that time.
 */
import type { Redactor } from '../../redaction/redact.ts';
import { type CallView, readerArguments, readerResult } from './calls.ts';
import type { AgentRun, RunEnd, Step } from './store.ts';

/** An event, and its number: 1, 2, 3 …; null for a part of the answer that cannot be resumed. */
export interface NumberedEvent {
  number: number | null;
  event: { type: string } & Record<string, unknown>;
}

const EVENTS_PER_CALL = 4;

export function startEvent(run: AgentRun): NumberedEvent {
  const { conversationId, userMessageId, assistantMessageId, request } = run;
  return {
    number: 1,
    event: {
      type: 'RUN_STARTED',
      threadId: conversationId,
      runId: request.runId ?? run.id,
      metadata: {
        run_id: run.id,
        conversation_id: conversationId,
        user_message_id: userMessageId,
        assistant_message_id: assistantMessageId,
      },
    },
  };
}

/** Returns the number of the first event after `steps`. */
export function numberAfter(steps: readonly Pick<Step, 'calls'>[]): number {
  return steps.reduce((number, { calls }) => number + 2 + EVENTS_PER_CALL * calls.length, 2);
}

/** Returns the events of a step. @param first the number of the first one. */
export async function stepEvents(
  { number }: Step,
  views: readonly CallView[],
  redactor: Redactor | null,
  first: number,
): Promise<NumberedEvent[]> {
  const stepName = `step ${number}`;
  const events: NumberedEvent['event'][] = [{ type: 'STEP_STARTED', stepName }];
  for (const view of views) {
    const { id: toolCallId, tool } = view.call;
    const delta = JSON.stringify((await readerArguments(view, redactor)) ?? {});
    const content = JSON.stringify(await readerResult(view, redactor));
    events.push(
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta },
      { type: 'TOOL_CALL_END', toolCallId },
      { type: 'TOOL_CALL_RESULT', messageId: `${toolCallId}-result`, toolCallId, role: 'tool', content },
    );
  }
  events.push({ type: 'STEP_FINISHED', stepName });
  return events.map((event, i) => ({ number: first + i, event }));
}

/** The answer as an event stream shows it. */
export interface ShownAnswer {
  text: string;
  citations: readonly object[];
}

export function textStart({ assistantMessageId: messageId }: AgentRun, first: number): NumberedEvent {
  return { number: first, event: { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } };
}

export function textDelta({ assistantMessageId: messageId }: AgentRun, delta: string): NumberedEvent {
  return { number: null, event: { type: 'TEXT_MESSAGE_CONTENT', messageId, delta } };
}

/**
 * Returns the events after the text of the answer.
 *
 * @param first the number of TEXT_MESSAGE_START.
 */
export function answerEvents(
  run: AgentRun,
  end: RunEnd,
  { citations }: Pick<ShownAnswer, 'citations'>,
  first: number,
): NumberedEvent[] {
  const { assistantMessageId: messageId } = run;
  return [
    { number: first + 2, event: { type: 'TEXT_MESSAGE_END', messageId } },
    {
      number: first + 3,
      event: { type: 'CUSTOM', name: 'citations', value: { message_id: messageId, citations } },
    },
    { number: first + 4, event: finished(run, end) },
  ];
}

function finished(run: AgentRun, { finishReason, isStored, outcome }: RunEnd): NumberedEvent['event'] {
  return {
    type: 'RUN_FINISHED',
    threadId: run.conversationId,
    runId: run.request.runId ?? run.id,
    result: {
      run_id: run.id,
      conversation_id: isStored ? run.conversationId : null,
      user_message_id: isStored ? run.userMessageId : null,
      assistant_message_id: isStored ? run.assistantMessageId : null,
      finish_reason: finishReason,
      warnings: outcome.warnings,
      usage: { input_tokens: outcome.usage.inputTokens, output_tokens: outcome.usage.outputTokens },
      ...(outcome.unsupported ? { unsupported_spans: outcome.unsupported } : {}),
    },
  };
}

/** Returns the last event of a run without an answer. */
export function brokenEvent(run: AgentRun, end: RunEnd, number: number): NumberedEvent {
  if (end.status === 'canceled') {
    return { number, event: { ...finished(run, end), outcome: { type: 'cancelled' } } };
  }
  const { message = 'The run failed.', type = 'api_error' } = end.outcome.error ?? {};
  return { number, event: { type: 'RUN_ERROR', message, code: type } };
}
