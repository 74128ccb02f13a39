/** Opens the chat model of the settings: a provider's, or the extractive one. */
import type { Config } from '../config.ts';
import type { ChatModel, ChatObserver } from '../llm/models.ts';
import { openProviderModel } from '../llm/registry.ts';
import type { HttpClient } from '../net/http-client.ts';
import { openExtractive } from './extractive/extractive.ts';
import type { Analyzer } from './extractive/question.ts';

/**
 * Opens the chat model that `PINAKES_CHAT_MODEL` names. Nothing is contacted yet.
 *
 * @param analyzer how the extractive model compares words.
 * @param observer hears of every call to a provider.
 * @throws ConfigError as `openProviderModel` does.
 */
export function openChatModel(
  chat: Config['chat'] & { webSearch?: boolean },
  http: Pick<HttpClient, 'operatorFetch' | 'operatorRequest'>,
  analyzer: Analyzer,
  observer?: ChatObserver,
): ChatModel {
  if (chat.model === 'extractive') return openExtractive(chat.contextTokens, analyzer);
  return openProviderModel(chat, http, observer);
}
