/**
 * The one way from what a model says to the text of an answer: markers are taken out, a filter may change or block what is left,
 * an answer that never ends is cut. What comes out here is what is streamed, stored and cited. No effects but those of the filter.
 */

import { type Marker, openMarkerParser } from '../../answers/grounding/markers.ts';
import type { ChatEvent } from '../../llm/models.ts';

/** Of what the model says, in UTF-16 units: an answer that never ends is cut here. */
export const ANSWER_UNITS_MAX = 64 * 1024;
/** Code points that must agree again after a stretch that a filter replaced. */
const AGREEING_MIN = 6;
/** Longest stretch that a filter replaces, and the longest that it puts there. */
const REPLACED_MAX = 400;
const REPLACEMENT_MAX = 80;

/** Changes text on its way out, such as a redactor. It may hold text back, over any number of deltas. */
export interface TextFilter {
  /** Takes text without markers, returns what may go out already. */
  push(delta: string): Promise<string>;
  /** Returns the rest. */
  end(): Promise<string>;
  /** True once nothing more may go out: the answer ends there. */
  readonly blocked: boolean;
}

export interface AnswerText {
  /** Takes an event of the model, returns the text that may go out now. After the end it returns nothing. */
  take(event: ChatEvent): Promise<string>;
  /** Why the answer ended; null while it goes on. */
  readonly finishReason: Extract<ChatEvent, { type: 'finish' }>['reason'] | null;
  /** All that went out. */
  readonly text: string;
  /** Where it cites chunks. */
  markers(): readonly Marker[];
}

/** @param isKnown says whether a retrieved chunk has this number. */
export function openAnswerText(isKnown: (number: number) => boolean, filter: TextFilter | null = null): AnswerText {
  const parser = openMarkerParser(isKnown);
  let clean = ''; // without markers, not filtered
  let text = '';
  let units = 0;
  let finishReason: AnswerText['finishReason'] = null;

  const out = async (plain: string, isLast: boolean): Promise<string> => {
    clean += plain;
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
    return out(before + parser.finish(), true);
  };

  return {
    async take(event) {
      if (finishReason !== null) return '';
      if (event.type === 'finish') return finish('', event.reason);
      const given = event.type === 'text' ? event.delta : event.text;
      const kept = cut(given, ANSWER_UNITS_MAX - units);
      units += kept.length;
      const plain = event.type === 'text' ? parser.push(kept) : parser.quote(kept, event.number);
      return kept.length < given.length ? finish(plain, 'length') : out(plain, false);
    },
    get finishReason() {
      return finishReason;
    },
    get text() {
      return text;
    },
    markers() {
      if (text === clean) return parser.markers;
      return movedMarkers(parser.markers, align([...clean], [...text], filter?.blocked === true));
    },
  };
}

/** At most `unitsMax` units, and no half of a surrogate pair at the cut. */
function cut(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, Math.max(0, unitsMax)).replace(/[\ud800-\udbff]$/, '');
}

/** Markers at their new places; those of text that did not go out are dropped. */
function movedMarkers(markers: readonly Marker[], places: readonly number[]): Marker[] {
  return markers.flatMap((marker) => {
    const at = places[marker.at];
    if (at === undefined) return [];
    return marker.start === undefined ? [{ ...marker, at }] : [{ ...marker, at, start: places[marker.start]! }];
  });
}

/**
 * For each offset of `before` its offset in `after`, which was made of it by replacing stretches; inside one, the end of its
 * replacement. With `isCut`, `after` lacks the rest of `before`, which has no places then.
 */
function align(before: readonly string[], after: readonly string[], isCut: boolean): number[] {
  const places: number[] = [];
  let from = 0;
  let to = 0;
  while (from < before.length && to < after.length) {
    if (before[from] === after[to]) {
      places[from++] = to++;
      continue;
    }
    const [skipped, inserted] = nextAgreement(before, after, from, to);
    for (let i = 0; i < skipped; i++) places[from++] = to + inserted;
    to += inserted;
  }
  places[from] = to;
  if (!isCut) for (let i = from; i <= before.length; i++) places[i] = after.length;
  return places;
}

/** How much of both to skip, as little as possible, until they agree again; all that is left when they do not. */
function nextAgreement(
  before: readonly string[],
  after: readonly string[],
  from: number,
  to: number,
): [skipped: number, inserted: number] {
  for (let sum = 1; sum <= REPLACED_MAX + REPLACEMENT_MAX; sum++) {
    for (let inserted = Math.max(0, sum - REPLACED_MAX); inserted <= Math.min(sum, REPLACEMENT_MAX); inserted++) {
      if (agree(before, after, from + sum - inserted, to + inserted)) return [sum - inserted, inserted];
    }
  }
  return [before.length - from, after.length - to];
}

function agree(before: readonly string[], after: readonly string[], from: number, to: number): boolean {
  for (let i = 0; i < AGREEING_MIN; i++) {
    if (from + i === before.length && to + i === after.length) return true;
    if (from + i >= before.length || before[from + i] !== after[to + i]) return false;
  }
  return true;
}
