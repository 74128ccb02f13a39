/** The completion result on the wire. */
import { z } from 'zod';
import { idSchema, timeSchema } from '../../http/schemas.ts';
import { contentSchema, toContent } from '../../retrieval/content.ts';
import type { Citation } from './citations.ts';
import type { Answer, Labelled } from './completions.ts';

const spanSchema = z
  .object({ start: z.int(), end: z.int() })
  .meta({ id: 'Span', description: 'Half-open range of code points of the answer text.' });

const citedContentSchema = contentSchema
  .extend({
    citation: z.object({
      number: z.int().describe('1, 2, 3 … in the order of the answer.'),
      spans: z.array(spanSchema),
      quote: z.string().describe('The part of `content` that supports the cited sentences; at most 300 code points.'),
      verified: z
        .boolean()
        .describe(
          'Computed: every number and proper name and at least 60 % of the content terms of the cited sentence occur in the quote, with the same negation.',
        ),
    }),
  })
  .meta({ id: 'CitedContent' });

const warningSchema = z.object({ type: z.string(), message: z.string() }).meta({ id: 'Warning' });

export const FINISH_REASONS = ['stop', 'length', 'content_filter', 'no_answer', 'error'] as const;

export const completionResultSchema = z
  .object({
    created: timeSchema,
    conversation_id: idSchema.nullable(),
    user_message_id: idSchema.nullable(),
    assistant_message_id: idSchema.nullable(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({ role: z.literal('assistant'), content: z.string() }),
        finish_reason: z.enum(FINISH_REASONS),
        citations: z.array(citedContentSchema),
        unsupported_spans: z
          .array(spanSchema)
          .optional()
          .describe('Sentences that no verified citation supports; absent when there are none.'),
      }),
    ),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'CompletionResult' });

/** The wire shape. `created` is Unix seconds. */
export function toResult(answer: Answer, created: number): z.input<typeof completionResultSchema> {
  return {
    created,
    conversation_id: answer.conversationId,
    user_message_id: answer.userMessageId,
    assistant_message_id: answer.assistantMessageId,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text },
        finish_reason: answer.finishReason,
        citations: toCitations(answer.citations),
        ...(answer.unsupported.length > 0 ? { unsupported_spans: answer.unsupported } : {}),
      },
    ],
    warnings: answer.warnings,
  };
}

/** Content records of the cited chunks, each with its `citation`. */
export function toCitations(citations: readonly Citation<Labelled>[]): z.input<typeof citedContentSchema>[] {
  return citations.map(({ chunk, number, spans, quote, verified }) => ({
    ...toContent(chunk),
    citation: { number, spans, quote, verified },
  }));
}
