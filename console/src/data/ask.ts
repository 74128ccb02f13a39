/** Questions and their answers, as they stream. */
import type { CompletionTrace } from '../../../src/client/api.ts';
import { placeOf, type Span } from '../spans/spans.ts';
import { pinakes } from './api.ts';
import { readEvents } from './events.ts';
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
 * Returns where a citation stands in the text of its source: its quote, exactly; the whole chunk if the quote is not there; no span if a
 * policy hides the place.
 */
export async function readPlace(
  citation: Citation,
): Promise<Partial<Span> & { sourceId: string; page: number | null }> {
  const content = 'content' in citation ? citation : await pinakes.getContent({ params: { id: citation.id } });
  const at = placeOf(content.content, citation.citation.quote);
  const { start_offset: start, end_offset: end } = content;
  if (start === null || end === null) return { sourceId: citation.source_id, page: content.pages?.[0] ?? null };
  const span = at ? { start: start + at.start, end: start + at.end } : { start, end };
  return { ...span, sourceId: citation.source_id, page: content.pages?.[0] ?? null };
}
