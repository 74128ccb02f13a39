/** Streams an answer in the form of one of the APIs of `/v1`. */
import type { FastifyReply } from 'fastify';
import { toServiceError } from '../../../http/error-handler.ts';
import type { RequestRights } from '../../../http/live-rights.ts';
import { openEventStream, writeText } from '../../../http/sse.ts';
import type { Answer } from '../answer.ts';
import { logFailure } from '../streams.ts';
import type { Asking } from './ask.ts';
import { openAiError } from './errors.ts';

/** The events of an answer. */
export interface AnswerForm {
  /** True: each event is sent with its `type` as its name. */
  named?: boolean;
  begin(): object[];
  delta(text: string): object;
  /** @param footnotes the text that follows the answer; empty for none. */
  end(answer: Answer, footnotes: string): object[];
  /** What is sent behind the last event. */
  last?: string;
  fail(error: ReturnType<typeof openAiError>): object;
}

/**
 * Sends the events. The status waits for the first words, so that an immediate failure of the model becomes an error response. A later
 * failure is an event with `error`, which the official clients throw.
 */
export async function sendAnswer(
  reply: FastifyReply,
  { stream, after }: Asking,
  form: AnswerForm,
  rights: RequestRights,
  signal: AbortSignal,
): Promise<FastifyReply> {
  let step = await stream.next();
  const events = openEventStream(reply, signal, { named: form.named === true });
  const sendAll = async (some: object[]): Promise<void> => {
    for (const event of some) await events.send(event);
  };
  try {
    await sendAll(form.begin());
    for (; !step.done; step = await stream.next()) await events.send(form.delta(step.value));
    await rights.confirm();
    await sendAll(form.end(step.value, after(step.value)));
    if (form.last !== undefined) await writeText(reply, form.last, signal);
    events.end();
  } catch (error) {
    logFailure(reply, error, signal);
    await stream.return(undefined as never);
    events.end(form.fail(openAiError(toServiceError(signal.aborted ? signal.reason : error))));
  }
  return reply;
}
