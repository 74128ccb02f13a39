import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ConversationTree } from '../../../../src/client/api.ts';
import { inWords, PinakesError, pinakes } from '../../data/api.ts';
import { conversationQuery, streamAnswer } from '../../data/ask.ts';
import {
  type Answer,
  EMPTY_ANSWER,
  isBranched,
  type LiveTurn,
  lastMessageOf,
  leafBelow,
  shownTurns,
  type Turn,
} from '../../data/turns.ts';
import { randomId } from '../../parts/random-id.ts';
import { restoreDraft } from '../../shell/drafts.ts';

/** The place of a conversation in the address. `message` is the end of the branch that is shown; absent: the active one. */
export interface Place {
  conversation?: string | undefined;
  message?: string | undefined;
}

interface Visit {
  conversation: string | undefined;
  live: readonly LiveTurn[];
  /** Whether the last of `live` ends the branch. */
  isOpen: boolean;
  /** Answers of this visit by their message: they say more than the stored ones. */
  answers: ReadonlyMap<string, Answer>;
}

const FIRST_VISIT: Visit = { conversation: undefined, live: [], isOpen: false, answers: new Map() };
const NO_TREE = { messages: [], active_message_id: null };

export interface Asking {
  stored: UseQueryResult<ConversationTree>;
  turns: readonly Turn[];
  busy: boolean;
  /** True while an answer arrives, also that of a conversation that the reader has left. */
  answering: boolean;
  /** Asks after the last turn. */
  send(question: string): void;
  /** Asks another question in place of that of a turn: a branch. */
  edit(turn: Turn, question: string): void;
  /** Answers the question of a turn again: a version of its answer. */
  regenerate(turn: Turn): void;
  /** Shows the branch with a stored message. */
  show(messageId: string): void;
  stop(): void;
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
  const [visit, setVisit] = useState<Visit>(FIRST_VISIT);
  const [busy, setBusy] = useState(false);
  const [arriving, setArriving] = useState(0);
  const running = useRef<AbortController>(undefined);
  // An answer goes on without its reader, who finds it under History.
  const isHereNow = useRef(true);
  useEffect(() => {
    isHereNow.current = true;
    return () => {
      isHereNow.current = false;
    };
  }, []);

  const tree = stored.data ?? NO_TREE;
  const isHere = visit.conversation === conversation;
  const turns = useMemo(() => {
    const shown = shownTurns(tree, message, isHere ? visit.live : [], visit.isOpen);
    return shown.map((turn) => {
      const answer = visit.answers.get(turn.answerId ?? '');
      return answer && answer.text === turn.answer.text ? { ...turn, answer } : turn;
    });
  }, [tree, message, isHere, visit]);
  const latest = useRef({ conversation, turns, visit, tree, go });
  latest.current = { conversation, turns, visit, tree, go };

  const ask = useCallback(
    async (turn: Pick<LiveTurn, 'parentId' | 'question' | 'againOf'>, before: readonly LiveTurn[]) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      const id = randomId();
      const { conversation: asked } = latest.current;
      const update = (change: Partial<Answer>) =>
        setVisit((old) => ({
          ...old,
          live: old.live.map((one) => (one.id === id ? { ...one, answer: { ...one.answer, ...change } } : one)),
        }));
      const live = [...before, { ...turn, id, answer: EMPTY_ANSWER }];
      setVisit(({ answers }) => ({ conversation: asked, live, isOpen: true, answers }));
      setBusy(true);
      setArriving((count) => count + 1);
      try {
        const answers = streamAnswer(turn.question, { ...turn, conversationId: asked }, abort.signal);
        let step = await answers.next();
        let answer = EMPTY_ANSWER;
        for (; !step.done; step = await answers.next()) {
          answer = step.value;
          update(answer);
        }
        const place = step.value;
        if (place === null) return;
        const { conversationId, answerId } = place;
        const now = await queries.fetchQuery({ ...conversationQuery(conversationId), staleTime: 0 });
        void queries.invalidateQueries({ queryKey: ['conversations'] });
        setVisit((old) => ({ ...old, answers: new Map(old.answers).set(answerId, answer) }));
        // The reader may have opened another conversation meanwhile.
        if (isHereNow.current && running.current === abort && latest.current.conversation === asked)
          await latest.current.go(
            { conversation: conversationId, message: isBranched(now.messages) ? answerId : undefined },
            true,
          );
        // The turn is stored: it now comes from the conversation.
        setVisit((old) =>
          old.live.some((one) => one.id === id)
            ? { ...old, conversation: conversationId, live: old.live.filter((one) => one.id !== id), isOpen: false }
            : old,
        );
      } catch (error) {
        // The session ended: the reader finds the question again after the sign-in.
        if (error instanceof PinakesError && error.status === 401) restoreDraft('ask', turn.question);
        if (abort.signal.aborted) update({ finish: 'stopped' });
        else update({ finish: 'error', problem: inWords(error) });
      } finally {
        if (running.current === abort) setBusy(false);
        setArriving((count) => count - 1);
      }
    },
    [queries],
  );

  const send = useCallback(
    (question: string) => {
      const { turns: shown, visit: now, conversation: here } = latest.current;
      const live = now.conversation === here ? now.live : [];
      const last = shown.findLast((turn) => !live.some(({ id }) => id === turn.id));
      void ask({ parentId: last ? lastMessageOf(last) : null, question, againOf: null }, live);
    },
    [ask],
  );
  /** Returns the turns of this visit before a turn, and what the turn itself answers again. */
  const placeOf = useCallback((turn: Turn) => {
    const { live } = latest.current.visit;
    const at = live.findIndex(({ id }) => id === turn.id);
    return { before: at === -1 ? [] : live.slice(0, at), againOf: at === -1 ? turn.id : live[at]!.againOf };
  }, []);
  const edit = useCallback(
    (turn: Turn, question: string) =>
      void ask({ parentId: turn.parentId, question, againOf: null }, placeOf(turn).before),
    [ask, placeOf],
  );
  const regenerate = useCallback(
    (turn: Turn) => {
      const { before, againOf } = placeOf(turn);
      void ask({ parentId: turn.parentId, question: turn.question, againOf }, before);
    },
    [ask, placeOf],
  );
  const show = useCallback((messageId: string) => {
    const { conversation: here, tree: now } = latest.current;
    if (here === undefined) return;
    const leaf = leafBelow(now.messages, messageId);
    setVisit((old) => ({ ...old, live: [], isOpen: false }));
    void latest.current.go({ conversation: here, message: leaf }, false);
    // The next visit begins with this branch. The address holds it in any case.
    pinakes.updateConversation({ params: { id: here }, body: { active_message_id: leaf } }).catch(() => undefined);
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  // A running answer goes on, and is found under History.
  const reset = useCallback(() => {
    running.current = undefined;
    setBusy(false);
    setVisit(FIRST_VISIT);
  }, []);
  return { stored, turns, busy, answering: arriving > 0, send, edit, regenerate, show, stop, reset };
}
