/** The body of POST /v1/chat/completions, and its conversion to the parameters of a completion. */
import { z } from 'zod';
import { invalidAt, notFound, ServiceError } from '../../../errors.ts';
import type { NamedPrincipal } from '../../../http/principal-headers.ts';
import { principalShape } from '../../../http/schemas.ts';
import { isObject } from '../../../util/is-object.ts';
import { type CompletionBody, MESSAGES_MAX, messageSchema, parameters } from '../request.ts';
import { withoutFootnotes } from './footnotes.ts';
import type { Preset, Presets } from './presets.ts';

const MODEL_LENGTH_MAX = 256;
/** Members of the OpenAI API that have no effect here. Chat programs send many of them with every request. */
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

const ignored = z.unknown().optional().describe('Accepted, without effect.');
const nullish = <T extends z.ZodType>(schema: T) => schema.nullish();

const chatParameters = z.strictObject({
  model: z.string().max(MODEL_LENGTH_MAX).describe('`pinakes`, or a preset that `GET /v1/models` lists.'),
  messages: z
    .array(messageSchema)
    .min(1)
    .max(MESSAGES_MAX)
    .refine(
      (messages) => messages.some(({ role }) => role === 'user'),
      'must hold at least one message with role "user"',
    )
    .describe(
      'The last message with role `user` is the question, the messages before it are the history. Messages of tools are left out. ' +
        '`developer` counts as `system`. Content may also be a list of text parts.',
    ),
  stream: nullish(z.boolean()).describe('Streams the answer as server-sent events that end with `[DONE]`.'),
  stream_options: nullish(
    z.object({ include_usage: nullish(z.boolean()).describe('Sends a last chunk with `usage`.') }).loose(),
  )
    .meta({ wire: { type: ['object', 'null'] } })
    .describe('With `include_usage`, a stream has a last chunk with `usage`.'),
  store: nullish(z.boolean()).describe('Stores question and answer as a conversation. Not stored by default.'),
  n: nullish(z.literal(1)).describe('Only 1 is possible.'),
  modalities: nullish(z.array(z.literal('text'))).describe('Only text is possible.'),
  response_format: nullish(z.object({ type: z.literal('text') }))
    .meta({ wire: { type: ['object', 'null'] } })
    .describe('Only `{"type": "text"}` is possible.'),
  tool_choice: nullish(z.enum(['none', 'auto'])).describe('`none` or `auto`: no tool is ever called.'),
  function_call: nullish(z.enum(['none', 'auto'])).describe('`none` or `auto`: no function is ever called.'),
  ...principalShape,
  ...(Object.fromEntries(IGNORED.map((name) => [name, ignored])) as Record<(typeof IGNORED)[number], typeof ignored>),
});

export const chatBody = z.preprocess(readMessages, chatParameters);
export type ChatBody = z.output<typeof chatParameters>;

function readMessages(body: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'].flatMap((message, i) => {
    const problem = isObject(message) ? foreignPart(message['content']) : undefined;
    if (problem !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['messages', i, 'content'],
        message: `must be text: ${problem} is not supported`,
      });
    return readMessage(message);
  });
  return { ...body, messages };
}

/** Returns the type of the first part that is no text. */
function foreignPart(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const foreign = content.find((part) => !isObject(part) || (part['type'] !== 'text' && part['type'] !== 'refusal'));
  return foreign === undefined ? undefined : JSON.stringify(isObject(foreign) ? foreign['type'] : foreign);
}

/** Returns the message with its own members only. Messages of tools, and calls of tools, are left out. */
function readMessage(message: unknown): unknown[] {
  if (!isObject(message)) return [message];
  const { role, content } = message;
  if (role === 'tool' || role === 'function') return [];
  if (role === 'assistant' && (content === null || content === undefined)) return [];
  const text = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? (part['text'] ?? part['refusal'] ?? '') : '')).join('\n')
    : content;
  if (role === 'assistant' && typeof text === 'string') return [{ role, content: withoutFootnotes(text) }];
  return [{ role: role === 'developer' ? 'system' : role, content: text }];
}

/** Returns the preset that a model names. @throws ServiceError not_found */
export function presetOf(presets: Presets, model: string): Preset {
  const preset = presets.get(model);
  if (preset !== undefined) return preset;
  throw new ServiceError(notFound().code, `The model ${JSON.stringify(model)} does not exist: see GET /v1/models.`);
}

/** Returns the parameters of the completion that answers a request. @throws ServiceError invalid_request */
export function toCompletion(
  body: ChatBody,
  { footnotes: _, ...preset }: Preset,
  named: NamedPrincipal,
): CompletionBody {
  const { principal_id, authz_policy, messages } = body;
  if ((principal_id !== undefined || authz_policy !== undefined) && Object.keys(named).length > 0) {
    throw invalidAt(['principal_id'], 'name the principal and the policy in the body or in the headers, not in both.');
  }
  return {
    ...parameters.parse({ messages }),
    ...preset,
    ...(principal_id !== undefined && { principal_id }),
    ...(authz_policy !== undefined && { authz_policy }),
    ...named,
  };
}
