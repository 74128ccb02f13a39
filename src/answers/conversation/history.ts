/** Which messages of a conversation go to the model. Pure. */

import { answerTokens } from '../../llm/chat/prompt.ts';
import { MESSAGE_OVERHEAD_TOKENS, tokensAtMost } from '../../llm/chat/tokens.ts';
import type { ChatMessage } from '../../llm/models.ts';

/** Longer branches are cut here before they are counted. */
export const HISTORY_MESSAGES_MAX = 400;
/** Share of the model's window, less the answer's, for history and question: the rest is for what is retrieved. */
const HISTORY_SHARE = 0.5;

/** Tokens that history and question may take together. */
export function historyBudget(contextTokens: number): number {
  return Math.floor((contextTokens - answerTokens(contextTokens)) * HISTORY_SHARE);
}

export interface Fitted<M> {
  /** What is kept, then the question. */
  messages: (M | ChatMessage)[];
  /** False when turns had to be dropped, or the question alone is over the budget. */
  complete: boolean;
}

/**
 * Drops the oldest turns until history and question fit. A turn begins with a user message and is dropped as a whole; the question
 * and system messages are always kept.
 */
export function fitHistory<M extends ChatMessage>(
  history: readonly M[],
  question: string,
  contextTokens: number,
): Fitted<M> {
  const system = history.filter(({ role }) => role === 'system');
  const turns = turnsOf(history.filter(({ role }) => role !== 'system'));
  let left = historyBudget(contextTokens) - costOf([...system, { role: 'user', content: question }]);
  let kept = turns.length;
  while (kept > 0) {
    const cost = costOf(turns[kept - 1]!);
    if (cost > left) break;
    left -= cost;
    kept--;
  }
  const messages = [...system, ...turns.slice(kept).flat(), { role: 'user' as const, content: question }];
  return { messages, complete: kept === 0 && left >= 0 };
}

function turnsOf<M extends ChatMessage>(history: readonly M[]): M[][] {
  const turns: M[][] = [];
  for (const message of history) {
    if (message.role === 'user' || turns.length === 0) turns.push([message]);
    else turns[turns.length - 1]!.push(message);
  }
  return turns;
}

function costOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((total, { content }) => total + tokensAtMost(content) + MESSAGE_OVERHEAD_TOKENS, 0);
}
