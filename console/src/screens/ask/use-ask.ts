import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { ConversationTree } from '../../../../src/client/api.ts';
import { pinakes } from '../../data/api.ts';
import { conversationQuery } from '../../data/ask.ts';
import { lastMessageOf, leafBelow, shownTurns, type Turn } from '../../data/turns.ts';
import { ask, changeVisit, leaveToConversation, NO_VISIT, type Place, stop, type Visit, visitQuery } from './visit.ts';

const NO_TREE = { messages: [], active_message_id: null };

export interface Asking {
  stored: UseQueryResult<ConversationTree>;
  turns: readonly Turn[];
  /** True while an answer arrives in this conversation. */
  busy: boolean;
  /** Asks the first question of a new conversation. */
  begin(question: string): void;
  /** Asks after the last turn. */
  send(question: string): void;
  /** Asks another question in place of that of a turn: a branch. */
  edit(turn: Turn, question: string): void;
  /** Answers the question of a turn again: a version of its answer. */
  regenerate(turn: Turn): void;
  /** Shows the branch with a stored message. */
  show(messageId: string): void;
  stop(): void;
  /** Empties the new conversation. Its answer goes on, and is found under History. */
  reset(): void;
}

/**
 * Returns the turns of the conversation along the branch of the address, and what can be done with them.
 *
 * @param go moves the address to another conversation or branch.
 */
export function useAsk(
  { conversation, message }: Place,
  go: (place: Place, replace: boolean) => Promise<void>,
): Asking {
  const queries = useQueryClient();
  const stored = useQuery(conversationQuery(conversation));
  const { data: visit = NO_VISIT } = useQuery<Visit>(visitQuery(conversation));
  const tree = stored.data ?? NO_TREE;
  const turns = useMemo(
    () =>
      shownTurns(tree, message, visit.live, visit.isOpen).map((turn) => {
        const answer = visit.answers.get(turn.answerId ?? '');
        return answer && answer.text === turn.answer.text ? { ...turn, answer } : turn;
      }),
    [tree, message, visit],
  );
  const latest = useRef({ conversation, turns, visit, tree, go });
  latest.current = { conversation, turns, visit, tree, go };

  // The reader of a turn that is stored by now goes to its place in the conversation, which shows it without a gap.
  const arrived = visit.live.find(({ storedAt }) => storedAt);
  useEffect(() => {
    if (!arrived?.storedAt) return;
    const { id, storedAt } = arrived;
    const leave = () => leaveToConversation(queries, conversation, id, storedAt.conversation);
    void latest.current.go(storedAt, true).then(leave);
  }, [arrived, conversation, queries]);

  const begin = useCallback(
    (question: string) => void ask(queries, undefined, { parentId: null, question, againOf: null }, []),
    [queries],
  );
  const send = useCallback(
    (question: string) => {
      const { turns: shown, visit: now, conversation: here } = latest.current;
      const last = shown.findLast((turn) => !now.live.some(({ id }) => id === turn.id));
      void ask(queries, here, { parentId: last ? lastMessageOf(last) : null, question, againOf: null }, now.live);
    },
    [queries],
  );
  /** Returns the turns of this visit before a turn, and what the turn itself answers again. */
  const placeOf = useCallback((turn: Turn) => {
    const { live } = latest.current.visit;
    const at = live.findIndex(({ id }) => id === turn.id);
    return { before: at === -1 ? [] : live.slice(0, at), againOf: at === -1 ? turn.id : live[at]!.againOf };
  }, []);
  const edit = useCallback(
    (turn: Turn, question: string) => {
      const { parentId } = turn;
      void ask(queries, latest.current.conversation, { parentId, question, againOf: null }, placeOf(turn).before);
    },
    [queries, placeOf],
  );
  const regenerate = useCallback(
    (turn: Turn) => {
      const { before, againOf } = placeOf(turn);
      const { parentId, question } = turn;
      void ask(queries, latest.current.conversation, { parentId, question, againOf }, before);
    },
    [queries, placeOf],
  );
  const show = useCallback(
    (messageId: string) => {
      const { conversation: here, tree: now } = latest.current;
      if (here === undefined) return;
      const leaf = leafBelow(now.messages, messageId);
      changeVisit(queries, here, ({ answers }) => ({ live: [], isOpen: false, answers }));
      void latest.current.go({ conversation: here, message: leaf }, false);
      // The next visit begins with this branch. The address holds it in any case.
      pinakes.updateConversation({ params: { id: here }, body: { active_message_id: leaf } }).catch(() => undefined);
    },
    [queries],
  );
  const reset = useCallback(() => changeVisit(queries, undefined, () => NO_VISIT), [queries]);
  return {
    stored,
    turns,
    busy: visit.live.some(({ arriving }) => arriving),
    begin,
    send,
    edit,
    regenerate,
    show,
    stop: useCallback(() => stop(latest.current.visit), []),
    reset,
  };
}
