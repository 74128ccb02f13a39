/** Detects the language of a text: by its script or letters where they decide, else by function words, else by n-grams of a sample. */
import { createRequire } from 'node:module';
import { lazy } from '../util/lazy.ts';
import { excludedByLetters } from './language-letters.ts';
import { hasFunctionWord, languageByWords } from './language-words.ts';

/** N-grams of all languages. Most texts do not need them, and to load them takes 0.1 s: a quarter of the start of a parser. */
const grams = lazy(() => createRequire(import.meta.url)('tinyld') as typeof import('tinyld'));

/** Length of the sample in UTF-16 units. A longer sample does not change the answer and costs time. */
export const SAMPLE_UNITS = 4096;
/** Length of the sample for tinyld, which is slow per character and sure after a few sentences. */
const GRAM_SAMPLE_UNITS = 1200;
const LETTERS_MIN = 8;
/** Languages that n-grams may name. Short texts and lists of names look like any language, so rare languages are not listed. */
const LATIN_LANGUAGES =
  'en de fr es pt it nl sv da no fi is pl cs sk hu ro tr vi id ca hr sl lt lv et sq af eu gl'.split(' ');
const OTHER_LANGUAGES = 'el ru uk bg sr mk be kk ar fa ur hi mr ne'.split(' ');
/** The last code of the Latin letters that languages are written with. */
const LATIN_LAST = 0x24f;
const LATIN_LETTERS = /[A-Za-z\u00aa-\u024f]+/g;

/** Scripts that one language uses, by their codes. Text in Han characters alone is Chinese, because Japanese text has kana. */
const SCRIPTS: readonly (readonly [language: string, first: number, last: number])[] = [
  ['ja', 0x3040, 0x30ff],
  ['ko', 0xac00, 0xd7a3],
  ['zh', 0x3400, 0x9fff],
  ['th', 0x0e01, 0x0e5b],
  ['lo', 0x0e81, 0x0edf],
  ['he', 0x0590, 0x05ff],
  ['el', 0x0370, 0x03ff],
  ['hy', 0x0530, 0x058f],
  ['ka', 0x10a0, 0x10ff],
  ['my', 0x1000, 0x109f],
  ['km', 0x1780, 0x17ff],
  ['am', 0x1200, 0x137f],
  ['bn', 0x0980, 0x09ff],
  ['pa', 0x0a00, 0x0a7f],
  ['gu', 0x0a80, 0x0aff],
  ['ta', 0x0b80, 0x0bff],
  ['te', 0x0c00, 0x0c7f],
  ['kn', 0x0c80, 0x0cff],
  ['ml', 0x0d00, 0x0d7f],
  ['si', 0x0d80, 0x0dff],
];
/** Minimum share of kana among Han characters and kana in a Japanese text. */
const KANA_SHARE = 0.05;
/** Minimum share of a script in a text of its language. The rest may be names and terms in Latin letters. */
const SCRIPT_SHARE = 0.3;
/** The same for a text without sentences in Latin letters, such as a short page with the names of its authors. */
const SCRIPT_SHARE_AMONG_NAMES = 0.1;

/** Minimum share of words with letters beyond ASCII for which n-grams may name a language of Latin script. */
const ACCENTED_SHARE_MIN = 0.03;
const ACCENTED_WORDS_MIN = 2;

/**
 * Returns the ISO 639-1 code of the language of a text; null if the text is too short or in no language.
 *
 * @param declared the language that the text declares. It counts more than n-grams, except for English, which templates declare.
 */
export function detectLanguage(text: string, declared?: string): string | null {
  const sample = text.slice(0, SAMPLE_UNITS);
  const counts = new Map<string, number>();
  let [letters, latin] = [0, 0];
  for (let i = 0; i < sample.length; i += 1) {
    const unit = sample.charCodeAt(i);
    if (unit < 0x80 ? !isAsciiLetter(unit) : !isLetter(unit)) continue;
    letters += 1;
    if (unit <= LATIN_LAST) latin += 1;
    const script = unit < 0x370 ? undefined : SCRIPTS.find(([, first, last]) => unit >= first && unit <= last);
    if (script) counts.set(script[0], (counts.get(script[0]) ?? 0) + 1);
  }
  if (letters < LETTERS_MIN) return null;
  const excluded = excludedByLetters(latin < letters ? sample : '');
  const isLatin = latin > letters / 2;
  // Commands and quotations in Latin letters do not tell the language of a text in another script.
  const running = isLatin ? sample : sample.replace(LATIN_LETTERS, ' ');
  return (
    byScript(counts, letters, SCRIPT_SHARE) ??
    languageByWords(running, excluded) ??
    (declared === 'en' ? undefined : declared) ??
    byScript(counts, letters, SCRIPT_SHARE_AMONG_NAMES) ??
    byGrams(sample, isLatin, excluded)
  );
}

function byScript(counts: ReadonlyMap<string, number>, letters: number, shareMin: number): string | undefined {
  const kana = counts.get('ja') ?? 0;
  const han = counts.get('zh') ?? 0;
  if (kana + han > letters * shareMin) return kana > (kana + han) * KANA_SHARE ? 'ja' : 'zh';
  for (const [language, count] of counts) if (count > letters * shareMin) return language;
  return undefined;
}

/**
 * Returns the language that n-grams name. N-grams take lists of names and words of programs in Latin script for any language, so
 * function words or accents must confirm a language of Latin script.
 */
function byGrams(sample: string, isLatin: boolean, excluded: ReadonlySet<string>): string | null {
  const only = (isLatin ? LATIN_LANGUAGES : OTHER_LANGUAGES).filter((language) => !excluded.has(language));
  const language = grams().detect(sample.slice(0, GRAM_SAMPLE_UNITS).toWellFormed(), { only });
  if (!/^[a-z]{2}$/.test(language)) return null;
  if (!isLatin) return language;
  return (language === 'en' ? hasFunctionWord(sample, 'en') : isAccented(sample)) ? language : null;
}

function isAccented(sample: string): boolean {
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  const accented = new Set(words.filter((word) => /[^\x00-\x7f]/.test(word))).size;
  return accented >= Math.max(ACCENTED_WORDS_MIN, words.length * ACCENTED_SHARE_MIN);
}

function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isLetter(unit: number): boolean {
  return unit >= 0xaa && unit !== 0xd7 && unit !== 0xf7 && !(unit >= 0x2000 && unit < 0x3040) && unit < 0xd800;
}
