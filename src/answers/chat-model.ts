/** Opens the configured chat model: the model of a provider, or the extractive model. */
import type { Config } from '../config.ts';
import type { ChatModel, ChatObserver } from '../llm/models.ts';
import { openProviderModel } from '../llm/registry.ts';
import type { HttpClient } from '../net/http-client.ts';
import { openExtractive } from './extractive/extractive.ts';

/**
 * Returns the chat model that `PINAKES_CHAT_MODEL` names. It connects with the first request.
 *
 * @param observer is told about every call to a provider.
 * @throws ConfigError as `openProviderModel` does.
 */
export function openChatModel(
  chat: Config['chat'] & { webSearch?: boolean },
  http: Pick<HttpClient, 'operatorFetch' | 'operatorRequest'>,
  observer?: ChatObserver,
): ChatModel {
  if (chat.model === 'extractive') return openExtractive(chat.contextTokens);
  return openProviderModel(chat, http, observer);
}
