/**
 * Names in text that arrives in pieces, found by an analyzer that is asked about one window after the other.
 *
 * An analyzer judges by what stands around a name. So windows overlap, and what it says of the end of a window is asked again
 * with the next one: a name is known only when enough of the text behind it was there.
 */
import type { NameEntity } from './detectors/entities.ts';
import { normalForm } from './normal-form.ts';
import type { Finder } from './redaction-session.ts';

/** Offsets are UTF-16 units, half-open. */
export interface NameSpan {
  entity: NameEntity;
  start: number;
  end: number;
}

/** @throws ServiceError when the analyzer cannot be asked: a text that was not looked at must not pass for one without names. */
export type FindNames = (text: string, entities: readonly NameEntity[], signal?: AbortSignal) => Promise<NameSpan[]>;

/** Of a window, in UTF-16 units, beside what stands before. */
export const WINDOW_LENGTH = 4_000;
/** Text that stands before what is asked about. */
const BEHIND_LENGTH = 200;
/** Text behind a name that the analyzer has seen before the name counts. */
const AHEAD_LENGTH = 100;
/** A stream is asked about when so much is not known: together with a name, the most that it holds back. */
export const STREAM_STEP_LENGTH = 300;
/** Where a window ends, a border of words is looked for so far back. */
const BORDER_LENGTH = 60;

/** What an analyzer can name. */
const LETTER = /\p{L}/u;

export interface NameSearch {
  push(delta: string): void;
  /** Asks about what has come, as far as it is time. With `isEnd`, about all of it. */
  settle(isEnd: boolean, signal?: AbortSignal): Promise<void>;
  /** For one session over the same text. */
  finderOf(entity: NameEntity): Finder;
}

/** @param stepLength what must have come before the analyzer is asked. */
export function openNameSearch(find: FindNames, entities: readonly NameEntity[], stepLength: number): NameSearch {
  const found = new Map<NameEntity, NameSpan[]>(entities.map((entity) => [entity, []]));
  /** Half a character that waits for its other half. */
  let half = '';
  /** In normal form, from `textAt` on; all offsets are units of the normal form of the whole text. */
  let text = '';
  let textAt = 0;
  /** Names that begin before are known. */
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
    // Of a name that goes on behind the limit, what the next window finds more of it is a name of its own.
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
      const whole = half + delta;
      half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : '';
      text += normalForm(half === '' ? whole : whole.slice(0, -1)).text;
    },
    async settle(isEnd, signal) {
      if (isEnd) text += normalForm(half).text;
      if (isEnd) half = '';
      const unknown = () => text.length + textAt - knownTo;
      while (unknown() >= stepLength || (isEnd && unknown() > 0)) await ask(isEnd, signal);
    },
    finderOf(entity) {
      let next = 0;
      /** Where the text of the session begins. */
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
          // The session may have less of the text than was looked at.
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

/** The place of a blank at or shortly before `at`; without one, `at` itself, but never within a character. */
function borderBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  for (let place = at; place > at - BORDER_LENGTH && place > 0; place--) if (/\s/.test(text[place]!)) return place;
  return /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at;
}
