/**
 * What remains of a word without its vowels and without what grammar puts around it: nearly the same for كتاب and كتب, for इतिहास
 * and ऐतिहासिक, for a name and another spelling of it. Much is left out on purpose: a root stands beside the stem, never for it.
 */

/** Conjunctions, prepositions and marks of the person, before and after what the light stemmer left. Endings go first. */
const ARABIC_CLITIC = /^[وفبكليتنا]{1,3}(?=.{3})/;
const ARABIC_ENDING = /(?<=.{3})(?:تها|هما|كما|هم|هن|كم|نا|تم|وا|ا|ت|ن|و)$/;
/** Of an object (كتابا), and of a verb. */
const ARABIC_CASE_ENDING = /(?<=.{3})(?:وا|[او])$/;
const ARABIC_PREPOSITION = /^[وفبكل](?=.{4})/;
const ARABIC_WEAK_LETTERS = /[اويىء]/g;
/** Of participles, and of verbs by person and form (استخدم, يستخدم, مستخدم); their vowels are gone by then. */
const ARABIC_FORMATIVES = /^(?:[متن]?ست|[مت])(?=.{3})/;

/** Folded, as the light stemmer left it. */
export function arabicLight(stemmed: string): string {
  return stemmed.replace(ARABIC_ENDING, '').replace(ARABIC_CLITIC, '');
}

export function arabicRoot(stemmed: string): string {
  return stemmed
    .replace(ARABIC_CASE_ENDING, '')
    .replace(ARABIC_PREPOSITION, '')
    .replace(ARABIC_WEAK_LETTERS, '')
    .replace(ARABIC_FORMATIVES, '');
}

/** Of adjectives and participles: भारतीय, ऐतिहासिक, आधारित. */
const HINDI_DERIVATION = /(?<=..)(?:ीय|िक|ित)$/;
const HINDI_FIRST_VOWEL = /^[\u0905-\u0914]/;
/** Vowels and their signs, nasals, and the sign that there is none. */
const HINDI_VOWELS = /(?!^)[\u0902-\u0914\u093e-\u094d]/g;
const DOUBLED = /(.)\1/g;
/** Compounds are found by their first part. */
const HINDI_UNITS_MAX = 4;

/** Of a folded stem. */
export function hindiRoot(stemmed: string): string {
  return stemmed
    .replace(HINDI_DERIVATION, '')
    .replace(HINDI_FIRST_VOWEL, 'अ')
    .replace(HINDI_VOWELS, '')
    .replace(DOUBLED, '$1')
    .slice(0, HINDI_UNITS_MAX);
}

/** As many as can be: what is left is then the same for a word and for that word with another before it. */
const HEBREW_PREFIXES = /^[והבלמשכ]+(?=.{3})/;
const HEBREW_ENDING = /(?<=.{2})(?:ים|ות|ה|י|ת|ו)$/;

export function hebrewRoot(letters: string): string {
  return letters.replace(HEBREW_ENDING, '').replace(HEBREW_PREFIXES, '');
}
