/** Removes from a model's answer the no-answer sentinel and secrets of the service. */
import type { ChatEvent } from '../models.ts';
import { NO_ANSWER_SENTINEL } from './prompt.ts';

/**
 * Turns the sentinel into `no_answer`, and removes `secrets` from the text: the nonce of the prompt and the key of the provider. Both are
 * found even when they are spread over several deltas. Text is held back only while it may still become one of them.
 */
export async function* guarded(
  events: AsyncIterable<ChatEvent>,
  secrets: readonly string[],
): AsyncGenerator<ChatEvent> {
  let held = '';
  let isOpening = true;
  for await (const event of events) {
    if (event.type === 'text') {
      held = withoutAll(held + event.delta, secrets);
      if (isOpening) {
        held = held.trimStart();
        if (NO_ANSWER_SENTINEL.startsWith(held.slice(0, NO_ANSWER_SENTINEL.length))) continue;
        isOpening = false;
      }
      const ready = held.slice(0, held.length - unitsThatMayBegin(held, secrets));
      held = held.slice(ready.length);
      if (ready !== '') yield { type: 'text', delta: ready };
    } else if (event.type === 'finish') {
      if (isOpening && (held === '' || held.startsWith(NO_ANSWER_SENTINEL))) {
        // A model that thought until its limit has said nothing about the sources.
        const isCut = event.reason === 'content_filter' || (event.reason === 'length' && held === '');
        yield { type: 'finish', reason: isCut ? event.reason : 'no_answer' };
        return;
      }
      if (held !== '') yield { type: 'text', delta: held };
      yield event;
    } else yield event;
  }
}

/** Replaces secrets by a character, so that the text around a removed secret cannot form another one. */
function withoutAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

/** Returns how many units at the end of `text` may be the beginning of a secret. */
function unitsThatMayBegin(text: string, secrets: readonly string[]): number {
  return Math.max(
    0,
    ...secrets.map((secret) => {
      let units = Math.min(secret.length - 1, text.length);
      while (units > 0 && !text.endsWith(secret.slice(0, units))) units--;
      return units;
    }),
  );
}
