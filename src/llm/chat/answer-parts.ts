/** Reads the parts of a streamed answer, in the same form for all providers. */

import type { Usage } from '../models.ts';
import { openChat, readChat } from './chat-wire.ts';
import { type LanguageModelOptions, openLanguageModel, type ProviderModel } from './language-model.ts';
import type { Prompt } from './prompt.ts';

/** `reason` is the provider's word. `usage` is undefined when the provider does not report it. */
export type AnswerPart =
  | { type: 'text'; delta: string }
  | { type: 'reasoning' }
  | { type: 'finish'; reason: string; usage: Usage | undefined };

/**
 * Asks a model and returns the parts of its answer. The last part is `finish`, unless the answer is interrupted.
 *
 * @param asksUsage whether to ask OpenAI-compatible endpoints for the number of tokens. A few endpoints refuse the request member for it.
 * @throws the error of the provider, as the SDK reports it.
 */
export async function openParts(
  options: LanguageModelOptions,
  asksUsage: boolean,
  prompt: () => Prompt,
  outputTokensMax: number,
  signal: AbortSignal,
): Promise<AsyncGenerator<AnswerPart>> {
  if (options.provider === 'openai-compatible')
    return readChat(
      await openChat(options, { ...modelMessages(prompt()), outputTokensMax, asksUsage }, signal),
      asksUsage,
    );
  const model = await openLanguageModel(options, asksUsage);
  const { system, messages } = modelMessages(prompt());
  // The provider is called directly. The SDK's `streamText` wraps a dozen streams around it, which take 200 kB for each answer.
  const { stream } = await model.doStream({
    prompt: [
      { role: 'system', content: system },
      ...messages.map(({ role, content }) => ({ role, content: [{ type: 'text' as const, text: content }] })),
    ],
    maxOutputTokens: outputTokensMax,
    abortSignal: signal,
  });
  return readProvider(stream);
}

async function* readProvider(
  stream: Awaited<ReturnType<ProviderModel['doStream']>>['stream'],
): AsyncGenerator<AnswerPart> {
  for await (const part of stream) {
    if (part.type === 'text-delta') yield { type: 'text', delta: part.delta };
    else if (part.type === 'reasoning-delta') yield { type: 'reasoning' };
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') {
      const { inputTokens, outputTokens } = part.usage;
      const usage = usageOf({ inputTokens: inputTokens.total, outputTokens: outputTokens.total });
      yield { type: 'finish', reason: part.finishReason.unified, usage };
      return;
    }
  }
}

function modelMessages({ system, messages }: Prompt) {
  const sent = messages.map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content,
  }));
  return { system, messages: sent };
}

/** Returns the usage; undefined when the provider does not report it, or reports impossible numbers. */
export function usageOf({
  inputTokens,
  outputTokens,
}: { [name in keyof Usage]: number | undefined }): Usage | undefined {
  const isCount = (count: number | undefined): count is number =>
    count !== undefined && Number.isSafeInteger(count) && count >= 0;
  return isCount(inputTokens) && isCount(outputTokens) && inputTokens > 0 ? { inputTokens, outputTokens } : undefined;
}
