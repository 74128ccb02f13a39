/**
 * Looser forms of a word, by which a word with another stem finds it: its first letters, the parts of a compound, its spelling without
 * tone marks, its root, or its letters without prefixes. They are indexed beside the stem and count less than the stem in a query.
 *
 * Weights were chosen on XQuAD (en, de), SciFact, on titles and texts of translated manuals (bench/manual-sets.ts), and for Arabic and
 * Hindi on questions about paragraphs written for this.
 */

import { fold } from '../fold.ts';
import { arabicRoot, hebrewRoot, hindiRoot } from '../stems/roots.ts';
import { isScriptLanguage } from '../stems/stems.ts';
import { compoundParts } from './compounds.ts';
import { encodeForm, encodePrefix, encodeStem, encodeTerm } from './encode.ts';
import { vietnameseSpelling } from './vietnamese.ts';

/** Weight of a stem and of every other term that is no looser form. Weights are whole numbers, because the query repeats a term. */
export const TERM_WEIGHT = 3;
/** Weight of a Vietnamese syllable without its marks. With other marks it would be another word. */
const TONELESS_WEIGHT = 2;
const PREFIX_WEIGHT = 2;
/** Weight of the first letters in English, which inflects little: words with the same first letters are more often different words. */
const ENGLISH_PREFIX_WEIGHT = 1;
/** Weight of the first letters in Hindi, where vowels are separate letters, so that fewer consonants are equal. */
const HINDI_PREFIX_WEIGHT = 1;
const PART_WEIGHT = 2;
const ARABIC_ROOT_WEIGHT = 2;
const HINDI_ROOT_WEIGHT = 1;
const HEBREW_ROOT_WEIGHT = 2;
const ROOT_UNITS_MIN = 2;

/** Words of at least this many letters are also found by this many first letters. */
const PREFIX_UNITS = 5;
/** The same for languages whose roots change at their end: друг, дружба; αναλύω, ανάλυση; kitap, kitabı. */
const ROOT_UNITS = 4;
const CHANGING_ROOTS: readonly (string | null)[] = ['ru', 'el', 'tr'];
const SURROGATE = /[\ud800-\udfff]/;

/** A term of a word, and its weight in a query. */
export interface WordTerm {
  term: string;
  weight: number;
}

export interface WordForms {
  /** The word in lower case, with its marks. */
  lower: string;
  /** `lower`, folded. */
  letters: string;
  /** The stem, folded. */
  stemmed: string;
}

/**
 * Returns the term of a word.
 *
 * @param language the language that the word is analyzed in; null in a script without stemmers.
 */
export function mainTerm({ lower, stemmed }: WordForms, language: string | null): string {
  if (language === null || isScriptLanguage(language)) return encodeTerm(stemmed);
  return encodeStem(language === 'vi' ? vietnameseSpelling(lower) : stemmed, language);
}

/** Returns the other terms that a word is found by. `language` is as in `mainTerm`. */
export function looserForms({ lower, letters, stemmed }: WordForms, language: string | null): WordTerm[] {
  if (language === 'vi') return [{ term: encodePrefix(fold(vietnameseSpelling(lower))), weight: TONELESS_WEIGHT }];
  if (language === 'ar') return rootForm(arabicRoot(stemmed), ARABIC_ROOT_WEIGHT);
  if (language === 'hi')
    return [...prefixForm(stemmed, HINDI_PREFIX_WEIGHT), ...rootForm(hindiRoot(stemmed), HINDI_ROOT_WEIGHT)];
  if (HEBREW.test(letters)) return [{ term: encodeForm('^', hebrewRoot(letters)), weight: HEBREW_ROOT_WEIGHT }];
  const forms = prefixForm(letters, language === 'en' ? ENGLISH_PREFIX_WEIGHT : PREFIX_WEIGHT);
  if (CHANGING_ROOTS.includes(language)) forms.push(...prefixForm(letters, PREFIX_WEIGHT, ROOT_UNITS));
  if (language === 'de') {
    for (const part of compoundParts(lower)) forms.push({ term: encodeStem(part, language), weight: PART_WEIGHT });
  }
  return forms;
}

const HEBREW = /^[\u05d0-\u05ea]/;

function prefixForm(letters: string, weight: number, units: number = PREFIX_UNITS): WordTerm[] {
  if (letters.length < units || SURROGATE.test(letters)) return [];
  return [{ term: encodePrefix(letters.slice(0, units)), weight }];
}

function rootForm(root: string, weight: number): WordTerm[] {
  return root.length < ROOT_UNITS_MIN ? [] : [{ term: encodeForm('°', root), weight }];
}
