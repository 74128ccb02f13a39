/** The body of POST /v1/responses. Members on whose effect a program would rely are refused, because nothing of a response is kept. */
import { z } from 'zod';
import { isObject } from '../../../../util/is-object.ts';
import { messagesSchema } from '../../request.ts';
import { commonShape, ignoredShape, readMessages } from '../messages.ts';

/** Members of the OpenAI API that have no effect here. */
const IGNORED = [
  'access_programs',
  'context_management',
  'image',
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'moderation',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'user',
] as const;

/** Items that programs send back between messages: thoughts of a model, calls of tools, and their results. */
const LEFT_OUT = /^reasoning$|_call$|_call_output$/;
/** Tools that the program runs. A model may also answer without a call. Other tools would run here. */
const OWN_TOOLS: readonly unknown[] = ['function', 'custom'];

const SEND_HISTORY = 'is not possible: responses are not kept. Send the earlier messages in input';
const REFERENCE =
  'is a reference to a response, but responses are not kept: send its text. ' +
  'The AI SDK does so with providerOptions: { openai: { store: false } }';

/** Returns the schema of a member that must be null or absent. @param harmless another value that is accepted. */
const refused = (problem: string, harmless?: unknown) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null || value === harmless, problem)
    .describe(`Only ${harmless === undefined ? '' : `${JSON.stringify(harmless)} or `}null: ${problem}.`);

const responseParameters = z.strictObject({
  ...commonShape,
  input: messagesSchema
    .meta({ wire: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] } })
    .describe(
      'The question; or messages, whose last one with role `user` is the question. Content is text or a list of text parts. ' +
        'Reasoning, and calls and results of tools, are left out. `developer` counts as `system`.',
    ),
  instructions: z.string().nullish().describe('A message with role `system` before the others.'),
  stream: z
    .boolean()
    .nullish()
    .describe('Streams the events of the answer, from `response.created` to `response.completed`.'),
  metadata: z.record(z.string(), z.string()).nullish().describe('The response repeats it.'),
  tools: z
    .array(
      z.looseObject({
        type: z
          .unknown()
          .refine((type) => OWN_TOOLS.includes(type), 'must be function or custom: the service has no other tools'),
      }),
    )
    .nullish()
    .meta({ wire: { type: ['array', 'null'], items: { type: 'object' } } })
    .describe('Tools of the program are accepted, but never called. Other tools are refused.'),
  tool_choice: z.enum(['none', 'auto']).nullish().describe('`none` or `auto`: no tool is ever called.'),
  text: z
    .looseObject({ format: z.looseObject({ type: z.literal('text') }).nullish() })
    .nullish()
    .meta({ wire: { type: ['object', 'null'] } })
    .describe('`format` may only be `{"type": "text"}`.'),
  background: refused('is not possible: the answer comes with the request', false),
  conversation: refused(SEND_HISTORY),
  previous_response_id: refused(SEND_HISTORY),
  prompt: refused('is not possible: there are no stored prompts. Send instructions'),
  truncation: refused(
    'is not possible: the oldest messages are left out if the history does not fit the model',
    'auto',
  ),
  ...ignoredShape(IGNORED),
});

export const responseBody = z.preprocess(readBody, responseParameters);
export type ResponseBody = z.output<typeof responseParameters>;

function readBody(body: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isObject(body)) return body;
  const { input } = body;
  if (typeof input === 'string') return { ...body, input: [{ role: 'user', content: input }] };
  if (!Array.isArray(input)) return body;
  const messages = input.map((item, i) => {
    const type = isObject(item) ? item['type'] : undefined;
    if (type === undefined || type === 'message') return item;
    if (typeof type === 'string' && LEFT_OUT.test(type)) return { role: 'tool' };
    const message =
      type === 'item_reference' ? REFERENCE : `is an item of type ${JSON.stringify(type)}, which is not supported`;
    context.addIssue({ code: 'custom', path: ['input', i], message });
    return { role: 'tool' };
  });
  return { ...body, input: readMessages(messages, 'input', context) };
}

/** Returns the messages with the instructions before them. */
export function messagesOf({ input, instructions }: ResponseBody): ResponseBody['input'] {
  return instructions ? [{ role: 'system', content: instructions }, ...input] : input;
}
