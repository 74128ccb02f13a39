/**
 * Turns the events of a model into the text of an answer. Citation markers are removed, a filter may change or block the text, and an
 * endless answer is truncated. The same text is streamed, stored and cited.
 */

import { type Marker, openMarkerParser } from '../../answers/grounding/markers.ts';
import type { ChatEvent } from '../../llm/models.ts';

/** Maximum UTF-16 units of the model's text. Longer answers are truncated. */
export const ANSWER_UNITS_MAX = 64 * 1024;
/** Minimum equal code points after a part that a filter replaced. */
const EQUAL_CODE_POINTS_MIN = 6;
/** Maximum code points of a replaced part, and of its replacement. */
const REPLACED_MAX = 400;
const REPLACEMENT_MAX = 80;

/** Changes the text of an answer, such as a redactor does. It may hold text back over any number of deltas. */
export interface TextFilter {
  /** Takes text without markers. Returns the text that may be sent now. */
  push(delta: string): Promise<string>;
  /** Returns the rest of the text. */
  end(): Promise<string>;
  /** True when the filter has blocked the rest of the answer. */
  readonly blocked: boolean;
}

export interface AnswerText {
  /** Takes an event of the model. Returns the text that may be sent now, and nothing after the end of the answer. */
  take(event: ChatEvent): Promise<string>;
  /** Why the answer ended. Null before the end. */
  readonly finishReason: Extract<ChatEvent, { type: 'finish' }>['reason'] | null;
  /** The whole text that was sent. */
  readonly text: string;
  /** The places where the answer cites chunks. */
  markers(): readonly Marker[];
}

/**
 * Returns the text of one answer, which is empty at first.
 *
 * @param isChunkNumber returns whether a retrieved chunk has this number.
 */
export function openAnswerText(
  isChunkNumber: (number: number) => boolean,
  filter: TextFilter | null = null,
): AnswerText {
  const parser = openMarkerParser(isChunkNumber);
  let unfiltered = ''; // without markers
  let text = '';
  let units = 0;
  let finishReason: AnswerText['finishReason'] = null;

  const send = async (plain: string, isLast: boolean): Promise<string> => {
    unfiltered += plain;
    let delta = plain;
    if (filter !== null) {
      delta = filter.blocked ? '' : await filter.push(plain);
      if (isLast && !filter.blocked) delta += await filter.end();
      if (filter.blocked) finishReason = 'content_filter';
    }
    text += delta;
    return delta;
  };
  const finish = (before: string, reason: AnswerText['finishReason']): Promise<string> => {
    finishReason = reason;
    return send(before + parser.finish(), true);
  };

  return {
    async take(event) {
      if (finishReason !== null) return '';
      if (event.type === 'finish') return finish('', event.reason);
      const whole = event.type === 'text' ? event.delta : event.text;
      const truncated = truncate(whole, ANSWER_UNITS_MAX - units);
      units += truncated.length;
      const plain = event.type === 'text' ? parser.push(truncated) : parser.quote(truncated, event.number);
      return truncated.length < whole.length ? finish(plain, 'length') : send(plain, false);
    },
    get finishReason() {
      return finishReason;
    },
    get text() {
      return text;
    },
    markers() {
      if (text === unfiltered) return parser.markers;
      return movedMarkers(parser.markers, align([...unfiltered], [...text], filter?.blocked === true));
    },
  };
}

/** Truncates a text to `unitsMax` UTF-16 units, without half a surrogate pair at the end. */
function truncate(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, Math.max(0, unitsMax)).replace(/[\ud800-\udbff]$/, '');
}

/** Returns the markers at their new places. Markers of text that was not sent are dropped. */
function movedMarkers(markers: readonly Marker[], places: readonly number[]): Marker[] {
  return markers.flatMap((marker) => {
    const at = places[marker.at];
    if (at === undefined) return [];
    return marker.start === undefined ? [{ ...marker, at }] : [{ ...marker, at, start: places[marker.start]! }];
  });
}

/**
 * Returns for each offset of `before` its offset in `after`, the same text with some parts replaced. An offset inside a replaced part
 * leads to the end of the replacement.
 *
 * @param isTruncated true when `after` lacks the rest of `before`. The rest then has no offsets.
 */
function align(before: readonly string[], after: readonly string[], isTruncated: boolean): number[] {
  const places: number[] = [];
  let from = 0;
  let to = 0;
  while (from < before.length && to < after.length) {
    if (before[from] === after[to]) {
      places[from++] = to++;
      continue;
    }
    const [skipped, inserted] = nextEqualPlace(before, after, from, to);
    for (let i = 0; i < skipped; i++) places[from++] = to + inserted;
    to += inserted;
  }
  places[from] = to;
  if (!isTruncated) for (let i = from; i <= before.length; i++) places[i] = after.length;
  return places;
}

/** Returns how many code points of both texts to skip until both are equal again: as few as possible, or the whole rest. */
function nextEqualPlace(
  before: readonly string[],
  after: readonly string[],
  from: number,
  to: number,
): [skipped: number, inserted: number] {
  for (let sum = 1; sum <= REPLACED_MAX + REPLACEMENT_MAX; sum++) {
    for (let inserted = Math.max(0, sum - REPLACED_MAX); inserted <= Math.min(sum, REPLACEMENT_MAX); inserted++) {
      if (isEqualAt(before, after, from + sum - inserted, to + inserted)) return [sum - inserted, inserted];
    }
  }
  return [before.length - from, after.length - to];
}

function isEqualAt(before: readonly string[], after: readonly string[], from: number, to: number): boolean {
  for (let i = 0; i < EQUAL_CODE_POINTS_MIN; i++) {
    if (from + i === before.length && to + i === after.length) return true;
    if (from + i >= before.length || before[from + i] !== after[to + i]) return false;
  }
  return true;
}
