/** The model that answers from the evidence of a run. When it fails, passages of the evidence are quoted. */
import { openExtractive } from '../../answers/extractive/extractive.ts';
import type { Deps } from '../../http/deps.ts';
import type { ChatEvent, ChatModel } from '../../llm/models.ts';
import type { Warning } from '../../retrieval/types.ts';

const QUOTED: Warning = {
  type: 'answer_quoted',
  message: 'The chat model did not answer. The best passages of the evidence are quoted, if they answer.',
};

/** What a run says about an answer that is not whole, by the reason why its text ended. */
const ENDINGS: Partial<Record<string, Warning>> = {
  length: {
    type: 'answer_cut',
    message: 'The chat model broke off, or the answer reached its limit: the answer may not be complete.',
  },
  content_filter: {
    type: 'answer_blocked',
    message: 'A redaction rule or the provider of the chat model blocked the rest of the answer.',
  },
};

/** Returns the warning about an answer whose text ended for this reason, if there is one. */
export function endingOf(finishReason: string): Warning[] {
  const warning = ENDINGS[finishReason];
  return warning === undefined ? [] : [warning];
}

/**
 * Returns the model. It never throws, unless the signal aborts.
 *
 * @param leftMs the time that the model has. Without time, passages are quoted at once.
 * @param warnings gets a warning when passages are quoted.
 */
export function openAnswerModel(
  { log }: Pick<Deps, 'log'>,
  model: ChatModel,
  leftMs: number,
  warnings: Warning[],
): ChatModel {
  const quoting = openExtractive(model.contextTokens);
  return {
    ...model,
    async *stream(request, signal): AsyncGenerator<ChatEvent> {
      let hasBegun = false;
      try {
        if (leftMs <= 0) throw new Error('no time is left for the chat model');
        const limit = AbortSignal.timeout(Math.ceil(leftMs));
        for await (const event of model.stream(request, AbortSignal.any([signal, limit]))) {
          hasBegun ||= event.type === 'text';
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, 'the answer of an agent run failed');
      }
      if (hasBegun) {
        yield { type: 'finish', reason: 'length' };
        return;
      }
      warnings.push(QUOTED);
      // The result of a query is no passage of a source. Quoted words lack the header of their table, so rules for output apply before.
      yield* quoting.stream({ ...request, chunks: request.quotable ?? [] }, signal);
    },
  };
}
