import { useCallback, useEffect, useRef, useState } from 'react';
import { inWords } from '../../data/api.ts';
import { streamAnswer } from '../../data/ask.ts';
import { EMPTY_ANSWER, type Turn } from '../../data/turns.ts';

/**
 * Returns the turns of a conversation: those that are stored, then those of this visit.
 *
 * @param stored called when an answer is complete, with the id of the conversation.
 */
export function useAsk(
  conversationId: string | undefined,
  earlier: readonly Turn[],
  stored: (id: string | null) => void,
) {
  const [own, setOwn] = useState<{ conversation: string | undefined; turns: Turn[] }>({
    conversation: undefined,
    turns: [],
  });
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  const latest = useRef({ conversationId, stored });
  latest.current = { conversationId, stored };
  useEffect(() => () => running.current?.abort(), []);

  const send = useCallback(async (question: string) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const id = crypto.randomUUID();
    const update = (change: Partial<Turn['answer']>) =>
      setOwn(({ conversation, turns }) => ({
        conversation,
        turns: turns.map((turn) => (turn.id === id ? { ...turn, answer: { ...turn.answer, ...change } } : turn)),
      }));
    const conversation = latest.current.conversationId;
    setOwn((old) => ({
      conversation,
      turns: [...(old.conversation === conversation ? old.turns : []), { id, question, answer: EMPTY_ANSWER }],
    }));
    setBusy(true);
    try {
      const answers = streamAnswer(question, conversation, abort.signal);
      let step = await answers.next();
      for (; !step.done; step = await answers.next()) update(step.value);
      const { value } = step;
      // The turns of this visit now belong to the conversation that the service has stored.
      if (value !== null) setOwn(({ turns }) => ({ conversation: value, turns }));
      latest.current.stored(value);
    } catch (error) {
      if (abort.signal.aborted) update({ finish: 'stopped' });
      else update({ finish: 'error', problem: inWords(error) });
    } finally {
      if (running.current === abort) setBusy(false);
    }
  }, []);

  const mine = own.conversation === conversationId ? own.turns : [];
  const known = new Set(mine.map((turn) => turn.question + turn.answer.text));
  const before = earlier.filter((turn) => !known.has(turn.question + turn.answer.text));
  return {
    turns: [...before, ...mine],
    busy,
    send,
    stop: () => running.current?.abort(),
    reset: () => {
      running.current?.abort();
      setOwn({ conversation: undefined, turns: [] });
    },
  };
}
