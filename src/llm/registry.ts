/** Opens the chat model of a provider from the settings. */

import type { Config } from '../config.ts';
import type { HttpClient } from '../net/http-client.ts';
import { openOperatorFetch } from '../net/operator-fetch.ts';
import { ConfigError } from '../util/settings/settings-reader.ts';
import { openAiSdkModel } from './chat/ai-sdk.ts';
import type { ChatProvider } from './chat/language-model.ts';
import { withTokenLimit } from './chat/token-limit.ts';
import { inTurns } from './fair-turns.ts';
import type { ChatModel, ChatObserver } from './models.ts';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const BASE_URLS: Readonly<Record<string, string>> = {
  openai: OPENAI_BASE_URL,
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/**
 * Returns the provider's model that `PINAKES_CHAT_MODEL` names. It connects with the first request.
 *
 * @param observer is told about every call to a provider.
 * @throws ConfigError for `openai-compatible` without a base URL.
 */
export function openProviderModel(
  chat: Config['chat'] & { webSearch?: boolean },
  http: Pick<HttpClient, 'operatorFetch' | 'operatorRequest'>,
  observer?: ChatObserver,
): ChatModel {
  const [provider = '', model = ''] = chat.model.split(/:(.*)/s);
  const baseUrl = chat.baseUrl ?? BASE_URLS[provider];
  if (baseUrl === undefined) {
    throw new ConfigError(
      'PINAKES_CHAT_BASE_URL',
      'is not set, but PINAKES_CHAT_MODEL is openai-compatible',
      'http://127.0.0.1:11434/v1',
    );
  }
  const request = provider === 'openai-compatible' ? withTokenLimit(http.operatorRequest) : http.operatorRequest;
  const opened = openAiSdkModel({
    name: chat.model,
    provider: provider as ChatProvider,
    model,
    baseUrl,
    apiKey: chat.apiKey,
    contextTokens: chat.contextTokens,
    fetch: request === http.operatorRequest ? http.operatorFetch : openOperatorFetch(request),
    request,
    firstDeltaTimeoutMs: chat.firstTokenTimeoutMs,
    answerTimeoutMs: chat.timeoutMs,
    ...(observer && { observer }),
    webSearch: chat.webSearch ?? false,
  });
  return inTurns(opened, chat.requestsMax);
}
