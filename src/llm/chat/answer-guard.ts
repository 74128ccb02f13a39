/** Removes from a model's answer its inline thoughts, the no-answer sentinel and secrets of the service. */
import { ServiceError } from '../../errors.ts';
import type { ChatEvent } from '../models.ts';
import { NO_ANSWER_SENTINEL } from './prompt.ts';

/** Small models put the sentinel in quotes, in bold or in code. */
const DECORATION = /^[\s"'`*_]+/;
const THOUGHTS = { open: '<think>', close: '</think>' };

/**
 * Turns the sentinel at the beginning of an answer into `no_answer`, leaves out thoughts at its beginning, and removes from the text a
 * later sentinel and the `secrets`: the nonce of the prompt and the key of the provider. All are found even when they are spread over
 * several deltas. Text is held back only while it may still become one of them.
 *
 * @throws ServiceError upstream_failed when the model ended without a word. That says nothing about the sources.
 */
export async function* guarded(
  events: AsyncIterable<ChatEvent>,
  secrets: readonly string[],
): AsyncGenerator<ChatEvent> {
  const removed = [...secrets, NO_ANSWER_SENTINEL];
  let held = '';
  let isOpening = true;
  for await (const event of events) {
    if (event.type === 'text') {
      held += event.delta;
      if (isOpening) {
        held = withoutThoughts(held.trimStart());
        if (mayOpen(held)) continue;
        isOpening = false;
      }
      held = withoutAll(held, removed);
      const ready = held.slice(0, held.length - unitsThatMayBegin(held, removed));
      held = held.slice(ready.length);
      if (ready !== '') yield { type: 'text', delta: ready };
    } else if (event.type === 'finish') {
      if (isOpening && isSentinel(held)) {
        yield { type: 'finish', reason: 'no_answer' };
        return;
      }
      if (isOpening && (held === '' || held.startsWith(THOUGHTS.open))) {
        if (event.reason !== 'content_filter') throw wroteNothing(event.reason);
        held = '';
      }
      if (held !== '') yield { type: 'text', delta: withoutAll(held, removed) };
      yield event;
    } else yield event;
  }
}

/** Returns true while the beginning of an answer may be thoughts, or the sentinel. Capitals do not count. */
function mayOpen(held: string): boolean {
  const begun = held.replace(DECORATION, '').toUpperCase();
  return (
    NO_ANSWER_SENTINEL.startsWith(begun.slice(0, NO_ANSWER_SENTINEL.length)) ||
    held.startsWith(THOUGHTS.open) ||
    THOUGHTS.open.startsWith(held)
  );
}

function isSentinel(held: string): boolean {
  return held.replace(DECORATION, '').toUpperCase().startsWith(NO_ANSWER_SENTINEL);
}

/** Returns a text without the thoughts at its beginning, once they have ended. */
function withoutThoughts(held: string): string {
  const end = held.startsWith(THOUGHTS.open) ? held.indexOf(THOUGHTS.close) : -1;
  return end === -1 ? held : held.slice(end + THOUGHTS.close.length).trimStart();
}

function wroteNothing(reason: string): ServiceError {
  const why = reason === 'length' ? 'used up its output limit before it answered.' : 'answered nothing.';
  return new ServiceError('upstream_failed', `The chat model ${why}`);
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
