/** Records what an answer rests on, cited or not. The record decides later who may read the answer. */
import type { BranchMessage, MessageContext } from '../../corpus/conversation-store.ts';
import type { ChatEvent, ChatMessage } from '../../llm/models.ts';
import type { Hit } from '../../retrieval/types.ts';

/** Maximum ids that are stored. An answer that rests on more is hidden from everybody who may not see the whole tenant. */
const CONTEXT_IDS_MAX = 1_000;

/** A message before the question. Messages that the caller sent have no context. */
export type PastMessage = ChatMessage & Partial<Pick<BranchMessage, 'context'>>;

type ContextHit = Pick<Hit, 'id' | 'sourceId' | 'sourceGroupId'>;

/**
 * Returns what an answer rests on: the hits, and what the earlier answers of the history rest on. The model may repeat something that
 * only an earlier answer was made from.
 */
export function contextOf(hits: readonly ContextHit[], history: readonly PastMessage[]): MessageContext {
  const past = history.flatMap(({ role, context }) => (role === 'assistant' && context ? [context] : []));
  const all = (hitIds: readonly string[], member: keyof MessageContext): string[] | null => {
    const ids = new Set(hitIds);
    for (const context of past) {
      const pastIds = context[member];
      if (pastIds === null) return null;
      for (const id of pastIds) ids.add(id);
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

/** Observes the events of a model. */
export interface QuoteObserver {
  observe(event: ChatEvent): void;
  /** Returns the numbers of the quoted chunks when the answer has no other text. Otherwise null. */
  quotedOnly(): ReadonlySet<number> | null;
}

export function observeQuotes(): QuoteObserver {
  const quoted = new Set<number>();
  let hasOtherText = false;
  return {
    observe(event) {
      if (event.type === 'quote') quoted.add(event.number);
      else if (event.type === 'text' && event.delta.trim() !== '') hasOtherText = true;
    },
    quotedOnly: () => (hasOtherText ? null : quoted),
  };
}
