/** Opens a model of an AI SDK provider. The SDK is loaded with the first request. */
import type { OpenAIProvider } from '@ai-sdk/openai';
import type { OperatorRequest } from '../../net/operator-fetch.ts';

export type ChatProvider = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** The SDK's type of a provider's model. */
export type ProviderModel = ReturnType<OpenAIProvider['chat']>;

export interface LanguageModelOptions {
  provider: ChatProvider;
  model: string;
  /** The address with the version, without a trailing slash: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | null;
  fetch: typeof fetch;
  /** Requests to endpoints that need no SDK. */
  request: OperatorRequest;
}

/**
 * Returns the model of a provider. OpenAI and compatible endpoints use `/chat/completions`, Anthropic uses `/messages`, Google uses
 * `/models/…:streamGenerateContent`. Without a configured key an empty one is passed, so that the SDK does not read the environment.
 *
 * @param asksUsage whether to ask OpenAI-compatible endpoints for the number of tokens. A few endpoints refuse the request member for it.
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
