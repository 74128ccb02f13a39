/** The request body of POST /completions, and the conversion of an ag-ui RunAgentInput into such a body. */
import { z } from 'zod';
import { givenId, principalShape } from '../../http/schemas.ts';
import { filterShape } from '../../http/search-filters.ts';
import { isObject } from '../../util/is-object.ts';
import { text } from '../../util/text-schema.ts';

export const MESSAGES_MAX = 200;
/** Maximum messages of a conversation. `GET /conversations/{id}` returns the whole tree, so its size must be limited. */
export const CONVERSATION_MESSAGES_MAX = 2_000;
const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 10;
const THREAD_ID_LENGTH_MAX = 256;
/** A JSON body has at most 1 MiB, so no message is longer. */
const MESSAGE_LENGTH_MAX = 1024 * 1024;

export const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']).describe('Author of the message.'),
  content: text(0, MESSAGE_LENGTH_MAX).describe('Text of the message.'),
});

export const messagesSchema = z
  .array(messageSchema)
  .min(1)
  .max(MESSAGES_MAX)
  .refine(
    (messages) => messages.some(({ role }) => role === 'user'),
    'must hold at least one message with role "user"',
  );

/** The parameters of a completion, without the conversion of a RunAgentInput. */
export const parameters = z.strictObject({
  messages: messagesSchema.describe(
    'The last message with role `user` is the question. With `conversation_id` the others are ignored.',
  ),
  stream: z
    .boolean()
    .optional()
    .describe(
      'Streams the answer as plain text, or with `Accept: text/event-stream` as ag-ui events. ' +
        'The default is false, and true with that header.',
    ),
  citation: z.boolean().default(true).describe('Whether the answer has citations. With false, `citations` is empty.'),
  grounding: z
    .boolean()
    .default(false)
    .describe('Also searches the web. Ignored unless the chat model supports web search and the feature is on.'),
  tables: z
    .enum(['off', 'auto'])
    .default('off')
    .describe(
      'With `auto`, a question that fits a table of a retrieved chunk is also answered from a query that the chat model writes. ' +
        'A warning says why tables were not queried, for example without a chat model.',
    ),
  trace: z
    .boolean()
    .default(false)
    .describe(
      'Adds `trace` to the result: the search query and the retrieved chunks. In a stream it is the ag-ui event CUSTOM `trace`.',
    ),
  ...filterShape,
  use_postfilter: z
    .boolean()
    .default(false)
    .describe('Filters after the search. It may find fewer chunks than `limit`.'),
  limit: z
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .default(LIMIT_DEFAULT)
    .describe('Maximum number of chunks that are retrieved as context.'),
  ...principalShape,
  conversation_id: givenId
    .optional()
    .describe(
      'The conversation that the turn continues. Absent: a new one. ' +
        `A conversation has at most ${CONVERSATION_MESSAGES_MAX.toLocaleString('en')} messages.`,
    ),
  parent_message_id: givenId
    .nullable()
    .optional()
    .describe(
      'The message of the conversation after which the turn continues. Absent: the active message. ' +
        'Null: none, so the question begins a branch beside the first question.',
    ),
  regenerate: z
    .boolean()
    .default(false)
    .describe('Answers the user message `parent_message_id` again. The new answer is a sibling of the old one.'),
  truncation: z
    .enum(['auto', 'disabled'])
    .default('auto')
    .describe(
      'What happens when the history exceeds the context of the model: `auto` drops the oldest turns, `disabled` gives 400.',
    ),
  threadId: text(1, THREAD_ID_LENGTH_MAX)
    .optional()
    .describe(
      'ag-ui only: the thread. A known thread continues its conversation. An unknown one starts a new conversation with this name.',
    ),
  runId: text(1, THREAD_ID_LENGTH_MAX).optional().describe('ag-ui only: the events repeat it.'),
});

/** Members of a RunAgentInput that completions ignore. Its other members may be completion parameters. */
const IGNORED_RUN_MEMBERS = ['protocolVersion', 'parentRunId', 'state', 'tools', 'context', 'forwardedProps', 'resume'];

/**
 * The schema of the body. It also accepts a RunAgentInput of ag-ui, which has `threadId` and `runId`. The members of `forwardedProps` are
 * completion parameters then. Unknown other members, also of messages, are ignored.
 */
export const completionBody = z.preprocess(fromRunInput, parameters);
export type CompletionBody = z.output<typeof parameters>;

function fromRunInput(value: unknown): unknown {
  if (!isObject(value) || typeof value['threadId'] !== 'string' || typeof value['runId'] !== 'string') return value;
  const { forwardedProps, messages } = value;
  const ownParameters = Object.fromEntries(
    Object.entries(value).filter(
      ([name]) => Object.hasOwn(parameters.shape, name) && !IGNORED_RUN_MEMBERS.includes(name),
    ),
  );
  return {
    ...ownParameters,
    ...(isObject(forwardedProps) ? forwardedProps : {}),
    threadId: value['threadId'],
    runId: value['runId'],
    messages: Array.isArray(messages) ? messages.flatMap(fromRunMessage) : messages,
  };
}

/** Converts a message. A developer's message becomes a system message. Messages of tools, activities and reasoning are dropped. */
function fromRunMessage(message: unknown): unknown[] {
  if (!isObject(message)) return [message];
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  if (role === 'tool' || role === 'activity' || role === 'reasoning') return [];
  const content = textOf(message['content']);
  return content === undefined && role === 'assistant' ? [] : [{ role, content }];
}

/** Returns the text of plain content, or of the text parts of multimodal content. */
function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? undefined;
  return content
    .filter((part) => isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string')
    .map((part: { text: string }) => part.text)
    .join('\n');
}
