/** The parts of a model's answer while it streams, whichever provider it comes from. */

import type { Usage } from '../models.ts';
import { openChat, readChat } from './chat-wire.ts';
import { type LanguageModelOptions, openLanguageModel, type ProviderModel } from './language-model.ts';
import type { Prompt } from './prompt.ts';

/** `reason` is in the provider's words. `usage` is undefined when the provider does not tell. */
export type AnswerPart =
  | { type: 'text'; delta: string }
  | { type: 'reasoning' }
  | { type: 'finish'; reason: string; usage: Usage | undefined };

/**
 * Asks a model. What it returns ends with one `finish`, unless the answer breaks off.
 *
 * @param asksUsage of OpenAI's likes: whether to ask for the number of tokens with a member that a few of them refuse.
 * @throws what the provider's failure is, to be explained.
 */
export async function openParts(
  options: LanguageModelOptions,
  asksUsage: boolean,
  prompt: () => Prompt,
  outputTokensMax: number,
  signal: AbortSignal,
): Promise<AsyncGenerator<AnswerPart>> {
  if (options.provider === 'openai-compatible')
    return readChat(await openChat(options, { ...toldOf(prompt()), outputTokensMax, asksUsage }, signal), asksUsage);
  const model = await openLanguageModel(options, asksUsage);
  const { system, messages } = toldOf(prompt());
  // The provider itself: the SDK's `streamText` puts a dozen streams around it, of 200 kB for each answer.
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

function toldOf({ system, messages }: Prompt) {
  const told = messages.map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content,
  }));
  return { system, messages: told };
}

/** Undefined when the provider does not tell, or nothing that makes sense. */
export function usageOf({
  inputTokens,
  outputTokens,
}: { [name in keyof Usage]: number | undefined }): Usage | undefined {
  const isCount = (count: number | undefined): count is number =>
    count !== undefined && Number.isSafeInteger(count) && count >= 0;
  return isCount(inputTokens) && isCount(outputTokens) && inputTokens > 0 ? { inputTokens, outputTokens } : undefined;
}
