/** The two streams of a completion: plain text, and ag-ui events over server-sent events. */
import type { FastifyReply } from 'fastify';
import { toServiceError } from '../../http/error-handler.ts';
import { openEventStream, startStream, writeText } from '../../http/sse.ts';
import type { Answer } from './answer.ts';
import type { Asked, Turn } from './conversation.ts';
import { toCitations, toTableQuery, toTrace } from './result.ts';

/** Names the conversation, whose id is allocated before the first byte. Both streams send this header. */
const CONVERSATION_HEADER = 'x-conversation-id';

type AnswerStream = AsyncGenerator<string, Answer>;

/**
 * Sends only the text of the answer. The status waits for the first words, so that an immediate failure of the model becomes an error
 * response. A later failure resets the connection, because plain text cannot report it.
 */
export async function sendText(
  reply: FastifyReply,
  turn: Turn,
  answer: AnswerStream,
  signal: AbortSignal,
): Promise<FastifyReply> {
  let step = await answer.next();
  reply.header(CONVERSATION_HEADER, turn.conversationId);
  startStream(reply, 'text/plain; charset=utf-8');
  try {
    while (!step.done) {
      await writeText(reply, step.value, signal);
      step = await answer.next();
    }
    reply.raw.end();
  } catch (error) {
    logFailure(reply, error, signal);
    await answer.return(undefined as never);
    // The words before the failure leave the process at the end of this turn of the event loop.
    setImmediate(() => reply.raw.destroy());
  }
  return reply;
}

/**
 * Sends ag-ui events. A failure becomes the event RUN_ERROR, so that the client always receives an end.
 *
 * `threadId` is the id of the conversation. RUN_STARTED has the allocated ids. The `result` of RUN_FINISHED says what was stored.
 */
export async function sendEvents(
  reply: FastifyReply,
  { turn, rights }: Asked,
  answer: AnswerStream,
  runId: string,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { conversationId: threadId, userMessageId, assistantMessageId: messageId } = turn;
  reply.header(CONVERSATION_HEADER, threadId);
  const events = openEventStream(reply, signal);
  try {
    await events.send({
      type: 'RUN_STARTED',
      threadId,
      runId,
      metadata: { conversation_id: threadId, user_message_id: userMessageId, assistant_message_id: messageId },
    });
    await events.send({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    let step = await answer.next();
    for (; !step.done; step = await answer.next())
      await events.send({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: step.value });
    await events.send({ type: 'TEXT_MESSAGE_END', messageId });
    for (const event of closingEvents(step.value, threadId, runId, messageId)) {
      await rights.confirm();
      await events.send(event);
    }
    events.end();
  } catch (error) {
    logFailure(reply, error, signal);
    await answer.return(undefined as never);
    const failure = toServiceError(signal.aborted ? signal.reason : error);
    events.end({ type: 'RUN_ERROR', message: failure.message, code: failure.type });
  }
  return reply;
}

function closingEvents(answer: Answer, threadId: string, runId: string, messageId: string): object[] {
  const { conversationId, userMessageId, assistantMessageId, finishReason, warnings, unsupported } = answer;
  return [
    ...(answer.tableQuery
      ? [{ type: 'CUSTOM', name: 'table_query', value: { message_id: messageId, ...toTableQuery(answer.tableQuery) } }]
      : []),
    { type: 'CUSTOM', name: 'citations', value: { message_id: messageId, citations: toCitations(answer.citations) } },
    ...(answer.webCitations.length > 0
      ? [{ type: 'CUSTOM', name: 'grounding', value: { message_id: messageId, web_citations: answer.webCitations } }]
      : []),
    ...(answer.trace
      ? [{ type: 'CUSTOM', name: 'trace', value: { message_id: messageId, ...toTrace(answer.trace) } }]
      : []),
    {
      type: 'RUN_FINISHED',
      threadId,
      runId,
      result: {
        conversation_id: conversationId,
        user_message_id: userMessageId,
        assistant_message_id: assistantMessageId,
        finish_reason: finishReason,
        warnings,
        ...(unsupported.length > 0 ? { unsupported_spans: unsupported } : {}),
      },
    },
  ];
}

/** Logs a failure, unless the client has disconnected. */
export function logFailure(reply: FastifyReply, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  const failure = toServiceError(error);
  reply.log.error({ err: failure.cause ?? failure, code: failure.code }, 'a completion stream failed');
}
