/** The request body of POST /agents/runs, and the conversion of an ag-ui RunAgentInput into such a body. */
import { z } from 'zod';
import { givenId, principalShape } from '../../http/schemas.ts';
import { filterShape } from '../../http/search-filters.ts';
import { isObject } from '../../util/is-object.ts';
import { text } from '../../util/text-schema.ts';

const INPUT_LENGTH_MAX = 10_000;
const TOOLS_MAX = 20;
const TOOL_NAME_MAX = 64;
const ID_LENGTH_MAX = 256;

export const parameters = z.strictObject({
  input: text(1, INPUT_LENGTH_MAX).describe('The question.'),
  tools: z
    .array(text(1, TOOL_NAME_MAX))
    .min(1)
    .max(TOOLS_MAX)
    .optional()
    .describe('Names of the tools that the model may call, as on `/mcp`. Absent: all that the key may use.'),
  max_steps: z.int().min(1).max(20).default(8).describe('Maximum steps. In a step the model calls one or more tools.'),
  max_seconds: z.int().min(5).max(600).default(120).describe('Maximum time, the answer included.'),
  max_tokens: z
    .int()
    .min(1_000)
    .max(500_000)
    .default(100_000)
    .describe(
      'Maximum tokens of all calls of the model. A quarter is kept for the answer. The last call may exceed it.',
    ),
  conversation_id: givenId.optional().describe('The conversation that the run continues. Absent: a new one.'),
  ...filterShape,
  stream: z
    .boolean()
    .optional()
    .describe(
      'Answers with ag-ui events while the run goes on. The default is false, and true with `Accept: text/event-stream`.',
    ),
  background: z
    .boolean()
    .default(false)
    .describe(
      'Answers at once with the queued run, which goes on without a connection and after a restart of the service.',
    ),
  ...principalShape,
  threadId: text(1, ID_LENGTH_MAX).optional().describe('ag-ui only: the thread, as in completions.'),
  runId: text(1, ID_LENGTH_MAX).optional().describe('ag-ui only: the events repeat it.'),
});

/** The schema of the body. It also accepts a RunAgentInput: its last user message is the question, `forwardedProps` are parameters. */
export const agentRunBody = z.preprocess(fromRunInput, parameters);
export type AgentRunBody = z.output<typeof parameters>;

function fromRunInput(value: unknown): unknown {
  if (!isObject(value) || typeof value['threadId'] !== 'string' || typeof value['runId'] !== 'string') return value;
  const { forwardedProps, messages, threadId, runId } = value;
  const asked = Array.isArray(messages)
    ? messages.findLast((message) => isObject(message) && message['role'] === 'user')
    : undefined;
  return { input: textOf(asked?.content), ...(isObject(forwardedProps) ? forwardedProps : {}), threadId, runId };
}

/** Returns the text of plain content, or of the text parts of multimodal content. */
function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content
    .filter((part) => isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string')
    .map((part: { text: string }) => part.text)
    .join('\n');
}
