/**
 * Finds where a long block may be cut: after sentences, else at blanks, else anywhere between characters.
 *
 * The ranges cover the block without a gap, because chunks must. `text/sentences.ts` finds sentences that can be quoted.
 * The work is linear on any input.
 */
import { isLowSurrogate } from '../../util/code-points.ts';
import { estimateTokens } from './token-estimate.ts';

export interface TextRange {
  start: number;
  end: number;
  tokens: number;
  /** True if a sentence or line ends here. Only whole sentences are repeated in the next part. */
  sentence: boolean;
}

/** Signs that end a sentence only before a blank or the end of the text. */
const SPACED_ENDS = new Set('.!?…։؟۔।॥።፧');
/** Signs that end a sentence in scripts written without blanks. */
const CLOSED_ENDS = new Set('。！？｡．');
const CLOSERS = new Set('"\'”’»)]）」』】》〉');

/** Returns the sentences of `text[start, end)` as adjacent ranges. A sentence over `tokensMax` tokens is cut further. */
export function sentenceRanges(text: string, start: number, end: number, tokensMax: number): TextRange[] {
  const ranges: TextRange[] = [];
  let from = start;
  for (let i = start; i < end; ) {
    const char = text[i]!;
    if (char !== '\n' && !CLOSED_ENDS.has(char) && !SPACED_ENDS.has(char)) {
      i += 1;
      continue;
    }
    const { isEnd, next } = char === '\n' ? lineEnd(text, i, end) : sentenceEnd(text, i, end);
    if (isEnd) {
      pushRange(ranges, text, from, next, tokensMax);
      from = next;
    }
    i = next;
  }
  if (from < end) pushRange(ranges, text, from, end, tokensMax);
  return ranges;
}

/**
 * The text up to `next` was examined. If `isEnd`, a sentence ends at `next`, with its closing quotes and blanks. Otherwise no
 * sentence ends before `next`, so the search goes on there: a second look at each sign of a long run would take quadratic time.
 */
interface Examined {
  isEnd: boolean;
  next: number;
}

function sentenceEnd(text: string, index: number, end: number): Examined {
  const isClosed = CLOSED_ENDS.has(text[index]!);
  let next = index + 1;
  let firstClosed = -1;
  while (next < end && isEndSign(text[next]!)) {
    if (firstClosed === -1 && CLOSED_ENDS.has(text[next]!)) firstClosed = next;
    next += 1;
  }
  if (next < end && !isClosed && !isBlank(text.charCodeAt(next)))
    return { isEnd: false, next: firstClosed === -1 ? next : firstClosed };
  return { isEnd: true, next: skipBlanks(text, next, end) };
}

function isEndSign(char: string): boolean {
  return CLOSERS.has(char) || CLOSED_ENDS.has(char) || SPACED_ENDS.has(char);
}

/** A line break ends a sentence unless the text continues in lower case, as in hard-wrapped prose. */
function lineEnd(text: string, index: number, end: number): Examined {
  const next = skipBlanks(text, index + 1, end);
  const char = text[next];
  return { isEnd: next >= end || char === undefined || char === char.toUpperCase(), next };
}

function skipBlanks(text: string, index: number, end: number): number {
  let next = index;
  while (next < end && isBlank(text.charCodeAt(next))) next += 1;
  return next;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x3000 || unit === 0xa0;
}

function pushRange(ranges: TextRange[], text: string, start: number, end: number, tokensMax: number): void {
  const tokens = estimateTokens(text, start, end);
  if (tokens <= tokensMax) {
    ranges.push({ start, end, tokens, sentence: true });
    return;
  }
  for (const piece of hardRanges(text, start, end, tokensMax)) ranges.push(piece);
}

/** Cuts at the last blank before the limit, or between two characters if no blank is close. */
function* hardRanges(text: string, start: number, end: number, tokensMax: number): Generator<TextRange> {
  const step = Math.max(16, Math.floor(tokensMax / 8));
  let from = start;
  while (from < end) {
    let to = from;
    let tokens = 0;
    while (to < end) {
      const stop = Math.min(end, to + step);
      const more = estimateTokens(text, to, stop);
      if (to > from && tokens + more > tokensMax) break;
      tokens += more;
      to = stop;
    }
    if (to < end) to = cutBefore(text, from, to);
    yield { start: from, end: to, tokens: Math.min(tokens, tokensMax), sentence: false };
    from = to;
  }
}

const CUT_WINDOW_UNITS = 200;

/** Returns the cut moved back to a blank close by, else out of a surrogate pair or combining sequence. */
function cutBefore(text: string, from: number, to: number): number {
  const floor = Math.max(from + 1, to - CUT_WINDOW_UNITS);
  for (let i = to; i > floor; i -= 1) {
    if (isBlank(text.charCodeAt(i - 1))) return i;
  }
  let cut = to;
  while (cut > floor && isContinuation(text.charCodeAt(cut))) cut -= 1;
  if (cut > floor) return cut;
  return isLowSurrogate(text.charCodeAt(to)) && to - 1 > from ? to - 1 : to;
}

function isContinuation(unit: number): boolean {
  return (
    isLowSurrogate(unit) || (unit >= 0x300 && unit <= 0x36f) || unit === 0x200d || (unit >= 0xfe00 && unit <= 0xfe0f)
  );
}
