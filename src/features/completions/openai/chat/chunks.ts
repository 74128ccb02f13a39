/** The chunks of a streamed chat completion. */
import type { Usage } from '../../../../llm/models.ts';
import { factsOf } from '../own-members.ts';
import type { AnswerForm } from '../stream.ts';
import { type ChatHead, endOf, toUsage } from './result.ts';

/** @param usage returns the tokens so far; null when the caller did not ask for them. */
export function chatChunks(head: ChatHead, usage: (() => Usage) | null): AnswerForm {
  const chunk = (choices: object[], more: object = {}): object => ({
    ...{ id: head.id, object: 'chat.completion.chunk', created: head.created, model: head.model },
    choices,
    ...more,
  });
  const piece = (delta: object) => chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  return {
    begin: () => [piece({ role: 'assistant', content: '' })],
    delta: (content) => piece({ content }),
    end: (answer, footnotes) => [
      ...(footnotes === '' ? [] : [piece({ content: footnotes })]),
      chunk([{ index: 0, delta: {}, ...endOf(answer) }], factsOf(answer)),
      ...(usage === null ? [] : [chunk([], { usage: toUsage(usage()) })]),
    ],
    last: 'data: [DONE]\n\n',
    fail: (error) => error,
  };
}
