/** Lines of a title page that name people: set large or bold, but no headings. Pure. */
import type { PdfLine } from './line.ts';

/** Lines of a first page that are looked at. */
const LINES_MAX = 40;
/** A line of at least this share of the usual length is text, not a line of a title page. */
const TEXT_SHARE = 0.6;
const NAME_UNITS_MAX = 160;

const WORDS_MAX = 24;
/** What may stand between names, or behind them as a mark of a footnote. */
const BETWEEN = /[,;&·•*†‡§∗¶\d\p{No}]+/gu;
const PARTICLE = /^(?:by|and|und|et|y|e|de|van|von|der|den|di|da|del|la|le|bin|al|the|edited|written|par|por)$/i;
const NAME = /^\p{Lu}[\p{L}.'’‐-]*$/u;

/** The lines of the first page between its title and its text that name authors, and what stands behind the names. */
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
    // What stands right above running text is its heading.
    if (line.size === largest || isText(lines[at + 1])) continue;
    // Behind the names stand affiliations, dates and the like.
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
