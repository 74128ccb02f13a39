/** The turns of a conversation: questions with their answers, along one branch of its tree. */
import type {
  CitedContent,
  CompletionTrace,
  ConversationMessage,
  ConversationTree,
  StoredCitation,
  Warning,
} from '../../../src/client/api.ts';
import type { Span } from '../spans/spans.ts';

/** A citation of a new answer has its chunk; one of a stored answer has only its id. */
export type Citation = CitedContent | StoredCitation;

export interface Answer {
  text: string;
  citations: Citation[];
  unsupported: Span[];
  warnings: Warning[];
  trace: CompletionTrace | null;
  /** Null while the answer arrives. */
  finish: 'stop' | 'length' | 'content_filter' | 'no_answer' | 'error' | 'stopped' | null;
  problem: string | null;
}

/** The stored messages that stand beside one another, oldest first. `at` is the shown one; their number, if it is not stored. */
export interface Versions {
  ids: readonly string[];
  at: number;
}

export interface Turn {
  /** Of the question; of the visit, if the turn is not stored. */
  id: string;
  /** The message before the question. */
  parentId: string | null;
  question: string;
  /** Null if there is no stored answer. */
  answerId: string | null;
  answer: Answer;
  questions: Versions;
  answers: Versions;
}

/** A turn of this visit that is not stored: its answer arrives, or there is none. */
export interface LiveTurn extends Pick<Turn, 'id' | 'parentId' | 'question' | 'answer'> {
  /** The stored question that is answered again. */
  againOf: string | null;
}

export type Messages = readonly ConversationMessage[];
type Tree = Pick<ConversationTree, 'messages' | 'active_message_id'>;

export const EMPTY_ANSWER: Answer = {
  text: '',
  citations: [],
  unsupported: [],
  warnings: [],
  trace: null,
  finish: null,
  problem: null,
};

/** Returns the turns from the first question to a message; to the active message if the conversation does not have it. */
export function turnsOf({ messages, active_message_id: active }: Tree, leaf?: string): Turn[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: ConversationMessage[] = [];
  const end = byId.get(leaf ?? '') ?? byId.get(active ?? '');
  for (let at = end; at; at = byId.get(at.parent_id ?? '')) branch.unshift(at);
  const turns: Turn[] = [];
  for (const { id, parent_id: parentId, role, ...message } of branch) {
    const versions = versionsOf(messages, parentId, role);
    const shown = { ids: versions, at: versions.indexOf(id) };
    const last = turns.at(-1);
    if (role === 'user') {
      const answers = { ids: versionsOf(messages, id, 'assistant'), at: 0 };
      const answer: Answer = { ...EMPTY_ANSWER, finish: 'stopped' };
      turns.push({ id, parentId, question: message.content, answerId: null, answer, questions: shown, answers });
    } else if (last) {
      const finish = (message.finish_reason ?? 'stop') as Answer['finish'];
      const { content: text, citations, unsupported_spans: unsupported = [] } = message;
      last.answer = { ...EMPTY_ANSWER, text, citations, unsupported, finish };
      last.answerId = id;
      last.answers = shown;
    }
  }
  return turns;
}

/**
 * Returns the turns of a branch together with those that are not stored. Each of these stands where it was asked.
 *
 * @param isOpen whether the last turn that is not stored ends the branch. Otherwise stored turns may follow it.
 */
export function shownTurns(tree: Tree, leaf: string | undefined, live: readonly LiveTurn[], isOpen: boolean): Turn[] {
  const stored = turnsOf(tree, leaf);
  const last = live.at(-1);
  const asked = last && isOpen ? [null, ...stored.map(lastMessageOf)].indexOf(last.parentId) : -1;
  const kept = asked === -1 ? stored : stored.slice(0, asked);
  const after = (parentId: string | null): Turn[] =>
    live.filter((turn) => turn.parentId === parentId).map((turn) => liveTurn(tree, turn, isOpen && turn === last));
  return [...after(null), ...kept.flatMap((turn) => [turn, ...(turn.answerId ? after(turn.answerId) : [])])];
}

function liveTurn({ messages }: Tree, { againOf, ...turn }: LiveTurn, isLast: boolean): Turn {
  const answered = againOf === null ? [] : versionsOf(messages, againOf, 'assistant');
  const asked = isLast ? versionsOf(messages, turn.parentId, 'user') : [];
  const at = againOf === null ? asked.length : asked.indexOf(againOf);
  return { ...turn, answerId: null, questions: { ids: asked, at }, answers: { ids: answered, at: answered.length } };
}

/** Returns the message after which the next turn continues. */
export function lastMessageOf({ id, answerId }: Turn): string {
  return answerId ?? id;
}

/** Returns the newest message of the branches below a message, or the message itself. */
export function leafBelow(messages: Messages, id: string): string {
  const below = new Set([id]);
  for (const message of messages) if (below.has(message.parent_id ?? '')) below.add(message.id);
  return [...below].at(-1) ?? id;
}

/** Returns whether a conversation has more than one branch. */
export function isBranched(messages: Messages): boolean {
  return new Set(messages.map((message) => message.parent_id)).size < messages.length;
}

function versionsOf(messages: Messages, parentId: string | null, role: ConversationMessage['role']): string[] {
  return messages
    .filter((message) => message.parent_id === parentId && message.role === role)
    .map((message) => message.id);
}
