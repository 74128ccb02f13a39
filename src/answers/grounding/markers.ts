/**
 * Removes citation markers from an answer while it streams, and records where they stood.
 *
 * Markers are `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `[[1]]`, `[source 1]`, `【1】`, `【1:0†name】` and `［1］`. A marker may be spread over several
 * deltas. A marker whose number belongs to no retrieved chunk is removed and ignored. Text that only looks like a marker is not
 * removed: code in backticks, `arr[0]`, `[2024]`, a quoted "[7]".
 */
import type { Label } from '../../llm/models.ts';

/** Maximum text that is held back while it may still become a marker, in UTF-16 units. */
const MARKER_UNITS_MAX = 80;
/** Maximum numbers in a range. A longer range such as `[1-100]` cites nothing in particular and is ignored. */
const RANGE_MAX = 10;

/** A place where an answer cites chunks. Offsets are code points of the answer text without markers. */
export interface Marker {
  numbers: readonly number[];
  at: number;
  /** Start of the cited text, when the chat model reported it. Without a start the sentence before `at` is cited. */
  start?: number;
  /** Parts of the cited text that stand between the words of the chunk, in their order: names of columns. */
  labels?: readonly Label[];
}

export interface MarkerParser {
  /** Takes a delta. Returns the text that cannot become part of a marker any more. */
  push(delta: string): string;
  /** Takes a quotation of chunk `number` and records its marker. Brackets in the quotation are text of the chunk, not markers. */
  quote(text: string, number: number, labels?: readonly Label[]): string;
  /** Returns the rest of the text. */
  finish(): string;
  readonly markers: readonly Marker[];
}

const OPEN = '[\\[【［]';
const CLOSE = '[\\]】］]';
const WORD =
  '(?:(?:source|chunk|doc|document|ref|reference|citation|quelle|fuente|fonte|출처|来源|出典)s?[ :#-]{0,2})?';
const LABELS = '\\^?\\d{1,3}(?:\\s?[-–,;，、；]\\s?\\^?\\d{1,3})*\\^?';
const INNER = `\\s?${WORD}(${LABELS})(?:(?::\\d{1,3})?†[^\\]】］\\n]{0,60})?\\s?`;
const MARKER = new RegExp(`^(?:${OPEN}{2}${INNER}${CLOSE}{2}|${OPEN}${INNER}${CLOSE})`, 'iu');
/** Text that may still become a marker. */
const MARKER_START = new RegExp(
  `^(?:${OPEN}{1,2}\\s?(?:\\p{L}{0,10}[ :#-]{0,2})?(?:\\^?(?:\\d[\\d\\s,;，、；^:–-]*)?(?:†[^\\]】］\\n]*)?)|${OPEN}{2}${INNER}${CLOSE})$`,
  'iu',
);
const BLANKS = /^[ \t\u00a0]+/;
const NO_BLANK_BEFORE = /^[\n.,;:!?)\]}»”’…。，、；：！？）」』】%]/;

/**
 * Returns a parser for one answer.
 *
 * @param isChunkNumber returns whether a retrieved chunk has this number.
 */
export function openMarkerParser(isChunkNumber: (number: number) => boolean): MarkerParser {
  const markers: Marker[] = [];
  let rest = ''; // text that may still become a marker
  let blanks = ''; // blanks before the next character: a marker removes them
  let afterMarker = false;
  let last = ''; // last character that was returned
  let length = 0;
  let code = 0; // number of backticks that opened the current code, or 0

  const emit = (text: string): string => {
    let lead = blanks;
    if (afterMarker)
      lead = blanks === '' || length === 0 || last === '\n' || last === ' ' || NO_BLANK_BEFORE.test(text) ? '' : ' ';
    blanks = '';
    afterMarker = false;
    const out = (lead + text).replaceAll('\0', '\ufffd').toWellFormed();
    for (const _ of out) length++;
    last = out.at(-1) ?? last;
    return out;
  };

  /** Returns the marker at the start of `rest`; null when the start is text; undefined when more text must arrive first. */
  const readMarker = (isLast: boolean): { units: number; numbers: number[] } | null | undefined => {
    const match = MARKER.exec(rest);
    if (match === null) return !isLast && rest.length < MARKER_UNITS_MAX && MARKER_START.test(rest) ? undefined : null;
    const isQuoted = blanks === '' && /["“'‘]/.test(last);
    if (isQuoted && rest.length === match[0].length && !isLast) return undefined;
    if (isQuoted && /^["”'’]/.test(rest.slice(match[0].length))) return null;
    const listed = numbersOf(match[1] ?? match[2]!);
    // Labels begin at 1, so `arr[0]` is an index and not a marker.
    if (listed.every((number) => number === 0) && blanks === '' && /[A-Za-z0-9_)\]]/.test(last)) return null;
    const numbers = listed.filter(isChunkNumber);
    return { units: match[0].length, numbers };
  };

  /** Returns the length of the text at the start of `rest` that cannot belong to a marker: 0 only for half a surrogate pair. */
  const plainUnits = (): number => {
    const next = rest.slice(1).search(/[[【［`\n \t\u00a0]/);
    const units = next < 0 ? rest.length : next + 1;
    return units === rest.length && /[\ud800-\udbff]$/.test(rest) ? units - 1 : units;
  };

  const advance = (isLast: boolean): string => {
    let out = '';
    while (rest !== '') {
      const first = rest[0]!;
      const run = BLANKS.exec(rest)?.[0] ?? '';
      if (run !== '') {
        blanks += run;
        rest = rest.slice(run.length);
        continue;
      }
      if (first === '`') {
        const ticks = /^`+/.exec(rest)![0];
        if (ticks.length === rest.length && !isLast) break;
        if (code === 0) code = ticks.length;
        else if (code === ticks.length) code = 0;
        out += emit(ticks);
        rest = rest.slice(ticks.length);
        continue;
      }
      if (first === '\n' && last === '\n' && code < 3) code = 0; // an inline backtick that was never closed
      if (code === 0 && '[【［'.includes(first)) {
        const marker = readMarker(isLast);
        if (marker === undefined) break;
        if (marker !== null) {
          if (marker.numbers.length > 0) markers.push({ numbers: marker.numbers, at: length });
          afterMarker = true;
          rest = rest.slice(marker.units);
          continue;
        }
      }
      const units = isLast ? Math.max(1, plainUnits()) : plainUnits();
      if (units === 0) break;
      out += emit(rest.slice(0, units));
      rest = rest.slice(units);
    }
    if (isLast && !afterMarker && blanks !== '') out += emit('');
    return out;
  };

  return {
    push: (delta) => {
      rest += delta;
      return advance(false);
    },
    quote: (text, number, labels) => {
      const before = advance(true);
      const lead = emit('');
      const start = length;
      const quoted = emit(text);
      markers.push({ numbers: [number], at: length, start, ...(labels && { labels }) });
      return before + lead + quoted;
    },
    finish: () => advance(true),
    markers,
  };
}

function numbersOf(list: string): number[] {
  const numbers = new Set<number>();
  for (const entry of list.split(/[,;，、；]/)) {
    const [from, to] = entry.replaceAll('^', '').split(/[-–]/).map(Number);
    if (to === undefined) numbers.add(from!);
    else if (to >= from! && to - from! < RANGE_MAX)
      for (let number = from!; number <= to; number++) numbers.add(number);
  }
  return [...numbers];
}
