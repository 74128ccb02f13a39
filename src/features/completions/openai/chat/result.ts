/** The answer in the shape of the OpenAI API, with members of our own for citations. */
import { z } from 'zod';
import type { Usage } from '../../../../llm/models.ts';
import { newId } from '../../../../util/ids.ts';
import type { Answer } from '../../answer.ts';
import { citedOf, citedShape, factsShape } from '../own-members.ts';

const usageSchema = z
  .object({
    prompt_tokens: z.int().describe('Tokens of all calls of the chat model for this answer. 0 without a model.'),
    completion_tokens: z.int().describe('Tokens that the chat model wrote.'),
    total_tokens: z.int().describe('Both together.'),
  })
  .describe('Tokens of the chat model.');

export const chatCompletionSchema = z
  .object({
    id: z.string().describe('Id of the answer.'),
    object: z.literal('chat.completion').describe('Always `chat.completion`.'),
    created: z.int().describe('Unix seconds.'),
    model: z.string().describe('The model of the request.'),
    choices: z
      .array(
        z.object({
          index: z.int().describe('Always 0.'),
          message: z
            .object({
              role: z.literal('assistant').describe('Always `assistant`.'),
              content: z.string().describe('Text of the answer. With footnotes, the citations follow the answer.'),
              refusal: z.string().nullable().describe('Always null.'),
            })
            .describe('The answer.'),
          logprobs: z.looseObject({}).nullable().describe('Always null.'),
          finish_reason: z
            .enum(['stop', 'length', 'content_filter'])
            .describe('Why the answer ended. `stop` also when the sources hold no answer.'),
          ...citedShape,
        }),
      )
      .describe('The answers: always one.'),
    usage: usageSchema,
    ...factsShape,
  })
  .meta({ id: 'ChatCompletion' });

/** What all events of an answer share. */
export interface ChatHead {
  id: string;
  created: number;
  model: string;
}

export function newHead(created: number, model: string): ChatHead {
  return { id: `chatcmpl-${newId()}`, created, model };
}

/** Returns the members of a choice that are known when the answer has ended. */
export function endOf(answer: Answer) {
  return {
    logprobs: null,
    finish_reason: answer.finishReason === 'no_answer' ? ('stop' as const) : answer.finishReason,
    ...citedOf(answer),
  };
}

export function toUsage({ inputTokens, outputTokens }: Usage): z.input<typeof usageSchema> {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}
