/**
 * Splits text into units that can be quoted on their own: sentences, list items, table rows, records, headings, and lines of
 * fenced code up to the next blank line. Pure.
 *
 * `Intl.Segmenter` knows the terminators of most scripts; this adds what it does not know: abbreviations and ordinals,
 * dialogue in CJK quotes, Thai and Lao (which separate phrases by blanks only), lists, tables, records and hard-wrapped lines.
 */

import { lazy } from '../util/lazy.ts';
import { readWordList } from '../util/package-files.ts';

export type UnitKind = 'sentence' | 'item' | 'row' | 'record' | 'heading' | 'code';

/** A unit of a text: UTF-16 offsets, half-open, trimmed, ascending, not overlapping. */
export interface Unit {
  kind: UnitKind;
  start: number;
  end: number;
}

/** A line at least this wide (full-width characters count two) may be a hard-wrapped part of a paragraph. */
const WRAPPED_LINE_WIDTH_MIN = 50;
/** Thai and Lao: a blank ends a unit that is at least this long. */
const PHRASE_UNITS_MIN = 110;
/** Consecutive `key: value` lines are one record up to this length. */
const RECORD_UNITS_MAX = 280;
const HEADING_WIDTH_MAX = 90;
/** Lines of code without a blank line between them are one unit up to this length. */
const CODE_UNITS_MAX = 280;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const ITEM = /^\s*(?:[-*+•‣◦▪–·]|\(?(?:\d{1,3}|[a-z])[.)]|[①-⑳])\s+\S/u;
const ROW = /^\s*\|.*\S|\S\s+\|\s+\S|\S\t+\S/u;
const ROW_RULE = /^[\s|:+=-]+$/;
/** The colon of a clock time (`16:30`) or an address (`https://`) ends no key. */
const RECORD = /^\s*[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./()-]{0,39}(?!(?<=\d):\d|:\/\/)[:：]\s*\S/u;
const FENCE = /^\s*(`{3,}|~{3,})/;
const MARKDOWN_HEADING = /^\s*#{1,6}\s+\S/;
const TERMINATED = /[.!?…。！？．｡।॥؟۔።។၊။:：;；][\s"'”’»)\]」』】〉》）]*$/u;
const THAI_LAO = /[\p{sc=Thai}\p{sc=Laoo}]/u;

/** The units of `text`, in order. HTML comments are not text and belong to no unit. */
export function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  const visible = text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]/g, ' '));
  for (const block of splitBlocks(visible)) {
    if (block.kind === 'sentence') addSentences(visible, block.start, block.end, units);
    else addTrimmed(visible, block.kind, block.start, block.end, units);
  }
  return units;
}

/** The units of program code: lines up to the next blank line. */
export function splitCode(text: string): Unit[] {
  const units: Unit[] = [];
  for (const line of linesOf(text)) addCodeLine(text, line, units);
  return units;
}

/** The fence that a text begins within, where it was cut out of a block of code: its first mark then closes what is above. */
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

/** Pieces of a long unit are at most this long, in UTF-16 units. */
export const PIECE_UNITS_MAX = 150;
/** A cut before this would leave a scrap. */
const PIECE_UNITS_MIN = 40;

/** Cuts a stretch of `text` into pieces at clauses, else at blanks, else anywhere but within a character. A short one stays whole. */
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

/** Lines grouped into blocks: paragraphs (to be split into sentences) and units that stay whole. */
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
    const kind = lineKind(content);
    const last = blocks[blocks.length - 1];
    if (last !== undefined && joinable && joins(last, kind, line.end)) last.end = line.end;
    else blocks.push({ kind, start: line.start, end: line.end });
    joinable = kind === 'record' || widthOf(content) >= WRAPPED_LINE_WIDTH_MIN;
  }
  return blocks.map((block) => (isHeading(text, block) ? { ...block, kind: 'heading' as const } : block));
}

function lineKind(line: string): UnitKind {
  if (MARKDOWN_HEADING.test(line)) return 'heading';
  if (ITEM.test(line)) return 'item';
  if (ROW.test(line)) return 'row';
  if (RECORD.test(line) && widthOf(line) < WRAPPED_LINE_WIDTH_MIN * 2) return 'record';
  return 'sentence';
}

/** A wrapped line continues a paragraph or an item; a `key: value` line continues a record. */
function joins(last: Unit, kind: UnitKind, end: number): boolean {
  if (last.kind === 'record') return kind === 'record' && end - last.start <= RECORD_UNITS_MAX;
  return kind === 'sentence' && (last.kind === 'sentence' || last.kind === 'item');
}

/** A short single line of words without an end mark. */
function isHeading(text: string, block: Unit): boolean {
  if (block.kind !== 'sentence') return false;
  const line = text.slice(block.start, block.end).trim();
  return (
    !line.includes('\n') &&
    widthOf(line) <= HEADING_WIDTH_MAX &&
    !TERMINATED.test(line) &&
    !THAI_LAO.test(line) &&
    isFollowed(text, block.end)
  );
}

/** Something stands below it: the last line of a text is no heading. */
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
  // Line breaks inside a paragraph are blanks, so that they do not end a sentence. Same length: offsets stay.
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

/** True when the text does not end at `to` although the segmenter says so. */
function continues(text: string, from: number, to: number): boolean {
  const head = text.slice(Math.max(from, to - 24), to);
  if (abbreviationAtEnd().test(head)) return true;
  if (/^\s*\d{1,3}\.\s*$/.test(text.slice(from, to))) return true; // a number that opens a list item
  if (/\d{1,2}\.\s+$/.test(head) && ordinalBeforeNoun().test(head + text.slice(to, to + 12))) return true;
  // CJK dialogue: an opening quote left at the end, or a quote that ended and is being reported.
  return (
    /[「『（《〈“]\s*$/.test(head) ||
    (/[」』）》〉]\s*$/.test(head) && /^[とはがをのにでもっ]/.test(text.slice(to, to + 1)))
  );
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

/** Columns: East Asian wide characters count two. */
function widthOf(line: string): number {
  let width = 0;
  for (const character of line)
    width += character >= 'ᄀ' && /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\uff01-\uff60]/u.test(character) ? 2 : 1;
  return width;
}
