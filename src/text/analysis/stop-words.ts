/**
 * Words that carry no topic, by language: articles, pronouns, auxiliaries, question words. Only queries drop them. Prepositions of
 * place and time are not listed: `insert a row above` is found by `above`. A word that is also a noun or a name is not listed either,
 * because a lost word costs more than a frequent word, to which BM25 gives little weight.
 */
import { lazy } from '../../util/lazy.ts';
import { readWordLists } from '../../util/package-files.ts';
import { fold } from '../fold.ts';

const NONE: ReadonlySet<string> = new Set();

const listsByLanguage = lazy(
  () =>
    new Map([...readWordLists('stop-words')].map(([language, words]) => [language, new Set(words.flatMap(spellings))])),
);

/** Returns the stop words of a language, in lower case and not stemmed; the empty set if the language has no list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return listsByLanguage().get(language) ?? NONE;
}

export function isStopWord(lower: string, language: string): boolean {
  return spellings(lower).some((word) => stopWordsOf(language).has(word));
}

/** Returns a word as it is written, and without its marks. In Latin and Greek script a word without its marks is another word. */
function spellings(lower: string): string[] {
  if (/^[\u0600-\u06ff]/.test(lower)) return [lower, lower.normalize('NFD').replace(/[\p{M}\u0640]/gu, '')];
  return /^[\u0400-\u052f\u0900-\u097f]/.test(lower) ? [lower, fold(lower)] : [lower];
}
