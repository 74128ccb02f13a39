/**
 * Finds passages of the extracted text on a page. Each line is found by its letters, or not at all: a mark at a similar place would be
 * worse than none. Pure.
 */
import type { Passage, TextRange } from '../../../page-task.ts';
import { type Letters, lettersOf, occurrences } from './letters.ts';

/** Letters of a line and its surroundings that must agree. A shorter line is found only with the text around it. */
const LETTERS_MIN = 12;
/** Letters before or behind a line that must agree where the page has letters there. */
const CONTEXT_MIN = 4;
const CONTEXT_MAX = 200;
/** Letters that a page may have before its first line of text or behind its last one: a header or footer. */
const MARGIN_MAX = 160;
/** Maximum equal lines of a page that are compared. */
const OCCURRENCES_MAX = 200;

/** The letters of a page, and those of the pages before and behind it. */
export interface PageLetters {
  page: Letters;
  before: string;
  after: string;
}

/** Returns the ranges of the page's text that the passage has, one for each line that was found. */
export function locate(page: string, { before, text, after }: Passage, letters: PageLetters): TextRange[] {
  const ranges: TextRange[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const wanted = lettersOf(line);
    if (wanted.folded !== '') {
      const context = {
        before: lettersOf((before + text.slice(0, at)).slice(-CONTEXT_MAX * 2)).folded.slice(-CONTEXT_MAX),
        after: lettersOf((text.slice(at + line.length) + after).slice(0, CONTEXT_MAX * 2)).folded.slice(0, CONTEXT_MAX),
      };
      const found = findLine(letters, wanted.folded, context);
      if (found) ranges.push(toRange(page, letters.page, line, wanted, found));
    }
    at += line.length + 1;
  }
  return ranges;
}

/** Letters of the page, and the letters of the line that stand there. */
interface Found {
  start: number;
  length: number;
  /** Number of letters of the line before the found ones. */
  skipped: number;
}

function findLine(letters: PageLetters, line: string, context: { before: string; after: string }): Found | undefined {
  const page = letters.page.folded;
  if (!page.includes(line)) return findSplit(letters, line);
  // The passage may be on a neighbouring page, and the same line with similar surroundings on this one.
  const whole = letters.before + page + letters.after;
  const first = letters.before.length;
  const rated = occurrences(whole, line, OCCURRENCES_MAX).map((place) => {
    const before = commonEnd(whole.slice(Math.max(0, place - CONTEXT_MAX), place), context.before);
    const after = commonStart(whole.slice(place + line.length, place + line.length + CONTEXT_MAX), context.after);
    return { start: place - first, before, after, score: before + after };
  });
  rated.sort((a, b) => b.score - a.score);
  const [best, second] = rated;
  if (second && second.score === best!.score) return undefined;
  const { start, score } = best!;
  const end = start + line.length;
  if (end <= 0 || start >= page.length) return undefined;
  if (start < 0 || end > page.length) return findSplit(letters, line);
  if (!agrees(best!, letters, line, context)) return undefined;
  const available = line.length + context.before.length + context.after.length;
  if (line.length + score < Math.min(LETTERS_MIN, available)) return undefined;
  return { start, length: line.length, skipped: 0 };
}

/** Whether the text on one side of a place is that of the passage: on the page, or at the near end of the next or previous page. */
function agrees(
  { start, before, after }: { start: number; before: number; after: number },
  { page, before: pageBefore, after: pageAfter }: PageLetters,
  line: string,
  context: { before: string; after: string },
): boolean {
  if (context.before === '' && context.after === '') return true;
  const isAt = (common: number, wanted: string): boolean =>
    wanted !== '' && common >= Math.min(CONTEXT_MIN, wanted.length);
  if (isAt(before, context.before) || isAt(after, context.after)) return true;
  // Nothing but a footer and a header may stand between the passage and the text around it, least of all the passage itself.
  const begun = context.before.slice(-LETTERS_MIN);
  const end = pageBefore.slice(-MARGIN_MAX - LETTERS_MIN);
  const isBehind = begun !== '' && end.includes(begun) && !pageBefore.includes(begun + line.slice(0, LETTERS_MIN));
  if (isBehind && start <= MARGIN_MAX) return true;
  const next = context.after.slice(0, LETTERS_MIN);
  const beginning = pageAfter.slice(0, MARGIN_MAX + LETTERS_MIN);
  const isBefore = next !== '' && beginning.includes(next) && !pageAfter.includes(line.slice(-LETTERS_MIN) + next);
  return isBefore && page.folded.length - start - line.length <= MARGIN_MAX;
}

/**
 * Finds a line that a page end breaks: its beginning at the end of this page and the rest at the beginning of the next page, or the other
 * way round. Both parts must be there.
 */
function findSplit({ page, before, after }: PageLetters, line: string): Found | undefined {
  const head = longest(line.length, (length) => page.folded.includes(line.slice(0, length)));
  const headAt = onlyPlace(page.folded, line.slice(0, head));
  const rest = after.indexOf(line.slice(head));
  if (headAt !== undefined && page.folded.length - headAt - head <= MARGIN_MAX && rest >= 0 && rest <= MARGIN_MAX)
    return { start: headAt, length: head, skipped: 0 };
  const tail = longest(line.length, (length) => page.folded.includes(line.slice(line.length - length)));
  const skipped = line.length - tail;
  const tailAt = onlyPlace(page.folded, line.slice(skipped));
  const begun = before.lastIndexOf(line.slice(0, skipped));
  if (tailAt !== undefined && tailAt <= MARGIN_MAX && begun >= 0 && before.length - begun - skipped <= MARGIN_MAX)
    return { start: tailAt, length: tail, skipped };
  return undefined;
}

/** Returns where a part of a line occurs; undefined if it is too short to tell, or occurs twice. */
function onlyPlace(page: string, part: string): number | undefined {
  const [place, ...others] = part.length < CONTEXT_MIN ? [] : occurrences(page, part, 2);
  return others.length === 0 ? place : undefined;
}

/** Returns the greatest length for which the condition holds. The condition must hold for all shorter lengths. */
function longest(max: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function commonEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}

/** Returns the range on the page, with the punctuation around it that the line has too. */
function toRange(
  page: string,
  letters: Letters,
  line: string,
  wanted: Letters,
  { start, length, skipped }: Found,
): TextRange {
  let first = letters.at[start]!;
  let last = letters.at[start + length - 1]!;
  last += page.codePointAt(last)! > 0xffff ? 2 : 1;
  let [lineFirst, lineLast] = [wanted.at[skipped]!, wanted.at[skipped + length - 1]!];
  lineLast += line.codePointAt(lineLast)! > 0xffff ? 2 : 1;
  while (lineFirst > 0 && first > 0 && isMark(line[lineFirst - 1]!) && line[lineFirst - 1] === page[first - 1]) {
    lineFirst -= 1;
    first -= 1;
  }
  while (isMark(line[lineLast] ?? '') && line[lineLast] === page[last]) {
    lineLast += 1;
    last += 1;
  }
  return { start: first, end: last };
}

function isMark(character: string): boolean {
  return /[^\s\p{L}\p{N}\ud800-\udfff]/u.test(character);
}
