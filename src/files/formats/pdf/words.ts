/** Groups the characters of a page into words and lines by position. Pure. */
import type { Area } from './area.ts';

/** Boxes of characters by index of the page's text, turned to reading direction; NaN for characters without a box. */
export interface Glyphs {
  text: string;
  left: Float32Array;
  right: Float32Array;
  bottom: Float32Array;
  top: Float32Array;
}

/** Characters without a blank between them; `start` and `end` are the indices of the first and last character. */
export interface Word extends Area {
  start: number;
  end: number;
}

/** Words at one height, sorted from the left. */
export interface WordLine {
  bottom: number;
  top: number;
  words: Word[];
}

/** Maximum distance between characters of one word, as a share of their height. */
const WORD_GAP_SHARE = 0.35;
/** Minimum overlap in height of words in one line. */
const OVERLAP_SHARE = 0.5;

/** Returns the words of a page. A word ends where the group changes; characters in a group below 0 are skipped. */
export function wordsOf(glyphs: Glyphs, groupOf: (index: number) => number): Word[] {
  const { text, left, right, bottom, top } = glyphs;
  const words: Word[] = [];
  let word: Word | undefined;
  let group = -1;
  for (let index = 0; index < text.length; index += 1) {
    const charGroup = groupOf(index);
    if (Number.isNaN(left[index]!) || charGroup < 0) {
      word = undefined;
      continue;
    }
    if (charGroup !== group) word = undefined;
    group = charGroup;
    const box = { left: left[index]!, right: right[index]!, bottom: bottom[index]!, top: top[index]! };
    if (word && word.end === index - 1 && isNext(word, box)) {
      word.end = index;
      word.left = Math.min(word.left, box.left);
      word.right = Math.max(word.right, box.right);
      word.bottom = Math.min(word.bottom, box.bottom);
      word.top = Math.max(word.top, box.top);
    } else {
      word = { ...box, start: index, end: index };
      words.push(word);
    }
  }
  return words;
}

function isNext(word: Area, box: Area): boolean {
  const gap = Math.max(box.left - word.right, word.left - box.right);
  return gap <= (box.top - box.bottom) * WORD_GAP_SHARE && overlap(word, box) >= OVERLAP_SHARE;
}

/** Returns the shared height of two areas as a share of the smaller height. */
function overlap(a: { bottom: number; top: number }, b: { bottom: number; top: number }): number {
  const shared = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  return shared / Math.max(0.1, Math.min(a.top - a.bottom, b.top - b.bottom));
}

/** Returns the lines of words at one height, from the top. */
export function wordLines(words: readonly Word[]): WordLine[] {
  const lines: WordLine[] = [];
  let line: WordLine | undefined;
  const height = (word: Word) => word.top + word.bottom;
  for (const word of words.toSorted((a, b) => height(b) - height(a))) {
    if (line && overlap(line, word) >= OVERLAP_SHARE) line.words.push(word);
    else {
      line = { bottom: word.bottom, top: word.top, words: [word] };
      lines.push(line);
    }
  }
  for (const { words: lineWords } of lines) lineWords.sort((a, b) => a.left - b.left);
  return lines;
}

/** Returns the words of a line in segments: words in one segment are at most `gap` line heights apart. */
export function segmentsOf({ words, bottom, top }: WordLine, gap: number): Word[][] {
  const segments: Word[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const word of words) {
    if (word.left - right <= (top - bottom) * gap) segments.at(-1)!.push(word);
    else segments.push([word]);
    right = Math.max(right, word.right);
  }
  return segments;
}
