/** Chooses the messages of a conversation that go to the model. */

import { answerTokens } from '../../llm/chat/prompt.ts';
import { MESSAGE_OVERHEAD_TOKENS, tokensAtMost } from '../../llm/chat/tokens.ts';
import type { ChatMessage } from '../../llm/models.ts';

/** Maximum messages of a branch that are read. Older ones are not even counted. */
export const HISTORY_MESSAGES_MAX = 400;
/** Share of the model's window, without the answer's part, for history and question. The rest is for the retrieved chunks. */
const HISTORY_SHARE = 0.5;

/** Returns the maximum tokens of history and question together. */
export function historyBudget(contextTokens: number): number {
  return Math.floor((contextTokens - answerTokens(contextTokens)) * HISTORY_SHARE);
}

export interface FittedHistory<M> {
  /** The messages that fit. */
  history: M[];
  /** False when turns were dropped, or when the question alone exceeds the budget. */
  complete: boolean;
}

/**
 * Drops the oldest turns until history and question fit. A turn begins with a user message and is dropped as a whole. The system
 * messages always stay.
 */
export function fitHistory<M extends ChatMessage>(
  history: readonly M[],
  question: string,
  contextTokens: number,
): FittedHistory<M> {
  const system = history.filter(({ role }) => role === 'system');
  const turns = turnsOf(history.filter(({ role }) => role !== 'system'));
  let tokensLeft = historyBudget(contextTokens) - costOf([...system, { role: 'user', content: question }]);
  let first = turns.length;
  while (first > 0) {
    const cost = costOf(turns[first - 1]!);
    if (cost > tokensLeft) break;
    tokensLeft -= cost;
    first--;
  }
  return { history: [...system, ...turns.slice(first).flat()], complete: first === 0 && tokensLeft >= 0 };
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
