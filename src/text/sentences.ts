/**
 * Splits text into units that a quotation can consist of: sentences, list items, table rows, records, headings, and lines of fenced
 * code up to the next blank line.
 *
 * `Intl.Segmenter` knows the terminators of most scripts. This module adds abbreviations and ordinals, dialogue in CJK quotes, Thai
 * and Lao (which separate phrases only by blanks), lists, tables, records and hard-wrapped lines.
 */

import { lazy } from '../util/lazy.ts';
import { readWordList } from '../util/package-files.ts';

export type UnitKind = 'sentence' | 'item' | 'row' | 'record' | 'heading' | 'code';

/** A unit of a text by its UTF-16 offsets, half-open and trimmed. Units are in ascending order and do not overlap. */
export interface Unit {
  kind: UnitKind;
  start: number;
  end: number;
}

/** Minimum width of a line that may be a hard-wrapped part of a paragraph. Full-width characters count two. */
const WRAPPED_LINE_WIDTH_MIN = 50;
/** Minimum length of a Thai or Lao unit that a blank ends. */
const PHRASE_UNITS_MIN = 110;
/** Maximum length of a record of consecutive `key: value` lines. */
const RECORD_UNITS_MAX = 280;
const HEADING_WIDTH_MAX = 90;
/** Maximum length of a unit of code lines without a blank line between them. */
const CODE_UNITS_MAX = 280;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const ITEM = /^\s*(?:[-*+•‣◦▪–·]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,7})[.)]|[①-⑳])\s+\S/u;
/** A line that begins with a day and a time (logs, chats), or with a time (transcripts). It says who spoke, and stays whole. */
const STAMPED = /^[\s\u200e]*(?:\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?[T ]\d{1,2}:\d{2}|\d{2,3}:\d{2}:\d{2} )/m;
/** A line of a chat as WhatsApp writes it: `[04.03.25, 09:02:10] Ann: Yes`, `3/14/25, 9:02 AM - Ann: Yes`. No sentence goes on so. */
const MESSAGE = /^[\s\u200e]*(?:\[\d|[\d./-]{6,10},? \d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)? - )/i;
const ROW = /^\s*\|.*\S|\S\s+\|\s+\S|\S\t+\S/u;
const ROW_RULE = /^[\s|:+=-]+$/;
/** A `key: value` line. The colon of a clock time (`16:30`) or an address (`https://`) ends no key. */
const RECORD = /^\s*[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./()-]{0,39}(?!(?<=\d):\d|:\/\/)[:：]\s*\S/u;
/** A line of a name without a value, as in YAML: the values are in deeper lines below it. */
const NAME_ALONE = /^\s*(?:- )?[^\s:：]{1,60}[:：]\s*$/u;
const ITEM_WITH_KEY = /^\s*- +[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./-]{0,39}:(?:\s|$)/u;
const FENCE = /^\s*(`{3,}|~{3,})/;
const MARKDOWN_HEADING = /^\s*#{1,6}\s+\S/;
const TERMINATED = /[.!?…。！？．｡।॥؟۔።។၊။:：;；][\s"'”’»)\]」』】〉》）]*$/u;
const THAI_LAO = /[\p{sc=Thai}\p{sc=Laoo}]/u;

/** Returns the units of a text in order. HTML comments belong to no unit. */
export function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  const visible = text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]/g, ' '));
  for (const block of splitBlocks(visible)) {
    if (block.kind === 'sentence') addSentences(visible, block.start, block.end, units);
    else addTrimmed(visible, block.kind, block.start, block.end, units);
  }
  return units;
}

/** Returns whether a text ends with the mark of the end of a sentence or a clause. */
export function isTerminated(text: string): boolean {
  return TERMINATED.test(text);
}

/** Returns whether a line starts with the mark of a list item. */
export function isItem(line: string): boolean {
  return ITEM.test(line);
}

const ENDS_UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}、。，]$/u;
const BEGINS_UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;

/** Returns a text without its line wraps: a wrap is a space, and nothing between Chinese or Japanese characters. */
export function unwrapped(text: string): string {
  return text.replace(/\s+/g, (blanks, at: number) => {
    if (!blanks.includes('\n')) return blanks;
    const end = at + blanks.length;
    const isUnspaced =
      ENDS_UNSPACED.test(text.slice(Math.max(0, at - 2), at)) && BEGINS_UNSPACED.test(text.slice(end, end + 2));
    return isUnspaced ? '' : ' ';
  });
}

/** Returns the units of program code: lines up to the next blank line. */
export function splitCode(text: string): Unit[] {
  const units: Unit[] = [];
  for (const line of linesOf(text)) addCodeLine(text, line, units);
  return units;
}

/** Returns the fence that is open at the start of a text that was cut out of a block of code. Its first mark then closes the block. */
function openFence(text: string): string | undefined {
  const marks = [...text.matchAll(/^[^\S\n]*(`{3,}|~{3,})([^\n]*)$/gm)];
  const [first] = marks;
  if (!first || marks.length % 2 === 0 || first[2]!.trim() !== '') return undefined;
  const above = text.slice(0, first.index);
  return /\S[^\S\n]*\n$/.test(above) ? first[1] : undefined;
}

function addCodeLine(text: string, line: { start: number; end: number }, units: Unit[]): void {
  if (text.slice(line.start, line.end).trim() === '') return;
  const last = units[units.length - 1];
  const isNext = last?.kind === 'code' && last.end + 1 === line.start;
  if (isNext && line.end - last.start <= CODE_UNITS_MAX) last.end = line.end;
  else units.push({ kind: 'code', ...line });
}

/** Maximum length of a piece of a long unit, in UTF-16 units. */
const PIECE_UNITS_MAX = 150;
/** Minimum length of a piece that ends at a clause or a blank. */
const PIECE_UNITS_MIN = 40;

/**
 * Cuts a range of a text into pieces of at most PIECE_UNITS_MAX: at clauses, else at blanks, else between any two characters. A short
 * range stays whole.
 */
export function cutIntoPieces(text: string, start: number, end: number): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let from = start;
  while (end - from > PIECE_UNITS_MAX) {
    const window = text.slice(from, from + PIECE_UNITS_MAX);
    const clause = Math.max(...[', ', '; ', '，', '、', '؛ ', '، ', '\n'].map((mark) => window.lastIndexOf(mark)));
    const blank = window.lastIndexOf(' ');
    let length = clause > PIECE_UNITS_MIN ? clause + 1 : blank > PIECE_UNITS_MIN ? blank + 1 : window.length;
    if (/[\ud800-\udbff]/.test(window[length - 1]!)) length--;
    pieces.push({ start: from, end: from + length });
    from += length;
  }
  pieces.push({ start: from, end });
  return pieces;
}

/** Groups lines into blocks: paragraphs, which are split into sentences later, and units that stay whole. */
function splitBlocks(text: string): Unit[] {
  const blocks: Unit[] = [];
  let joinable = false;
  let fence = openFence(text);
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    const mark = FENCE.exec(content)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      joinable = false;
      continue;
    }
    if (fence !== undefined) {
      addCodeLine(text, line, blocks);
      continue;
    }
    if (content.trim() === '' || ROW_RULE.test(content)) {
      joinable = false;
      continue;
    }
    const last = blocks[blocks.length - 1];
    const above = last && last.end + 1 === line.start ? text.slice(last.start, last.end) : '';
    if (last && isField(content, above, last.kind)) {
      last.kind = 'record';
      joinable = true;
    }
    const isInner = last?.kind === 'record' && isInnerLine(content, above);
    const wrapped: string =
      last && joinable && joins(last, 'sentence', line.end) ? text.slice(last.start, last.end) : '';
    const kind: UnitKind = isInner ? 'record' : lineKind(content, wrapped);
    const isOuter = last?.kind === 'record' && indentOf(content) < indentOf(above);
    if (last !== undefined && joinable && !isOuter && joins(last, kind, line.end)) last.end = line.end;
    else blocks.push({ kind, start: line.start, end: line.end });
    joinable = kind === 'record' || widthOf(content) >= WRAPPED_LINE_WIDTH_MIN;
  }
  const short = blocks.map((block) => isShortLine(text, block));
  // Short lines directly below one another are lines of a letter or a receipt.
  const isBelowShort = (i: number): boolean =>
    short[i - 1]! && short[i]! && blocks[i]!.start - blocks[i - 1]!.end === 1;
  const isHeading = (i: number): boolean =>
    short[i]! &&
    blocks[i - 1]?.kind !== 'heading' &&
    isFollowed(text, blocks[i]!.end) &&
    !isBelowShort(i) &&
    !isBelowShort(i + 1);
  return blocks.map((block, i) => (isHeading(i) ? { ...block, kind: 'heading' as const } : block));
}

/** Returns whether a line is a field of the line above it: of a name alone, or of an item that begins with a field. */
function isField(line: string, above: string, kind: UnitKind): boolean {
  if (kind === 'record' || indentOf(line) <= indentOf(above)) return false;
  const names = kind === 'item' ? ITEM_WITH_KEY : NAME_ALONE;
  if (!names.test(above) || (kind === 'item' && ITEM.test(line))) return false;
  return NAME_ALONE.test(line) || RECORD.test(line) || ITEM_WITH_KEY.test(line);
}

/** Returns whether a line goes on with the record above it: with a name, or with a value of a list. Fields in an item are a record. */
function isInnerLine(line: string, above: string): boolean {
  if (above === '' || ITEM_WITH_KEY.test(line)) return false;
  return NAME_ALONE.test(line) || /^\s+- /.test(line);
}

function indentOf(line: string): number {
  return line.search(/\S|$/);
}

/** @param above is the paragraph or item that the line may continue, or empty. A wrapped sentence may go on with a day and a time. */
function lineKind(line: string, above: string): UnitKind {
  if (MARKDOWN_HEADING.test(line)) return 'heading';
  if (ITEM.test(line)) return 'item';
  if (ROW.test(line)) return 'row';
  if (STAMPED.test(line) && (above === '' || isTerminated(above) || STAMPED.test(above) || MESSAGE.test(line)))
    return 'item';
  if (RECORD.test(line) && widthOf(line) < WRAPPED_LINE_WIDTH_MIN * 2) return 'record';
  return 'sentence';
}

/** Returns whether a line continues the last block: a wrapped line a paragraph or an item, a `key: value` line a record. */
function joins(last: Unit, kind: UnitKind, end: number): boolean {
  if (last.kind === 'record') return kind === 'record' && end - last.start <= RECORD_UNITS_MAX;
  return kind === 'sentence' && (last.kind === 'sentence' || last.kind === 'item');
}

/** An option with its explanation: `-r, --recursive: copy folders whole`. Many manuals write it without a point at the end. */
const OPTION_ENTRY = /^-{1,2}[^\s-][^\n]*: \S/u;

/**
 * Returns whether a block may be a heading: a short single line of words without an end mark. It is one if text follows below. Such a line
 * directly below a heading with a mark is its text: `# Version 3.0.3`, then `Released 2024-04-07`.
 */
function isShortLine(text: string, block: Unit): boolean {
  if (block.kind !== 'sentence') return false;
  const line = text.slice(block.start, block.end).trim();
  return (
    !line.includes('\n') &&
    widthOf(line) <= HEADING_WIDTH_MAX &&
    !isTerminated(line) &&
    !THAI_LAO.test(line) &&
    !OPTION_ENTRY.test(line)
  );
}

/** Returns whether text follows soon after `end`. The last line of a text is no heading. */
function isFollowed(text: string, end: number): boolean {
  return /\S/.test(text.slice(end, end + 400));
}

function* linesOf(text: string): Generator<{ start: number; end: number }> {
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    yield { start, end };
    start = end + 1;
  }
}

function addSentences(text: string, start: number, end: number, units: Unit[]): void {
  // Blanks replace line breaks inside a paragraph, so that these do not end a sentence. Offsets stay the same.
  const paragraph = text.slice(start, end).replace(/\n/g, ' ');
  let from = 0;
  for (const { segment, index } of segmenter.segment(paragraph)) {
    const to = index + segment.length;
    if (to < paragraph.length && continues(paragraph, from, to)) continue;
    addPhrases(text, start + from, start + to, units);
    from = to;
  }
  if (from < paragraph.length) addPhrases(text, start + from, start + paragraph.length, units);
}

/** Matches text that ends with an abbreviation, or with a capital letter and a period. */
const abbreviationAtEnd = lazy(() => {
  const abbreviations = readWordList('sentences/abbreviations.txt').map((word) =>
    word.replaceAll('.', '\\.').replaceAll(' ', '\\s?'),
  );
  return new RegExp(`(?:^|[\\s(["'„“«])(?:\\p{Lu}|${abbreviations.join('|')})\\.\\s+$`, 'u');
});

/** Matches an ordinal number with a period before its noun: 3. Oktober. */
const ordinalBeforeNoun = lazy(() => {
  const nouns = readWordList('sentences/nouns-after-ordinals.txt').join('|');
  return new RegExp(`(?:^|\\s)\\d{1,2}\\.\\s+(?=(?:${nouns}))`, 'u');
});

/** Returns whether a sentence continues at `to`, although the segmenter ends it there. */
function continues(text: string, from: number, to: number): boolean {
  const head = text.slice(Math.max(from, to - 24), to);
  if (abbreviationAtEnd().test(head) || /[(（][^\s().!?]{1,8}\.\s+$/.test(head)) return true; // An abbreviation: (vgl. Kapitel 3).
  if (/^\s*\d{1,3}\.\s*$/.test(text.slice(from, to))) return true; // The number of a list item.
  if (isInsideCode(text, from, to)) return true;
  if (/\d{1,2}\.\s+$/.test(head) && ordinalBeforeNoun().test(head + text.slice(to, to + 12))) return true;
  // CJK dialogue: the sentence ends with an opening quote, or a word that reports the quote follows.
  return (
    /[「『（《〈“]\s*$/.test(head) ||
    (/[」』）》〉]\s*$/.test(head) && /^[とはがをのにでもっ]/.test(text.slice(to, to + 1)))
  );
}

/** Maximum length of a sentence that may go on inside inline code. */
const CODE_SENTENCE_UNITS_MAX = 600;

/** Returns whether `to` is inside inline code, such as `println!`: the number of backticks before it is odd, and one follows soon. */
function isInsideCode(text: string, from: number, to: number): boolean {
  if (to - from > CODE_SENTENCE_UNITS_MAX) return false;
  const sentence = text.slice(from, to);
  const isOpen = sentence.split('`').length % 2 === 0 && /`[^`'\s][^`']{0,60}$/.test(sentence);
  return isOpen && /^(?:[^`']{0,60}[^`'\s])?`/.test(text.slice(to, to + 62));
}

function addPhrases(text: string, start: number, end: number, units: Unit[]): void {
  if (!THAI_LAO.test(text.slice(start, end))) {
    addTrimmed(text, 'sentence', start, end, units);
    return;
  }
  let from = start;
  for (const match of text
    .slice(start, end)
    .matchAll(/(?<=[\p{sc=Thai}\p{sc=Laoo}])\s+(?=[\p{sc=Thai}\p{sc=Laoo}])/gu)) {
    const at = start + match.index;
    if (at - from < PHRASE_UNITS_MIN || end - at < PHRASE_UNITS_MIN / 3) continue;
    addTrimmed(text, 'sentence', from, at, units);
    from = at;
  }
  addTrimmed(text, 'sentence', from, end, units);
}

function addTrimmed(text: string, kind: UnitKind, start: number, end: number, units: Unit[]): void {
  const content = text.slice(start, end);
  const lead = content.length - content.trimStart().length;
  const length = content.trim().length;
  if (length > 0) units.push({ kind, start: start + lead, end: start + lead + length });
}

/** Returns the width of a line in columns. East Asian wide characters count two. */
function widthOf(line: string): number {
  let width = 0;
  for (const character of line)
    width += character >= 'ᄀ' && /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\uff01-\uff60]/u.test(character) ? 2 : 1;
  return width;
}
