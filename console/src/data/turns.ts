/** The turns of a conversation: questions with their answers. */
import type {
  CitedContent,
  CompletionTrace,
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

export interface Turn {
  id: string;
  question: string;
  answer: Answer;
}

export const EMPTY_ANSWER: Answer = {
  text: '',
  citations: [],
  unsupported: [],
  warnings: [],
  trace: null,
  finish: null,
  problem: null,
};

/** Returns the turns from the first question to the active message. */
export function turnsOf(tree: Pick<ConversationTree, 'messages' | 'active_message_id'>): Turn[] {
  const byId = new Map(tree.messages.map((message) => [message.id, message]));
  const branch: ConversationTree['messages'] = [];
  for (let at = byId.get(tree.active_message_id ?? ''); at; at = byId.get(at.parent_id ?? '')) branch.unshift(at);
  const turns: Turn[] = [];
  for (const message of branch) {
    if (message.role === 'user')
      turns.push({ id: message.id, question: message.content, answer: { ...EMPTY_ANSWER, finish: 'stopped' } });
    else {
      const turn = turns.at(-1);
      if (!turn) continue;
      const finish = (message.finish_reason ?? 'stop') as Answer['finish'];
      turn.answer = { ...EMPTY_ANSWER, text: message.content, citations: message.citations, finish };
    }
  }
  return turns;
}
