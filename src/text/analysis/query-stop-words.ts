/**
 * Words that say nothing about what a query looks for. Besides stop words, they are pronouns, auxiliaries and question words in all
 * their forms. Prepositions of place and time are not listed: `insert a row above` is found by `above`.
 *
 * A word that may also be what the query looks for is ambiguous: it counts less, but it is never left out. Examples are Spanish `este`
 * (`this`, `east`), Portuguese `São Paulo`, Romanian `pot` and Persian `کرد`.
 */
import { lazy } from '../../util/lazy.ts';
import { readWordLists } from '../../util/package-files.ts';
import { fold } from '../fold.ts';
import { stopWordsOf } from './stop-words.ts';

const queryLists = lazy(() => readWordLists('query-stop-words'));
const ambiguousLists = lazy(() => readWordLists('ambiguous-stop-words'));

const HIGH = '[ıiİuü]';
const TURKISH_CASES = `n?${HIGH}n|n?[dt][ae]n?|[dt][ae]k[iİ]|[ny][ıiİuüae]|y?l[ae]|[dt]${HIGH}r|l${HIGH}k?`;
const TURKISH_POSSESSIVES = `s${HIGH}(?:n${HIGH}n?|nd[ae]n?|n[ae])?`;
const TURKISH_PLURALS = 'l[ae]r(?:[ıiİ]n?|[ae]|d[ae]n?|l[ae])?';
const TURKISH_ORDINALS = `${HIGH}?nc${HIGH}`;
const VOWEL_AFTER_DIGIT = "(?<=\\p{Nd}['’])[aeıiİuü]";
const TURKISH_ENDING = [TURKISH_CASES, TURKISH_POSSESSIVES, TURKISH_PLURALS, TURKISH_ORDINALS, VOWEL_AFTER_DIGIT].join(
  '|',
);
/**
 * Endings of names and numbers behind an apostrophe: Türkiye’nin, 1923’te, 1970’lerde, 19’uncu, 3’e. Without an apostrophe some
 * endings are words: `un`, `tür`, `ten`.
 */
const TURKISH_ENDINGS = new RegExp(`(?<=[\\p{L}\\p{N}])['’](?:${TURKISH_ENDING})(?![\\p{L}\\p{N}])`, 'giu');

const ROMANIAN_FIRST = '[smlniv]|[mtțţsșşnvl]i|ne|v[ăa]|le|s[ăa]|nu|ce|c[ăa]?|de|(?:d|pr)?[îi]ntr';
const ROMANIAN_SECOND = '[aoil]|a[uirmsșş]|a[tțţ]i|un(?:ul|ui|a|ei)?|[mtțţsșş]i|le|ne|se|vor';
/** Pronouns, prepositions and other short words that a hyphen joins: s-a, într-o, să-și. Their letters are no words: `S`, `L`. */
const ROMANIAN_PAIRS = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${ROMANIAN_FIRST})-(?:${ROMANIAN_SECOND})(?![\\p{L}\\p{N}-])`,
  'giu',
);
const ROMANIAN_ARTICLES = 'i?ul|i?ului|uri(?:le|lor)?|lui|lea?|lor|ei|ii|ilor|ele|elor|o';
/**
 * Articles and pronouns that a hyphen joins to a word, and endings of ordinal numbers: NFL-ului, site-urile, însoțit-o, XVI-lea.
 * The pattern does not match model-A and type-II.
 */
const ROMANIAN_ENDINGS = new RegExp(
  `(?:(?<=[\\p{L}\\p{N}])-(?:${ROMANIAN_ARTICLES})|(?<=[\\dIVXLC])-a)(?![\\p{L}\\p{N}-])`,
  'gu',
);

const ARABIC_MARKS = /[\u0640\u064b-\u065f\u0670]/g;
const ALEF_FORMS = /[أإآ]/g;

/** A `ambiguous` stop word may also be a name or a noun. */
export type StopWord = 'certain' | 'ambiguous';

const stopWordsByLanguage = new Map<string, ReadonlyMap<string, StopWord>>();

/**
 * Returns the kind of stop word that a word is in queries of a language; undefined if it is none or the language has no list.
 *
 * @param lower the word in lower case, not stemmed.
 */
export function queryStopWord(lower: string, language: string): StopWord | undefined {
  let words = stopWordsByLanguage.get(language);
  if (!words) {
    words = mergeLists(language);
    stopWordsByLanguage.set(language, words);
  }
  const spelled = withoutOptionalMarks(lower, language);
  return words.get(spelled) ?? (language === 'ar' ? words.get(spelled.replace(ALEF_FORMS, 'ا')) : undefined);
}

/** Returns a query without the endings that an apostrophe joins to Turkish names and numbers. */
export function withoutTurkishEndings(query: string): string {
  return query.replace(TURKISH_ENDINGS, ' ');
}

/** Returns a Romanian query without pronouns and endings that a hyphen joins; the query itself if no letter would remain. */
export function withoutRomanianClitics(query: string): string {
  // A pair in capitals is a formula or a name: C-O, V-I.
  const rest = query
    .replace(ROMANIAN_PAIRS, (pair) => (/-\P{Lu}+$/u.test(pair) ? ' ' : pair))
    .replace(ROMANIAN_ENDINGS, ' ');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : query;
}

function mergeLists(language: string): ReadonlyMap<string, StopWord> {
  const words = new Map<string, StopWord>();
  for (const word of [...stopWordsOf(language), ...(queryLists().get(language) ?? [])]) {
    const spelled = withoutOptionalMarks(word, language);
    words.set(spelled, 'certain');
    if (language === 'ar') words.set(spelled.replace(ALEF_FORMS, 'ا'), 'certain');
  }
  for (const word of ambiguousLists().get(language) ?? []) words.set(withoutOptionalMarks(word, language), 'ambiguous');
  return words;
}

/** Returns a word without marks that writers often omit: Arabic vowels, the dots of Russian ё, variants of Persian and Hindi letters. */
function withoutOptionalMarks(lower: string, language: string): string {
  if (language === 'ar') return lower.replace(ARABIC_MARKS, '');
  if (language === 'ru') return lower.replaceAll('ё', 'е');
  return language === 'fa' || language === 'hi' ? fold(lower) : lower;
}
