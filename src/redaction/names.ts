/**
 * Finds names in text that arrives in pieces. An analyzer looks at one window of the text after the other.
 *
 * The analyzer needs the text around a name. Windows therefore overlap. Names near the end of a window do not count: the next
 * window contains them again, with more text after them.
 */

import { openCanonicalReader } from './canonical-text.ts';
import type { NameEntity } from './detectors/entities.ts';
import type { Finder } from './redaction-session.ts';

/** Offsets are UTF-16 units, half-open. */
export interface NameSpan {
  entity: NameEntity;
  start: number;
  end: number;
}

/** Returns the names in the text. @throws ServiceError if the analyzer fails: an unchecked text must not pass as one without names. */
export type FindNames = (text: string, entities: readonly NameEntity[], signal?: AbortSignal) => Promise<NameSpan[]>;

/** Length of a window in UTF-16 units, without the repeated text before it. */
export const WINDOW_LENGTH = 4_000;
/** Length of the repeated text before a window. */
const BEHIND_LENGTH = 200;
/** Length of text after a name that the window must contain before the name counts. */
const AHEAD_LENGTH = 100;
/** A stream calls the analyzer after so much new text. The stream holds back at most this length and a name. */
export const STREAM_STEP_LENGTH = 300;
/** A window ends at a blank if one lies within this length before its end. */
const BORDER_LENGTH = 60;

/** A text without letters has no names. */
const LETTER = /\p{L}/u;

export interface NameSearch {
  push(delta: string): void;
  /** Analyzes the text that has arrived as soon as there is enough of it; with `isEnd`, all of the text. */
  settle(isEnd: boolean, signal?: AbortSignal): Promise<void>;
  /** Returns a finder of these names, for one session over the same text. */
  finderOf(entity: NameEntity): Finder;
}

/** @param stepLength length of new text before the analyzer is called. */
export function openNameSearch(find: FindNames, entities: readonly NameEntity[], stepLength: number): NameSearch {
  const found = new Map<NameEntity, NameSpan[]>(entities.map((entity) => [entity, []]));
  const reader = openCanonicalReader();
  /** The text in canonical form from `textAt` on. All offsets are units of the canonical form of the whole text. */
  let text = '';
  let textAt = 0;
  /** All names that begin before this offset are known. */
  let knownTo = 0;

  async function ask(isEnd: boolean, signal: AbortSignal | undefined): Promise<void> {
    const from = borderBefore(text, Math.max(0, knownTo - BEHIND_LENGTH - textAt));
    const rest = text.length + textAt - knownTo;
    const to = rest <= WINDOW_LENGTH ? text.length : borderBefore(text, knownTo + WINDOW_LENGTH - textAt);
    const window = text.slice(from, to);
    const isLast = isEnd && to === text.length;
    const spans = LETTER.test(window) ? await find(window, entities, signal) : [];
    const limit = textAt + (isLast ? to : Math.max(borderBefore(text, to - AHEAD_LENGTH), knownTo + 1 - textAt));
    const moved = spans
      .map((span) => ({ ...span, start: span.start + from + textAt, end: span.end + from + textAt }))
      .filter(({ end }) => end > knownTo)
      .sort((a, b) => a.start - b.start);
    // A name may go on after the limit. If the next window finds a longer part of it, that part counts as a separate name.
    for (const span of moved) {
      if (span.start < limit) found.get(span.entity)?.push({ ...span, start: Math.max(span.start, knownTo) });
    }
    knownTo = limit;
    const passed = borderBefore(text, Math.max(0, knownTo - BEHIND_LENGTH - textAt));
    text = text.slice(passed);
    textAt += passed;
  }

  return {
    push(delta) {
      text += reader.push(delta, false).text;
    },
    async settle(isEnd, signal) {
      if (isEnd) text += reader.push('', true).text;
      const unknown = () => text.length + textAt - knownTo;
      while (unknown() >= stepLength || (isEnd && unknown() > 0)) await ask(isEnd, signal);
    },
    finderOf(entity) {
      let next = 0;
      /** The offset at which the text of the session begins. */
      let at = 0;
      return {
        scan(_text, _from, until, report) {
          const spans = found.get(entity) ?? [];
          for (; next < spans.length && spans[next]!.start < at + until; next++)
            report(spans[next]!.start - at, spans[next]!.end - at);
          return until;
        },
        openFrom(kept, from) {
          const end = at + kept.length;
          let open = Math.min(end, knownTo);
          // The session may have received less text than the analyzer has seen.
          const spans = found.get(entity) ?? [];
          for (let i = next; i < spans.length && spans[i]!.start < open; i++)
            if (spans[i]!.end > end) open = spans[i]!.start;
          return Math.max(from, open - at);
        },
        forget(units) {
          at += units;
        },
      };
    },
  };
}

/** Returns the offset of a blank at or shortly before `at`. Without a blank, returns `at`, but never an offset within a character. */
function borderBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  for (let place = at; place > at - BORDER_LENGTH && place > 0; place--) if (/\s/.test(text[place]!)) return place;
  return /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at;
}
