/** The call of the AI SDK that asks a model which tools to call. The SDK runs no tool: the service does. */
import type { generateText, ModelMessage } from 'ai';
import type { StepMessage, StepRequest, StepTurn, ToolCall } from '../models.ts';
import type { ProviderModel } from './language-model.ts';

/** Minimum length of a key that is removed from arguments. A shorter key may be an ordinary word. */
const SECRET_UNITS_MIN = 8;

/** Returns the options of the call. */
export async function stepCall(model: ProviderModel, { system, messages, tools, outputTokensMax }: StepRequest) {
  const { jsonSchema } = await import('ai');
  return {
    model,
    instructions: system,
    messages: messages.map(toMessage),
    tools: Object.fromEntries(
      tools.map(({ name, description, inputSchema }) => [name, { description, inputSchema: jsonSchema(inputSchema) }]),
    ),
    maxOutputTokens: outputTokensMax,
    maxRetries: 0,
  };
}

function toMessage(message: StepMessage): ModelMessage {
  if (message.role === 'calls') {
    const content = message.calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: input ?? {},
    }));
    return { role: 'assistant', content };
  }
  if (message.role === 'results') {
    const content = message.results.map(({ id, name, text }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: text },
    }));
    return { role: 'tool', content };
  }
  return message;
}

type Generated = Pick<Awaited<ReturnType<typeof generateText>>, 'toolCalls' | 'finishReason'>;

/** Returns the calls of the answer. The SDK marks unknown tools and arguments that are not JSON; the service checks the names itself. */
export function readTurn({ toolCalls, finishReason }: Generated, apiKey: string | null): StepTurn {
  const secret = apiKey !== null && apiKey.length >= SECRET_UNITS_MIN ? apiKey : undefined;
  const calls = toolCalls.map(({ toolCallId, toolName, input }): ToolCall => {
    // Of arguments that are not JSON, the SDK gives the text.
    const parsed = typeof input === 'string' ? undefined : input;
    return { id: toolCallId, name: toolName, input: withoutSecret(parsed, secret) };
  });
  return { calls, isCut: finishReason === 'length' };
}

function withoutSecret(input: unknown, secret: string | undefined): unknown {
  if (secret === undefined || input === undefined) return input;
  const text = JSON.stringify(input);
  return text.includes(secret) ? JSON.parse(text.replaceAll(secret, '…')) : input;
}
