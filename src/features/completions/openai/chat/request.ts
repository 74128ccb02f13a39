/** The body of POST /v1/chat/completions. */
import { z } from 'zod';
import { isObject } from '../../../../util/is-object.ts';
import { messagesSchema } from '../../request.ts';
import { commonShape, ignoredShape, readMessages } from '../messages.ts';

/** Members of the OpenAI API that have no effect here. */
const IGNORED = [
  'audio',
  'frequency_penalty',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'moderation',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'temperature',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
] as const;

const nullish = <T extends z.ZodType>(schema: T) => schema.nullish();

const chatParameters = z.strictObject({
  ...commonShape,
  messages: messagesSchema.describe(
    'The last message with role `user` is the question, the messages before it are the history. Messages of tools are left out. ' +
      '`developer` counts as `system`. Content may also be a list of text parts.',
  ),
  stream: nullish(z.boolean()).describe('Streams the answer as server-sent events that end with `[DONE]`.'),
  stream_options: nullish(
    z.object({ include_usage: nullish(z.boolean()).describe('Sends a last chunk with `usage`.') }).loose(),
  )
    .meta({ wire: { type: ['object', 'null'] } })
    .describe('With `include_usage`, a stream has a last chunk with `usage`.'),
  n: nullish(z.literal(1)).describe('Only 1 is possible.'),
  modalities: nullish(z.array(z.literal('text'))).describe('Only text is possible.'),
  response_format: nullish(z.object({ type: z.literal('text') }))
    .meta({ wire: { type: ['object', 'null'] } })
    .describe('Only `{"type": "text"}` is possible.'),
  tool_choice: nullish(z.enum(['none', 'auto'])).describe('`none` or `auto`: no tool is ever called.'),
  function_call: nullish(z.enum(['none', 'auto'])).describe('`none` or `auto`: no function is ever called.'),
  ...ignoredShape(IGNORED),
});

export const chatBody = z.preprocess(readBody, chatParameters);

function readBody(body: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  return { ...body, messages: readMessages(body['messages'], 'messages', context) };
}
