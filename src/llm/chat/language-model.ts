/** Which provider of the AI SDK stands behind a setting. The SDK is loaded with the first request. */
import type { OpenAIProvider } from '@ai-sdk/openai';
import type { OperatorRequest } from '../../net/operator-fetch.ts';

export type ChatProvider = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** What a provider of the SDK is to the SDK. */
export type ProviderModel = ReturnType<OpenAIProvider['chat']>;

export interface LanguageModelOptions {
  provider: ChatProvider;
  model: string;
  /** With the version, without a trailing slash: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | null;
  fetch: typeof fetch;
  /** Of endpoints that need no SDK. */
  request: OperatorRequest;
}

/**
 * The wire format of each provider: OpenAI and its likes take `/chat/completions`, Anthropic `/messages`, Google
 * `/models/…:streamGenerateContent`. Without a key none is sent, where the SDK would look into the environment.
 *
 * @param asksUsage of OpenAI's likes: whether to ask for the number of tokens with a member that a few of them refuse.
 */
export async function openLanguageModel(
  { provider, model, baseUrl, apiKey, fetch }: LanguageModelOptions,
  asksUsage = true,
): Promise<ProviderModel> {
  const settings = { baseURL: baseUrl, fetch };
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ ...settings, apiKey: apiKey ?? '' })(model);
  }
  if (provider === 'google') {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ ...settings, apiKey: apiKey ?? '' })(model);
  }
  if (provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ ...settings, apiKey: apiKey ?? '' }).chat(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const key = apiKey === null ? {} : { apiKey };
  return createOpenAICompatible({ name: 'chat', ...settings, ...key, includeUsage: asksUsage })(model);
}
