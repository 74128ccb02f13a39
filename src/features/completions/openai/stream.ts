/** Streams an answer as the chunks of the OpenAI API. */
import type { FastifyReply } from 'fastify';
import { toServiceError } from '../../../http/error-handler.ts';
import type { RequestRights } from '../../../http/live-rights.ts';
import { openEventStream, writeText } from '../../../http/sse.ts';
import type { Usage } from '../../../llm/models.ts';
import type { Answer } from '../answer.ts';
import { logFailure } from '../streams.ts';
import { openAiError } from './errors.ts';
import { type ChatHead, endOf, factsOf, toUsage } from './result.ts';

export interface ChatStreamOptions {
  head: ChatHead;
  rights: RequestRights;
  /** Returns the text that follows the answer. */
  after(answer: Answer): string;
  /** Returns the tokens so far; null when the caller did not ask for them. */
  usage: (() => Usage) | null;
}

/**
 * Sends chunks and `[DONE]`. The status waits for the first words, so that an immediate failure of the model becomes an error response.
 * A later failure is an event with `error`, which the official clients throw.
 */
export async function sendChunks(
  reply: FastifyReply,
  answer: AsyncGenerator<string, Answer>,
  { head, rights, after, usage }: ChatStreamOptions,
  signal: AbortSignal,
): Promise<FastifyReply> {
  let step = await answer.next();
  const events = openEventStream(reply, signal);
  const chunk = (choices: object[], more: object = {}): object => ({
    ...{ id: head.id, object: 'chat.completion.chunk', created: head.created, model: head.model },
    choices,
    ...more,
  });
  const delta = (content: string) => chunk([{ index: 0, delta: { content }, logprobs: null, finish_reason: null }]);
  try {
    await events.send(
      chunk([{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }]),
    );
    for (; !step.done; step = await answer.next()) await events.send(delta(step.value));
    const ended = step.value;
    await rights.confirm();
    const footnotes = after(ended);
    if (footnotes !== '') await events.send(delta(footnotes));
    await events.send(chunk([{ index: 0, delta: {}, ...endOf(ended) }], factsOf(ended)));
    if (usage !== null) await events.send(chunk([], { usage: toUsage(usage()) }));
    await writeText(reply, 'data: [DONE]\n\n', signal);
    events.end();
  } catch (error) {
    logFailure(reply, error, signal);
    await answer.return(undefined as never);
    events.end(openAiError(toServiceError(signal.aborted ? signal.reason : error)));
  }
  return reply;
}
