/**
 * Stemmers by ISO 639-1 language, and the language that is assumed for each script. Most stemmers are Snowball's.
 * Corrections for Spanish, Russian and Romanian changed nDCG@10 on bench/manual-sets.ts by less than .01, so there are none. The first six
 * letters as stems found 10 more of 1,246 Greek entries and 8 more of 1,045 Turkish ones, but joined words that only begin alike.
 */
import { stemmer as hy } from '@orama/stemmers/armenian';
import { stemmer as bg } from '@orama/stemmers/bulgarian';
import { stemmer as da } from '@orama/stemmers/danish';
import { stemmer as nl } from '@orama/stemmers/dutch';
import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as fi } from '@orama/stemmers/finnish';
import { stemmer as fr } from '@orama/stemmers/french';
import { stemmer as de } from '@orama/stemmers/german';
import { stemmer as stemGreek } from '@orama/stemmers/greek';
import { stemmer as hu } from '@orama/stemmers/hungarian';
import { stemmer as id } from '@orama/stemmers/indonesian';
import { stemmer as ga } from '@orama/stemmers/irish';
import { stemmer as it } from '@orama/stemmers/italian';
import { stemmer as lt } from '@orama/stemmers/lithuanian';
import { stemmer as ne } from '@orama/stemmers/nepali';
import { stemmer as no } from '@orama/stemmers/norwegian';
import { stemmer as pt } from '@orama/stemmers/portuguese';
import { stemmer as stemRomanian } from '@orama/stemmers/romanian';
import { stemmer as ru } from '@orama/stemmers/russian';
import { stemmer as sr } from '@orama/stemmers/serbian';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import { stemmer as sv } from '@orama/stemmers/swedish';
import { stemmer as ta } from '@orama/stemmers/tamil';
import { stemmer as stemTurkish } from '@orama/stemmers/turkish';
import { stemmer as uk } from '@orama/stemmers/ukrainian';
import { stemArabic } from './arabic.ts';
import { stemCzech } from './czech.ts';
import { stemHindi } from './hindi.ts';
import { stemPolish } from './polish.ts';

type Stemmer = (word: string) => string;

/** Scripts that are stemmed. Each has the language that is assumed if the language of the text uses another script. */
const SCRIPTS = {
  latin: 'en',
  cyrillic: 'ru',
  greek: 'el',
  arabic: 'ar',
  devanagari: 'hi',
  armenian: 'hy',
  tamil: 'ta',
} as const;

export type StemScript = keyof typeof SCRIPTS;

/** All endings that the English stemmer removes. It tries about thirty patterns in turn, and half of the words match none of them. */
const ENGLISH_ENDING = /(?:[esy]|ed|ing|[alu]l|[eo]r|ic|[ae]nt|ou|ism|[st]ion|nci|li|iti|ogi)$/;
const en: Stemmer = (word) => (ENGLISH_ENDING.test(word) ? stemEnglish(word) : word);

/** Snowball knows ş and ţ only with the cedilla. */
const ro: Stemmer = (word) => stemRomanian(word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'));

/** Short plurals that begin with a vowel, from which Snowball removes no s: años, islas. */
const SHORT_PLURAL = /(?<=^[aeiou][^aeiou]{1,2}[aeo])s$/;
const es: Stemmer = (word) => stemSpanish(word.replace(SHORT_PLURAL, ''));

/**
 * Snowball leaves endings of long Greek and Turkish words: güncelleme, güncellemeleri. With the first seven letters of its stems, the right
 * entry of bench/manual-sets.ts is first for 1,008 of 2,291 questions; with whole stems for 967.
 */
const FIRST_UNITS = 7;
const el: Stemmer = (word) => stemGreek(word).slice(0, FIRST_UNITS);
const tr: Stemmer = (word) => stemTurkish(word).slice(0, FIRST_UNITS);

const LATIN: Record<string, Stemmer> = {
  cs: stemCzech,
  sk: stemCzech,
  da,
  nl,
  en,
  fi,
  fr,
  de,
  hu,
  id,
  ga,
  it,
  lt,
  no,
  nb: no,
  nn: no,
  pl: stemPolish,
  pt,
  ro,
  es,
  sv,
  tr,
};

const STEMMERS: Record<StemScript, Record<string, Stemmer>> = {
  latin: LATIN,
  cyrillic: { ru, uk, bg, sr, be: ru },
  greek: { el },
  arabic: { ar: stemArabic },
  devanagari: { hi: stemHindi, ne },
  armenian: { hy },
  tamil: { ta },
};

/** Languages of these scripts without a stemmer. Their words are not stemmed. */
const UNSTEMMED: Partial<Record<StemScript, readonly string[]>> = {
  latin: 'vi hr sl et lv ca af eu gl sq is eo la ms tl'.split(' '),
  cyrillic: ['mk', 'kk'],
  arabic: ['fa', 'ur'],
  devanagari: ['mr'],
};

/** Languages whose words are not analyzed as words of the commonest language of their script. */
export const ANALYZED_LANGUAGES: readonly string[] = [
  ...new Set([...Object.values(STEMMERS).flatMap(Object.keys), ...Object.values(UNSTEMMED).flat()]),
];

/** Returns the script whose stemmers apply to a word, by its first letter; null if there is none. */
export function scriptOf(word: string): StemScript | null {
  const c = word.charCodeAt(0);
  if (c < 0x30) return null;
  if (c < 0x250 || (c >= 0x1e00 && c < 0x1f00)) return c < 0x3a ? null : 'latin';
  if ((c >= 0x370 && c < 0x400) || (c >= 0x1f00 && c < 0x2000)) return 'greek';
  if (c >= 0x400 && c < 0x530) return 'cyrillic';
  if (c >= 0x530 && c < 0x590) return 'armenian';
  if (c >= 0x600 && c < 0x700) return 'arabic';
  if (c >= 0x900 && c < 0x980) return 'devanagari';
  if (c >= 0xb80 && c < 0xc00) return 'tamil';
  return null;
}

/** Returns the language that words of a script are analyzed in, in a text of `language`. */
export function languageFor(script: StemScript, language: string | null): string {
  if (language !== null && (STEMMERS[script][language] || UNSTEMMED[script]?.includes(language))) return language;
  return SCRIPTS[script];
}

const SCRIPT_LANGUAGES: ReadonlySet<string> = new Set(Object.values(SCRIPTS));

/** Returns whether `language` is the one that is assumed for words of its script in a text of unknown language. */
export function isScriptLanguage(language: string): boolean {
  return SCRIPT_LANGUAGES.has(language);
}

/** Returns the stem of a lower-case word; the word itself if the language has no stemmer. */
export function stem(word: string, script: StemScript, language: string): string {
  const stemmer = STEMMERS[script][language];
  if (!stemmer) return word;
  try {
    return stemmer(word) || word;
  } catch {
    return word; // The Bulgarian stemmer throws on some endings.
  }
}
