/**
 * Finds blanks that pdfium adds between the letters of program code. LaTeX moves the letters of a listing apart, so that they fill cells of
 * one width, and pdfium sees blanks there: `i f ( x )`. Pure.
 */
import type { Boxes } from './accents.ts';

/** Single characters with blanks between them. */
const SINGLES = /(?<!\S)\S(?: \S){3,}(?!\S)/gu;
/** The gap between letters as a share of the font size. Seen were 0.1 to 0.14; between words it is 0.2 or more. */
const GAP_SHARE_MAX = 0.18;

/** Returns whether a text has single letters with blanks between them. */
export function hasSpacedLetters(text: string): boolean {
  return (text.match(SINGLES) ?? []).some(isMostlyLetters);
}

function isMostlyLetters(singles: string): boolean {
  return (singles.match(/\p{L}/gu)?.length ?? 0) * 4 > singles.length;
}

/**
 * Returns the blanks beside single characters that are too narrow to separate words, in lines with several single letters. `isAdded` tells
 * whether pdfium added a blank.
 */
export function blanksInWords(text: string, boxes: Boxes, isAdded: (unit: number) => boolean): Set<number> {
  const found = new Set<number>();
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    if (!hasSpacedLetters(line)) continue;
    for (const { index: at } of line.matchAll(/(?<=(?:^|\s)\S) (?=\S)|(?<=\S) (?=\S(?:\s|$))/gu)) {
      const blank = index + at;
      const gap = boxes.left[blank + 1]! - boxes.right[blank - 1]!;
      if (gap < GAP_SHARE_MAX * boxes.size[blank + 1]! && isAdded(blank)) found.add(blank);
    }
  }
  return found;
}
