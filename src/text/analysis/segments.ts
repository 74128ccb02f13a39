/** Terms of scripts that write no blanks between words. */
import { encodeTerm } from './encode.ts';

/** `weight` is what the term counts in a query. */
type Add = (term: string, weight: number) => void;

/**
 * A word is found by each of its characters, by each of their pairs, and as a whole: they count together what a word of another
 * script counts alone. (Numbers and names in other scripts would else be lost among them.)
 */
const PART_WEIGHT = 1;
/** Triples cut through words. */
const THAI_WORD_WEIGHT = 2;

/** The segmenter is handed at most this many UTF-16 units at once: its memory grows with the run. */
const SEGMENT_UNITS_MAX = 1000;
const WORD_UNITS_MAX = 64;

const cjkSegmenter = new Intl.Segmenter('ja', { granularity: 'word' });
const thaiSegmenter = new Intl.Segmenter('th', { granularity: 'word' });

/** Chinese and Japanese: every character, every pair, and the dictionary's words of two characters and more. */
export function cjkTerms(run: string, add: Add): void {
  const characters = [...run];
  grams(characters, 1, add);
  grams(characters, 2, add);
  segment(cjkSegmenter, run, (word) => {
    if (word.length > 1) add(encodeTerm(word), PART_WEIGHT);
  });
}

/** Korean: every syllable and every pair (the segmenter is slow there and adds nothing). */
export function hangulTerms(run: string, add: Add): void {
  const syllables = [...run];
  grams(syllables, 1, add);
  grams(syllables, 2, add);
}

/** Thai, Lao, Khmer, Burmese: the dictionary's words, and triples of characters for what it does not know. */
export function thaiTerms(run: string, add: Add): void {
  grams([...run], 3, add);
  segment(thaiSegmenter, run, (word) => add(encodeTerm(word), THAI_WORD_WEIGHT));
}

/** Where the dictionary's words begin and end, in UTF-16 units. */
export function wordBoundaries(text: string, script: 'cjk' | 'thai'): ReadonlySet<number> {
  const boundaries = new Set([0]);
  let end = 0;
  segment(script === 'cjk' ? cjkSegmenter : thaiSegmenter, text, (_word, units) => {
    end += units;
    boundaries.add(end);
  });
  return boundaries;
}

function grams(characters: readonly string[], size: number, add: Add): void {
  for (let i = size; i <= characters.length; i++) add(encodeTerm(characters.slice(i - size, i).join('')), PART_WEIGHT);
}

function segment(segmenter: Intl.Segmenter, run: string, visit: (word: string, units: number) => void): void {
  for (let start = 0; start < run.length; start += SEGMENT_UNITS_MAX) {
    for (const part of segmenter.segment(run.slice(start, start + SEGMENT_UNITS_MAX))) {
      visit(part.segment.slice(0, WORD_UNITS_MAX), part.segment.length);
    }
  }
}
