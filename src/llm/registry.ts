/** Setting -> chat model. */
import { type Config, ConfigError } from '../config.ts';
import type { HttpClient } from '../net/http-client.ts';
import { openAiSdkModel } from './ai-sdk.ts';
import { openExtractive } from './extractive.ts';
import type { ChatModel } from './models.ts';
import type { Analyzer } from './question.ts';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/**
 * Opens the chat model that `PINAKES_CHAT_MODEL` names. Nothing is contacted yet.
 *
 * @param analyzer how the extractive model compares words.
 * @throws ConfigError for providers that this version does not have, and without a base URL.
 */
export function openChatModel(
  chat: Config['chat'],
  http: Pick<HttpClient, 'operatorFetch'>,
  analyzer: Analyzer,
): ChatModel {
  if (chat.model === 'extractive') return openExtractive(chat.contextTokens, analyzer);
  const [provider = '', model = ''] = chat.model.split(/:(.*)/s);
  if (provider === 'anthropic' || provider === 'google') {
    const problem = `names the provider ${provider}, which is not available in this version (its OpenAI-compatible address is, through PINAKES_CHAT_BASE_URL)`;
    throw new ConfigError('PINAKES_CHAT_MODEL', problem, `openai-compatible:${model}`);
  }
  const baseUrl = chat.baseUrl ?? (provider === 'openai' ? OPENAI_BASE_URL : null);
  if (baseUrl === null) {
    throw new ConfigError(
      'PINAKES_CHAT_BASE_URL',
      'is not set, but PINAKES_CHAT_MODEL is openai-compatible',
      'http://127.0.0.1:11434/v1',
    );
  }
  return openAiSdkModel({
    name: chat.model,
    model,
    baseUrl,
    apiKey: chat.apiKey,
    contextTokens: chat.contextTokens,
    fetch: http.operatorFetch,
  });
}
