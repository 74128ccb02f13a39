/** Questions and their answers, as they stream. */
import type { CompletionTrace } from '../../../src/client/api.ts';
import { placeOfQuote } from '../spans/spans.ts';
import { pinakes } from './api.ts';
import { readEvents } from './events.ts';
import { readText } from './source.ts';
import { type Answer, type Citation, EMPTY_ANSWER } from './turns.ts';

/** Where a turn was stored. */
export interface Stored {
  conversationId: string;
  answerId: string;
}

/** Streams the answer to a question. Yields it after each event; returns where the turn is stored, null if it is not. */
export async function* streamAnswer(
  question: string,
  place: { conversationId: string | undefined; parentId: string | null; againOf: string | null },
  signal: AbortSignal,
): AsyncGenerator<Answer, Stored | null> {
  const body = {
    messages: [{ role: 'user' as const, content: question }],
    trace: true,
    ...(place.conversationId !== undefined && {
      conversation_id: place.conversationId,
      parent_message_id: place.againOf ?? place.parentId,
      regenerate: place.againOf !== null,
    }),
  };
  const response = await pinakes.send(
    'createCompletion',
    { body },
    { signal, headers: { accept: 'text/event-stream' } },
  );
  let answer = EMPTY_ANSWER;
  let stored: Stored | null = null;
  for await (const event of readEvents(response.body!)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') answer = { ...answer, text: answer.text + (event.delta ?? '') };
    else if (event.type === 'CUSTOM' && event.name === 'citations')
      answer = { ...answer, citations: event.value?.citations ?? [] };
    else if (event.type === 'CUSTOM' && event.name === 'trace')
      answer = { ...answer, trace: event.value as CompletionTrace };
    else if (event.type === 'RUN_ERROR') answer = { ...answer, finish: 'error', problem: event.message ?? '' };
    else if (event.type === 'RUN_FINISHED' && event.result) {
      const { finish_reason, warnings, unsupported_spans: unsupported = [] } = event.result;
      const { conversation_id: conversationId, assistant_message_id: answerId } = event.result;
      answer = { ...answer, finish: finish_reason as Answer['finish'], warnings, unsupported };
      if (conversationId !== null && answerId !== null) stored = { conversationId, answerId };
    } else continue;
    yield answer;
  }
  if (answer.finish === null) throw new TypeError('the stream ended early');
  return stored;
}

export const conversationQuery = (id: string | undefined) => ({
  queryKey: ['conversation', id],
  queryFn: () => pinakes.getConversation({ params: { id: id ?? '' } }),
  enabled: id !== undefined,
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Returns where a citation stands in the text of its source. Without an `end`, nothing may be marked: the place of the quote is not
 * certain, and `start` is that of its chunk. Without a `start`, a policy hides the place.
 */
export async function readPlace(citation: Citation): Promise<{ start?: number; end?: number; page?: number }> {
  const chunk = 'content' in citation ? citation : await pinakes.getContent({ params: { id: citation.id } });
  const place = placeOfQuote(chunk, citation.citation.quote);
  if (place && (await readText(citation.source_id, place.start, place.end)).text === citation.citation.quote)
    return place;
  const [page] = chunk.pages ?? [];
  return { ...(chunk.start_offset !== null && { start: chunk.start_offset }), ...(page !== undefined && { page }) };
}
