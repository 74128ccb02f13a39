/** Writes the headers and footers of texts: each different text once, without page numbers. Pure. */
import { oneLine } from '../../../util/code-points.ts';
import type { TextBuilder } from '../text-builder.ts';

/** Stands for a page number, or a number of pages, in the text of a header or footer. */
export const PAGE_MARK = '\ue0c3';

/** Maximum number of different lines. A file may have a header for each section. */
const LINES_MAX = 200;
/** Words around a page number, such as "Page 1 of 9", are no text if they are so few. */
const PAGE_WORDS_MAX = 3;
const SEPARATOR = /(\t|\s[|·•–—/-]\s)/;

/** Adds the texts of headers and footers to the end of a file, under no heading. Lines that the text has already are left out. */
export function writeRunningTexts(paragraphs: readonly string[], builder: TextBuilder): void {
  if (paragraphs.length === 0) return;
  const body = new Set(builder.text().split('\n').map(withoutMarks));
  const lines = new Set(paragraphs.map(lineOf).filter((line) => line !== '' && !body.has(line)));
  for (const line of [...lines].slice(0, LINES_MAX)) builder.add({ kind: 'paragraph', headingPath: [] }, line);
}

/** Returns the parts of a line that are more than page numbers, with their own separators, or bars for tabs. */
function lineOf(paragraph: string): string {
  const all = paragraph.split(SEPARATOR);
  const kept = all.flatMap((part, i) => (i % 2 === 1 || isPageNumber(part) ? [] : [`${all[i - 1] ?? ''}${part}`]));
  const line = oneLine(kept.join('').replaceAll(PAGE_MARK, '').replaceAll('\t', ' | '));
  return line.replace(/^(?:[|·•–—/-]\s)+|[\s|–—-]{1,20}$/g, '');
}

function isPageNumber(part: string): boolean {
  if (/^[\s\d.,–—-]*$/.test(part)) return true;
  if (!part.includes(PAGE_MARK)) return false;
  const rest = part.replaceAll(PAGE_MARK, ' ');
  return !/\d/.test(rest) && (rest.match(/\p{L}+/gu) ?? []).length <= PAGE_WORDS_MAX;
}

function withoutMarks(line: string): string {
  return line.replace(/^#+ /, '').trim();
}
