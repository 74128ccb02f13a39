/** Terms of scripts that write no blanks between words. */
import { encodeTerm } from './encode.ts';
import { uniteHan } from './han-variants.ts';

/** Adds a term with its weight in a query. */
type Add = (term: string, weight: number) => void;

/** Weight of every term. With a higher weight, numbers and names in other scripts would hardly count beside them. */
const PART_WEIGHT = 1;

/** Maximum length of text for one call of the segmenter, in UTF-16 units. Its memory grows with the text. */
const SEGMENT_UNITS_MAX = 1000;
const WORD_UNITS_MAX = 64;

const thaiSegmenter = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * Adds the terms of Chinese, Japanese and Korean text: every character and every pair. Words of a dictionary besides them change nDCG@10
 * by less than .001 (XQuAD, DRCD, JSQuAD).
 */
export function cjkTerms(run: string, add: Add): void {
  const characters = [...uniteHan(run)];
  grams(characters, 1, add);
  grams(characters, 2, add);
}

/** Adds the terms of Thai, Lao, Khmer and Burmese text: the dictionary's words, and triples of characters for unlisted words. */
export function thaiTerms(run: string, add: Add): void {
  grams([...run], 3, add);
  for (let start = 0; start < run.length; start += SEGMENT_UNITS_MAX) {
    for (const { segment } of thaiSegmenter.segment(run.slice(start, start + SEGMENT_UNITS_MAX))) {
      add(encodeTerm(segment.slice(0, WORD_UNITS_MAX)), PART_WEIGHT);
    }
  }
}

function grams(characters: readonly string[], size: number, add: Add): void {
  for (let i = size; i <= characters.length; i++) add(encodeTerm(characters.slice(i - size, i).join('')), PART_WEIGHT);
}
