/** Questions and their answers, as they stream. */
import type { CompletionTrace } from '../../../src/client/api.ts';
import { placeOfQuote } from '../spans/spans.ts';
import { pinakes } from './api.ts';
import { readEvents } from './events.ts';
import { readText } from './source.ts';
import { type Answer, type Citation, EMPTY_ANSWER, type Turn, turnsOf } from './turns.ts';

/** Streams the answer to a question. Yields it after each event; returns the id of the conversation, null if it is not stored. */
export async function* streamAnswer(
  question: string,
  conversationId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Answer, string | null> {
  const body = {
    messages: [{ role: 'user' as const, content: question }],
    trace: true,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
  };
  const response = await pinakes.send(
    'createCompletion',
    { body },
    { signal, headers: { accept: 'text/event-stream' } },
  );
  let answer = EMPTY_ANSWER;
  let stored: string | null = null;
  for await (const event of readEvents(response.body!)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') answer = { ...answer, text: answer.text + (event.delta ?? '') };
    else if (event.type === 'CUSTOM' && event.name === 'citations')
      answer = { ...answer, citations: event.value?.citations ?? [] };
    else if (event.type === 'CUSTOM' && event.name === 'trace')
      answer = { ...answer, trace: event.value as CompletionTrace };
    else if (event.type === 'RUN_ERROR') answer = { ...answer, finish: 'error', problem: event.message ?? '' };
    else if (event.type === 'RUN_FINISHED' && event.result) {
      const { finish_reason, warnings, unsupported_spans: unsupported = [], conversation_id } = event.result;
      answer = { ...answer, finish: finish_reason as Answer['finish'], warnings, unsupported };
      stored = conversation_id;
    } else continue;
    yield answer;
  }
  if (answer.finish === null) throw new TypeError('the stream ended early');
  return stored;
}

/** Returns the turns of a stored conversation, along its active branch. */
export async function readConversation(id: string): Promise<{ title: string; turns: Turn[] }> {
  const tree = await pinakes.getConversation({ params: { id } });
  return { title: tree.title, turns: turnsOf(tree) };
}

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
