/**
 * Roots of words: words without vowels, prefixes and endings. Related words have nearly the same root: كتاب and كتب, इतिहास and
 * ऐतिहासिक, a name and another spelling of the name. A root loses much of a word, so it is indexed beside the stem, never instead of it.
 */

/** Endings of an object (كتابا) and of a verb. */
const ARABIC_CASE_ENDING = /(?<=.{3})(?:وا|[او])$/;
const ARABIC_PREPOSITION = /^[وفبكل](?=.{4})/;
const ARABIC_WEAK_LETTERS = /[اويىء]/g;
/** Prefixes of participles and of verbs by person and form (استخدم, يستخدم, مستخدم), without their vowels. */
const ARABIC_FORMATIVES = /^(?:[متن]?ست|[مت])(?=.{3})/;

/**
 * Returns the consonants of the root of an Arabic word.
 *
 * @param stemmed the folded stem.
 */
export function arabicRoot(stemmed: string): string {
  return stemmed
    .replace(ARABIC_CASE_ENDING, '')
    .replace(ARABIC_PREPOSITION, '')
    .replace(ARABIC_WEAK_LETTERS, '')
    .replace(ARABIC_FORMATIVES, '');
}

/** Endings of adjectives and participles: भारतीय, ऐतिहासिक, आधारित. */
const HINDI_DERIVATION = /(?<=..)(?:ीय|िक|ित)$/;
const HINDI_FIRST_VOWEL = /^[\u0905-\u0914]/;
/** Vowels, vowel signs, nasals, and the sign that a consonant has no vowel. */
const HINDI_VOWELS = /(?!^)[\u0902-\u0914\u093e-\u094d]/g;
const DOUBLED = /(.)\1/g;
/** Maximum length of a root, so that a compound is found by its first part. */
const HINDI_UNITS_MAX = 4;

/**
 * Returns the root of a Hindi word.
 *
 * @param stemmed the folded stem.
 */
export function hindiRoot(stemmed: string): string {
  return stemmed
    .replace(HINDI_DERIVATION, '')
    .replace(HINDI_FIRST_VOWEL, 'अ')
    .replace(HINDI_VOWELS, '')
    .replace(DOUBLED, '$1')
    .slice(0, HINDI_UNITS_MAX);
}

/** All prefixes at once, so that a word has the same root with and without another word before it. */
const HEBREW_PREFIXES = /^[והבלמשכ]+(?=.{3})/;
const HEBREW_ENDING = /(?<=.{2})(?:ים|ות|ה|י|ת|ו)$/;

/**
 * Returns the root of a Hebrew word without prefixes and ending.
 *
 * @param letters the folded word.
 */
export function hebrewRoot(letters: string): string {
  return letters.replace(HEBREW_ENDING, '').replace(HEBREW_PREFIXES, '');
}
