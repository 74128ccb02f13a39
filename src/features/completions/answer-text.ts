/**
 * Turns the events of a model into the text of an answer. Citation markers are removed, a filter may change or block the text, and an
 * endless answer is truncated. The same text is streamed, stored and cited.
 */

import { type Marker, openMarkerParser } from '../../answers/grounding/markers.ts';
import type { OutputPolicy } from '../../answers/output-policy.ts';
import type { ChatEvent } from '../../llm/models.ts';
import { offsetsAfter } from '../../redaction/apply-redaction.ts';
import type { RedactionStream } from '../../redaction/redact.ts';
import { codePointLength, truncated } from '../../util/code-points.ts';

/** Maximum UTF-16 units of the model's text. Longer answers are truncated. */
export const ANSWER_UNITS_MAX = 64 * 1024;

export interface AnswerText {
  /** Takes an event of the model. Returns the text that may be sent now, and nothing after the end of the answer. */
  take(event: ChatEvent): Promise<string>;
  /** Why the answer ended. Null before the end. */
  readonly finishReason: Extract<ChatEvent, { type: 'finish' }>['reason'] | null;
  /** The whole text that was sent. */
  readonly text: string;
  /** The places where the answer cites chunks. */
  markers(): readonly Marker[];
  /** Returns the numbers of the quoted chunks when the answer has no other text. Otherwise null. */
  quotedOnly(): ReadonlySet<number> | null;
}

/**
 * Returns the text of one answer, which is empty at first.
 *
 * @param isChunkNumber returns whether a retrieved chunk has this number.
 * @param filter redacts the text before it is sent. Null when no rule applies.
 * @param policy defangs the addresses in the text of a model. Null for an answer of quotations.
 */
export function openAnswerText(
  isChunkNumber: (number: number) => boolean,
  filter: RedactionStream | null = null,
  policy: OutputPolicy | null = null,
): AnswerText {
  const parser = openMarkerParser(isChunkNumber);
  let text = '';
  let units = 0;
  let finishReason: AnswerText['finishReason'] = null;
  const quoted = new Set<number>();
  let hasOtherText = false;

  const send = async (plain: string, isLast: boolean): Promise<string> => {
    let delta = plain;
    if (filter !== null) {
      delta = filter.blocked ? '' : await filter.push(plain);
      if (isLast && !filter.blocked) delta += await filter.end();
      if (filter.blocked) finishReason = 'content_filter';
    }
    if (policy !== null && !filter?.blocked) delta = policy.push(delta) + (isLast ? policy.end() : '');
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
      if (event.type === 'quote') quoted.add(event.number);
      else if (whole.trim() !== '') hasOtherText = true;
      const shown = truncated(whole, ANSWER_UNITS_MAX - units);
      units += shown.length;
      const plain = event.type === 'text' ? parser.push(shown) : parser.quote(shown, event.number, event.labels);
      return shown.length < whole.length ? finish(plain, 'length') : send(plain, false);
    },
    get finishReason() {
      return finishReason;
    },
    get text() {
      return text;
    },
    markers() {
      const redacted = offsetsAfter(filter?.matches ?? []);
      const defanged = offsetsAfter(policy?.matches ?? []);
      const offsetOf = (at: number): number => defanged(redacted(at));
      const length = codePointLength(text);
      return parser.markers
        .map(({ numbers, at, start, labels }) => ({
          numbers,
          ...(labels && { labels }),
          at: offsetOf(at),
          ...(start === undefined ? {} : { start: offsetOf(start) }),
        }))
        .filter(({ at }) => at <= length); // the text of the others was blocked
    },
    quotedOnly: () => (hasOtherText ? null : quoted),
  };
}
