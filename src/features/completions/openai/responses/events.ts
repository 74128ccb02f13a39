/** The events of a streamed response. */
import type { Usage } from '../../../../llm/models.ts';
import type { AnswerForm } from '../stream.ts';
import { type NewResponse, newMessageId, textOf, toMessage, toResponse, toText } from './result.ts';

export function responseEvents(begun: NewResponse, tokens: () => Usage): AnswerForm {
  const id = newMessageId();
  const item = { output_index: 0 };
  const part = { item_id: id, ...item, content_index: 0 };
  let sequence = 0;
  const event = (type: string, members: object) => ({ type, sequence_number: sequence++, ...members });
  const response = { ...begun, output: [], usage: null };
  const delta = (text: string) => event('response.output_text.delta', { ...part, delta: text, logprobs: [] });
  return {
    named: true,
    begin: () => [
      event('response.created', { response }),
      event('response.in_progress', { response }),
      event('response.output_item.added', { ...item, item: toMessage(id, 'in_progress', []) }),
      event('response.content_part.added', { ...part, part: textOf('') }),
    ],
    delta,
    end(answer, footnotes) {
      const text = toText(answer, footnotes);
      const ended = toResponse(begun, id, answer, text, tokens());
      return [
        ...(footnotes === '' ? [] : [delta(footnotes)]),
        ...text.annotations.map((annotation, annotation_index) =>
          event('response.output_text.annotation.added', { ...part, annotation_index, annotation }),
        ),
        event('response.output_text.done', { ...part, text: text.text, logprobs: [] }),
        event('response.content_part.done', { ...part, part: text }),
        event('response.output_item.done', { ...item, item: ended.output[0] }),
        event(`response.${ended.status}`, { response: ended }),
      ];
    },
    // The clients differ in where they look for the message: in the event or in its error.
    fail: ({ error }) => event('error', { ...error, type: 'error', error }),
  };
}
