/** The response object of POST /v1/responses, with members of our own for citations. */
import { z } from 'zod';
import type { Span } from '../../../../answers/grounding/citations.ts';
import type { Usage } from '../../../../llm/models.ts';
import { newId } from '../../../../util/ids.ts';
import type { Answer } from '../../answer.ts';
import { citedOf, citedShape, factsOf, factsShape } from '../own-members.ts';
import type { ResponseBody } from './request.ts';

const verified = z.boolean().optional().describe('As in `citations`. Absent for web pages.');
const annotationSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('url_citation').describe('The cited source has an address.'),
    url: z.string().describe('The address.'),
    title: z.string().describe('Name of the source, or title of the web page.'),
    start_index: z.int().describe('Code point of the text at which the cited part begins, from 0.'),
    end_index: z.int().describe('Code point behind the cited part.'),
    verified,
  }),
  z.object({
    type: z.literal('file_citation').describe('The cited source has no address.'),
    file_id: z.string().describe('Id of the source.'),
    filename: z.string().describe('Name of the source.'),
    index: z.int().describe('Code point of the text behind the cited part, from 0.'),
    verified,
  }),
]);
type Annotation = z.input<typeof annotationSchema>;

const textSchema = z.object({
  type: z.literal('output_text').describe('Always `output_text`.'),
  text: z.string().describe('Text of the answer. With footnotes, the citations follow the answer.'),
  annotations: z.array(annotationSchema).describe('Parts of the text and what they cite, in the order of the text.'),
  logprobs: z.array(z.looseObject({})).describe('Always empty.'),
});

const messageSchema = z.object({
  id: z.string().describe('Id of the message.'),
  type: z.literal('message').describe('Always `message`.'),
  role: z.literal('assistant').describe('Always `assistant`.'),
  status: z.enum(['in_progress', 'completed', 'incomplete']).describe('As that of the response.'),
  content: z.array(textSchema).describe('The answer: always one part.'),
});

const usageSchema = z
  .object({
    input_tokens: z.int().describe('Tokens of all calls of the chat model for this answer. 0 without a model.'),
    input_tokens_details: z
      .object({
        cached_tokens: z.int().describe('Always 0: not counted.'),
        cache_write_tokens: z.int().describe('Always 0: not counted.'),
      })
      .describe('Not counted.'),
    output_tokens: z.int().describe('Tokens that the chat model wrote.'),
    output_tokens_details: z
      .object({ reasoning_tokens: z.int().describe('Always 0: not counted apart.') })
      .describe('Not counted.'),
    total_tokens: z.int().describe('Both together.'),
  })
  .describe('Tokens of the chat model.');

const absent = z.looseObject({}).nullable().describe('Always null.');

export const responseSchema = z
  .object({
    id: z.string().describe('Id of the response. It cannot be read again with this id.'),
    object: z.literal('response').describe('Always `response`.'),
    created_at: z.int().describe('Unix seconds.'),
    status: z
      .enum(['in_progress', 'completed', 'incomplete'])
      .describe(
        '`completed` also when the sources hold no answer. `in_progress` in the first events of a stream only.',
      ),
    incomplete_details: z
      .object({ reason: z.enum(['max_output_tokens', 'content_filter']).describe('Why the answer ends early.') })
      .nullable()
      .describe('Null for a complete answer.'),
    error: absent,
    model: z.string().describe('The model of the request.'),
    instructions: z.string().nullable().describe('Those of the request.'),
    metadata: z.record(z.string(), z.string()).describe('That of the request.'),
    output: z.array(messageSchema).describe('The answer: one message.'),
    usage: usageSchema,
    ...citedShape,
    ...factsShape,
    store: z.literal(false).describe('Always false: the response cannot be read again. See `conversation_id`.'),
    temperature: absent,
    top_p: absent,
    parallel_tool_calls: z.literal(false).describe('Always false.'),
    tool_choice: z.literal('none').describe('Always `none`.'),
    tools: z.array(z.looseObject({})).describe('Always empty: no tool is ever called.'),
  })
  .meta({ id: 'OpenAiResponse' });

/** Returns the members of a response that are known before its answer. */
export function newResponse(created_at: number, { model, instructions, metadata }: ResponseBody) {
  return {
    id: `resp_${newId()}`,
    object: 'response' as const,
    created_at,
    status: 'in_progress' as const,
    incomplete_details: null,
    error: null,
    model,
    instructions: instructions ?? null,
    metadata: metadata ?? {},
    store: false as const,
    temperature: null,
    top_p: null,
    parallel_tool_calls: false as const,
    tool_choice: 'none' as const,
    tools: [],
  };
}
export type NewResponse = ReturnType<typeof newResponse>;

export const newMessageId = (): string => `msg_${newId()}`;

/** Returns the text of the answer with its annotations. */
export function toText(answer: Answer, footnotes: string): z.input<typeof textSchema> {
  return { ...textOf(answer.text + footnotes), annotations: annotationsOf(answer) };
}

export function textOf(text: string): z.input<typeof textSchema> {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function toMessage(
  id: string,
  status: z.input<typeof messageSchema>['status'],
  content: z.input<typeof textSchema>[],
): z.input<typeof messageSchema> {
  return { id, type: 'message', role: 'assistant', status, content };
}

export function toResponse(
  begun: NewResponse,
  messageId: string,
  answer: Answer,
  text: z.input<typeof textSchema>,
  { inputTokens, outputTokens }: Usage,
) {
  const reason = {
    length: 'max_output_tokens' as const,
    content_filter: 'content_filter' as const,
    stop: null,
    no_answer: null,
  }[answer.finishReason];
  const status = reason === null ? ('completed' as const) : ('incomplete' as const);
  return {
    ...begun,
    status,
    incomplete_details: reason && { reason },
    output: [toMessage(messageId, status, [text])],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
    ...citedOf(answer),
    ...factsOf(answer),
  };
}

/** Returns an annotation for each part of the text that cites a source or a web page, in the order of the text. */
function annotationsOf({ text, citations, webCitations }: Answer): Annotation[] {
  const points = [...text];
  const ofChunks = citations.flatMap(({ chunk: { url, name, sourceId }, spans, verified }) =>
    joined(spans, points).map(({ start, end }) => ({ start, end, url, title: name, sourceId, verified })),
  );
  const ofPages = webCitations.map(({ start, end, url, title }) => ({ start, end, url, title, sourceId: '' }));
  return [...ofChunks, ...ofPages]
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, url, title, sourceId, ...checked }) =>
      url === null
        ? { type: 'file_citation', file_id: sourceId, filename: title, index: end, ...checked }
        : { type: 'url_citation', url, title, start_index: start, end_index: end, ...checked },
    );
}

/** Returns the spans, those joined that only white space separates: programs list a source for each annotation. */
function joined(spans: readonly Span[], points: readonly string[]): Span[] {
  const parts: Span[] = [];
  for (const { start, end } of spans) {
    const last = parts.at(-1);
    const adjoins = last !== undefined && points.slice(last.end, start).join('').trim() === '';
    if (adjoins) last.end = end;
    else parts.push({ start, end });
  }
  return parts;
}
