/** The members of an answer that the OpenAI API does not have, the same in both APIs of `/v1`. */

import { z } from 'zod';
import { warningsSchema } from '../../../http/schemas.ts';
import type { Answer } from '../answer.ts';
import { completionResultSchema, toResult } from '../result.ts';

const choice = completionResultSchema.shape.choices.element.shape;

/** Members that say what the answer rests on. */
export const citedShape = {
  native_finish_reason: choice.finish_reason.describe(
    'The reason in the words of POST /completions: `no_answer` says that the sources hold no answer.',
  ),
  citations: choice.citations,
  web_citations: choice.web_citations,
  table_query: choice.table_query,
  unsupported_spans: choice.unsupported_spans,
};

export const factsShape = {
  conversation_id: z.string().nullable().describe('With `store`: the conversation that holds the answer. Else null.'),
  warnings: warningsSchema,
};

export function citedOf(answer: Answer) {
  const {
    message: _message,
    index: _index,
    finish_reason: native_finish_reason,
    ...cited
  } = toResult(answer, 0).choices[0]!;
  return { native_finish_reason, ...cited };
}

export function factsOf({ conversationId, warnings }: Answer) {
  return { conversation_id: conversationId, warnings };
}
