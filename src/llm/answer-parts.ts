/** The parts of a model's answer while it streams, whichever provider it comes from. */
import { openChat, readChat } from './chat-wire.ts';
import { type LanguageModelOptions, openLanguageModel } from './language-model.ts';
import type { Usage } from './models.ts';
import type { Prompt } from './prompt.ts';

/** `reason` is in the provider's words. `usage` is undefined when the provider does not tell. */
export type AnswerPart =
  | { type: 'text'; delta: string }
  | { type: 'reasoning' }
  | { type: 'finish'; reason: string; usage: Usage | undefined };

/**
 * Asks a model. Ends with one `finish`, unless the answer breaks off.
 *
 * @param asksUsage of OpenAI's likes: whether to ask for the number of tokens with a member that a few of them refuse.
 * @throws what the provider's failure is, to be explained.
 */
export async function* streamParts(
  options: LanguageModelOptions,
  asksUsage: boolean,
  prompt: () => Prompt,
  outputTokensMax: number,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  if (options.provider === 'openai-compatible') {
    yield* readChat(await openChat(options, { ...toldOf(prompt()), outputTokensMax, asksUsage }, signal), asksUsage);
    return;
  }
  const [{ streamText }, model] = await Promise.all([import('ai'), openLanguageModel(options, asksUsage)]);
  const { system, messages } = toldOf(prompt());
  const { fullStream } = streamText({
    model,
    instructions: system,
    messages,
    maxOutputTokens: outputTokensMax,
    maxRetries: 0,
    abortSignal: signal,
    onError: () => {}, // errors are parts of the stream; the default writes to the console
  });
  for await (const part of fullStream) {
    if (part.type === 'text-delta') yield { type: 'text', delta: part.text };
    else if (part.type === 'reasoning-delta') yield { type: 'reasoning' };
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') throw new Error('the stream was aborted');
    else if (part.type === 'finish') {
      yield { type: 'finish', reason: part.finishReason, usage: usageOf(part.totalUsage) };
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
