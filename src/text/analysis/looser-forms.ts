/**
 * Forms of a word under which it is found although its stem differs: how it begins, the parts of a compound, its spelling with
 * tone marks, its root or what is left without prefixes. They are indexed beside the stem and count less than it in a query.
 *
 * Weights were chosen on XQuAD (en, de), SciFact, on titles and texts of translated manuals (bench/manual-sets.ts), and for Arabic and
 * Hindi on questions about paragraphs written for this.
 */

import { fold } from '../fold.ts';
import { arabicLight, arabicRoot, hebrewRoot, hindiRoot } from '../stems/roots.ts';
import { isScriptLanguage } from '../stems/stems.ts';
import { compoundParts } from './compounds.ts';
import { encodeForm, encodePrefix, encodeStem, encodeTerm } from './encode.ts';
import { vietnameseSpelling } from './vietnamese.ts';

/** What a stem counts, and everything that is no looser form. Weights are whole: a term is repeated in the query. */
export const TERM_WEIGHT = 3;
/** A Vietnamese syllable without its marks: with others it would be another word. */
const TONELESS_WEIGHT = 2;
const PREFIX_WEIGHT = 2;
/** English inflects little, and Romanian stems meet without this: words that merely begin alike are other words more often. */
const LOW_PREFIX_WEIGHT = 1;
/** In Hindi vowels have letters of their own: fewer consonants are alike. */
const HINDI_PREFIX_WEIGHT = 1;
const PART_WEIGHT = 2;
const ARABIC_LIGHT_WEIGHT = 1;
const ARABIC_ROOT_WEIGHT = 2;
const HINDI_ROOT_WEIGHT = 1;
const HEBREW_ROOT_WEIGHT = 2;
const ROOT_UNITS_MIN = 2;

/** Words of at least this many letters are also found by their first letters. */
const PREFIX_UNITS = 5;
/** Russian roots change towards their end: друг, дружба, дружеский. */
const RUSSIAN_ROOT_UNITS = 4;
const SURROGATE = /[\ud800-\udfff]/;

/** A lexeme of a word, and what it counts in a query. */
export interface WordTerm {
  term: string;
  weight: number;
}

export interface WordForms {
  /** In lower case, with its marks. */
  lower: string;
  /** `lower`, folded. */
  letters: string;
  /** The stem, folded. */
  stemmed: string;
}

/** The term of a word. `language` is the one that it is treated as, or null in a script without stemmers. */
export function mainTerm({ lower, stemmed }: WordForms, language: string | null): string {
  if (language === null || isScriptLanguage(language)) return encodeTerm(stemmed);
  return encodeStem(language === 'vi' ? vietnameseSpelling(lower) : stemmed, language);
}

/** What else it is found by. */
export function looserForms({ lower, letters, stemmed }: WordForms, language: string | null): WordTerm[] {
  if (language === 'vi') return [{ term: encodePrefix(fold(vietnameseSpelling(lower))), weight: TONELESS_WEIGHT }];
  if (language === 'ar') {
    const light = { term: encodeForm('^', arabicLight(stemmed)), weight: ARABIC_LIGHT_WEIGHT };
    return [light, ...rootForm(arabicRoot(stemmed), ARABIC_ROOT_WEIGHT)];
  }
  if (language === 'hi')
    return [...prefixForm(stemmed, HINDI_PREFIX_WEIGHT), ...rootForm(hindiRoot(stemmed), HINDI_ROOT_WEIGHT)];
  if (HEBREW.test(letters)) return [{ term: encodeForm('^', hebrewRoot(letters)), weight: HEBREW_ROOT_WEIGHT }];
  const forms = prefixForm(letters, language === 'en' || language === 'ro' ? LOW_PREFIX_WEIGHT : PREFIX_WEIGHT);
  if (language === 'ru') forms.push(...prefixForm(letters, PREFIX_WEIGHT, RUSSIAN_ROOT_UNITS));
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
