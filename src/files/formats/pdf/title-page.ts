/** Finds lines of a title page that name people. They are large or bold, but no headings. Pure. */
import type { PdfLine } from './line.ts';

/** Lines of the first page that are examined. */
const LINES_MAX = 40;
/** A line of at least this share of the usual length is running text. */
const TEXT_SHARE = 0.6;
const NAME_UNITS_MAX = 160;

const WORDS_MAX = 24;
/** Characters between names, and marks of footnotes after names. */
const BETWEEN = /[,;&·•*†‡§∗¶\d\p{No}]+/gu;
const PARTICLE = /^(?:by|and|und|et|y|e|de|van|von|der|den|di|da|del|la|le|bin|al|the|edited|written|par|por)$/i;
const NAME = /^\p{Lu}[\p{L}.'’‐-]*$/u;

/** Returns the lines of the first page between title and text that name authors, and the lines after the names. */
export function authorLines(page: readonly PdfLine[], usual: number): Set<PdfLine> {
  const found = new Set<PdfLine>();
  const lines = page.slice(0, LINES_MAX);
  const largest = lines.reduce((most, line) => Math.max(most, line.size), 0);
  const isText = (line: PdfLine | undefined) =>
    line !== undefined && line.text.length >= usual * TEXT_SHARE && line.size < largest;
  const title = lines.findIndex((line) => line.size === largest);
  for (let at = title + 1; title !== -1 && at < lines.length; at += 1) {
    const line = lines[at]!;
    if (isText(line) && !isNames(line.text)) break;
    // A line directly above running text is its heading.
    if (line.size === largest || isText(lines[at + 1])) continue;
    // Affiliations, dates and similar lines follow the names.
    if (found.size > 0 || isNames(line.text)) found.add(line);
  }
  return found;
}

function isNames(text: string): boolean {
  if (text.length > NAME_UNITS_MAX || /^\d/.test(text)) return false;
  const words = text.replace(BETWEEN, ' ').trim().split(/\s+/);
  const names = words.filter((word) => !PARTICLE.test(word));
  return words.length <= WORDS_MAX && names.length >= 2 && names.every((name) => NAME.test(name));
}
