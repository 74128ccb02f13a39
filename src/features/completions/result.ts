/** The completion result on the wire. */
import { z } from 'zod';
import { contentSchema, toContent } from '../../http/records/content-record.ts';
import { idSchema, resultColumnsSchema, spanShape, timeSchema, warningsSchema } from '../../http/schemas.ts';
import type { Answer } from './answer.ts';

const spanSchema = z
  .object(spanShape)
  .meta({ id: 'Span', description: 'Half-open range of code points of the answer text.' });

const VERIFIERS = ['rules', 'model', 'query'] as const;

const citedContentSchema = contentSchema
  .extend({
    citation: z
      .object({
        number: z.int().describe('1, 2, 3 … in the order of the answer.'),
        spans: z.array(spanSchema).describe('Ranges of the answer that rest on this chunk.'),
        quote: z.string().describe('The part of `content` that supports the cited sentences; at most 300 code points.'),
        verified: z
          .boolean()
          .describe(
            'True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question. ' +
              'By rules: the quote has every number with its unit, every name and at least 60 % of the words of the sentence, ' +
              'and the same negations.',
          ),
        verified_by: z
          .enum(VERIFIERS)
          .describe(
            'What decided: computed `rules`, the entailment `model` of the service, or `query`: rules compared the sentence with the ' +
              'result of the query of tables. Then each number of a verified sentence is a cell of the result, rounded at most to the ' +
              'decimals that are written.',
          ),
        reason: z
          .string()
          .nullable()
          .describe(
            'Why the sentence is not verified: the number, the name or the words that the quote lacks. Null when it is verified.',
          ),
        quoted: z
          .boolean()
          .describe('True when the cited text is copied from the passage word for word, as in extractive answers.'),
      })
      .describe('Where the answer rests on this chunk, and whether this was verified.'),
    row: z
      .object({
        table_id: idSchema.describe('Id of the table.'),
        row: z
          .int()
          .nullable()
          .describe('Number of the row in its table, from 0. Null if a policy hides some rows of the table.'),
      })
      .optional()
      .describe('The row of a table that is cited. Absent when a passage is cited.'),
  })
  .meta({ id: 'CitedContent' });

const FINISH_REASONS = ['stop', 'length', 'content_filter', 'no_answer', 'error'] as const;

const webCitationSchema = spanSchema
  .extend({
    url: z.string().describe('http or https.'),
    title: z.string().describe('The title of the page.'),
    snippet: z.string().describe('The text that was found on the page; at most 300 code points.'),
  })
  .meta({ id: 'WebCitation', description: 'A half-open range of code points of the answer that rests on a web page.' });

const tableQuerySchema = z
  .object({
    sql: z.string().describe('The statement that the chat model wrote and that ran.'),
    columns: resultColumnsSchema,
    rows: z.array(z.array(z.unknown())).describe('Rows of the result, at most 50, as in POST /tables/query.'),
    row_count: z.int().describe('Number of these rows.'),
    truncated: z.boolean().describe('Whether there are more rows.'),
    witness_count: z
      .int()
      .nullable()
      .describe('Number of rows that the aggregates of the result read; null for a result without aggregates.'),
    spans: z
      .array(
        spanSchema.extend({
          verified: z.boolean().describe('Whether the numbers and names of the sentence are in the result.'),
          reason: z.string().nullable().describe('Why the sentence is not verified. Null when it is verified.'),
        }),
      )
      .describe('The sentences of the answer that cite the result.'),
  })
  .meta({ id: 'AnswerTableQuery' });

const traceSchema = z
  .object({
    query: z.string().describe('The search query.'),
    rewritten_by: z
      .enum(['model', 'rule'])
      .nullable()
      .describe(
        'What rewrote a follow-up question so that it stands alone. Null when the query is the question as it was asked.',
      ),
    rewrite_failure: z
      .enum(['failed', 'unusable'])
      .nullable()
      .describe(
        'Why the form of the model was not used. `failed`: the model failed or took too long. `unusable`: its form was not made of the ' +
          'conversation. Null otherwise.',
      ),
    retrieved: z
      .array(
        z.object({
          id: idSchema.describe('The chunk.'),
          source_id: idSchema.describe('The source of the chunk.'),
          score: z.number().describe('Higher is better, within this answer.'),
        }),
      )
      .describe('The chunks that the answer was made from, in the order of the search.'),
  })
  .meta({ id: 'CompletionTrace' });

export const completionResultSchema = z
  .object({
    created: timeSchema,
    conversation_id: idSchema
      .nullable()
      .describe('Id of the conversation. Null when the turn would have begun a conversation but was not stored.'),
    user_message_id: idSchema.nullable().describe('Id of the stored question; null when the turn was not stored.'),
    assistant_message_id: idSchema
      .nullable()
      .describe('Id of the stored answer, the new active leaf; null when the turn was not stored.'),
    choices: z
      .array(
        z.object({
          index: z.int().describe('Position of the choice, from 0.'),
          message: z
            .object({
              role: z.literal('assistant').describe('Always `assistant`.'),
              content: z
                .string()
                .describe('Text of the answer, without citation markers. Untrusted text: never show it as HTML.'),
            })
            .describe('The answer.'),
          finish_reason: z.enum(FINISH_REASONS).describe('Why the answer ended.'),
          citations: z
            .array(citedContentSchema)
            .describe(
              'The chunks that the answer cites, in the order of their numbers. Empty when `citation` is false.',
            ),
          web_citations: z
            .array(webCitationSchema)
            .optional()
            .describe('Parts of the answer that rest on web pages. Absent when the answer cites no web page.'),
          table_query: tableQuerySchema
            .optional()
            .describe('The query of tables from which the answer was made. Absent when there was none.'),
          unsupported_spans: z
            .array(spanSchema)
            .optional()
            .describe('Sentences that no verified citation supports. Absent when there are none.'),
        }),
      )
      .describe('The answers: always one.'),
    warnings: warningsSchema,
    trace: traceSchema.optional().describe('With `trace: true` only.'),
  })
  .meta({ id: 'CompletionResult' });

/** Returns the answer in its wire format. `created` is Unix seconds. */
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
        ...(answer.webCitations.length > 0 ? { web_citations: answer.webCitations } : {}),
        ...(answer.tableQuery ? { table_query: toTableQuery(answer.tableQuery) } : {}),
        ...(answer.unsupported.length > 0 ? { unsupported_spans: answer.unsupported } : {}),
      },
    ],
    warnings: answer.warnings,
    ...(answer.trace && { trace: toTrace(answer.trace) }),
  };
}

/** Returns the query of an answer in its wire format. */
export function toTableQuery({
  result: { sql, columns, rows, truncated, witnessCount },
  spans,
}: NonNullable<Answer['tableQuery']>): z.input<typeof tableQuerySchema> {
  return { sql, columns, rows, row_count: rows.length, truncated, witness_count: witnessCount, spans };
}

export function toTrace({ query, hits }: NonNullable<Answer['trace']>): z.input<typeof traceSchema> {
  return {
    query: query.forReader,
    rewritten_by: query.rewrittenBy,
    rewrite_failure: query.modelFailure,
    retrieved: hits.forReader.map(({ id, sourceId, score }) => ({ id, source_id: sourceId, score })),
  };
}

/** Returns the content records of the cited chunks, each with its `citation`. */
export function toCitations(citations: Answer['citations']): z.input<typeof citedContentSchema>[] {
  return citations.map(({ chunk, number, spans, quote, verified, verifiedBy, reason, quoted }) => ({
    ...toContent(chunk),
    citation: { number, spans, quote, verified, verified_by: verifiedBy, reason, quoted },
    ...(chunk.row && { row: { table_id: chunk.row.tableId, row: chunk.row.row } }),
  }));
}
