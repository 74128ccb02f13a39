/**
 * Forms of a word under which it is found although its stem differs: how it begins, the parts of a compound, its spelling with
 * tone marks, its bare consonants or what is left without prefixes. They are indexed beside the stem and count less than it in a query.
 *
 * Weights were chosen on XQuAD (en, de), SciFact, and on titles and texts of translated manuals (bench/manual-sets.ts).
 */
import { compoundParts } from './compounds.ts';
import { encodeForm, encodePrefix, encodeTerm } from './encode.ts';
import type { WordTerm } from './words.ts';

/** What a stem counts, and everything that is no looser form. Weights are whole: a term is repeated in the query. */
export const TERM_WEIGHT = 3;
/** A Vietnamese syllable without its marks: with others it would be another word. */
const TONELESS_WEIGHT = 2;
const PREFIX_WEIGHT = 2;
/** English inflects little: words that merely begin alike are other words more often. */
const ENGLISH_PREFIX_WEIGHT = 1;
const PART_WEIGHT = 2;
const LIGHT_WEIGHT = 2;
const SKELETON_WEIGHT = 1;

/** Words of at least this many letters are also found by their first letters. */
const PREFIX_UNITS = 5;
/** Russian roots change towards their end: друг, дружба, дружеский. */
const RUSSIAN_ROOT_UNITS = 4;
const SURROGATE = /[\ud800-\udfff]/;

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
  return encodeTerm(language === 'vi' ? withToneInPlace(lower) : stemmed);
}

/** Vietnamese marks the tone of an open syllable on either vowel: hoà, hòa; thuý, thúy. */
const LATE_TONE = /(o(?=[ae])|(?<!q)u(?=y))([aey])([\u0300\u0301\u0303\u0309\u0323])$/;

function withToneInPlace(lower: string): string {
  return lower.normalize('NFD').replace(LATE_TONE, '$1$3$2').normalize('NFC');
}

/** What else it is found by. */
export function looserForms({ lower, letters, stemmed }: WordForms, language: string | null): WordTerm[] {
  if (language === 'vi') return [{ term: encodePrefix(letters), weight: TONELESS_WEIGHT }];
  if (language === 'ar') return arabicForms(stemmed);
  if (HEBREW.test(letters)) return [{ term: encodeForm('^', hebrewRoot(letters)), weight: LIGHT_WEIGHT }];
  const forms = prefixForm(letters, language === 'en' ? ENGLISH_PREFIX_WEIGHT : PREFIX_WEIGHT);
  if (language === 'ru') forms.push(...prefixForm(letters, PREFIX_WEIGHT, RUSSIAN_ROOT_UNITS));
  if (language === 'de') {
    for (const part of compoundParts(lower)) forms.push({ term: encodeTerm(part), weight: PART_WEIGHT });
  }
  return forms;
}

function prefixForm(letters: string, weight: number, units: number = PREFIX_UNITS): WordTerm[] {
  if (letters.length < units || SURROGATE.test(letters)) return [];
  return [{ term: encodePrefix(letters.slice(0, units)), weight }];
}

/** Conjunctions, prepositions and marks of the person, before and after what the light stemmer left. */
const CLITIC = /^[وفبكليتنا]{1,3}(?=.{3})/;
const ENDING = /(?<=.{3})(?:تها|هما|كما|هم|هن|كم|نا|تم|وا|ا|ت|ن|و)$/;
/** Long vowels: what is left is the same for كتاب and كتب. */
const WEAK_LETTERS = /[اويى]/g;
const SKELETON_UNITS_MIN = 2;

const HEBREW = /^[\u05d0-\u05ea]/;
/** As many as can be: what is left is then the same for a word and for that word with another before it. */
const HEBREW_PREFIXES = /^[והבלמשכ]+(?=.{3})/;
const HEBREW_ENDING = /(?<=.{2})(?:ים|ות|ה|י|ת|ו)$/;

function arabicForms(stemmed: string): WordTerm[] {
  const light = stemmed.replace(CLITIC, '').replace(ENDING, '');
  const skeleton = stemmed.replace(WEAK_LETTERS, '');
  const forms = [{ term: encodeForm('^', light), weight: LIGHT_WEIGHT }];
  if (skeleton.length >= SKELETON_UNITS_MIN) {
    forms.push({ term: encodeForm('°', skeleton), weight: SKELETON_WEIGHT });
  }
  return forms;
}

function hebrewRoot(letters: string): string {
  return letters.replace(HEBREW_ENDING, '').replace(HEBREW_PREFIXES, '');
}
