/** The questions of this page whose answers arrive or are not stored. They outlive the screen, until the session ends. */
import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import { inWords, PinakesError } from '../../data/api.ts';
import { conversationQuery, streamAnswer } from '../../data/ask.ts';
import { type Answer, EMPTY_ANSWER, isBranched, type LiveTurn } from '../../data/turns.ts';
import { randomId } from '../../parts/random-id.ts';
import { restoreDraft } from '../../shell/drafts.ts';

/** The place of a conversation in the address. `message` is the end of the branch that is shown; absent: the active one. */
export interface Place {
  conversation?: string | undefined;
  message?: string | undefined;
}

/** What is not stored of one conversation, or of a new one. */
export interface Visit {
  live: readonly VisitTurn[];
  /** Whether the last of `live` ends the branch. */
  isOpen: boolean;
  /** Answers of this visit by their message: they say more than the stored ones. */
  answers: ReadonlyMap<string, Answer>;
}

interface VisitTurn extends LiveTurn {
  arriving: boolean;
  /** Where the turn is stored by now. */
  storedAt?: Place;
}

export const NO_VISIT: Visit = { live: [], isOpen: false, answers: new Map() };

const running = new Map<string, AbortController>();
// An answer goes on without its screen, but not without its page: question and answer are stored at the end.
addEventListener('beforeunload', (event) => {
  if (running.size > 0) event.preventDefault();
});

export const visitQuery = (conversation: string | undefined) =>
  queryOptions<Visit>({
    queryKey: ['visit', conversation ?? null],
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });

export function changeVisit(
  queries: QueryClient,
  conversation: string | undefined,
  change: (old: Visit) => Visit | undefined,
): void {
  queries.setQueryData<Visit>(visitQuery(conversation).queryKey, (old) => change(old ?? NO_VISIT));
}

/** Asks a question behind the turns of the visit that stand `before` it, and keeps the answer up to date while it arrives. */
export async function ask(
  queries: QueryClient,
  conversation: string | undefined,
  turn: Pick<LiveTurn, 'parentId' | 'question' | 'againOf'>,
  before: readonly VisitTurn[],
): Promise<void> {
  const id = randomId();
  const abort = new AbortController();
  running.set(id, abort);
  let answer = EMPTY_ANSWER;
  // Nothing is changed for the next reader, or when the turn is not shown any more.
  const update = (change: Partial<VisitTurn>) =>
    changeVisit(queries, conversation, (old) =>
      old === NO_VISIT
        ? undefined
        : { ...old, live: old.live.map((one) => (one.id === id ? { ...one, ...change } : one)) },
    );
  changeVisit(queries, conversation, ({ answers }) => ({
    live: [...before, { ...turn, id, answer, arriving: true }],
    isOpen: true,
    answers,
  }));
  try {
    const answers = streamAnswer(turn.question, { ...turn, conversationId: conversation }, abort.signal);
    let step = await answers.next();
    for (; !step.done; step = await answers.next()) {
      answer = step.value;
      update({ answer });
    }
    if (step.value === null) return update({ arriving: false });
    const { conversationId, answerId } = step.value;
    const now = await queries.fetchQuery({ ...conversationQuery(conversationId), staleTime: 0 });
    void queries.invalidateQueries({ queryKey: ['conversations'] });
    changeVisit(queries, conversationId, (old) => ({ ...old, answers: new Map(old.answers).set(answerId, answer) }));
    update({
      storedAt: { conversation: conversationId, message: isBranched(now.messages) ? answerId : undefined },
    });
  } catch (error) {
    // The session ended: the reader finds the question again after the sign-in.
    if (error instanceof PinakesError && error.status === 401) restoreDraft('ask', turn.question);
    const end: Partial<Answer> = abort.signal.aborted
      ? { finish: 'stopped' }
      : { finish: 'error', problem: inWords(error) };
    update({ arriving: false, answer: { ...answer, ...end } });
  } finally {
    running.delete(id);
  }
}

/** Stops the answers that arrive in a visit. */
export function stop({ live }: Visit): void {
  for (const { id } of live) running.get(id)?.abort();
}

/** Removes a turn that now comes from its conversation. The others follow it there. */
export function leaveToConversation(queries: QueryClient, from: string | undefined, id: string, to?: string): void {
  const { live } = queries.getQueryData<Visit>(visitQuery(from).queryKey) ?? NO_VISIT;
  if (!live.some((one) => one.id === id)) return;
  const others = live.filter((one) => one.id !== id);
  if (from !== to) changeVisit(queries, from, () => NO_VISIT);
  changeVisit(queries, to, ({ answers }) => ({ live: others, isOpen: false, answers }));
}
