/** Terms of scripts that write no blanks between words. */
import { encodeTerm } from './encode.ts';

/** Adds a term with its weight in a query. */
type Add = (term: string, weight: number) => void;

/**
 * Weight of a character, of a pair of characters and of a whole word. Together they count as much as a word of another script. With
 * higher weights, numbers and names in other scripts would hardly count beside them.
 */
const PART_WEIGHT = 1;
/** Weight of a whole Thai word. It counts more than a triple of characters, because triples cross the ends of words. */
const THAI_WORD_WEIGHT = 2;

/** Maximum length of text for one call of the segmenter, in UTF-16 units. Its memory grows with the text. */
const SEGMENT_UNITS_MAX = 1000;
const WORD_UNITS_MAX = 64;

const cjkSegmenter = new Intl.Segmenter('ja', { granularity: 'word' });
const thaiSegmenter = new Intl.Segmenter('th', { granularity: 'word' });

/** Adds the terms of Chinese and Japanese text: every character, every pair, and the dictionary's words of two characters and more. */
export function cjkTerms(run: string, add: Add): void {
  const characters = [...run];
  grams(characters, 1, add);
  grams(characters, 2, add);
  segment(cjkSegmenter, run, (word) => {
    if (word.length > 1) add(encodeTerm(word), PART_WEIGHT);
  });
}

/** Adds the terms of Korean text: every syllable and every pair. The segmenter is slow for Korean and adds nothing. */
export function hangulTerms(run: string, add: Add): void {
  const syllables = [...run];
  grams(syllables, 1, add);
  grams(syllables, 2, add);
}

/** Adds the terms of Thai, Lao, Khmer and Burmese text: the dictionary's words, and triples of characters for unlisted words. */
export function thaiTerms(run: string, add: Add): void {
  grams([...run], 3, add);
  segment(thaiSegmenter, run, (word) => add(encodeTerm(word), THAI_WORD_WEIGHT));
}

/** Returns the offsets at which the dictionary's words begin and end, in UTF-16 units. */
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
