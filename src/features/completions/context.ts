/** What an answer rests on, cited or not: what decides later who reads it. Pure. */
import type { BranchMessage, MessageContext } from '../../corpus/conversation-store.ts';
import type { ChatEvent, ChatMessage } from '../../llm/models.ts';
import type { Hit } from '../../retrieval/types.ts';

/** An answer that rests on more is kept from everybody who does not see all of the tenant. */
const CONTEXT_IDS_MAX = 1_000;

/** Messages that the caller sent itself rest on nothing stored. */
export type PastMessage = ChatMessage & Partial<Pick<BranchMessage, 'context'>>;

type Rests = Pick<Hit, 'id' | 'sourceId' | 'sourceGroupId'>;

/** Of the hits, and of what the answers of the history rest on: the model may repeat what only an earlier answer drew on. */
export function contextOf(hits: readonly Rests[], history: readonly PastMessage[]): MessageContext {
  const past = history.flatMap(({ role, context }) => (role === 'assistant' && context ? [context] : []));
  const all = (own: readonly string[], member: keyof MessageContext): string[] | null => {
    const ids = new Set(own);
    for (const context of past) {
      const theirs = context[member];
      if (theirs === null) return null;
      for (const id of theirs) ids.add(id);
    }
    return ids.size > CONTEXT_IDS_MAX ? null : [...ids].sort();
  };
  return {
    groupIds: all(
      hits.map(({ sourceGroupId }) => sourceGroupId),
      'groupIds',
    ),
    sourceIds: all(
      hits.map(({ sourceId }) => sourceId),
      'sourceIds',
    ),
    chunkIds: all(
      hits.map(({ id }) => id),
      'chunkIds',
    ),
  };
}

/** Listens to what a model says. */
export interface QuoteWatch {
  hear(event: ChatEvent): void;
  /** Numbers of the chunks that were quoted, when there is nothing else in the answer: then it rests on these alone. */
  quotedOnly(): ReadonlySet<number> | null;
}

export function watchQuotes(): QuoteWatch {
  const quoted = new Set<number>();
  let saysMore = false;
  return {
    hear(event) {
      if (event.type === 'quote') quoted.add(event.number);
      else if (event.type === 'text' && event.delta.trim() !== '') saysMore = true;
    },
    quotedOnly: () => (saysMore ? null : quoted),
  };
}
