/** Groups the lines of PDF pages into paragraphs, headings, lists and tables. Pure. */

import type { Link } from '../../../text/link-line.ts';
import { tableText } from '../data/table-text.ts';
import type { TextBuilder } from '../text-builder.ts';
import { flowGlue } from './flow.ts';
import type { PdfLine } from './line.ts';
import { withoutRunningLines } from './running.ts';
import { authorLines } from './title-page.ts';

export interface PdfPage {
  lines: PdfLine[];
  /** Comments and similar notes, written after the text of their page. */
  notes: readonly string[];
}

/** pdfium writes this character where a word was hyphenated at the end of a line. */
const SOFT_HYPHEN = '\ufffe';
/** A line whose type is larger than the body by this factor is a heading. */
const HEADING_FACTOR = 1.15;
const HEADING_UNITS_MAX = 160;
const HEADING_LEVELS_MAX = 4;
/** A line of at least this share of the usual length was wrapped because it was full. */
const FULL_SHARE = 0.72;

/** Share of the usual length at which a line of a heading counts as full, in any type and in type of the size of the body. */
const WRAPPED_SHARE = 0.4;
const WRAPPED_BODY_SHARE = 0.5;

const BULLET = /^(?:[•◦▪‣●○■□✔→–—*-]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S/;

/** Writes pages of lines as blocks with page numbers (1-based). */
export function layoutPages(pages: readonly PdfPage[], builder: TextBuilder): void {
  const bodyLines = withoutRunningLines(pages.map(({ lines }) => lines));
  const words = wordsOf(bodyLines);
  const body = bodySize(bodyLines);
  const usual = usualLength(bodyLines, body);
  const levelOf = headingLevels(bodyLines, body, usual);
  for (const [index, lines] of bodyLines.entries()) {
    const pageNumber = index + 1;
    const joined = (text: string) =>
      text.replace(SOFT_HYPHENS, (_, before: string, after: string) => joinHyphenated(before, after, words));
    for (const group of groupLines(lines, levelOf, usual, body)) {
      const { level, list, links, rows } = group;
      const table = rows && tableText(rows.map((cells) => cells.map(joined)));
      if (table) {
        builder.add({ ...table.draft, pages: [pageNumber, pageNumber], links }, table.text);
        continue;
      }
      const text = joined(group.text);
      builder.add(
        level
          ? { kind: 'heading', level, pages: [pageNumber, pageNumber], links }
          : { kind: list ? 'list' : 'paragraph', pages: [pageNumber, pageNumber], links },
        level ? `${'#'.repeat(level)} ${text.replace(/\n/g, ' ')}` : text,
      );
    }
    for (const note of pages[index]!.notes) builder.add({ kind: 'paragraph', pages: [pageNumber, pageNumber] }, note);
  }
}

interface Group {
  text: string;
  level: number;
  list: boolean;
  links: Link[];
  rows?: PdfLine['rows'];
}

function groupLines(
  lines: readonly PdfLine[],
  levelOf: (line: PdfLine) => number,
  usual: number,
  body: number,
): Group[] {
  const groups: Group[] = [];
  let before: PdfLine | undefined;
  for (const line of lines) {
    if (line.rows) {
      groups.push({ text: line.text, level: 0, list: false, links: [...(line.links ?? [])], rows: line.rows });
      before = undefined;
      continue;
    }
    const level = levelOf(line);
    const group = groups.at(-1);
    const glue = group && before ? glueBetween(before, line, group, level, usual, body) : undefined;
    if (group && glue !== undefined) {
      group.text += glue + line.text;
      group.list ||= BULLET.test(line.text);
      group.links.push(...(line.links ?? []));
    } else {
      const list = level === 0 && BULLET.test(line.text);
      groups.push({ text: line.text, level, list, links: [...(line.links ?? [])] });
    }
    before = line;
  }
  return groups;
}

/** Returns the text that joins a line to the previous group, or undefined if the line starts a new group. */
function glueBetween(
  before: PdfLine,
  line: PdfLine,
  group: Group,
  level: number,
  usual: number,
  body: number,
): string | undefined {
  if (level !== group.level || (line.opens && !/^\p{Ll}/u.test(line.text))) return undefined;
  if (level > 0) {
    // A heading continues only if its line was long enough to be wrapped.
    const full = usual * Math.min(WRAPPED_SHARE, (WRAPPED_BODY_SHARE * body) / before.size);
    const goesOn = before.size === line.size && before.text.length >= full;
    return goesOn && group.text.length + line.text.length <= HEADING_UNITS_MAX
      ? flowGlue(before.text, line.text)
      : undefined;
  }
  if (BULLET.test(line.text)) return group.list ? '\n' : undefined;
  if (LEADERS.test(before.text)) return '\n';
  const full = before.text.length >= usual * FULL_SHARE;
  if (full) return flowGlue(before.text, line.text);
  if (/[.!?:;。！？]["'”’)]?$/.test(before.text)) return undefined;
  return /^\p{Ll}/u.test(line.text) ? flowGlue(before.text, line.text) : '\n';
}

const SOFT_HYPHENS = /(\p{L}*)\ufffe\s?(\p{L}*)/gu;

/** Joins `Ef-fects` into one word. `church-key` keeps its hyphen if the text elsewhere has it in that form. */
function joinHyphenated(before: string, after: string, words: ReadonlySet<string>): string {
  const joined = `${before}${after}`;
  const dashed = `${before}-${after}`;
  if (words.has(dashed.toLowerCase()) && !words.has(joined.toLowerCase())) return dashed;
  return before === '' || after === '' ? dashed : joined;
}

/** Returns all words in lower case; hyphenated words stay whole. */
function wordsOf(pages: readonly (readonly PdfLine[])[]): Set<string> {
  const words = new Set<string>();
  for (const lines of pages) {
    for (const line of lines) {
      if (!line.text.includes('-') && !line.text.includes(SOFT_HYPHEN) && words.size > 100_000) continue;
      for (const [word] of line.text.toLowerCase().matchAll(/\p{L}+(?:-\p{L}+)*/gu)) words.add(word);
    }
  }
  return words;
}

function rounded(size: number): number {
  return Math.round(size * 2) / 2;
}

/** Returns the font size of most characters. */
function bodySize(pages: readonly (readonly PdfLine[])[]): number {
  const units = new Map<number, number>();
  for (const { size, text } of pages.flat())
    if (size > 0) units.set(rounded(size), (units.get(rounded(size)) ?? 0) + text.length);
  return [...units].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** If large or bold type exceeds this share of a file's lines or characters, it does not mark headings. */
const HEADING_SHARE_MAX = 0.3;

/** Bold sentences, amounts and rows of numbers, which are no headings. */
const NO_HEADING = /[.,:;]$|[$€£¥]|(\d[^\d]+){4}/;

/** A heading has a word: parts of formulas and of drawings of molecules are large or bold, too. */
const WORD = /\p{L}{3}|\p{Lo}{2}/u;

/** Dots before a page number, as in a table of contents. */
const LEADERS = /(?:\. ?){4,8}\s{0,3}(?:\d{1,5}|[ivxlc]{1,8})?$|(?:\. ?){8}/;

const CONTENTS_LINES_MIN = 3;

/** Returns lines that end in a number, on a page of a table of contents. Chapters there have no dots. */
function contentsLines(lines: readonly PdfLine[]): readonly PdfLine[] {
  const isContents = lines.filter((line) => LEADERS.test(line.text)).length >= CONTENTS_LINES_MIN;
  return isContents ? lines.filter((line) => /\s\d{1,4}$/.test(line.text)) : [];
}

/**
 * Returns a function for the heading level of a line, 0 for none. Larger type comes first, by size, then bold lines in body
 * type.
 */
function headingLevels(pages: readonly (readonly PdfLine[])[], body: number, usual: number): (line: PdfLine) => number {
  const lines = pages.flat();
  const others = new Set([...authorLines(pages[0] ?? [], usual), ...pages.flatMap(contentsLines)]);
  const isLarge = (line: PdfLine) => body > 0 && rounded(line.size) >= body * HEADING_FACTOR;
  const isTitle = (line: PdfLine) =>
    line.text.length <= HEADING_UNITS_MAX && WORD.test(line.text) && !LEADERS.test(line.text) && !others.has(line);
  const units = lines.reduce((sum, line) => sum + line.text.length, 0);
  const largeUnits = lines.filter(isLarge).reduce((sum, line) => sum + line.text.length, 0);
  const sizes = new Set<number>();
  if (largeUnits <= units * HEADING_SHARE_MAX) {
    for (const line of lines) if (isLarge(line) && isTitle(line)) sizes.add(rounded(line.size));
  }
  const ranks = new Map([...sizes].sort((a, b) => b - a).map((size, rank) => [size, rank + 1]));
  const isBoldTitle = (line: PdfLine) =>
    line.bold === true && isTitle(line) && /^[\p{Lu}\p{Lo}\d]/u.test(line.text) && !NO_HEADING.test(line.text);
  const boldCounts = lines.filter(isBoldTitle).length <= lines.length * HEADING_SHARE_MAX;
  return (line) => {
    const rank = isLarge(line) && isTitle(line) ? ranks.get(rounded(line.size)) : undefined;
    if (rank !== undefined) return Math.min(rank, HEADING_LEVELS_MAX);
    return boldCounts && isBoldTitle(line) ? Math.min(ranks.size + 1, HEADING_LEVELS_MAX) : 0;
  };
}

/** Returns the length of a full line: a high percentile of body lines. */
function usualLength(pages: readonly (readonly PdfLine[])[], body: number): number {
  const lengths = pages
    .flat()
    .filter((line) => rounded(line.size) === body)
    .map((line) => line.text.length);
  lengths.sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length * 0.85)] ?? 0;
}
